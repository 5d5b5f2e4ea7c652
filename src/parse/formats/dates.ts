/** Dates of entries and extensions, and what is said of one that cannot be understood. */
import type { ProblemList } from '../../problems/problem-list.ts';
import { parseDate } from '../values/date.ts';

/** Milliseconds since 1970, UTC; NaN, with a problem, where the text is not a date. */
export function readDate(text: string, offset: number, problems: ProblemList): number {
  const time = parseDate(text);
  if (Number.isNaN(time)) {
    problems.add(
      'bad-date',
      `"${text.slice(0, 100)}" is not a date that can be understood; it was left out.`,
      offset,
    );
  }
  return time;
}
