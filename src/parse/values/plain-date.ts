/**
 * The four shapes in which nearly all dates of sitemaps are written: `2024-05-06`, `2024-05-06T08:53:11Z`,
 * `2024-05-06T08:53:11.000Z` and `2024-05-06T08:53:11+02:00`. They are read from their bytes, to the same instants as
 * {@link parseW3cDate} reads from text, and written again when the text is asked for: so no page needs a string
 * for its date, which is 80 ns and 48 bytes for each.
 */
import { midnight } from './date-w3c.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Which of the shapes a date has: 0 for a day, 1 for `Z`, 2 for milliseconds and `Z`; for a zone, 3 and the minutes
 * east of UTC, or 3 and a day's minutes and those west of it, since `+00:00` and `-00:00` are written both.
 */
export type DateForm = number;
const DAY = 0;
const UTC = 1;
const UTC_MILLISECONDS = 2;
const EAST = 3;
const WEST = EAST + 24 * 60;

// Four bytes are looked at at once. XOR with a template leaves the digit where the template has `0`, and nothing where
// the byte is the one that the template has; adding the slack then carries into the high bit of every other byte.
const YEAR = word('0000');
const YEAR_SLACK = slack('0000');
const MONTH = word('-00-');
const MONTH_SLACK = slack('-00-');
const LAST_DAY = word('0-00');
const LAST_DAY_SLACK = slack('0-00');
const DAY_AND_TENS = word('00T0');
const DAY_AND_TENS_SLACK = slack('00T0');
const ONES_AND_MINUTE = word('0:00');
const ONES_AND_MINUTE_SLACK = slack('0:00');
const SECONDS = word(':00\0');
const SECONDS_SLACK = slack(':00\0');
const MILLISECONDS = word('.000');
const MILLISECONDS_SLACK = slack('.000');
const ZONE_HOUR = word('00:0');
const ZONE_HOUR_SLACK = slack('00:0');

/** Reads one date after another. */
export class PlainDate {
  /** The milliseconds since 1970 of what was read last. */
  time = 0;
  form: DateForm = DAY;

  /** Reads these bytes; returns whether it is a date in one of the shapes. */
  read(view: DataView, start: number, end: number): boolean {
    switch (end - start) {
      case 10:
        this.#readDay(view, start);
        break;
      case 20:
        this.form = UTC;
        this.#readTime(view, start);
        if (view.getUint8(start + 19) !== Z) return false;
        break;
      case 24:
        this.#readTime(view, start);
        this.#readMilliseconds(view, start + 19);
        break;
      case 25:
        this.#readTime(view, start);
        this.#readZone(view, start + 19);
        break;
      default:
        return false;
    }
    return !Number.isNaN(this.time);
  }

  #readDay(view: DataView, start: number): void {
    const year = view.getInt32(start, true) ^ YEAR;
    const month = view.getInt32(start + 4, true) ^ MONTH;
    const day = view.getInt32(start + 6, true) ^ LAST_DAY;
    const checks = (year + YEAR_SLACK) | (month + MONTH_SLACK) | (day + LAST_DAY_SLACK);
    this.form = DAY;
    this.time = areDigits(checks | year | month | day)
      ? midnight(four(year), two(month, 8), two(day, 16))
      : Number.NaN;
  }

  #readTime(view: DataView, start: number): void {
    const year = view.getInt32(start, true) ^ YEAR;
    const month = view.getInt32(start + 4, true) ^ MONTH;
    const day = view.getInt32(start + 8, true) ^ DAY_AND_TENS;
    const clock = view.getInt32(start + 12, true) ^ ONES_AND_MINUTE;
    const seconds = (view.getInt32(start + 16, true) & 0xffffff) ^ SECONDS;
    const checks =
      (year + YEAR_SLACK) |
      (month + MONTH_SLACK) |
      (day + DAY_AND_TENS_SLACK) |
      (clock + ONES_AND_MINUTE_SLACK) |
      (seconds + SECONDS_SLACK);
    const hour = ((day >>> 24) & 15) * 10 + (clock & 15);
    const minute = two(clock, 16);
    const second = two(seconds, 8);
    // `24:00:00` and `:60` are read too, but as moments that are written otherwise: those need their text.
    if (
      !areDigits(checks | year | month | day | clock | seconds) ||
      hour > 23 ||
      minute > 59 ||
      second > 59
    ) {
      this.time = Number.NaN;
      return;
    }
    this.time =
      midnight(four(year), two(month, 8), two(day, 0)) + (hour * HOUR + minute * MINUTE + second * SECOND);
  }

  #readMilliseconds(view: DataView, at: number): void {
    const fraction = view.getInt32(at, true) ^ MILLISECONDS;
    const isFraction = areDigits(fraction | (fraction + MILLISECONDS_SLACK)) && view.getUint8(at + 4) === Z;
    this.form = UTC_MILLISECONDS;
    this.time += isFraction ? two(fraction, 8) * 10 + ((fraction >>> 24) & 15) : Number.NaN;
  }

  #readZone(view: DataView, at: number): void {
    const sign = view.getUint8(at);
    const tail = view.getInt32(at + 1, true) ^ ZONE_HOUR;
    const last = view.getInt32(at + 2, true) ^ ONES_AND_MINUTE;
    const checks = (tail + ZONE_HOUR_SLACK) | (last + ONES_AND_MINUTE_SLACK);
    const hours = two(tail, 0);
    const minutes = two(last, 16);
    const isZone = areDigits(checks | tail | last) && hours <= 23 && minutes <= 59;
    if (!isZone || (sign !== PLUS && sign !== DASH)) {
      this.time = Number.NaN;
      return;
    }
    const offset = hours * 60 + minutes;
    this.form = (sign === PLUS ? EAST : WEST) + offset;
    this.time -= (sign === PLUS ? offset : -offset) * MINUTE;
  }
}

/** The text of a date that was read from one of the shapes. */
export function writePlainDate(time: number, form: DateForm): string {
  const isWest = form >= WEST;
  const minutes = form < EAST ? 0 : form - (isWest ? WEST : EAST);
  const local = new Date(time + (isWest ? -minutes : minutes) * MINUTE).toISOString();
  if (form === DAY) return local.slice(0, 10);
  if (form === UTC_MILLISECONDS) return local;
  const zone = form === UTC ? 'Z' : `${isWest ? '-' : '+'}${padded(minutes / 60)}:${padded(minutes % 60)}`;
  return local.slice(0, 19) + zone;
}

const DASH = 0x2d;
const PLUS = 0x2b;
const Z = 0x5a;

function areDigits(checks: number): boolean {
  return (checks & 0x80808080) === 0;
}

/** The number that two digits make, the first of them so many bits up. */
function two(word: number, shift: number): number {
  return ((word >>> shift) & 15) * 10 + ((word >>> (shift + 8)) & 15);
}

function four(word: number): number {
  return two(word, 0) * 100 + two(word, 16);
}

function padded(number: number): string {
  return String(Math.trunc(number)).padStart(2, '0');
}

function word(template: string): number {
  return Array.from(template).reduceRight((sum, character) => (sum << 8) | character.charCodeAt(0), 0);
}

// 0x7f carries from 1 on, 0x76 from 10 on.
function slack(template: string): number {
  return Array.from(template).reduceRight(
    (sum, character) => (sum << 8) | (character === '0' ? 0x76 : 0x7f),
    0,
  );
}
