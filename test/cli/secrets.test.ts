/** §9: a user and a password in a flag's value are never printed. The flags are those that the commands have. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withoutSecrets } from '../../src/cli/io.ts';
import { createProgram } from '../../src/cli/program/program.ts';
import { shownUrl } from '../../src/url.ts';
import { usp } from '../support/cli-world.ts';
import { urlset } from '../support/documents.ts';
import { written } from '../support/folder.ts';
import { isFull } from '../support/tier.ts';

const SECRET = 'hunter2';
const VALUES = [
  `https://user:${SECRET}@127.0.0.1:1/x`,
  `ftp://user:${SECRET}@h`,
  `user:${SECRET}@h/x`,
  // A password that is not escaped.
  `http://user:a/${SECRET}@h/x`,
  `user:a/${SECRET}@h/x`,
  `http://user:a?${SECRET}"/#@h/x`,
  // Other spellings of URLs.
  ` https://user:${SECRET}@127.0.0.1:1/x`,
  `http:/user:${SECRET}@127.0.0.1:1/x`,
];

/** What a command ends by itself with, without a network. */
const BASE: Readonly<Record<string, readonly string[]>> = {
  ls: ['FILE'],
  update: ['FILE'],
  diff: ['FILE', 'FILE'],
  check: ['FILE'],
  fix: ['FILE', '-o', 'NEW'],
  write: ['-', '-o', 'NEW', '--base', 'https://a.example/'],
  report: ['FILE'],
  crawl: ['-', '-o', 'NEW'],
};

// A queue is waited for, and test/batch/redis-queue.test.ts has its address. A folder is made, whatever it is called.
const { commands } = createProgram('', async () => {});
const FLAGS = commands
  .filter((command) => command.name() in BASE)
  .flatMap((command) =>
    command.options
      .filter(
        ({ required, long, flags }) =>
          required && !/^--(?:queue|title)$/.test(long ?? '') && !flags.includes('<dir>'),
      )
      .map(({ long, short }) => [command.name(), long ?? short ?? ''] as const),
  );

/** All values for every flag in the full tier; in the fast one each flag has a URL and another, the next flag a third one. */
const CASES = FLAGS.map(([command, flag], at) => {
  const isTried = (_: string, number: number): boolean =>
    isFull || number === 0 || number === at % VALUES.length;
  return [command, flag, VALUES.filter(isTried)] as const;
});

describe('a password in a value', () => {
  test.each(CASES)('of usp %s %s is not printed', async (command, flag, values) => {
    for (const value of values) {
      const path = written({ 's.xml': urlset('/1', 'https://a.example/2') });
      const at: Readonly<Record<string, string>> = { FILE: path('s.xml'), NEW: path('new') };
      const argv = [command, ...(BASE[command] ?? []).map((word) => at[word] ?? word), flag, value, '-vv'];
      const { stdout, stderr } = await usp(argv, { stdin: '' });
      expect([argv, stdout + stderr]).toEqual([argv, expect.not.stringContaining(SECRET)]);
    }
  });

  test.each(['ls', 'check', 'fix', 'write', 'report', 'update', 'crawl', 'nope'])(
    'of an input of usp %s is not printed',
    async (command) => {
      for (const value of VALUES.filter((text) => !text.includes('127.0.0.1'))) {
        const { stdout, stderr } = await usp([command, value]);
        expect(stdout + stderr).not.toContain(SECRET);
      }
    },
  );

  test('of --base is not written', async () => {
    const path = written({ 's.xml': urlset('/1') });
    const base = `https://user:${SECRET}@a.example/`;
    const argv = ['fix', path('s.xml'), '-o', path('new'), '--base', base, '--url', `${base}s.xml`];
    const { code, stdout } = await usp(argv);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Sitemap: https://a.example/s.xml')]);
    expect(await readFile(join(path('new'), 's.xml'), 'utf8')).toContain('<loc>https://a.example/1</loc>');
  });
});

test('an unknown command that holds one does not repeat it', async () => {
  expect((await usp([`user:${SECRET}@h.example`])).stderr).not.toContain(SECRET);
});

test.each([
  'http://127.0.0.1:8080/@alice',
  'http://[::1]:8080/@alice',
  'https://a.example/@alice: it is empty',
  'a.example:8080/@alice',
  'see:https://a.example/@alice',
])('%s has no password, and is printed', (text) => {
  expect(withoutSecrets(text)).toBe(text);
});

// Work that grows with the square would take minutes.
test.each(['/a:', 'a:', 'http://a:b/', ':', '/'])('a text of 300 KB of %s is read to its end', (part) => {
  const text = part.repeat(300_000 / part.length);
  for (const hostile of [`@${text}`, `${text}@`, text]) {
    withoutSecrets(hostile);
    shownUrl(hostile);
  }
});
