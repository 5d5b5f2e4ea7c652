/**
 * The time that a `<lastmod>` names. `2024-05-06` is a whole day: what was read on that day may have changed later on
 * the same day, and the date would still be the same.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/**
 * Whether the time that a date names was over at some other time.
 *
 * @param at - the other time, in milliseconds since the epoch
 * @param time - the beginning of what the date names
 * @param text - the date as it is written; without it, midnight counts as a whole day
 */
export function isOverBy(at: number, time: number, text: string | undefined): boolean {
  return endOf(time, text?.trim()) <= at;
}

function endOf(time: number, text: string | undefined): number {
  if (text === undefined) return time + (time % DAY === 0 ? DAY : MINUTE);
  const date = new Date(time);
  if (/^\d{4}$/.test(text)) return date.setUTCFullYear(date.getUTCFullYear() + 1);
  if (/^\d{4}-\d{1,2}$/.test(text)) return date.setUTCMonth(date.getUTCMonth() + 1);
  if (!/\d:\d/.test(text)) return time + DAY;
  return time + (/\d:\d\d:\d/.test(text) ? SECOND : MINUTE);
}
