/**
 * §12: `usp check` of whole sites as they are found: a healthy shop, a blog with the mistakes that blogs have, news, a
 * broken deployment. What is said is complete, is said once, and a healthy site has no findings.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../src/index.ts';
import type { ScriptedServer, Site } from '../server/scripted-server.ts';
import { type Told, uspDeclared as usp } from '../support/cli-world.ts';
import { siteOf } from '../support/crawled-site.ts';
import { index } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { sized } from '../support/tier.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';
const XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"';
const NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const XML = { 'content-type': 'application/xml' };

const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const hour = (ago: number): string => new Date(Date.now() - ago * 3_600_000).toISOString().slice(0, 19);
const many = <Item>(count: number, item: (number: number) => Item): Item[] =>
  Array.from({ length: count }, (_, number) => item(number));
const document = (root: string, namespaces: string, entries: readonly string[]): string =>
  `${DECLARATION}<${root} ${namespaces}>\n${entries.join('\n')}\n</${root}>\n`;
const xml = (body: string | Uint8Array): Site[string] => ({ body, headers: XML });
const page = (head = '<title>Page</title>'): Site[string] => ({
  body: `<!doctype html><html><head>${head}</head><body>Hello</body></html>`,
  headers: { 'content-type': 'text/html' },
});

function check(...argv: readonly string[]): Promise<Told> {
  return usp(['check', '--retries', '0', '--proxy', 'none', ...argv]);
}

/** All findings, as `path:line severity rule`, sorted; the columns depend on the digits of the port. */
async function findingsOf({ origin }: ScriptedServer, ...argv: readonly string[]): Promise<string[]> {
  const { lines } = await check(origin, '-f', 'ndjson', ...argv);
  return lines
    .map((line) => JSON.parse(line) as Finding)
    .map(
      ({ document, line, severity, rule }) =>
        `${document.replace(origin, '')}:${line ?? '-'} ${severity} ${rule}`,
    )
    .sort();
}

/** In each of the two sitemaps of products; both languages have pages of their own. */
const PRODUCTS = sized({ fast: 40, full: 120, strong: 700 });
const PAGES = (4 * PRODUCTS + 200).toLocaleString('en');

/** Many pages in four sitemaps, with images and languages. */
function shop(own: string): Site {
  const product = (number: number): string[] =>
    ['en', 'de'].map((language) => {
      const url = (of: string): string => `${own}/${of}/products/${number}-blue-shoe`;
      const alternates = [...['en', 'de'].map((of) => [of, url(of)]), ['x-default', url('en')]].map(
        ([code, href]) => `<xhtml:link rel="alternate" hreflang="${code}" href="${href}"/>`,
      );
      const image = `<image:image><image:loc>${own}/img/${number}.jpg?v=1&amp;w=800</image:loc></image:image>`;
      const date = `${day((number % 400) + 1)}T0${number % 10}:1${number % 6}:00+00:00`;
      return `<url><loc>${url(language)}</loc><lastmod>${date}</lastmod>${alternates.join('')}${image}</url>`;
    });
  const products = (from: number): string =>
    document('urlset', `${NS} ${IMAGE} ${XHTML}`, many(PRODUCTS, (number) => product(from + number)).flat());
  const list = (path: string, count: number): string =>
    document(
      'urlset',
      NS,
      many(
        count,
        (number) => `<url><loc>${own}/${path}/${number}</loc><lastmod>${day(number + 1)}</lastmod></url>`,
      ),
    );
  const maps = ['products-1.xml', 'products-2.xml.gz', 'collections.xml', 'blog.xml'];
  return {
    '/robots.txt': `User-agent: *\nDisallow: /cart\nDisallow: /*?sort=\n\nUser-agent: GPTBot\nDisallow: /\n\nSitemap: ${own}/index.xml\n`,
    '/index.xml': xml(
      document(
        'sitemapindex',
        NS,
        maps.map((map) => `<sitemap><loc>${own}/${map}</loc><lastmod>${day(0)}</lastmod></sitemap>`),
      ),
    ),
    '/products-1.xml': xml(products(1)),
    '/products-2.xml.gz': {
      body: gzipSync(products(PRODUCTS + 1)),
      headers: { 'content-type': 'application/octet-stream' },
    },
    '/collections.xml': xml(list('collections', 150)),
    '/blog.xml': xml(list('blog', 50)),
    '*': page(),
  };
}

