/** §9, §10: what messages look like, which are printed with `-q` and `-v`, and what the log has. */
import { openSync, readFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type CliIO, escapeLine, hasColour, painted, Reporter, withoutSecrets } from '../../src/cli/io.ts';
import type { Verbosity } from '../../src/cli/program/flags.ts';
import { folder } from '../support/folder.ts';

function world(env: CliIO['env'] = {}, isTerminal: Partial<CliIO['isTerminal']> = {}) {
  const written: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const io: CliIO = {
    stdout: stream,
    stderr: stream,
    stdin: Readable.from([]),
    env,
    isTerminal: { stdout: false, stderr: false, stdin: false, ...isTerminal },
    signal: new AbortController().signal,
    version: '1.2.3',
  };
  return { io, written };
}

describe('colours', () => {
  test.each<[CliIO['env'], boolean, boolean]>([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ TERM: 'xterm' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: 'true' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: 'false' }, true, false],
    [{ FORCE_COLOR: '' }, false, false],
    [{ FORCE_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', TERM: 'dumb' }, false, true],
  ])('with %j, on a terminal: %s', (env, isTerminal, expected) => {
    expect(hasColour(world(env, { stdout: isTerminal }).io, 'stdout')).toBe(expected);
    expect(hasColour(world(env, { stderr: isTerminal }).io, 'stderr')).toBe(expected);
  });

  test('are those of the stream', () => {
    const { io } = world({}, { stdout: true });
    expect([hasColour(io, 'stdout'), hasColour(io, 'stderr')]).toEqual([true, false]);
  });

  test('take nothing of a text for a colour', () => {
    expect(painted('red', 'a\u001b[0mb')).toBe('\u001b[31ma\\u001b[0mb\u001b[39m');
  });
});

describe('messages', () => {
  const LEVELS = ['error', 'warn', 'info', 'debug'] as const;

  /** The messages of a kind each that are printed. */
  function printed(verbosity: Verbosity): string[] {
    const { io, written } = world();
    const reporter = new Reporter(io, verbosity);
    reporter.error('E', 'because');
    reporter.say('S');
    reporter.hint('H');
    reporter.detail('D');
    for (const level of LEVELS) reporter.logger[level](`L${level}`);
    reporter.stack(new Error('stack'));
    return written
      .join('')
      .split('\n')
      .filter((line) => line !== '' && !/^ +at /.test(line));
  }

  const PLAIN = ['usp: E', 'hint: because', 'S', 'hint: H'];
  test.each<[Verbosity, readonly string[]]>([
    [{}, PLAIN],
    [{ quiet: true }, ['usp: E']],
    [{ quiet: true, verbose: 2 }, ['usp: E']],
    [{ verbose: 1 }, [...PLAIN, 'D', 'error Lerror', 'warn  Lwarn', 'info  Linfo']],
    [
      { verbose: 2 },
      [...PLAIN, 'D', 'error Lerror', 'warn  Lwarn', 'info  Linfo', 'debug Ldebug', 'Error: stack'],
    ],
    [
      { verbose: 3 },
      [...PLAIN, 'D', 'error Lerror', 'warn  Lwarn', 'info  Linfo', 'debug Ldebug', 'Error: stack'],
    ],
  ])('that are printed with %j', (verbosity, lines) => {
    expect(printed(verbosity)).toEqual(lines);
  });

  test('the stack has that of its cause, and of the cause of that', () => {
    const { io, written } = world();
    const reporter = new Reporter(io, { verbose: 2 });
    reporter.stack(new Error('a', { cause: new TypeError('b', { cause: new RangeError('c') }) }));
    const lines = written.filter((line) => !/^ +at /.test(line));
    expect(lines).toEqual(['Error: a\n', 'TypeError: b\n', 'RangeError: c\n']);
    reporter.stack('text');
    expect(written.filter((line) => !/^ +at /.test(line))).toHaveLength(3);
  });

  test('are coloured on a terminal of their own', () => {
    const { io, written } = world({}, { stderr: true });
    const reporter = new Reporter(io, { verbose: 1 });
    reporter.error('E');
    reporter.hint('H');
    reporter.logger.info('L');
    expect(written).toEqual([
      '\u001b[31musp:\u001b[39m E\n',
      '\u001b[36mhint:\u001b[39m H\n',
      '\u001b[2minfo  L\u001b[22m\n',
    ]);
  });

  test('stay in their line, and have no secrets', () => {
    const { io, written } = world();
    const reporter = new Reporter(io, { verbose: 2 });
    reporter.error('a\nb\tc\u202e https://u:secret@h/', 'https://u:secret@h/');
    reporter.say('a\nb https://u:secret@h/');
    reporter.detail('a\nb https://u:secret@h/');
    reporter.logger.error('a\nb https://u:secret@h/');
    expect(written).toHaveLength(5);
    expect(written[0]).toBe('usp: a\\nb c\\u202e https://…@h/\n');
    expect(written.join('')).not.toMatch(/secret|\tc/);
    expect(written.slice(2).every((line) => line.includes('a\\nb') && line.includes('…@h/'))).toBe(true);
    expect(escapeLine('a\n\nb\t\tc')).toBe('a\\n\\nb  c');
  });
});

describe('the log', () => {
  test('has every level with its time, whatever is printed, and nothing of it is on stderr', async () => {
    for (const verbosity of [{}, { quiet: true }, { verbose: 2 }]) {
      const { io, written } = world();
      const file = `${folder()}/log`;
      const reporter = new Reporter(io, verbosity, openSync(file, 'a'));
      reporter.logger.debug('one\ntwo');
      reporter.logger.warn('é https://u:secret@h/');
      reporter.logger.error('three');
      await reporter.close();
      reporter.logger.info('after the end');
      expect(readFileSync(file, 'utf8').replaceAll(/^\S+Z /gm, '')).toBe(
        'debug one\\ntwo\nwarn  é https://…@h/\nerror three\n',
      );
      expect(readFileSync(file, 'utf8')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z debug /);
      expect(written).toEqual((verbosity.verbose ?? 0) > 0 ? [expect.stringContaining('after the end')] : []);
    }
  });
});

describe('what is taken out of a message', () => {
  test.each([
    ['https://user:secret@h/x', 'https://…@h/x'],
    ['https://user@h/x', 'https://…@h/x'],
    ['https://a:b@c/ and https://d:e@f/', 'https://…@c/ and https://…@f/'],
    ['//user:secret@h', '//…@h'],
    ['user:secret@h', '…@h'],
    ['see "user:secret@h"', 'see "…@h"'],
    ["see 'user:secret@h'", "see '…@h'"],
    ['socks5://user:secret@h:1080', 'socks5://…@h:1080'],
    ['https://user:a/b@h/x', 'https://…@h/x'],
    ['https://user:pa@ss@h/x', 'https://…@h/x'],
  ])('%s', (text, shown) => {
    expect(withoutSecrets(text)).toBe(shown);
  });

  test.each([
    'https://h/a@b',
    'https://h:8080/a@b',
    'https://h:8080?a@b',
    'https://h:8080#a@b',
    'mailto:a@b',
    'a@b',
    '12:34',
    'https://h/ 12:34',
  ])('%s has nothing', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });
});
