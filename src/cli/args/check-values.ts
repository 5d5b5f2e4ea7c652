/** From the text after an option of `usp check` to its value. */
import { InvalidArgumentError } from 'commander';
import { parseWhen } from '../../filter/filter-pages.ts';
import { UsageError } from '../messages/failure.ts';
import { wholeNumber } from './option-values.ts';

/** `--rule NAME=off`, repeatable. It is read by the command: the table of rules is not loaded for all of them. */
export function ruleTexts(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** `--pages 100` or `--pages all` */
export function pageSample(text: string): number | 'all' {
  if (text === 'all') return 'all';
  try {
    return wholeNumber(1)(text);
  } catch {
    throw new InvalidArgumentError('It must be a whole number, 1 or more, or all.');
  }
}

/** `--now 2024-05-06`: the time that dates are compared with. */
export function moment(text: string): Date {
  const time = parseWhen(text, Date.now());
  if (time !== undefined) return new Date(time);
  throw new UsageError(`--now cannot read "${text}".`, {
    hint: 'a date (2024-05-06, 2024-05-06T08:00Z), a time before now (24h, 7d), today or yesterday.',
  });
}