/** A blog with mistakes in its robots.txt, its index, its sitemaps and its pages. */
function blog(own: string): Site {
  const urlset = (...entries: readonly string[]): string =>
    `<urlset ${NS} ${IMAGE} ${XHTML}>\n${entries.join('\n')}\n</urlset>`;
  const url = (path: string, more = `<lastmod>${day(9)}</lastmod>`): string =>
    `<url><loc>${own}${path}</loc>${more}</url>`;
  const alternate = (code: string, path: string): string =>
    `<xhtml:link rel="alternate" hreflang="${code}" href="${own}${path}"/>`;
  return {
    '/robots.txt': `User-agent: *\nDisallow: /category/\nSitemap: /wp-sitemap.xml\nSitemap: ${own}/index.xml\n`,
    '/wp-sitemap.xml': { status: 301, redirect: '/index.xml' },
    '/index.xml': xml(
      `<sitemapindex ${NS}>\n${['posts', 'pages', 'categories', 'authors', 'languages']
        .map((name) => `<sitemap><loc>${own}/${name}.xml</loc></sitemap>`)
        .join('\n')}\n</sitemapindex>`,
    ),
    '/posts.xml': xml(
      `\n${DECLARATION}${urlset(
        url('/post-1/', `<lastmod>${day(3)} 10:00:00</lastmod>`),
        url('/post-2/', `<lastmod>${hour(50)}</lastmod>`),
        url('/post-1/'),
        url('/post-2'),
        url('/post-3/#comments'),
        url('/?p=12&preview=true'),
        url('/post-4/?utm_source=mail'),
      )}`,
    ),
    '/pages.xml': xml(urlset(url('/thanks/'), url('/old/', '<priority>5</priority>'), url('/gone/'))),
    '/categories.xml': xml(urlset(url('/category/a/'), url('/category/b/'))),
    '/languages.xml': xml(
      urlset(
        url('/en/', alternate('en-UK', '/en/') + alternate('de', '/de/')),
        url('/de/', alternate('de', '/de/')),
      ),
    ),
    '/thanks/': page('<meta name="robots" content="noindex">'),
    '/old/': { status: 301, redirect: '/new/' },
    '/gone/': { status: 410 },
    '/authors.xml': { status: 404 },
    '/post-4/?utm_source=mail': page('<link rel="canonical" href="/post-4/">'),
    ...Object.fromEntries(
      ['/', '/new/', '/en/', '/de/', '/post-1/', '/post-2/', '/post-2', '/post-3/'].map((path) => [
        path,
        page(),
      ]),
    ),
    '/?p=12&preview=true': page(),
    '/category/a/': page(),
    '/category/b/': page(),
  };
}

