/**
 * Shapes that no standard has and real sitemaps do, as long as they can mean one instant only. `05/06/2024`
 * is May to some and June to others, and to take `13/05/2024` would be to read half of a site's dates: no
 * order of day and month in figures is accepted, whatever the numbers.
 */

import { monthNumber, parseClock } from './date-rfc822.ts';
import { midnight, zoneOffset } from './date-w3c.ts';

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
export function parseWildDate(words: string): number {
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
  return zone.length === 6 ? zoneOffset(zone, 0) : 0;
}
