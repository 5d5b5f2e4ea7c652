/** §14.3: which options of two crawls decide whether they list the same pages. */
import { expect, test } from 'vitest';
import { choiceOf } from '../../src/batch/crawl-options.ts';

test.each([
  [{ since: '2024' }, { since: '2024', undated: 'keep' }, ['--since']],
  [{ until: '2024' }, { until: '2024', undated: 'keep' }, ['--until']],
  [{ until: '2024', undated: 'drop' }, { until: '2024' }, []],
  // Without a date to compare with, no page is left out for having none.
  [{ undated: 'keep' }, {}, []],
])('of %j and %j, %j are not the same filter', (options, otherOptions, flags) => {
  const [choice, other] = [choiceOf(options), choiceOf(otherOptions)];
  const names = Object.keys({ ...choice, ...other });
  expect(names.filter((flag) => JSON.stringify(choice[flag]) !== JSON.stringify(other[flag]))).toEqual(flags);
});