describe('§12: usp check of whole sites', () => {
  test(`a healthy shop with ${PAGES} pages has no findings, nor have its pages`, async () => {
    const server = await siteOf(shop);
    const { code, stdout, stderr } = await check(server.origin, '--request-pages', '20');
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        `Nothing found in 6 documents with ${PAGES} pages.\n` +
        `20 of ${PAGES} pages were requested: 20 listed and indexable.\n`,
      stderr: '',
    });
  });

  test('a blog with mistakes has a finding for each of them, and none twice', async () => {
    expect(await findingsOf(await siteOf(blog), '--request-pages', 'all', '--no-known')).toEqual(
      [
        '/categories.xml:2 error page-blocked',
        '/index.xml:5 error sitemap-unreadable',
        '/languages.xml:2 info lastmod-missing',
        '/languages.xml:2 error hreflang-bad-code',
        '/languages.xml:2 warning hreflang-no-return',
        '/pages.xml:2 error page-noindex',
        '/pages.xml:3 info lastmod-missing',
        '/pages.xml:3 warning page-redirected',
        '/pages.xml:3 warning bad-priority',
        '/pages.xml:4 error page-missing',
        '/posts.xml:2 error xml-declaration-late',
        '/posts.xml:4 warning lastmod-not-w3c',
        '/posts.xml:5 warning lastmod-no-zone',
        '/posts.xml:6 warning url-repeated',
        '/posts.xml:7 warning url-variants',
        '/posts.xml:8 warning url-fragment',
        '/posts.xml:9 error bare-ampersand',
        '/posts.xml:10 warning page-canonical',
        '/posts.xml:10 warning url-tracking-parameter',
        '/robots.txt:3 warning robots-relative-sitemap',
        '/robots.txt:3 warning sitemap-redirected',
      ].sort(),
    );
  });

  test('the verdict of a blog begins with what keeps sitemaps from being read', async () => {
    const { origin } = await siteOf(blog);
    const { stdout } = await check(origin, '--no-known');
    const first = [...stdout.matchAll(/^ {2}\d\. ([\w-]+) \(([^)]*)\)/gm)].map(
      ([, rule, many]) => `${rule}: ${many}`,
    );
    expect(first).toEqual([
      'sitemap-unreadable: 1 error',
      'xml-declaration-late: 1 error',
      'bare-ampersand: 1 error',
      'page-blocked: 1 error, 2 entries',
      'hreflang-bad-code: 1 error',
    ]);
  });

  test('an interruption while pages are requested prints what was found', async () => {
    const paths = ['/gone', '/silent'];
    const server = await siteOf((own) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': {
        body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc>${own}${path}</loc><lastmod>2099-01-01</lastmod></url>`).join('')}</urlset>`,
        headers: { 'content-type': 'application/xml' },
      },
      '/silent': { silent: true },
    }));
    const interruption = new AbortController();
    const before = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { pages: [] } });
    const flags = ['--no-known', '--request-pages', 'all', '--proxy', 'none', '--rule', 'url-not-public=off'];
    const argv = ['check', before.origin, server.origin, ...flags, '-f', 'json'];
    const running = usp(argv, { signal: interruption.signal });
    await expect.poll(() => server.requests.some(({ path }) => path === '/silent')).toBe(true);
    // The page before it has been judged by then, or is in a moment.
    await expect.poll(() => server.requests.some(({ path }) => path === '/gone')).toBe(true);
    interruption.abort();
    const { code, stdout, stderr } = await running;
    expect([code, stderr]).toEqual([130, `usp: interrupted at ${server.origin}/\n`]);
    expect(JSON.parse(stdout)).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ rule: 'lastmod-future' })]),
      summary: { documents: 4, complete: false, stopped: { limit: 'abort' } },
    });
  });

  test.each(['text', 'json', 'sarif', 'ndjson'])(
    'an interruption while a site is read prints what was found until then, as %s',
    async (format) => {
      const first = await siteOf((own) => ({
        '/robots.txt': ['/a.xml'],
        '/a.xml': xml(
          document('urlset', NS, [`<url><loc>${own}/1</loc><lastmod>2099-01-01</lastmod></url>`]),
        ),
      }));
      const second = await siteOf({ '/robots.txt': ['/silent.xml'], '/silent.xml': { silent: true } });
      let stdoutOf: Writable | undefined;
      const interrupted = async (...sites: readonly string[]): Promise<Told> => {
        const before = second.requests.length;
        const interruption = new AbortController();
        const flags = ['--no-known', '--proxy', 'none', '-f', format];
        const world = { signal: interruption.signal, ...(stdoutOf !== undefined && { stdout: stdoutOf }) };
        const running = usp(['check', ...sites, ...flags], world);
        await expect.poll(() => second.requests.length).toBe(before + 2);
        interruption.abort();
        return running;
      };
      const { code, stdout, stderr } = await interrupted(first.origin, second.origin);
      expect([code, stderr]).toEqual([130, `usp: interrupted at ${second.origin}/\n`]);
      expect(stdout).toContain('lastmod-future');
      // What was read of the second is not checked.
      const alone = await interrupted(second.origin);
      expect(alone.code).toBe(130);
      // Ctrl-C ends the reader of a pipe, too.
      stdoutOf = new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
      });
      expect(await interrupted(second.origin)).toMatchObject({ code: 130, stderr });
      if (format === 'text') {
        expect(stdout).toContain('The check was stopped (abort), so there may be more.');
        expect(alone.stdout).toBe(
          'Nothing found; no document was checked. The check was stopped (abort), so there may be more.\n',
        );
      } else if (format === 'json') {
        const stopped = { complete: false, stopped: { limit: 'abort' } };
        expect(JSON.parse(stdout).summary).toMatchObject({
          ...stopped,
          documents: 2,
          counts: { warning: 1 },
        });
        expect(JSON.parse(alone.stdout)).toMatchObject({
          findings: [],
          summary: { ...stopped, documents: 0 },
        });
      } else if (format === 'sarif') {
        for (const each of [stdout, alone.stdout]) {
          expect(JSON.stringify(JSON.parse(each))).toContain('The check is not complete (abort).');
        }
      } else expect(alone.stdout).toBe('');
    },
  );

  test('a Sitemap line may lead to another host or scheme, but not to a private network', async () => {
    const server = await siteOf((own) => ({
      '/robots.txt': `Sitemap: https://${own.slice('http://'.length)}/a.xml\nSitemap: http://localhost:1/b.xml\nSitemap: http://127.0.0.9:1/c.xml\n`,
    }));
    const found = await findingsOf(server, '--no-known');
    expect(found.filter((line) => / url-/.test(line))).toEqual([
      '/robots.txt:2 error url-not-public',
      '/robots.txt:3 error url-not-public',
    ]);
  });

  test('a rule with errors and warnings counts both, and points at the first error', async () => {
    const entry = (own: string, number: number, language: string): string =>
      `<url><loc>${own}/${number}</loc><news:news><news:publication><news:name>N</news:name><news:language>${language}</news:language></news:publication><news:publication_date>${hour(number)}Z</news:publication_date><news:title>T</news:title></news:news></url>`;
    const { origin } = await siteOf((own) => ({
      '/robots.txt': ['/news.xml'],
      '/news.xml': xml(
        document('urlset', `${NS} ${NEWS}`, [
          entry(own, 1, 'en'),
          entry(own, 2, 'en-US'),
          entry(own, 3, 'english'),
        ]),
      ),
    }));
    const { stdout } = await check(origin, '--no-known');
    expect(stdout).toMatch(
      /1\. news-bad-language \(1 error, 1 warning\): .*\n {5}first at http:\/\/.*\/news\.xml:5:\d+\n/,
    );
  });

  test('pages of the other scheme are reported, although robots.txt declares the sitemap', async () => {
    const server = await siteOf((own) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': xml(
        document('urlset', NS, [
          `<url><loc>${own}/1</loc><lastmod>${day(1)}</lastmod></url>`,
          `<url><loc>${own.replace('http:', 'https:')}/2</loc><lastmod>${day(2)}</lastmod></url>`,
        ]),
      ),
    }));
    expect(await findingsOf(server, '--no-known')).toEqual(['/a.xml:4 warning url-other-scheme']);
  });

  test('a healthy news sitemap has no findings, without a lastmod', async () => {
    const server = await siteOf((own) => ({
      '/robots.txt': ['/news.xml'],
      '/news.xml': xml(
        document(
          'urlset',
          `${NS} ${NEWS}`,
          many(
            30,
            (number) =>
              `<url><loc>${own}/${number}</loc><news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:publication_date>${hour(number)}Z</news:publication_date><news:title>T</news:title></news:news></url>`,
          ),
        ),
      ),
    }));
    expect(await findingsOf(server, '--no-known')).toEqual([]);
  });

  test('a broken deployment: each document says what is wrong with it, once', async () => {
    const server = await siteOf((own) => ({
      '/robots.txt': `User-agent: *\nDisallow: /private\nSitemap: ${own}/sitemap.xml\nSitemap: ${own}/staging.xml\nSitemap: ${own}/utf16.xml\nSitemap: ${own}/cut.xml.gz\n`,
      '/sitemap.xml': { status: 404, body: '<!doctype html><title>Not found</title>' },
      '/staging.xml': xml(
        document(
          'urlset',
          NS,
          many(
            6,
            (number) =>
              `<url><loc>https://staging.example.org/${number}</loc><lastmod>${day(number + 1)}</lastmod></url>`,
          ),
        ),
      ),
      '/utf16.xml': xml(
        Buffer.from(
          `\uFEFF<urlset ${NS}>\n<url><loc>${own}/a</loc><lastmod>${day(1)}</lastmod></url>\n</urlset>`,
          'utf16le',
        ),
      ),
      '/cut.xml.gz': {
        body: gzipSync(
          document(
            'urlset',
            NS,
            many(
              50,
              (number) => `<url><loc>${own}/${number}</loc><lastmod>${day(number + 1)}</lastmod></url>`,
            ),
          ),
        ).subarray(0, 300),
        headers: { 'content-type': 'application/gzip' },
      },
    }));
    expect(await findingsOf(server, '--no-known')).toEqual([
      '/cut.xml.gz:- error gzip-truncated',
      '/robots.txt:3 error sitemap-unreadable',
      '/staging.xml:3 warning url-other-host',
      '/utf16.xml:- error not-utf-8',
    ]);
  });
});

