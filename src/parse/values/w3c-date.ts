/**
 * W3C datetimes (https://www.w3.org/TR/NOTE-datetime), which is what the sitemap protocol asks for, the usual shape of
 * RFC 822, and the calendar under every other shape. One of these is read for every page of a document of millions,
 * hence digits by hand: no RegExp, no `Date`, no string is made.
 *
 * Wider than the note where real sites are, and nothing is lost by it: `t` and a space for `T`, a comma
 * before the fraction, `z`, `+02` and `+0200`, a space before the zone, no zone (UTC), and the zone after a
 * bare date that `xs:date` has and so sitemap.xsd allows.
 */

import { COLON, DASH, SPACE } from './byte-codes.ts';
import { wordOf } from './text.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

const PLUS = 0x2b;
const POINT = 0x2e;
const COMMA = 0x2c;
const T = 0x54;
const Z = 0x5a;

/**
 * How to write a date again that is in one of the usual shapes: the shape, 8 for a zone west of UTC, since `+00:00` and
 * `-00:00` are written both, and the minutes from UTC above. So no page needs a string for its date, which is 80 ns and
 * 48 bytes for each.
 */
export type DateForm = number;
const Shape = {
  /** `2024-05-06` */
  day: 0,
  /** `2024-05-06T08:53:11Z` */
  utc: 1,
  /** `2024-05-06T08:53:11.000Z` */
  milliseconds: 2,
  /** `2024-05-06T08:53:11+02:00` */
  zone: 3,
  /** `Mon, 06 May 2024 08:53:11 GMT` */
  gmt: 4,
  /** `Mon, 06 May 2024 08:53:11 +0200` */
  feedZone: 5,
  /** Any other. */
  none: 6,
} as const;
/** The longest of the usual shapes of W3C. */
const LONGEST_W3C = 25;
const WEST = 8;
const ZONE_BITS = 4;

// Up to four bytes are looked at at once. XOR with a template leaves the digit where the template has `0`, and nothing
// where the byte is the one that the template has; adding the slack then carries into the high bit of every other byte.
const YEAR = wordOf('0000');
const YEAR_SLACK = slackOf('0000');
const MONTH = wordOf('-00-');
const MONTH_SLACK = slackOf('-00-');
const TWO = wordOf('00');
const TWO_SLACK = slackOf('00');
const CLOCK = wordOf('00:');
const CLOCK_SLACK = slackOf('00:');
const FEED_DAY = wordOf(' 00 ');
const FEED_DAY_SLACK = slackOf(' 00 ');
const FEED_HOUR = wordOf(' 00:');
const FEED_HOUR_SLACK = slackOf(' 00:');
const FEED_MINUTE = wordOf(':00:');
const FEED_MINUTE_SLACK = slackOf(':00:');
const GMT = wordOf(' GMT');
const WEEKDAYS = ['Sun,', 'Mon,', 'Tue,', 'Wed,', 'Thu,', 'Fri,', 'Sat,'].map(wordOf);
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ').map((name) => wordOf(`${name} `));

/** Reads dates from their bytes. */
export class PlainDate {
  /** The milliseconds since 1970 of what was read last; NaN where that is not a date. */
  time = 0;
  form: DateForm = Shape.day;

  /** Reads a date; returns whether it is in one of the usual shapes of sitemaps and feeds. */
  readAny(view: DataView, start: number, end: number): boolean {
    const isLong = end - start > LONGEST_W3C;
    return isLong ? this.#readRfc822(view, start, end) : this.read(view, start, end);
  }

  /** Reads a W3C datetime; returns whether it is in one of the usual shapes. */
  read(view: DataView, start: number, end: number): boolean {
    this.form = Shape.none;
    this.time = this.#w3c(view, start, end);
    return this.form !== Shape.none && !Number.isNaN(this.time);
  }

