/** §10: exit codes, and which of several is that of a command. */
import { describe, expect, test } from 'vitest';
import {
  EXIT,
  EXIT_MEANINGS,
  type ExitCode,
  endingSignals,
  exitCodeHelp,
  UsageError,
  worst,
  worstCodeHelp,
} from '../../src/cli/endings.ts';

const ORDER: readonly ExitCode[] = [70, 2, 6, 1, 5, 3, 4, 0];

describe('of several exit codes', () => {
  test('each is worse than all behind it, wherever it is', () => {
    for (const [at, code] of ORDER.entries())
      for (const other of ORDER.slice(at))
        expect([worst([code, other]), worst([other, code])]).toEqual([code, code]);
    expect(worst([...ORDER].reverse())).toBe(70);
    expect(worst([])).toBe(0);
  });

  test('the help names the order, without those that a command does not have', () => {
    expect(worstCodeHelp()).toBe(
      'With several inputs it is the first of 70, 2, 6, 1, 5, 3, 4 that an input has.',
    );
    expect(worstCodeHelp({ 4: 'x', 1: 'y' })).toBe(
      'With several inputs it is the first of 70, 2, 1, 4 that an input has.',
    );
  });
});

describe('the help', () => {
  test('lists all codes in order, with what is in parentheses on a line of its own', () => {
    const lines = exitCodeHelp().split('\n');
    expect(lines[0]).toBe('Exit codes:');
    const codes = lines.flatMap((line) => /^ {2}(\d+) +\S/.exec(line)?.[1] ?? []);
    expect(codes).toEqual(Object.values(EXIT).map(String));
    expect(exitCodeHelp({ 5: 'found (a, b)', 0: 'fine (not) at all' })).toContain(
      `  0    fine (not) at all\n  2    ${EXIT_MEANINGS[2]}\n  5    found\n       (a, b)\n  70   `,
    );
  });

  test('of a command has its own meanings, and leaves out those that are empty', () => {
    const lines = exitCodeHelp({ 0: 'own', 130: '', 2: 'mine' }).split('\n');
    expect(lines).toEqual(['Exit codes:', '  0    own', '  2    mine', `  70   ${EXIT_MEANINGS[70]}`]);
  });
});

test('the signals that end a command', () => {
  expect(endingSignals('linux')).toEqual(['SIGINT', 'SIGTERM']);
  expect(endingSignals('darwin')).toEqual(['SIGINT', 'SIGTERM']);
  expect(endingSignals('win32')).toEqual(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']);
});

test('an error keeps its hint and its cause, also one that is false or empty', () => {
  const { message, hint, cause } = new UsageError('a', { hint: '', cause: 0 });
  expect([message, hint, cause]).toEqual(['a', '', 0]);
  expect(new UsageError('a')).not.toHaveProperty('cause');
});
