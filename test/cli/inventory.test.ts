/** What programs read from `usp`: the inventory of sitemaps, several sites, unambiguous CSV (§10). */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Site } from '../server/scripted-server.ts';
import { uspDeclared as usp } from '../support/cli-world.ts';
import { siteOf as serve } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';

const site = (origin: string): Site => ({
  '/robots.txt': `Sitemap: ${origin}/index.xml`,
  '/index.xml': index([`${origin}/a.xml`, '2024-05-06'], `${origin}/b.xml`, `${origin}/c.xml`),
  '/a.xml': urlset(`${origin}/1`, `${origin}/2`),
  '/b.xml': { status: 403 },
  '/c.xml': urlset(`${origin}/3`, `${origin}/4`).slice(0, -25),
});

describe('--no-pages with csv and ndjson lists sitemaps', () => {
  test('csv: one sitemap per row', async () => {
    const { origin } = await serve(site);
    const { code, lines } = await usp(['ls', origin, '-f', 'csv', '--no-pages', '-u']);
    const size = (path: string): number => Buffer.byteLength(String(site(origin)[path]));
    expect(code).toBe(0);
    expect(lines.slice(0, 5)).toEqual([
      'url,kind,parent,lastModified,pageCount,bytes,status,code,reason',
      `/robots.txt,robots-txt,/,,,${size('/robots.txt')},200,,`,
      `/index.xml,index-xml,/robots.txt,,,${size('/index.xml')},200,,`,
      `/a.xml,pages-xml,/index.xml,2024-05-06T00:00:00.000Z,2,${size('/a.xml')},200,,`,
      `/b.xml,invalid,/index.xml,,,,403,http-status,${origin}/b.xml: the server responded with 403 Forbidden.`,
    ]);
    expect(lines[5]).toMatch(/^\/c\.xml,pages-xml,\/index\.xml,,\d,\d+,200,truncated,/);
    expect(lines).toHaveLength(6);
  });

  test('ndjson: one sitemap per line, without what is not known', async () => {
    const { origin } = await serve(site);
    const { lines } = await usp(['ls', origin, '-f', 'ndjson', '--no-pages', '-u']);
    expect(lines.map((line) => JSON.parse(line)).slice(0, 4)).toEqual([
      { url: '/robots.txt', kind: 'robots-txt', parent: '/', bytes: expect.any(Number), status: 200 },
      { url: '/index.xml', kind: 'index-xml', parent: '/robots.txt', bytes: expect.any(Number), status: 200 },
      {
        url: '/a.xml',
        kind: 'pages-xml',
        parent: '/index.xml',
        lastModified: '2024-05-06T00:00:00.000Z',
        pageCount: 2,
        bytes: expect.any(Number),
        status: 200,
      },
      {
        url: '/b.xml',
        kind: 'invalid',
        parent: '/index.xml',
        status: 403,
        code: 'http-status',
        reason: `${origin}/b.xml: the server responded with 403 Forbidden.`,
      },
    ]);
  });

  test('bytes are those after decoding', async () => {
    const xml = urlset('https://a.example/1');
    const { origin } = await serve({ '/sitemap.xml.gz': { body: gzipSync(xml) } });
    const { lines } = await usp(`ls --sitemap ${origin}/sitemap.xml.gz -f ndjson --no-pages`);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ bytes: xml.length, pageCount: 1 });
  });

  test('of a saved tree and of a file too', async () => {
    const parsed = await usp(['ls', '-', '-f', 'csv', '--no-pages', '--url', 'https://a.example/s.xml'], {
      stdin: index('https://a.example/a.xml'),
    });
    expect(parsed.lines[1]).toMatch(/^https:\/\/a\.example\/s\.xml,index-xml,,,,\d+,,,$/);
    expect(parsed.lines[2]).toMatch(/^https:\/\/a\.example\/a\.xml,invalid,https.*,not-fetched,/);
  });
});

