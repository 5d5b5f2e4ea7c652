/** §13: how the flags of `usp report` work together. What is in a report is in test/report. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { saveTree, sitemapFromString } from '../../../src/index.ts';
import { bytes } from '../../../src/text/wording.ts';
import { usp } from '../../support/cli-world.ts';
import { urlset } from '../../support/documents.ts';
import { folder, written } from '../../support/folder.ts';

describe('the exit code counts findings by the severity that --rule gives them', () => {
  const sitemap = urlset(['https://a.example/#a', '2014-05-06']);
  test.each([
    [[], 0],
    [['--rule', 'url-fragment=error'], 5],
    [['--rule', 'url-fragment=info', '--fail-on', 'warning'], 0],
    [['--fail-on', 'warning'], 5],
    [['--max-warnings', '1'], 0],
    [['--max-warnings', '0'], 5],
    [['--max-warnings', '0', '--rule', 'url-fragment=info'], 0],
    [['--max-warnings', '0', '--rule', 'url-fragment=off'], 0],
    [['--max-warnings', '1', '--now', '2013-05-06'], 5],
  ])('with %j it is %i', async (flags, code) => {
    const path = written({ 'sitemap.xml': sitemap });
    const report = join(folder(), 'report.html');
    const ended = await usp(['report', path('sitemap.xml'), '-o', report, '--fail-on', 'error', ...flags]);
    expect(ended.code).toBe(code);
  });
});

test.each([
  ['lacks its end', urlset('https://a.example/1').replace('</urlset>', ''), 4],
  ['is whole', urlset('https://a.example/1'), 0],
])('--strict: a file that %s', async (_what, sitemap, code) => {
  const path = written({ 'a.xml': sitemap, 'b.xml': urlset('https://a.example/2') });
  for (const names of [['a.xml'], ['a.xml', 'b.xml'], ['b.xml', 'a.xml']]) {
    const argv = ['report', ...names.map(path), '-o', path('report.html')];
    expect([(await usp(argv)).code, (await usp([...argv, '--strict'])).code]).toEqual([0, code]);
  }
});

describe('several inputs', () => {
  const a = urlset('https://a.example/1');
  /** Two sitemaps, a page that is not one, and a saved tree. */
  async function inputs() {
    const path = written({
      'a.xml': a,
      'b.xml': urlset('https://a.example/2'),
      'page.htm': '<p>',
      out: 'before',
    });
    await saveTree(await sitemapFromString(a, { url: 'https://a.example/a.xml' }), path('saved.warc'));
    return path;
  }

  test.each<[readonly string[], string, string]>([
    [['a.xml', 'saved.warc'], 'saved.warc is one of several inputs.', 'hint: usp report'],
    [['saved.warc', 'a.xml'], 'saved.warc is one of several inputs.', 'hint: usp report'],
    [['a.xml', 'gone.xml'], 'gone.xml cannot be read: no such file', ''],
    [['a.xml', 'page.htm'], 'page.htm is neither a saved tree nor a sitemap.', ''],
    [['a.xml', 'b.xml', '--before', 'saved.warc'], '--before is for one input, and there are several.', ''],
    [
      ['a.xml', '--before', 'b.xml'],
      'b.xml is not a saved tree',
      'hint: usp ls URL --save FILE saves a site.',
    ],
  ])('%j is refused, and -o stays what it was', async (names, message, hint) => {
    const path = await inputs();
    const argv = names.map((name) => (name.startsWith('--') ? name : path(name)));
    const { code, stdout, stderr } = await usp(['report', ...argv, '-o', path('out')]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
    expect(stderr).toContain(hint);
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
    expect(readdirSync(path(''))).toHaveLength(5);
  });

  test('an input that is given twice is one, and names the report; several files do not', async () => {
    const path = await inputs();
    const titleOf = async (...argv: readonly string[]) => {
      const { code, stdout, stderr } = await usp(['report', ...argv, '-o', '-']);
      expect([code, stderr]).toEqual([0, '']);
      return /<title>(.*)<\/title>/.exec(stdout)?.[1];
    };
    const one = await titleOf(path('a.xml'), path('a.xml'), '--before', path('saved.warc'));
    expect(one).toMatch(/a\.xml$/);
    expect(await titleOf(path('a.xml'), path('b.xml'))).not.toMatch(/\.xml/);
    expect(await titleOf(path('a.xml'), '--title', 'Ours')).toMatch(/Ours$/);
  });

  test('an interruption at one of them names all, and -o stays what it was', async () => {
    const path = await inputs();
    const interruption = new AbortController();
    async function* chunks(): AsyncGenerator<Uint8Array> {
      interruption.abort();
      await new Promise(() => {});
    }
    const argv = ['report', path('a.xml'), '-', '-o', path('out')];
    const { code, stderr } = await usp(argv, { chunks: chunks(), signal: interruption.signal });
    expect([code, stderr]).toEqual([
      130,
      `usp: interrupted at ${path('a.xml')}, -; no report was written.\n`,
    ]);
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
  });
});

test('the size that is said is that of the file, in bytes', async () => {
  const path = written({ 'a.xml': urlset('https://a.example/1') });
  const title = 'ü'.repeat(4000);
  const { stderr } = await usp(['report', path('a.xml'), '-o', path('report.html'), '--title', title]);
  expect(stderr).toBe(`${path('report.html')}: ${bytes(statSync(path('report.html')).size)}.\n`);
});

test('-o - is stdout, which may not be a terminal; the hint has all inputs', async () => {
  const argv = ['report', 'a.xml', 'b.xml', '-o', '-'];
  const { code, stderr } = await usp(argv, { isTerminal: { stdout: true } });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/not for a terminal\.\nhint: usp report a\.xml b\.xml -o report\.html\n$/),
  ]);
});