  #w3c(view: DataView, start: number, end: number): number {
    const length = end - start;
    if (length < 10) return yearOrMonth(view, start, length);
    const year = view.getInt32(start, true) ^ YEAR;
    const month = view.getInt32(start + 4, true) ^ MONTH;
    const day = view.getUint16(start + 8, true) ^ TWO;
    const checks = (year + YEAR_SLACK) | (month + MONTH_SLACK) | (day + TWO_SLACK);
    if (!areDigits(checks | year | month | day)) return Number.NaN;
    const date = midnight(two(year, 0) * 100 + two(year, 16), two(month, 8), two(day, 0));
    if (length === 10) {
      this.form = Shape.day;
      return date;
    }
    const separator = view.getUint8(start + 10);
    if (separator !== SPACE && (separator & 0xdf) !== T) {
      // `2024-05-06-05` is ambiguous: after a bare date a zone has to be written out.
      return length === 11 || length === 16 ? date - zoneOffset(view, start + 10, end) : Number.NaN;
    }
    if (length < 16) return Number.NaN;
    const hour = (view.getInt32(start + 10, true) >>> 8) ^ CLOCK;
    const minute = view.getUint16(start + 14, true) ^ TWO;
    if (!areDigits(hour | minute | (hour + CLOCK_SLACK) | (minute + TWO_SLACK))) return Number.NaN;
    if (length < 19 || view.getUint8(start + 16) !== COLON) {
      return date + timeOfDay(two(hour, 0), two(minute, 0), 0, 0) - zoneOffset(view, start + 16, end);
    }
    const second = twoDigits(view, start + 17);
    let at = start + 19;
    let fraction = 0;
    if (at < end && (view.getUint8(at) === POINT || view.getUint8(at) === COMMA)) {
      for (let weight = 100; ++at < end && isDigit(view.getUint8(at)); weight = (weight / 10) | 0) {
        // Past the third digit the weight is 0: fractions are cut, never rounded into the next second.
        fraction += (view.getUint8(at) - 48) * weight;
      }
      if (at === start + 20) return Number.NaN;
    }
    const zone = end - at === 1 && view.getUint8(at) === Z ? 0 : zoneOffset(view, at, end);
    // `24:00:00` and `:60` are moments that are written otherwise: those need their text.
    if (separator === T && two(hour, 0) < 24 && second < 60) this.form = formOf(view, start, at, end, zone);
    return date + timeOfDay(two(hour, 0), two(minute, 0), second, fraction) - zone;
  }

  /** Reads `Tue, 10 Aug 2010 20:43:53 GMT` or `+0000`, as nearly all feeds write it, and nothing else. */
  #readRfc822(view: DataView, start: number, end: number): boolean {
    const length = end - start;
    if (length !== 29 && length !== 31) return false;
    const day = view.getInt32(start + 4, true) ^ FEED_DAY;
    const month = MONTHS.indexOf(view.getInt32(start + 8, true)) + 1;
    const year = view.getInt32(start + 12, true) ^ YEAR;
    const hour = view.getInt32(start + 16, true) ^ FEED_HOUR;
    const minute = view.getInt32(start + 19, true) ^ FEED_MINUTE;
    const second = view.getUint16(start + 23, true) ^ TWO;
    const checks =
      (day + FEED_DAY_SLACK) |
      (year + YEAR_SLACK) |
      (hour + FEED_HOUR_SLACK) |
      (minute + FEED_MINUTE_SLACK) |
      (second + TWO_SLACK);
    if (!areDigits(checks | day | year | hour | minute | second)) return false;
    if (two(hour, 8) > 23 || two(second, 0) > 59 || view.getUint8(start + 25) !== SPACE) return false;
    if (length === 29 && view.getInt32(end - 4, true) !== GMT) return false;
    const date = midnight(two(year, 0) * 100 + two(year, 16), month, two(day, 8));
    // A weekday that is not the date's own could not be written again.
    const weekday = (((((date / DAY) | 0) + 4) % 7) + 7) % 7;
    if (view.getInt32(start, true) !== WEEKDAYS[weekday]) return false;
    const zone = length === 29 ? 0 : zoneOffset(view, end - 5, end);
    this.form = length === 29 ? Shape.gmt : withZone(Shape.feedZone, view.getUint8(end - 5) === DASH, zone);
    this.time = date + timeOfDay(two(hour, 8), two(minute, 8), two(second, 0), 0) - zone;
    return !Number.isNaN(this.time);
  }
}

/** The form of a datetime with a `T`, whose fraction ends at `at`. */
function formOf(view: DataView, start: number, at: number, end: number, zone: number): DateForm {
  if (end - at === 1 && view.getUint8(at) === Z) {
    if (at === start + 19) return Shape.utc;
    return at === start + 23 && view.getUint8(start + 19) === POINT ? Shape.milliseconds : Shape.none;
  }
  const isZone = at === start + 19 && end - at === 6 && view.getUint8(at) !== SPACE;
  return isZone ? withZone(Shape.zone, view.getUint8(at) === DASH, zone) : Shape.none;
}

function withZone(shape: DateForm, isWest: boolean, offset: number): DateForm {
  return shape | (isWest ? WEST : 0) | ((Math.abs(offset) / MINUTE) << ZONE_BITS);
}

/** The text of a date, of which the form or the text itself is kept; undefined where there is none. */
export function writtenDate(date: Date | undefined, form: string | DateForm | undefined): string | undefined {
  if (typeof form !== 'number') return form;
  return date === undefined ? undefined : writePlainDate(date.getTime(), form);
}

/** How the text of a date is kept: as the form that writes it again, or else as it is. */
export function dateFormOf(text: string): string | DateForm {
  const isUsual = text.length <= MAX_TEXT && DATE.readAny(inBytes(text), 0, text.length);
  return isUsual ? DATE.form : text;
}

