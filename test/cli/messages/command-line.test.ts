/** Commands of hints are copied into a shell, which must give `usp` the same words. */
import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { commandLine } from '../../../src/cli/messages/command-line.ts';
import { testIf } from '../../support/collected.ts';
import { IS_POSIX } from '../../support/platform.ts';

testIf(IS_POSIX)('a shell takes any words as they are', () => {
  const words = [
    'https://a.example/?a=1&b=2',
    "it's bob's.xml",
    "''",
    'a b',
    '$(id)`id`',
    '*',
    '~',
    '',
    '#',
    'ü',
  ];
  const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${commandLine(...words)}`], { encoding: 'utf8' });
  expect(printed.split('\n')).toEqual([...words, '']);
});
