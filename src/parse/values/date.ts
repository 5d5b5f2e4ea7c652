/**
 * Dates as sitemaps and feeds write them. A date is read where it can mean one instant only; what is
 * ambiguous or impossible is not a date, since a wrong date does more harm than a missing one. No zone is UTC,
 * whatever the machine's, and a missing part is the first of its kind, never today's: the same text gives
 * the same number on any machine on any day, which is why nothing here asks `Date`.
 */

import { parseRfc822Date, parseUsualRfc822Date, plainWords } from './date-rfc822.ts';
import { parseW3cDate } from './date-w3c.ts';
import { parseWildDate } from './date-wild.ts';

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
  // Most texts are W3C datetimes and have nothing around them: all else is looked for only when that fails.
  const time = text.length <= MAX_LENGTH ? parseW3cDate(text) : Number.NaN;
  return Number.isNaN(time) ? parseOtherDate(text.trim()) : time;
}

function parseOtherDate(text: string): number {
  if (text.length > MAX_LENGTH) return Number.NaN;
  let time = parseUsualRfc822Date(text);
  if (Number.isNaN(time)) time = parseW3cDate(text);
  if (!Number.isNaN(time)) return time;
  const words = plainWords(text);
  time = parseRfc822Date(words);
  return Number.isNaN(time) ? parseWildDate(words) : time;
}
