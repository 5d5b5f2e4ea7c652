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
