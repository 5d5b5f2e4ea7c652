/** §12: how the flags of `usp check` work together. What each does is in test/cli/check.test.ts. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { usp } from '../../support/cli-world.ts';
import { urlset } from '../../support/documents.ts';
import { written } from '../../support/folder.ts';

const H = 'https://a.example';
/** A sitemap of pages with a date. */
const dated = (...urls: readonly string[]): string =>
  urlset(...urls.map((url): [string, string] => [url, '2014-05-06']));
let path: (name: string) => string;
const check = (...argv: readonly string[]) => usp(['check', ...argv]);
const known = () => JSON.parse(readFileSync(path('base.json'), 'utf8'));

/** One with a warning, one with an error, and one that is healthy. */
beforeEach(() => {
  path = written({
    'warning.xml': dated(`${H}/#a`, `${H}/b`),
    'error.xml': dated(`${H}/?a&b`),
    'good.xml': dated(`${H}/c`),
  });
});

describe('a baseline', () => {
  test('that is written ends with 0, whatever was found, and says how many it has', async () => {
    const { code, stdout, stderr } = await check(path('error.xml'), '--write-baseline', path('base.json'));
    expect([code, stdout]).toEqual([0, expect.stringContaining('bare-ampersand')]);
    expect(stderr).toMatch(/base\.json: 1 known finding written\.\n$/);
    expect(JSON.stringify(known())).toContain('bare-ampersand');
    const both = await check(
      ...[
        path('error.xml'),
        path('warning.xml'),
        '--write-baseline',
        path('base.json'),
        '--max-warnings',
        '0',
      ],
    );
    expect([both.code, both.stderr]).toEqual([0, expect.stringContaining(': 2 known findings written.')]);
  });

  test('hides what it has; what is gone is counted, and new findings count', async () => {
    await check(path('error.xml'), '--write-baseline', path('base.json'));
    const same = await check(path('error.xml'), '--baseline', path('base.json'));
    expect([same.code, same.stdout]).toEqual([
      0,
      expect.stringContaining('1 finding of the baseline is not shown.'),
    ]);
    expect(same.stderr).toBe('');
    writeFileSync(path('error.xml'), dated(`${H}/c`));
    const gone = await check(path('error.xml'), '--baseline', path('base.json'));
    expect([gone.code, gone.stderr]).toEqual([
      0,
      `${path('base.json')}: 1 known finding is gone; --write-baseline writes it anew.\n`,
    ]);
    const json = await check(path('error.xml'), '--baseline', path('base.json'), '-f', 'json');
    expect(JSON.parse(json.stdout).summary.hidden).toBe(0);
    writeFileSync(path('error.xml'), dated(`${H}/?c&d`));
    expect((await check(path('error.xml'), '--baseline', path('base.json'))).code).toBe(5);
  });

  test('stays as it was where no input could be opened', async () => {
    const { code } = await check(
      path('gone.xml'),
      '--write-baseline',
      path('base.json'),
      '-o',
      path('out.txt'),
    );
    expect([code, existsSync(path('base.json')), existsSync(path('out.txt'))]).toEqual([2, false, false]);
  });
});

describe('the exit code', () => {
  test.each<[readonly string[], readonly string[], number]>([
    [['good.xml'], [], 0],
    [['warning.xml'], [], 0],
    [['warning.xml'], ['--fail-on', 'warning'], 5],
    [['warning.xml'], ['--fail-on', 'info'], 5],
    [['warning.xml'], ['--max-warnings', '1'], 0],
    [['warning.xml'], ['--max-warnings', '0'], 5],
    [['warning.xml'], ['--max-warnings', '0', '--fail-on', 'never'], 5],
    [['error.xml'], [], 5],
    [['error.xml'], ['--fail-on', 'never'], 0],
    [['error.xml', 'gone.xml'], [], 2],
    [['good.xml', 'gone.xml'], [], 2],
    [['gone.xml', 'error.xml'], ['--fail-on', 'never'], 2],
    [['good.xml', 'error.xml'], [], 5],
  ])('of %j with %j is %i', async (names, argv, code) => {
    expect((await check(...names.map((name) => path(name)), ...argv)).code).toBe(code);
  });
});

describe('--also', () => {
  test('writes each format to its file, and the first to stdout', async () => {
    const also = ['json', 'unix', 'csv'].flatMap((format) => ['--also', `${format}=${path(`a=${format}`)}`]);
    const { stdout } = await check(path('error.xml'), '-f', 'ndjson', ...also);
    const [finding] = stdout.trimEnd().split('\n');
    expect(JSON.parse(readFileSync(path('a=json'), 'utf8')).findings).toEqual([JSON.parse(finding ?? '')]);
    expect(readFileSync(path('a=unix'), 'utf8')).toMatch(/error\.xml:1:\d+: error: .* \[bare-ampersand\]\n/);
    expect(readFileSync(path('a=csv'), 'utf8')).toMatch(/^severity,rule,[^\n]*\nerror,bare-ampersand,/);
  });

  test('with -o and --all: both files have all', async () => {
    writeFileSync(path('many.xml'), dated(...Array.from({ length: 12 }, (_, at) => `${H}/${at}#x`)));
    const also = ['--also', `text=${path('also.txt')}`];
    for (const all of [true, false]) {
      const { stdout } = await check(
        path('many.xml'),
        '-o',
        path('out.txt'),
        ...also,
        ...(all ? ['--all'] : []),
      );
      const texts = ['out.txt', 'also.txt'].map((name) => readFileSync(path(name), 'utf8'));
      expect([stdout, ...texts.map((text) => text.includes('  … 2 more url-fragment here'))]).toEqual([
        '',
        !all,
        !all,
      ]);
    }
  });

  test.each(['json', '=x', 'nope=x', 'json='])('%s is bad usage', async (value) => {
    const { code, stderr } = await check(path('good.xml'), '--also', value);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--also needs a format and a file.')]);
  });
});