/** The text of a date that was read from one of the usual shapes. */
export function writePlainDate(time: number, form: DateForm): string {
  const minutes = form >> ZONE_BITS;
  const isWest = (form & WEST) !== 0;
  const local = time + (isWest ? -minutes : minutes) * MINUTE;
  const shape = form & (WEST - 1);
  if (shape === Shape.gmt) return new Date(local).toUTCString();
  const zone = (isWest ? '-' : '+') + padded(minutes / 60);
  if (shape === Shape.feedZone)
    return new Date(local).toUTCString().slice(0, -3) + zone + padded(minutes % 60);
  if (shape === Shape.milliseconds) return new Date(local).toISOString();
  const day = Math.floor(local / DAY);
  if (shape === Shape.day) return dayText(day);
  const seconds = (local - day * DAY) / 1000;
  const clock = `${padded(seconds / 3600)}:${padded((seconds / 60) % 60)}:${padded(seconds % 60)}`;
  return `${dayText(day)}T${clock}${shape === Shape.utc ? 'Z' : `${zone}:${padded(minutes % 60)}`}`;
}

/** Pages change on a few thousand days, and `toISOString` takes as long as writing the rest of a page. */
const KNOWN_DAYS = new Map<number, string>();
const MOST_DAYS = 10_000;

/** @param day - days since 1970 */
function dayText(day: number): string {
  const cached = KNOWN_DAYS.get(day);
  if (cached !== undefined) return cached;
  const text = new Date(day * DAY).toISOString().slice(0, 10);
  if (KNOWN_DAYS.size === MOST_DAYS) KNOWN_DAYS.clear();
  KNOWN_DAYS.set(day, text);
  return text;
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

function padded(number: number): string {
  return TWO_DIGITS[Math.trunc(number)]!;
}

const DATE = new PlainDate();
const MAX_TEXT = 100;
const TEXT = new DataView(new ArrayBuffer(MAX_TEXT));

/** The epoch milliseconds of a W3C datetime with nothing around it, or NaN; also for more than a hundred characters. */
export function parseW3cDate(text: string): number {
  if (text.length > MAX_TEXT) return Number.NaN;
  DATE.read(inBytes(text), 0, text.length);
  return DATE.time;
}

/** Milliseconds east of UTC of a zone, or NaN: see {@link zoneOffset}. */
export function parseZone(text: string): number {
  return zoneOffset(inBytes(text), 0, text.length);
}

/** A text as bytes, of which those that are not ASCII are not a part of any date. */
function inBytes(text: string): DataView {
  const length = Math.min(text.length, MAX_TEXT);
  for (let at = 0; at < length; at++) TEXT.setUint8(at, Math.min(text.charCodeAt(at), 0xff));
  return TEXT;
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

/** Milliseconds east of UTC of the `Z`, `+hh`, `+hhmm` or `+hh:mm` between two places, or NaN; no zone is UTC. */
function zoneOffset(view: DataView, start: number, end: number): number {
  if (start === end) return 0;
  let at = start;
  if (view.getUint8(at) === SPACE) at++;
  const length = end - at;
  if (length === 0) return Number.NaN;
  const sign = view.getUint8(at);
  if (length === 1) return (sign & 0xdf) === Z ? 0 : Number.NaN;
  if (length < 3 || (sign !== PLUS && sign !== DASH)) return Number.NaN;
  const hours = twoDigits(view, at + 1);
  let minutes = 0;
  if (length === 6 && view.getUint8(at + 3) === COLON) minutes = twoDigits(view, at + 4);
  else if (length === 5) minutes = twoDigits(view, at + 3);
  else if (length !== 3) return Number.NaN;
  if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return Number.NaN;
  const offset = hours * HOUR + minutes * MINUTE;
  return sign === PLUS ? offset : -offset;
}

function yearOrMonth(view: DataView, start: number, length: number): number {
  if (length !== 4 && length !== 7) return Number.NaN;
  const century = twoDigits(view, start);
  const yearOfCentury = twoDigits(view, start + 2);
  if ((century | yearOfCentury) < 0) return Number.NaN;
  const year = century * 100 + yearOfCentury;
  if (length === 4) return midnight(year, 1, 1);
  return view.getUint8(start + 4) === DASH ? midnight(year, twoDigits(view, start + 5), 1) : Number.NaN;
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return 30 + ((month + (month >> 3)) & 1);
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** The number that two digits make, or -1. */
function twoDigits(view: DataView, at: number): number {
  const tens = view.getUint8(at) ^ 48;
  const ones = view.getUint8(at + 1) ^ 48;
  return tens > 9 || ones > 9 ? -1 : tens * 10 + ones;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

function areDigits(checks: number): boolean {
  return (checks & 0x80808080) === 0;
}

/** The number that two digits of a word make, the first of them so many bits up. */
function two(word: number, shift: number): number {
  return ((word >>> shift) & 15) * 10 + ((word >>> (shift + 8)) & 15);
}

// 0x7f carries from 1 on, 0x76 from 10 on.
function slackOf(template: string): number {
  return wordOf(template.replaceAll(/[^0]/g, '\x7f').replaceAll('0', '\x76'));
}
