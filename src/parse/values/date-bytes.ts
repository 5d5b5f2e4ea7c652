/**
 * The three shapes in which nearly all dates of sitemaps are written, read from their bytes: `2024-05-06`,
 * `2024-05-06T08:53:11Z` and `2024-05-06T08:53:11+02:00`. The same instants as {@link parseW3cDate} reads from
 * text, without a string.
 */
import { midnight, timeOfDay } from './date-w3c.ts';

const MINUTE = 60_000;

/** The epoch milliseconds of a date in one of the three shapes, or NaN for anything else. */
export function parsePlainDate(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length !== 10 && length !== 20 && length !== 25) return Number.NaN;
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return Number.NaN;
  const century = twoDigits(bytes, start);
  const yearOfCentury = twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  if ((century | yearOfCentury | month | day) < 0) return Number.NaN;
  const date = midnight(century * 100 + yearOfCentury, month, day);
  return length === 10 ? date : date + timeAt(bytes, start + 10, length);
}

function timeAt(bytes: Uint8Array, t: number, length: number): number {
  if (bytes[t] !== 0x54 || bytes[t + 3] !== 0x3a || bytes[t + 6] !== 0x3a) return Number.NaN;
  // A part that is no number is below zero, which makes the time none.
  const time = timeOfDay(twoDigits(bytes, t + 1), twoDigits(bytes, t + 4), twoDigits(bytes, t + 7), 0);
  const sign = bytes[t + 9];
  if (length === 20) return sign === 0x5a ? time : Number.NaN;
  if ((sign !== 0x2b && sign !== 0x2d) || bytes[t + 12] !== 0x3a) return Number.NaN;
  const hours = twoDigits(bytes, t + 10);
  const minutes = twoDigits(bytes, t + 13);
  if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return Number.NaN;
  const offset = (hours * 60 + minutes) * MINUTE;
  return sign === 0x2b ? time - offset : time + offset;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - 48;
  const ones = bytes[at + 1]! - 48;
  return (tens * 10 + ones) | ((tens | ones | (9 - tens) | (9 - ones)) >> 31);
}
