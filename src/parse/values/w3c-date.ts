/**
 * W3C datetimes (https://www.w3.org/TR/NOTE-datetime), which is what the sitemap protocol asks for, and the
 * calendar under every other shape. One of these is read for every page of a document of millions, hence
 * digits by hand: no RegExp, no `Date`, no string is made.
 *
 * Wider than the note where real sites are, and nothing is lost by it: `t` and a space for `T`, a comma
 * before the fraction, `z`, `+02` and `+0200`, a space before the zone, no zone (UTC), and the zone after a
 * bare date that `xs:date` has and so sitemap.xsd allows.
 */

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** The epoch milliseconds of a W3C datetime with nothing around it, or NaN. */
export function parseW3cDate(text: string): number {
  const { length } = text;
  if (length < 10) return parseYearOrMonth(text);
  const century = twoDigits(text, 0);
  const yearOfCentury = twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if ((century | yearOfCentury | month | day) < 0) return Number.NaN;
  if (text.charCodeAt(4) !== 0x2d || text.charCodeAt(7) !== 0x2d) return Number.NaN;
  const date = midnight(century * 100 + yearOfCentury, month, day);
  if (length === 10) return date;

  const separator = text.charCodeAt(10);
  if (separator !== 0x54 && separator !== 0x20 && separator !== 0x74) {
    // `2024-05-06-05` would be anybody's guess: after a bare date a zone has to be written out.
    return length === 11 || length === 16 ? date - zoneOffset(text, 10) : Number.NaN;
  }
  if (length < 16 || text.charCodeAt(13) !== 0x3a) return Number.NaN;
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  if (length < 19 || text.charCodeAt(16) !== 0x3a) {
    return date + timeOfDay(hour, minute, 0, 0) - zoneOffset(text, 16);
  }
  const second = twoDigits(text, 17);
  if (length === 19) return date + timeOfDay(hour, minute, second, 0);
  const point = text.charCodeAt(19);
  if (point !== 0x2e && point !== 0x2c) {
    return date + timeOfDay(hour, minute, second, 0) - zoneOffset(text, 19);
  }
  let at = 20;
  let fraction = 0;
  for (let weight = 100; at < length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    // Past the third digit the weight is 0: fractions are cut, never rounded into the next second.
    fraction += digit * weight;
    weight = (weight / 10) | 0;
  }
  if (at === 20) return Number.NaN;
  return date + timeOfDay(hour, minute, second, fraction) - zoneOffset(text, at);
}

/**
 * Midnight UTC of a day of the proleptic Gregorian calendar, or NaN where there is no such day. Years 1 to
 * 9999, none of them moved into the 1900s as `Date.UTC` does: Hugo and .NET write a missing date as year 1.
 */