describe('§12: usp check of the files of a site', () => {
  function files(content: Readonly<Record<string, string>>): string[] {
    const directory = folder();
    return Object.entries(content).map(([name, text]) => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    });
  }
  const map = (...paths: readonly string[]): string =>
    document(
      'urlset',
      NS,
      paths.map((path) => `<url><loc>${path}</loc><lastmod>2013-05-06</lastmod></url>`),
    );

  test('a robots.txt among them is that of their pages', async () => {
    const inputs = files({
      'sitemap.xml': map(
        'https://example.org/a',
        'https://example.org/private/b',
        'https://other.example/private/c',
      ),
      'robots.txt': 'User-agent: *\nDisallow: /private\n',
    });
    const { code, stdout } = await check(...inputs, '-f', 'unix');
    expect(code).toBe(5);
    expect(stdout.match(/\[page-blocked\]/g)).toHaveLength(1);
    expect(stdout).toMatch(/sitemap\.xml:4:11: error: .*https:\/\/example\.org\/private\/b \[page-blocked\]/);
  });

  test('a robots.txt among them is that of the sitemaps that it declares', async () => {
    const inputs = files({
      'robots.txt': 'User-agent: *\nDisallow: /private\nSitemap: https://example.org/private/sitemap.xml\n',
      'sitemap.xml': map('https://cdn.example/a', 'https://example.org/private/b'),
    });
    const { stdout } = await check(...inputs, '-f', 'unix');
    expect(stdout).toMatch(/robots\.txt:3:10: error: .* \[sitemap-blocked\]/);
    expect(stdout).toMatch(/sitemap\.xml:4:11: error: .* \[page-blocked\]/);
  });

  test('a relative Sitemap line has the same name as on a site', async () => {
    const { stdout } = await check(...files({ 'robots.txt': 'Sitemap: /sitemap.xml\n' }), '-f', 'unix');
    expect(stdout).toMatch(
      /robots\.txt:1:10: warning: The URL of a Sitemap line is relative: \/sitemap\.xml \[robots-relative-sitemap\]\n$/,
    );
  });

  test('a baseline knows which sitemap of an index could not be read', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': `Sitemap: ${origin}/index.xml`,
      '/index.xml': index(`${origin}/a.xml`, `${origin}/b.xml`),
      '/a.xml': { status: 404 },
      '/b.xml': { pages: ['/1'] },
    }));
    const baseline = join(folder(), 'known.json');
    await check(server.origin, '--write-baseline', baseline, '--retries', '0');
    server.site['/a.xml'] = { pages: ['/2'] };
    server.site['/b.xml'] = { status: 404 };
    const { code, stdout } = await check(
      server.origin,
      '--baseline',
      baseline,
      '-f',
      'unix',
      '--retries',
      '0',
    );
    expect(code).toBe(5);
    expect(stdout).toContain(`${server.origin}/b.xml`);
  });

  test.each([
    ['is down', async () => 'http://127.0.0.1:1/', 6],
    ['responds with 404 to everything', async () => (await siteOf({})).origin, 1],
  ])(
    'a site that %s has lost no known finding, and does not replace a baseline',
    async (_what, urlOf, code) => {
      const baseline = join(folder(), 'known.json');
      const known = '{"version": 1, "findings": [\n{"rule":"url-fragment","document":"x"}\n]}\n';
      writeFileSync(baseline, known);
      const url = await urlOf();
      const shown = await check(url, '--baseline', baseline, '--fail-on', 'never');
      expect(shown.code).toBe(code);
      expect(shown.stderr).not.toContain('gone');
      const written = await check(url, '--write-baseline', baseline);
      expect(written).toMatchObject({ code, stderr: expect.stringContaining('was not written') });
      expect(readFileSync(baseline, 'utf8')).toBe(known);
    },
  );

  test('the baseline says how many findings it has, also where several are of one kind', async () => {
    const inputs = files({
      'a.xml': map('https://example.org/?a&b', 'https://example.org/?c&d', 'https://example.org/#x'),
    });
    const baseline = join(folder(), 'known.json');
    const { stderr } = await check(...inputs, '--write-baseline', baseline);
    expect(stderr).toBe(`${baseline}: 3 known findings written.\n`);
    expect((await check(...inputs, '--baseline', baseline)).stdout).toContain(
      '3 findings of the baseline are not shown.',
    );
  });
});

test('§10: usp ls names a sitemap that cannot be read once, however often it is declared', async () => {
  const { origin } = await siteOf(blog);
  const { stderr } = await usp(['ls', origin, '--retries', '0', '--proxy', 'none', '--no-known']);
  expect(stderr).toContain('1 sitemap could not be read:');
  expect(stderr.match(/authors\.xml/g)).toHaveLength(1);
});
