/**
 * Dates as sitemaps and feeds write them. A date is read where it can mean one instant only; what is
 * ambiguous or impossible is not a date, since a wrong date does more harm than a missing one. No zone is UTC,
 * whatever the machine's, and a missing part is the first of its kind, never today's: the same text gives
 * the same number on any machine on any day, which is why nothing here asks `Date`.
 */

import { midnight, parseW3cDate, parseZone, timeOfDay } from './w3c-date.ts';

/** The longest honest date is JavaScript's `Date.toString()` with a zone's full name, about 75. */
const MAX_LENGTH = 100;

/**
 * Reads a date: W3C datetimes, then RFC 822/2822, then the wild shapes that are unambiguous.
 *
 * @param text - Entities decoded; white space around it is ignored.
 * @returns Milliseconds since the epoch, UTC; NaN where the text is not a date, or could be several.
 *
 * @example
 * parseDate('2024-05-06T08:53:11+02:00') // 1714978391000
 * parseDate('05/06/2024')                // NaN: May or June?
 */
export function parseDate(text: string): number {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return Number.NaN;
  let time = parseW3cDate(trimmed);
  if (!Number.isNaN(time)) return time;
  const words = plainWords(trimmed);
  time = parseRfc822Date(words);
  return Number.isNaN(time) ? parseWildDate(words) : time;
}

/** The time of a `Date`, which may come from another realm; NaN for any other value, as JavaScript callers may pass. */
export function timeOfDate(date: unknown): number {
  const isDate = typeof date === 'object' && date !== null && 'getTime' in date;
  return isDate && typeof date.getTime === 'function' ? Number(date.getTime()) : Number.NaN;
}

const SECOND = 1_000;
const MINUTE = 60_000;
const DAY = 86_400_000;

/**
 * When what a date names is over: `2024-05-06` is a whole day, `2024` a year, a time of day its second or minute.
 *
 * @param time - its beginning, in milliseconds since the epoch
 * @param text - the date as written; without it, midnight counts as a whole day
 */
export function endOfDate(time: number, text: string | undefined): number {
  if (text === undefined) return time + (time % DAY === 0 ? DAY : MINUTE);
  const words = plainWords(text);
  const date = new Date(time);
  if (/^\d{4}$/.test(words)) return date.setUTCFullYear(date.getUTCFullYear() + 1);
  const isMonth = /^\d{4}-\d{1,2}$/.test(words) || MONTH_AND_YEAR.test(words);
  if (isMonth) return date.setUTCMonth(date.getUTCMonth() + 1);
  if (/\d:\d\d:\d|^(?:\d{10}|\d{13})$/.test(words)) return time + SECOND;
  return time + (hasTimeOfDay(words) ? MINUTE : DAY);
}

/** Whether a date has a time of day. `2024-05-06+02:00` has none, `20240506T0853Z` and seconds since 1970 have one. */
export function hasTimeOfDay(text: string): boolean {
  const withoutOffset = text.replace(/[+-]\d\d:\d\d\s*$/, '');
  return /\d:\d|^\s*(?:\d{8}(?:t\d| ?\d{4})|\d{10,}\s*$)/i.test(withoutOffset);
}

// No clock prints leading zeros: `0000000000` is a missing date, not 1970.
const UNIX_SECONDS = /^[1-9]\d{9}$/;
const UNIX_MILLISECONDS = /^[1-9]\d{12}$/;

/** ISO 8601's basic format, put into the extended one. Longest first: the date alone is a part of the others. */
const COMPACT: readonly (readonly [RegExp, string])[] = [
  [/^(\d{4})(\d\d)(\d\d)[t ]?(\d\d)(\d\d)(\d\d)(?!\d)/, '$1-$2-$3 $4:$5:$6'],
  [/^(\d{4})(\d\d)(\d\d)[t ](\d\d)(\d\d)(?!\d)/, '$1-$2-$3 $4:$5'],
  [/^(\d{4})(\d\d)(\d\d)(?!\d)/, '$1-$2-$3'],
];
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(.*)$/;
const BEFORE_CLOCK = /^(?: ?t ?|, ?| )/;
const BARE_ZONE = /^ ?(?:z|utc?|gmt|[+-]\d\d:\d\d)$/;
const MILITARY_ZONE = /\d ?[a-y]$/;