describe('several sites', () => {
  test.each(['ndjson', 'csv'])('each line of %s names its site', async (format) => {
    const [one, two] = [await serve(site), await serve(site)];
    for (const argv of [[], ['--no-pages'], ['--ordered']]) {
      const { lines } = await usp(['ls', one.origin, two.origin, '-f', format, '-q', ...argv]);
      const rows = format === 'csv' ? lines.slice(1) : lines;
      if (format === 'csv') expect(lines[0]).toMatch(/,site$/);
      const sites = rows.map((line) => (format === 'csv' ? line.split(',').at(-1) : JSON.parse(line).site));
      expect(new Set(sites)).toEqual(new Set([`${one.origin}/`, `${two.origin}/`]));
      for (const [at, line] of rows.entries()) expect(line).toContain(sites[at]);
    }
  });

  test('one site alone has no such column', async () => {
    const { origin } = await serve(site);
    expect((await usp(['ls', origin, '-f', 'csv', '-q'])).lines[0]).not.toContain('site,');
    expect(JSON.parse((await usp(['ls', origin, '-f', 'ndjson', '-q'])).lines[0] ?? '')).not.toHaveProperty(
      'site',
    );
  });
});

describe('csv', () => {
  const page = (inside: string): string =>
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>https://a.example/1</loc>${inside}</url></urlset>`;
  const cells = async (inside: string, ...argv: string[]): Promise<Record<string, string>> => {
    const { lines } = await usp(['ls', '-', '-q', '-f', 'csv', ...argv], { stdin: page(inside) });
    const [names = [], values = []] = lines.map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));
    return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
  };

  test('a space inside a URL is %20, so that a list can be split at spaces', async () => {
    const image = (loc: string): string => `<image:image><image:loc>${loc}</image:loc></image:image>`;
    const row = await cells(
      `${image('https://a.example/a b c.jpg')}${image('https://a.example/c.jpg')}<xhtml:link rel="alternate" hreflang="de" href="https://a.example/d e"/>`,
    );
    expect(row['images']).toBe('https://a.example/a%20b%20c.jpg https://a.example/c.jpg');
    expect(row['alternates']).toBe('de=https://a.example/d%20e');
  });

  test('the date as written and the stock tickers have columns', async () => {
    const row = await cells(
      '<lastmod>2024-05-06</lastmod><news:news><news:title>T</news:title><news:stock_tickers>NASDAQ:A, NASDAQ:B</news:stock_tickers></news:news>',
    );
    expect(row).toMatchObject({ lastModifiedText: '2024-05-06', newsStockTickers: '"NASDAQ:A, NASDAQ:B"' });
    expect((await cells('<lastmod>2024-02-30</lastmod>'))['lastModifiedText']).toBe('2024-02-30');
  });

  test('--csv-raw writes what looks like a formula as it is', async () => {
    const news = '<news:news><news:title>=1+1</news:title></news:news>';
    expect((await cells(news))['newsTitle']).toBe("'=1+1");
    expect((await cells(news, '--csv-raw'))['newsTitle']).toBe('=1+1');
  });
});

test('--undated keep lists pages without a date', async () => {
  const stdin = urlset(['https://a.example/1', '2024-05-06'], 'https://a.example/2', [
    'https://a.example/3',
    '2020',
  ]);
  const argv = ['ls', '-', '-f', 'pages', '--since', '2024'];
  expect((await usp([...argv, '--undated', 'keep'], { stdin })).lines).toEqual([
    'https://a.example/1',
    'https://a.example/2',
  ]);
  expect((await usp([...argv, '--undated', 'drop'], { stdin })).lines).toEqual(['https://a.example/1']);
  expect((await usp([...argv, '--undated', 'maybe'], { stdin })).code).toBe(2);
});

test('json has the HTTP status of what could not be read', async () => {
  const { origin } = await serve(site);
  const { stdout } = await usp(['ls', '--sitemap', `${origin}/index.xml`, '-f', 'json', '-q']);
  expect(JSON.parse(stdout).subSitemaps[1]).toMatchObject({
    kind: 'invalid',
    code: 'http-status',
    status: 403,
  });
});

test('usp ls - reads stdin as it arrives, and no further than its limit', async () => {
  const entry = (n: number): string => `<url><loc>https://a.example/${n}</loc></url>`;
  // With a comment, which is read in a moment, so that few pages make up the limit.
  const comment = `<!-- ${'long '.repeat(200_000)} -->`;
  const piece = Buffer.from(Array.from({ length: 100 }, (_, n) => entry(n)).join('') + comment);
  let taken = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">');
    for (;;) {
      taken += piece.length;
      yield piece;
    }
  }
  const { code, lines, stderr } = await usp(['ls', '-', '-f', 'tree'], { chunks: endless() });
  expect(code).toBe(0);
  expect(taken).toBeLessThan(110 * 1024 * 1024);
  expect(lines[0]).toMatch(/^stdin \(sitemap, [\d,]+ pages, 2 problems\)$/);
  expect(stderr).toContain('larger than 104857600 bytes; it is truncated there. (too-large)');
});
