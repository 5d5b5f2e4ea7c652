/**
 * Points in time as people write them, and which dates are not before them. A time without a zone is UTC, as in
 * sitemaps, so that the same words give the same pages on any machine.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

const DATE =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?)?)?$/i;

/**
 * Milliseconds since 1970 of a date (`2024`, `2024-05`, `2024-05-06`, `2024-05-06T08:00+02:00`), of a time before now
 * (`90m`, `24h`, `7d`, `2w`), or of the beginning of `today` or `yesterday`; `undefined` for anything else.
 */
export function parseWhen(text: string, now: number): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'today') return startOfDay(now);
  if (word === 'yesterday') return startOfDay(now) - DAY;
  const ago = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(word);
  if (ago !== null) return now - Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? 0);
  const time = parseDate(text.trim());
  return Number.isNaN(time) ? undefined : time;
}

function startOfDay(time: number): number {
  return Math.floor(time / DAY) * DAY;
}

function parseDate(text: string): number {
  const match = DATE.exec(text);
  if (match === null) return Number.NaN;
  const part = (group: number, missing: number): number => Number(match[group] ?? missing);
  const [year, month, day] = [part(1, 0), part(2, 1), part(3, 1)];
  const [hour, minute, second] = [part(4, 0), part(5, 0), part(6, 0)];
  const time = Date.UTC(year, month - 1, day, hour, minute, second);
  // `Date.UTC` takes the 30th of February for the 1st of March; the user meant something else.
  const isReal =
    new Date(time).getUTCMonth() === month - 1 &&
    new Date(time).getUTCDate() === day &&
    minute < 60 &&
    hour < 24;
  return isReal ? time - zoneOffset(match[7]) : Number.NaN;
}

function zoneOffset(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const offset = Number(digits.slice(0, 2)) * HOUR + Number(digits.slice(2)) * MINUTE;
  return zone.startsWith('-') ? -offset : offset;
}

/**
 * Whether something that changed at `date` may have changed at `since` or later. A date without a time covers its day
 * (a month its month, a year its year): what is dated today changed some time today.
 *
 * @param text - the date as written, where it is known; otherwise midnight counts as a date without a time
 */
export function isSince(date: Date, text: string | undefined, since: number): boolean {
  const time = date.getTime();
  return time >= since || endOfPeriod(date, text) > since;
}

function endOfPeriod(date: Date, text: string | undefined): number {
  const time = date.getTime();
  const written = text?.trim();
  if (time % DAY !== 0 || (written !== undefined && /:|^\d{10,}$/.test(written))) return time;
  if (written !== undefined && /^\d{4}$/.test(written)) return Date.UTC(date.getUTCFullYear() + 1, 0);
  if (written !== undefined && /^\d{4}-\d\d$/.test(written)) {
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  }
  return time + DAY;
}