const MONTH_FIRST = /^([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?(?:, ?| )(\d{4})(?:,? (.+))?$/;
const YEAR_LAST = /^([a-z]+) (\d{1,2}) (\d.*) (\d{4})$/;
const MONTH_AND_YEAR = /^([a-z]+)\.?,? (\d{4})$/;

/** Epoch milliseconds, or NaN. `words` are as `plainWords` makes them. */
function parseWildDate(words: string): number {
  if (UNIX_SECONDS.test(words)) return Number(words) * 1000;
  if (UNIX_MILLISECONDS.test(words)) return Number(words);
  const first = words.charCodeAt(0);
  return first >= 0x30 && first <= 0x39 ? parseFigures(words) : parseMonthName(words);
}

/** `2024/05/06`, `2024-5-6`, `20240506T112233Z`, `2024-05-06 11:22:33 UTC`. */
function parseFigures(words: string): number {
  const match = YEAR_FIRST.exec(extended(words));
  if (match === null) return Number.NaN;
  const [, year, , month, day, rest = ''] = match;
  const date = midnight(Number(year), Number(month), Number(day));
  if (rest === '') return date;
  if (BARE_ZONE.test(rest)) return date - bareZoneOffset(rest.trimStart());
  return BEFORE_CLOCK.test(rest) ? date + wildClock(rest.replace(BEFORE_CLOCK, '')) : Number.NaN;
}

/** `May 6, 2024 08:53:11 AM`, C's `May  6 08:53:11 2024`, JavaScript's `May 06 2024 08:53:11 GMT+0200`, `May 2024`. */
function parseMonthName(words: string): number {
  let match = MONTH_FIRST.exec(words);
  if (match !== null) {
    const [, month = '', day, year, clock] = match;
    const date = midnight(Number(year), monthNumber(month), Number(day));
    return clock === undefined ? date : date + wildClock(clock);
  }
  match = YEAR_LAST.exec(words);
  if (match !== null) {
    const [, month = '', day, clock = '', year] = match;
    return midnight(Number(year), monthNumber(month), Number(day)) + wildClock(clock);
  }
  match = MONTH_AND_YEAR.exec(words);
  if (match === null) return Number.NaN;
  const [, month = '', year] = match;
  return midnight(Number(year), monthNumber(month), 1);
}

// RFC 2822 settles what a single letter means after its own dates; after others `8:53 p` is half of `pm`.
function wildClock(words: string): number {
  return MILITARY_ZONE.test(words) ? Number.NaN : parseClock(words);
}

function extended(words: string): string {
  for (const [shape, replacement] of COMPACT) {
    if (shape.test(words)) return words.replace(shape, replacement);
  }
  return words;
}

function bareZoneOffset(zone: string): number {
  return zone.length === 6 ? parseZone(zone) : 0;
}

// The dates of RFC 822 and 2822, with the obsolete forms of RFC 2822 §4.3 that feeds are full of. All but `plainWords`
// takes text that this has been over, so one space is all the white space there is. Every RegExp is anchored and
// without nested repetition.

const MONTH_NAMES =
  'january february march april may june july august september october november december'.split(' ');
const MONTHS = MONTH_NAMES.map((name) => name.slice(0, 3));

/** RFC 822's names, hours east of UTC. Others have no standard, and many mean several zones (IST, BST). */
const ZONES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '': 0,
    ut: 0,
    utc: 0,
    gmt: 0,
    est: -5,
    edt: -4,
    cst: -6,
    cdt: -5,
    mst: -7,
    mdt: -6,
    pst: -8,
    pdt: -7,
  }),
);

const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?(?:\.?, ?|\.? )/;
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th)?([ \-/.])([a-z]+)\.?,?\2(\d{2,4})(?:,? (.+))?$/;
const CLOCK = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?: ?([ap])\.?m\.?(?![a-z]))?(.*)$/;

/** `Tue, 10 Aug 2010 20:43:53 -0000`, and down to `10 Aug 2010`, as epoch milliseconds, or NaN. */
function parseRfc822Date(words: string): number {
  const match = DAY_FIRST.exec(words);
  if (match === null) return Number.NaN;
  const [, day = '', , month = '', year = '', clock] = match;
  // Without a time it is not an RFC 822 date but a wild one, and in `10 May 06` either number can be the year.
  if (year.length < 4 && clock === undefined) return Number.NaN;
  const date = midnight(fullYear(year), monthNumber(month), Number(day));
  return clock === undefined ? date : date + parseClock(clock);
}

/**
 * The words of a date that mean something: in lower case, one space apart, without comments (RFC 822
 * §3.4.3) and without the weekday. Where that and the date disagree, it is the weekday that is wrong.
 */
function plainWords(text: string): string {
  return withoutComments(text.toLowerCase()).replace(/\s+/g, ' ').trim().replace(WEEKDAY, '');
}

/** 1 to 12 for an English name or its abbreviation, else 0, which is not a month. */
function monthNumber(name: string): number {
  return 1 + Math.max(MONTHS.indexOf(name === 'sept' ? 'sep' : name), MONTH_NAMES.indexOf(name));
}

/** A time of day and its zone, if any, as milliseconds from midnight UTC; or NaN. */
function parseClock(words: string): number {
  const match = CLOCK.exec(words);
  if (match === null) return Number.NaN;
  const [, hours = '', minutes, seconds = '0', fraction = '', half, zone = ''] = match;
  let hour = Number(hours);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return Number.NaN;
    hour = (hour % 12) + (half === 'p' ? 12 : 0);
  }
  const millisecond = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return timeOfDay(hour, Number(minutes), Number(seconds), millisecond) - namedZoneOffset(zone.trimStart());
}

function namedZoneOffset(zone: string): number {
  const hours = ZONES.has(zone) ? ZONES.get(zone) : undefined;
  if (hours !== undefined) return hours * 3_600_000;
  // RFC 2822 §4.3: RFC 822 gave the military letters the wrong sign, so all of them mean -0000. J is not one of them.
  if (/^[a-ik-z]$/.test(zone)) return 0;
  // JavaScript writes `GMT+0200`, Go `+0200 CEST`, or `+0300 +03` for a zone that has no name.
  return parseZone(zone.replace(/^(?:gmt|utc?) ?(?=[+-])| (?:[a-z]{3,5}|[+-]\d\d)$/g, ''));
}

// RFC 2822 §4.3, three digits included: they are from programs that print the years since 1900.
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return digits.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

// Comments nest, which no RegExp can follow. One that never ends is left, and makes the date no date.
function withoutComments(text: string): string {
  if (!text.includes('(')) return text;
  let depth = 0;
  let clean = '';
  for (const character of text) {
    if (character === '(') depth++;
    if (depth === 0) clean += character;
    if (character === ')' && --depth === 0) clean += ' ';
  }
  return depth === 0 ? clean : text;
}
