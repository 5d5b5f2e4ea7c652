/** §13: `usp report`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedServer } from '../server/scripted-server.ts';
import { startServer } from '../server/scripted-server.ts';
import { uspDeclared as usp } from '../support/cli-world.ts';
import { folder } from '../support/folder.ts';
import { document, reportSite } from '../support/report-site.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await reportSite();
});
afterAll(() => server.close());

const REFUSED = 'http://127.0.0.1:9/';

test('a site is written to a file', async () => {
  const file = join(folder(), 'report.html');
  const { code, stdout, stderr } = await usp(['report', server.origin, '-o', file]);
  const html = await readFile(file, 'utf8');
  expect(code).toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toContain('1 sitemap could not be read:');
  expect(stderr).toMatch(/report\.html: [\d.]+ kB\./);
  expect(html).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
});

test('without -o it goes to stdout, unless that is a terminal', async () => {
  const { stdout } = await usp(['report', server.origin, '-q']);
  expect(stdout).toMatch(/^<!doctype html>/);
  const { code, stderr } = await usp(['report', server.origin], { isTerminal: { stdout: true } });
  expect(code).toBe(2);
  expect(stderr).toContain('-o report.html');
});

test('a saved tree, and what changed since an earlier one', async () => {
  const place = folder();
  const [before, after, file] = ['a.warc.gz', 'b.warc.gz', 'r.html'].map((name) => join(place, name));
  await usp(['ls', server.origin, '--save', before!, '-q', '-f', 'tree']);
  const shop = server.site['/shop.xml'];
  server.site['/shop.xml'] = document([{ loc: `${server.origin}/shop/new` }]);
  await usp(['ls', server.origin, '--save', after!, '-q', '-f', 'tree']);
  server.site['/shop.xml'] = shop ?? '';
  const { code } = await usp(['report', after!, '--before', before!, '-o', file!, '-q']);
  const html = await readFile(file!, 'utf8');
  expect(code).toBe(0);
  expect(html).toMatch(/Changes since \d{4}-\d\d-\d\d/);
  expect(html).toMatch(/<strong>1<\/strong> added/);
  expect(html).toMatch(/<strong>12<\/strong> removed/);
});

test('a report has a title and a logo of its own', async () => {
  const place = folder();
  const logo = join(place, 'logo.svg');
  await writeFile(logo, '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const { code, stdout } = await usp(['report', server.origin, '-q', '--title', 'Our shop', '--logo', logo]);
  expect(code).toBe(0);
  expect(stdout).toContain('Our shop</bdi></h1>');
  expect(stdout).toContain('src="data:image/svg+xml;base64,');
  await writeFile(logo, 'not an image');
  const bad = await usp(['report', server.origin, '-q', '--logo', logo]);
  expect([bad.code, bad.stderr]).toEqual([
    2,
    expect.stringContaining('is not a PNG, JPEG, GIF, WebP or SVG image'),
  ]);
  const missing = await usp(['report', server.origin, '-q', '--logo', join(place, 'none.png')]);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read')]);
});

test('what became of the pages that were requested is a table', async () => {
  const { stdout } = await usp(['report', server.origin, '-q', '--request-pages', '5']);
  const [, section = ''] = /<section id="requested">([\s\S]*?)<\/section>/.exec(stdout) ?? [];
  expect(section).toContain('5 of 74 pages were requested.');
  expect(section).toMatch(
    /<th scope="row"><a href="#rule-page-missing"><code>page-missing<\/code><\/a><\/th><td class="n">404<\/td><td class="n">5<\/td><td class="n">100 %<\/td>/,
  );
  expect((await usp(['report', server.origin, '-q'])).stdout).not.toContain('id="requested"');
});

describe('the options of check apply', () => {
  test('a rule is switched off, another made an error, and --fail-on gives the exit code', async () => {
    const place = folder();
    const config = join(place, 'check.json');
    await writeFile(config, JSON.stringify({ rules: { 'lastmod-future': 'error' } }));
    const argv = ['report', server.origin, '-q', '--rule', 'sitemap-unreadable=off', '--config', config];
    const { code, stdout } = await usp(argv);
    expect(code).toBe(0);
    expect(stdout).not.toContain('id="rule-sitemap-unreadable"');
    expect(stdout).toMatch(
      /id="rule-lastmod-future" class="rule"><summary><span class="line"><span class="badge error">/,
    );
    expect((await usp([...argv, '--strict'])).code).toBe(4);
    expect((await usp([...argv, '--strict', '--fail-on', 'error'])).code).toBe(5);
  });

  test('the example names the document, the line and the column', async () => {
    const { stdout } = await usp(['report', server.origin, '-q']);
    expect(stdout).toMatch(/\/languages\.xml<\/bdi><\/a><span class="at">:1:\d+<\/span>/);
  });

  test('a rule that there is not', async () => {
    const { code, stderr } = await usp(['report', server.origin, '--rule', 'lastmod-futur=off']);
    expect(code).toBe(2);
    expect(stderr).toContain('lastmod-future');
  });
});

test.each(['a file', 'stdin'])('a sitemap from %s', async (from) => {
  const xml = '<urlset><url><loc>https://example.org/blog/a</loc><lastmod>soon</lastmod></url></urlset>';
  const file = join(folder(), 'sitemap.xml');
  await writeFile(file, xml);
  const { code, stdout } = await usp(['report', from === 'stdin' ? '-' : file, '-q'], { stdin: xml });
  expect(code).toBe(0);
  expect(stdout).toContain('id="rule-bad-date"');
  // The middle of a long path is left out.
  const [, title = ''] = /<title>Sitemap report: (.*)<\/title>/.exec(stdout) ?? [];
  const shown = from === 'stdin' ? 'stdin' : file;
  expect([title.slice(0, 20), title.slice(-11)]).toEqual([shown.slice(0, 20), shown.slice(-11)]);
  // A report is sent to others: where the file lies is shown as it was given, and nowhere whole.
  expect(stdout).not.toContain('file:/');
});

describe('a site that cannot be read gets a report that says so', () => {
  test('one that refuses the connection: exit code 6, which weighs more than findings', async () => {
    const file = join(folder(), 'report.html');
    const argv = ['report', REFUSED, '-o', file, '--retries', '0', '-q', '--fail-on', 'info'];
    const { code } = await usp(argv);
    const html = await readFile(file, 'utf8');
    expect(code).toBe(6);
    expect(html).toContain('No sitemap of <bdi>127.0.0.1:9</bdi> could be read.');
    expect(html).toContain('refused the connection');
  });

  test('one that has none: exit code 1', async () => {
    const empty = await startServer({});
    const file = join(folder(), 'report.html');
    const { code } = await usp(['report', empty.origin, '-o', file, '-q']);
    await empty.close();
    expect(code).toBe(1);
    expect(await readFile(file, 'utf8')).toMatch(/No sitemap of <bdi>[^<]*<\/bdi> was found\./);
  });
});

describe('mistakes are one clear line, and nothing is written', () => {
  test.each<[string, readonly string[], string]>([
    [
      'a folder that there is not',
      ['-o', '/no-such-folder/r.html'],
      'cannot be written: there is no such folder.',
    ],
    [
      'an earlier tree that is not there',
      ['-o', 'FILE', '--before', 'none.warc.gz'],
      'none.warc.gz cannot be read',
    ],
  ])('%s', async (_what, argv, said) => {
    const file = join(folder(), 'r.html');
    const { code, stderr } = await usp([
      'report',
      server.origin,
      ...argv.map((arg) => (arg === 'FILE' ? file : arg)),
    ]);
    expect(code).toBe(2);
    expect(stderr.split('\n').filter((line) => line.startsWith('usp: '))).toEqual([
      expect.stringContaining(said),
    ]);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });

  test('a file that is neither a saved tree nor a sitemap', async () => {
    const file = join(folder(), 'page.html');
    await writeFile(file, '<p>');
    const { code, stderr } = await usp(['report', file, '-q']);
    expect(code).toBe(2);
    expect(stderr).toContain('is neither a saved tree nor a sitemap');
  });

  test.each(['report', 'check', 'diff'])('a WARC file of another program: %s', async (command) => {
    const file = join(folder(), 'crawl.warc');
    const record = 'WARC/1.0\r\nWARC-Type: response\r\n\r\nHTTP/1.1 200 OK\r\n\r\n';
    await writeFile(file, `${record}<urlset><url><loc>https://example.org/a</loc></url></urlset>\r\n\r\n`);
    const { code, stderr } = await usp([command, file, ...(command === 'diff' ? [file] : []), '-q']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /crawl\.warc is not a saved tree: it is a WARC file .* \(usp ls --from-warc\) reads it\.$/m,
    );
  });
});

test('a gzipped sitemap with bytes behind it is read', async () => {
  const file = join(folder(), 'a.xml.gz');
  const xml = '<urlset><url><loc>https://example.org/a</loc></url></urlset>';
  await writeFile(file, Buffer.concat([gzipSync(xml), Buffer.from('junk')]));
  expect(await usp(['report', file, '-q'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 page'),
  });
});
