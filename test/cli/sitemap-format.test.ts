/** §10: `-f sitemap` prints the pages of a listing as one urlset that is valid. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sitemapFormat } from '../../src/cli/render/sitemap-format.ts';
import { checkSitemap, parseSitemap } from '../../src/index.ts';
import { SitemapPage } from '../../src/parse/model/page.ts';
import { startServer } from '../server/scripted-server.ts';
import { usp, uspDeclared } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { urlset } from '../support/documents.ts';
import { folder, written } from '../support/folder.ts';

const BROKEN = `
<urlset>
<url><loc>https://example.org/a?b=1&c=2</loc><lastmod>Mon, 06 May 2013 10:00:00 GMT</lastmod></url>
<url><loc>https://example.org/a b</loc><lastmod>2013-05</lastmod><priority>7</priority></url>
<url><loc>https://example.org/${'x'.repeat(2100)}</loc></url>
</urlset>`;

const NEWS = (many: number, folder = 'a'): string => {
  const news = `<n:news><n:publication><n:name>N</n:name><n:language>de</n:language></n:publication>
    <n:publication_date>2014-05-06</n:publication_date><n:title>${'Ü'.repeat(20)}</n:title></n:news>`;
  const entries = Array.from(
    { length: many },
    (_, at) => `<url><loc>https://example.org/${folder}/${at}</loc>${news}</url>`,
  );
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
    xmlns:n="http://www.google.com/schemas/sitemap-news/0.9">${entries.join('')}</urlset>`;
};

const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

function urlsIn(xml: string): readonly string[] {
  return [...parseSitemap(xml)].flatMap((item) => (item.type === 'page' ? item.page.url : []));
}

describe('-f sitemap', () => {
  test('a broken sitemap is printed as a valid one, and what was left out is counted', async () => {
    const { code, stdout, stderr } = await usp(['ls', '-', '-f', 'sitemap', '-v'], { stdin: BROKEN });
    expect(code).toBe(0);
    expect(stdout).toContain(
      '<loc>https://example.org/a?b=1&amp;c=2</loc><lastmod>2013-05-06T10:00:00Z</lastmod>',
    );
    expect(stdout).toContain('<loc>https://example.org/a%20b</loc><lastmod>2013-05</lastmod></url>');
    expect([...checkSitemap(stdout)].filter(({ severity }) => severity !== 'info')).toEqual([]);
    expect(stderr).toContain('1 page left out and 2 values repaired; usp fix says which.');
  });

  test('what did not happen is not counted', async () => {
    const stdin = '<urlset><url><loc>https://example.org/a b</loc></url></urlset>';
    const { stderr } = await usp(['ls', '-', '-f', 'sitemap'], { stdin });
    expect(stderr).toContain('\n1 value repaired; usp fix says which.\n');
  });

  testIf(hasXmllint)('xmllint accepts it', async () => {
    const { stdout } = await usp(['ls', '-', '-f', 'sitemap'], { stdin: BROKEN });
    const { status, stderr } = spawnSync('xmllint', ['--noout', '-'], { input: stdout, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test('filters hold, and a page that several sitemaps list is there once', async () => {
    const server = await startServer({});
    try {
      Object.assign(server.site, {
        '/robots.txt': ['/index.xml'],
        '/index.xml': ['/1.xml', '/2.xml'],
        '/1.xml': urlset('https://example.org/blog/1', 'https://example.org/shop/1'),
        '/2.xml': urlset('https://example.org/blog/1', 'https://example.org/blog/2'),
      });
      const argv = ['ls', server.origin, '-f', 'sitemap', '--include', '/blog/', '--ordered'];
      const { stdout, stderr } = await uspDeclared(argv);
      expect(urlsIn(stdout)).toEqual(['https://example.org/blog/1', 'https://example.org/blog/2']);
      expect(stderr).toBe('');
    } finally {
      await server.close();
    }
  });

  test('pages of a private site are those of its own sitemap', async () => {
    const server = await startServer({});
    try {
      Object.assign(server.site, {
        '/robots.txt': ['/1.xml'],
        '/1.xml': urlset(`${server.origin}/a`, 'http://10.0.0.1/b'),
      });
      const { stdout } = await uspDeclared(['ls', server.origin, '-f', 'sitemap']);
      expect(urlsIn(stdout)).toEqual([`${server.origin}/a`]);
    } finally {
      await server.close();
    }
  });

  test.each([
    ['the pages are left out', urlset('http://10.0.0.1/a')],
    ['there are none', urlset()],
  ])('where %s, nothing is printed, a file stays, and the exit code is 1', async (_, stdin) => {
    const { code, stdout, stderr } = await usp(['ls', '-', '-f', 'sitemap'], { stdin });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('usp: there is no page to write; a sitemap has at least one.\n');
    expect(/^1 page left out; usp fix says which\.\n/m.test(stderr)).toBe(stdin.includes('10.0.0.1'));
    const file = join(folder(), 'out.xml');
    writeFileSync(file, 'before');
    expect((await usp(['ls', '-', '-f', 'sitemap', '-o', file], { stdin })).code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('before');
  });

  test('at the limit of 50,000 pages nothing is said of it', () => {
    const format = sitemapFormat();
    const item = { page: new SitemapPage({ url: 'https://example.org/' }), sitemap: { url: '' } } as never;
    for (let at = 0; at < 50_000; at++) format.item(item, undefined as never);
    expect(format.remarks?.().notes).toEqual([]);
  });

  test.each([0, 1])('with %i bytes more than 50 MiB, in few pages', (over) => {
    const format = sitemapFormat();
    const add = (page: SitemapPage): number =>
      Buffer.byteLength(format.item({ page, sitemap: { url: '' } }, undefined as never));
    // What is longer in bytes than in characters.
    const [first] = [...parseSitemap(NEWS(1))].flatMap((item) => (item.type === 'page' ? item.page : []));
    let left = 52_428_800 + over - Buffer.byteLength('</urlset>\n') - add(first as SitemapPage);
    const url = 'https://example.org/';
    const tags = '<url><loc></loc></url>\n';
    const large = new SitemapPage({ url: url + 'x'.repeat(2000) });
    while (left > 5000) left -= add(large);
    for (const bytes of [left - Math.floor(left / 3) * 2, Math.floor(left / 3), Math.floor(left / 3)])
      left -= add(new SitemapPage({ url: url + 'x'.repeat(bytes - url.length - tags.length) }));
    expect(left).toBe(0);
    const [note] = format.remarks?.().notes ?? [];
    const words =
      /^One sitemap may have 50,000 pages and 52\.4 MB \(50 MiB\); this one has 25,\d{3} and 52\.4 MB\. usp fix /;
    if (over === 0) expect(note).toBeUndefined();
    else expect(note).toMatch(words);
  });

  test('several inputs are one urlset, also where the first has no page, and their news are counted together', async () => {
    const path = written({ 'none.xml': urlset(), 'a.xml': NEWS(600), 'b.xml': NEWS(600, 'b') });
    const argv = ['ls', path('none.xml'), path('a.xml'), path('b.xml'), path('a.xml'), '-f', 'sitemap'];
    const { code, stdout, stderr } = await usp(argv);
    expect(code).toBe(0);
    expect(stdout.match(/<\?xml|<urlset|<\/urlset>/g)).toEqual(['<?xml', '<urlset', '</urlset>']);
    expect(urlsIn(stdout)).toHaveLength(1200);
    expect(stdout.match(/<news:news>/g)).toHaveLength(1000);
    expect(stderr).toContain('200 values repaired; usp fix says which.\n');
  });

  test('over the limit of 50,000 pages, all are printed, with what to do about it', async () => {
    const file = join(folder(), 'urls.txt');
    writeFileSync(file, Array.from({ length: 50_001 }, (_, at) => `https://example.org/${at}\n`).join(''));
    const { stdout, stderr } = await usp(['ls', file, '-f', 'sitemap']);
    expect(stdout.match(/<loc>/g)).toHaveLength(50_001);
    expect(stderr).toContain('One sitemap may have 50,000 pages and 52.4 MB (50 MiB); this one has 50,001');
    expect(stderr).toContain('usp fix … -o DIR writes several and an index.');
  });

  test('what would not be a sitemap is bad usage', async () => {
    const { code, stderr } = await usp(['ls', '-', '-f', 'sitemap', '-u'], { stdin: BROKEN });
    expect(code).toBe(2);
    expect(stderr).toContain('relative URLs, which a sitemap may not have');
  });
});
