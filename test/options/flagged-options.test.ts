/** §10: which value of an option the value of its flag means. */
import { expect, test } from 'vitest';
import { FLAGGED, flagNames, optionValue } from '../../src/options/flagged-options.ts';

test.each<[flag: string, given: unknown, option: string, value: unknown]>([
  // A time is given in seconds.
  ['--timeout', '5', 'maxTimeMs', 5000],
  ['--wait', '0.5', 'waitMs', 500],
  ['--max-pages', 5, 'maxPages', 5],
  // commander gives `false` for a flag with "no".
  ['--no-robots', false, 'useRobots', false],
  ['--no-robots', true, 'useRobots', true],
  ['--insecure', true, 'verifyTls', false],
  ['--random-wait', true, 'randomWait', true],
  ['--proxy', 'http://proxy.test', 'proxy', 'http://proxy.test'],
])('%s with %j is the option %s: %j', (flag, given, option, value) => {
  const row = FLAGGED.find((each) => each.flag === flag);
  expect([row?.name, row && optionValue(row.row, given)]).toEqual([option, value]);
});

test.each([
  ['-r, --no-robots', '--no-robots', 'robots'],
  ['--known-path <path>', '--known-path', 'knownPath'],
])('%s is the flag %s and the attribute %s', (flags, flag, attribute) => {
  expect(flagNames(flags)).toEqual({ flag, attribute });
});