export function midnight(year: number, month: number, day: number): number {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return Number.NaN;
  if (day > 28 && day > daysInMonth(year, month)) return Number.NaN;
  // Counted from March, so that the leap day is the last of its year and needs no case of its own.
  const y = month > 2 ? year : year - 1;
  const dayOfYear = (((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0) + day - 1;
  const leapDays = (y >> 2) - ((y / 100) | 0) + ((y / 400) | 0);
  return (365 * y + leapDays + dayOfYear - 719_468) * DAY;
}

/**
 * Milliseconds since midnight, or NaN. `24:00:00` is the midnight that ends the day (ISO 8601). A leap
 * second, `:60`, is read as `:59`: POSIX time has no place for it, and this keeps it in its minute and day.
 */
export function timeOfDay(hour: number, minute: number, second: number, millisecond: number): number {
  if ((hour | minute | second) < 0 || minute > 59 || second > 60) return Number.NaN;
  if (hour > 23) return hour === 24 && (minute | second | millisecond) === 0 ? DAY : Number.NaN;
  return hour * HOUR + minute * MINUTE + (second === 60 ? 59 : second) * SECOND + millisecond;
}

/** Milliseconds east of UTC of the `Z`, `+hh`, `+hhmm` or `+hh:mm` that ends `text`, or NaN; no zone is UTC. */
export function zoneOffset(text: string, start: number): number {
  if (start === text.length) return 0;
  let at = start;
  let sign = text.charCodeAt(at);
  if (sign === 0x20) sign = text.charCodeAt(++at);
  const length = text.length - at;
  if (length === 1) return sign === 0x5a || sign === 0x7a ? 0 : Number.NaN;
  if (length < 3 || (sign !== 0x2b && sign !== 0x2d)) return Number.NaN;
  const hours = twoDigits(text, at + 1);
  let minutes = 0;
  if (length === 6 && text.charCodeAt(at + 3) === 0x3a) minutes = twoDigits(text, at + 4);
  else if (length === 5) minutes = twoDigits(text, at + 3);
  else if (length !== 3) return Number.NaN;
  if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return Number.NaN;
  const offset = hours * HOUR + minutes * MINUTE;
  return sign === 0x2b ? offset : -offset;
}

function parseYearOrMonth(text: string): number {
  if (text.length !== 4 && text.length !== 7) return Number.NaN;
  const century = twoDigits(text, 0);
  const yearOfCentury = twoDigits(text, 2);
  if ((century | yearOfCentury) < 0) return Number.NaN;
  const year = century * 100 + yearOfCentury;
  if (text.length === 4) return midnight(year, 1, 1);
  return text.charCodeAt(4) === 0x2d ? midnight(year, twoDigits(text, 5), 1) : Number.NaN;
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return 30 + ((month + (month >> 3)) & 1);
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/**
 * The number two digits make, or -1, without a branch: a difference below zero spreads its sign over the
 * whole. The caller sees to it that there are two characters, since bits cannot tell NaN from 0.
 */
export function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return (tens * 10 + ones) | ((tens | ones | (9 - tens) | (9 - ones)) >> 31);
}

/**
 * Which of the shapes a date has: 0 for a day, 1 for `Z`, 2 for milliseconds and `Z`; for a zone, 3 and the minutes
 * east of UTC, or 3 and a day's minutes and those west of it, since `+00:00` and `-00:00` are written both.
 */
export type DateForm = number;
const DAY_FORM = 0;
const UTC = 1;
const UTC_MILLISECONDS = 2;
const EAST = 3;
const WEST = EAST + 24 * 60;
/** Behind these, in the shape of feeds: `GMT`, and the same for zones without a colon. */
const GMT = WEST + 24 * 60;
const FEED_EAST = GMT + 1;
const FEED_WEST = FEED_EAST + 24 * 60;

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
const FEED_DAY = word(' 00 ');
const FEED_DAY_SLACK = slack(' 00 ');
const FEED_HOUR = word(' 00:');
const FEED_HOUR_SLACK = slack(' 00:');
const FEED_SECOND = word('00 \0');
const FEED_SECOND_SLACK = slack('00 \0');
const GMT_WORD = word(' GMT');
const WEEKDAYS = ['Sun,', 'Mon,', 'Tue,', 'Wed,', 'Thu,', 'Fri,', 'Sat,'].map(word);
const MONTHS: ReadonlyMap<number, number> = new Map(
  'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'
    .split(' ')
    .map((name, index) => [word(`${name} `), index + 1]),
);

/**
 * Reads the four shapes in which nearly all dates of sitemaps are written from their bytes: `2024-05-06`,
 * `2024-05-06T08:53:11Z`, `2024-05-06T08:53:11.000Z` and `2024-05-06T08:53:11+02:00`. They are the same instants that
 * {@link parseW3cDate} reads from text, and are written again when the text is asked for: so no page needs a string for
 * its date, which is 80 ns and 48 bytes for each.
 */
export class PlainDate {
  /** The milliseconds since 1970 of what was read last. */
  time = 0;
  form: DateForm = DAY_FORM;

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

  /** The same of `Tue, 10 Aug 2010 20:43:53 GMT` or `+0000`, as nearly all feeds write it. */
  readRfc822(view: DataView, start: number, end: number): boolean {
    const length = end - start;
    if (length !== 29 && length !== 31) return false;
    const day = view.getInt32(start + 4, true) ^ FEED_DAY;
    const month = MONTHS.get(view.getInt32(start + 8, true)) ?? 0;
    const year = view.getInt32(start + 12, true) ^ YEAR;
    const hour = view.getInt32(start + 16, true) ^ FEED_HOUR;
    const minute = view.getInt32(start + 20, true) ^ ZONE_HOUR;
    const second = (view.getInt32(start + 23, true) & 0xffffff) ^ FEED_SECOND;
    const zone = length === 29 ? 0 : view.getInt32(end - 4, true) ^ YEAR;
    const checks =
      (day + FEED_DAY_SLACK) |
      (year + YEAR_SLACK) |
      (hour + FEED_HOUR_SLACK) |
      (minute + ZONE_HOUR_SLACK) |
      (second + FEED_SECOND_SLACK) |
      (zone + YEAR_SLACK);
    const hours = two(hour, 8);
    const minutesOfHour = two(minute, 0);
    const seconds = two(second, 0);
    if (!areDigits(checks | day | year | hour | minute | second | zone)) return false;
    if (hours > 23 || minutesOfHour > 59 || seconds > 59 || two(zone, 0) > 23 || two(zone, 16) > 59)
      return false;
    const date = midnight(four(year), month, two(day, 8));
    // A weekday that is not the date's own could not be written again.
    const weekday = (((((date / DAY) | 0) + 4) % 7) + 7) % 7;
    if (Number.isNaN(date) || view.getInt32(start, true) !== WEEKDAYS[weekday]) return false;
    const minutes = two(zone, 0) * 60 + two(zone, 16);
    const sign = view.getUint8(end - 5);
    if (length === 29) {
      if (view.getInt32(end - 4, true) !== GMT_WORD) return false;
      this.form = GMT;
    } else if (sign === PLUS) this.form = FEED_EAST + minutes;
    else if (sign === DASH) this.form = FEED_WEST + minutes;
    else return false;
    const east = sign === DASH ? -minutes : minutes;
    this.time = date + hours * HOUR + (minutesOfHour - east) * MINUTE + seconds * SECOND;
    return true;
  }

  #readDay(view: DataView, start: number): void {
    const year = view.getInt32(start, true) ^ YEAR;
    const month = view.getInt32(start + 4, true) ^ MONTH;
    const day = view.getInt32(start + 6, true) ^ LAST_DAY;
    const checks = (year + YEAR_SLACK) | (month + MONTH_SLACK) | (day + LAST_DAY_SLACK);
    this.form = DAY_FORM;
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

/** The text of a date, of which the shape or the text itself is kept; undefined where there is no date. */
export function writtenDate(
  time: number | undefined,
  text: string | DateForm | undefined,
): string | undefined {
  if (time === undefined) return undefined;
  return typeof text === 'number' ? writePlainDate(time, text) : text;
}

/** The text of a date that was read from one of the shapes. */
export function writePlainDate(time: number, form: DateForm): string {
  if (form >= GMT) return writeFeedDate(time, form);
  const isWest = form >= WEST;
  const minutes = form < EAST ? 0 : form - (isWest ? WEST : EAST);
  const local = new Date(time + (isWest ? -minutes : minutes) * MINUTE).toISOString();
  if (form === DAY_FORM) return local.slice(0, 10);
  if (form === UTC_MILLISECONDS) return local;
  const zone = form === UTC ? 'Z' : `${isWest ? '-' : '+'}${padded(minutes / 60)}:${padded(minutes % 60)}`;
  return local.slice(0, 19) + zone;
}

function writeFeedDate(time: number, form: DateForm): string {
  if (form === GMT) return new Date(time).toUTCString();
  const isWest = form >= FEED_WEST;
  const minutes = form - (isWest ? FEED_WEST : FEED_EAST);
  const local = new Date(time + (isWest ? -minutes : minutes) * MINUTE).toUTCString();
  return `${local.slice(0, -3)}${isWest ? '-' : '+'}${padded(minutes / 60)}${padded(minutes % 60)}`;
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
