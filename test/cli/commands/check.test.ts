/** §12: how the flags of `usp check` work together. What each does is in test/cli/check.test.ts. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { saveTree, sitemapFromString } from '../../../src/index.ts';
import { usp } from '../../support/cli-world.ts';
import { siteOf } from '../../support/crawled-site.ts';
import { urlset } from '../../support/documents.ts';
import { written } from '../../support/folder.ts';
import { withMoreTime } from '../../support/more-time.ts';

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
    await check(path('error.xml'), path('warning.xml'), '--write-baseline', path('base.json'));
    const two = await check(path('good.xml'), '--baseline', path('base.json'));
    expect(two.stderr).toContain(': 2 known findings are gone;');
  });

  test('is written of what could be opened, and the exit code says that there was more', async () => {
    const base = path('base.json');
    const argv = [path('gone.xml'), path('error.xml'), '--write-baseline', base];
    const { code, stderr } = await check(...argv);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/base\.json: 1 known finding written\.\n$/)]);
    expect(known().findings).toHaveLength(1);
    // A document that was cut is a finding, not one that could not be opened.
    writeFileSync(path('cut.xml'), dated(`${H}/c`).replace('</urlset>', ''));
    const cut = await check(path('gone.xml'), path('cut.xml'), '--write-baseline', base);
    expect([cut.code, cut.stderr]).toEqual([
      2,
      expect.stringMatching(/base\.json: 1 known finding written\.\n$/),
    ]);
  });

  test('is written of what is not a sitemap, which is a finding and no site that is down', async () => {
    writeFileSync(path('page.html'), '<!doctype html><title>x</title>');
    const { code, stderr } = await check(path('page.html'), '--write-baseline', path('base.json'));
    expect([code, stderr]).toEqual([0, `${path('base.json')}: 1 known finding written.\n`]);
    const known = await check(path('page.html'), '--baseline', path('base.json'));
    expect([known.code, known.stderr]).toEqual([0, '']);
  });

  test('that cannot be written is reported before anything is checked', async () => {
    const { code, stdout, stderr } = await check(path('error.xml'), '--write-baseline', path('no/base.json'));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('base.json cannot be written: there is no such folder.');
  });

  test('stays as it was where no input could be opened', async () => {
    const { code } = await check(
      path('gone.xml'),
      '--write-baseline',
      path('base.json'),
      '-o',
      path('out.txt'),
      '--also',
      `csv=${path('also.csv')}`,
    );
    const names = ['base.json', 'out.txt', 'also.csv'].filter((name) => existsSync(path(name)));
    expect([code, names]).toEqual([2, []]);
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

test.each(['check', 'report'])(
  'usp %s asks robots.txt about the agent of --config, and that of the command line wins',
  async (command) => {
    writeFileSync(
      path('robots.txt'),
      'User-agent: Bingbot\nDisallow: /b\nUser-agent: GPTBot\nDisallow: /c\n',
    );
    writeFileSync(path('check.json'), '{"agent": "bingbot"}');
    const blocked = async (...argv: readonly string[]): Promise<boolean[]> => {
      const inputs = ['robots.txt', 'warning.xml', 'good.xml'].map((name) => path(name));
      const { stdout } = await usp([command, ...inputs, ...argv]);
      expect(stdout).toContain('url-fragment');
      return ['Disallow: /b', 'Disallow: /c'].map((rule) => stdout.includes(rule));
    };
    expect(await blocked()).toEqual([false, false]);
    expect(await blocked('--config', path('check.json'))).toEqual([true, false]);
    expect(await blocked('--config', path('check.json'), '--agent', 'GPTBot')).toEqual([false, true]);
  },
);

test.each(['check', 'report'])(
  'usp %s requests pages of a site with the password of its URL',
  async (command) => {
    const asked: (string | undefined)[] = [];
    const { origin } = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { pages: ['/page'] },
      '/page': ({ headers }) => {
        asked.push(headers['authorization']);
        return '<html>';
      },
    });
    const argv = [origin.replace('//', '//u:p@'), '--no-known', '--request-pages', '1'];
    const { stdout } = await usp([command, ...argv]);
    expect([asked, stdout.includes('u:p')]).toEqual([[`Basic ${btoa('u:p')}`], false]);
  },
);

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

describe('saved trees and files', () => {
  /** A saved tree of a document that lacks its end, with a warning. */
  beforeEach(async () => {
    const cut = dated(`${H}/#s`).replace('</urlset>', '');
    await saveTree(await sitemapFromString(cut, { url: `${H}/s.xml` }), path('saved.warc'));
  });

  test('are counted together; annotations have the file of those that are files', async () => {
    const argv = [path('error.xml'), path('saved.warc'), path('warning.xml'), '--fail-on', 'never'];
    const also = ['--also', `github=${path('github')}`];
    const { code, stdout } = await check(...argv, '--strict', '-f', 'json', ...also);
    const { documents, pages, counts } = JSON.parse(stdout).summary;
    expect([code, documents, pages, counts.error, counts.warning]).toEqual([0, 3, 4, 2, 2]);
    const lines = readFileSync(path('github'), 'utf8').split('\n');
    const files = lines.flatMap((line) => /^::\w+ file=([^,]*),/.exec(line)?.[1] ?? []);
    expect([...new Set(files)]).toEqual([path('error.xml'), path('warning.xml')]);
    expect(lines.some((line) => line.startsWith('::') && !line.includes('file='))).toBe(true);
  });

  test('an interruption prints the findings of the inputs before; files stay what they were', async () => {
    const interrupted = async (...argv: readonly string[]) => {
      const interruption = new AbortController();
      async function* chunks(): AsyncGenerator<Uint8Array> {
        interruption.abort();
        await new Promise(() => {});
      }
      const inputs = ['check', path('saved.warc'), '-', '-f', 'unix', '--also', `csv=${path('a.csv')}`];
      return usp([...inputs, ...argv], { chunks: chunks(), signal: interruption.signal });
    };
    const { code, stdout, stderr } = await interrupted();
    expect([code, stderr]).toEqual([130, 'usp: interrupted while reading stdin.\n']);
    expect(stdout.match(/\[url-fragment\]/g)).toHaveLength(1);
    writeFileSync(path('out'), 'before');
    expect(await interrupted('-o', path('out'))).toMatchObject({ code: 130, stdout: '' });
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
    // No a.csv, and nothing that was begun.
    const names = ['error.xml', 'good.xml', 'out', 'saved.warc', 'warning.xml'];
    expect(readdirSync(path('')).sort()).toEqual(names);
  });
});

test('--timeout ends the requests of pages with 3, and what was found is printed', async () => {
  const { origin } = await siteOf((own) => ({
    '/robots.txt': ['/a.xml'],
    '/a.xml': dated(`${own}/#a`),
    '/': { silent: true },
  }));
  const argv = [
    origin,
    '--no-known',
    '--retries',
    '0',
    '--request-pages',
    'all',
    '-f',
    'unix',
    '--rule',
    'url-not-public=off',
  ];
  await withMoreTime([0.3, 5, 40], async (seconds) => {
    const { code, stdout, stderr } = await check(...argv, '--timeout', String(seconds));
    expect([code, stderr]).toEqual([3, 'Not all pages were requested: the time was over (--timeout).\n']);
    expect(stdout).toContain('[url-fragment]');
  });
});
