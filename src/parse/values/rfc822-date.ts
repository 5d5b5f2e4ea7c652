/**
 * The dates of RFC 822 and 2822, with the obsolete forms of RFC 2822 §4.3 that feeds are full of, and the
 * two things in them that other shapes use as well: names of months, and a time with its zone.
 *
 * Everything here takes text that {@link plainWords} has been over, so one space is all the white space
 * there is. Every RegExp is anchored and without nested repetition.
 */

import { midnight, parseZone, timeOfDay } from './w3c-date.ts';

const MONTH_NAMES =
  'january february march april may june july august september october november december'.split(' ');
const MONTHS = MONTH_NAMES.map((name) => name.slice(0, 3));

/** RFC 822's names, hours east of UTC. Others are no standard's, and many mean several zones (IST, BST). */
const ZONES: Readonly<Record<string, number>> = {
  ...{ '': 0, ut: 0, utc: 0, gmt: 0 },
  ...{ est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 },
};

const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?(?:\.?, ?|\.? )/;
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th)?([ \-/.])([a-z]+)\.?,?\2(\d{2,4})(?:,? (.+))?$/;
const CLOCK = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?: ?([ap])\.?m\.?(?![a-z]))?(.*)$/;

/** `Tue, 10 Aug 2010 20:43:53 -0000`, and down to `10 Aug 2010`, as epoch milliseconds, or NaN. */
export function parseRfc822Date(words: string): number {
  const match = DAY_FIRST.exec(words);
  if (match === null) return Number.NaN;
  const [, day = '', , month = '', year = '', clock] = match;
  // Without a time it is no RFC 822 date but a wild one, and in `10 May 06` either number can be the year.
  if (year.length < 4 && clock === undefined) return Number.NaN;
  const date = midnight(fullYear(year), monthNumber(month), Number(day));
  return clock === undefined ? date : date + parseClock(clock);
}

/**
 * The words of a date that mean something: in lower case, one space apart, without comments (RFC 822
 * §3.4.3) and without the weekday. Where that and the date disagree, it is the weekday that is wrong.
 */
export function plainWords(text: string): string {
  return withoutComments(text.toLowerCase()).replace(/\s+/g, ' ').trim().replace(WEEKDAY, '');
}

/** 1 to 12 for an English name or its abbreviation, else 0, which is not a month. */
export function monthNumber(name: string): number {
  return 1 + Math.max(MONTHS.indexOf(name === 'sept' ? 'sep' : name), MONTH_NAMES.indexOf(name));
}

/** A time of day and its zone, if any, as milliseconds from midnight UTC; or NaN. */
export function parseClock(words: string): number {
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
  const hours = Object.hasOwn(ZONES, zone) ? ZONES[zone] : undefined;
  if (hours !== undefined) return hours * 3_600_000;
  // RFC 2822 §4.3: RFC 822 gave the military letters the wrong sign, so all of them mean -0000. J is not one of them.
  if (/^[a-ik-z]$/.test(zone)) return 0;
  const numeric = zone.replace(/^(?:gmt|utc?) ?(?=[+-])/, '');
  return parseZone(numeric);
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
  let kept = '';
  for (const character of text) {
    if (character === '(') depth++;
    if (depth === 0) kept += character;
    if (character === ')' && --depth === 0) kept += ' ';
  }
  return depth === 0 ? kept : text;
}
