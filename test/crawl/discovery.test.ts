/**
 * Specification §1: where the sitemaps of a site are looked for, and how a site that is down differs from one without
 * sitemaps.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  InvalidSitemap,
  KNOWN_PATHS,
  loadTree,
  type SitemapOptions,
  saveTree,
  sitemapTreeForHomepage,
  streamPages,
} from '../../src/index.ts';
import { closedPort } from '../server/raw-server.ts';
import type { Site } from '../server/scripted-server.ts';
import {
  codesOf,
  DECLARED,
  outline,
  QUICK,
  signalling,
  siteOf,
  streamed,
  timesAsked,
  treeOf,
} from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { waitingFor } from '../support/waits.ts';

const page = urlset('https://example.org/');
const HTML = '<!doctype html><html><head><title>Welcome</title></head><body>Hello</body></html>';
const BOT_WALL =
  '<!doctype html><html><head><title>Just a moment...</title></head><body>cf-chl</body></html>';

describe('§1.2 robots.txt', () => {
  test.each<[string, Site]>([
    ['missing', {}],
    ['gone', { '/robots.txt': { status: 410 } }],
    ['failed', { '/robots.txt': { status: 403 } }],
  ])('%s: adds no node', async (_name, site) => {
    const server = await siteOf({ ...site, '/sitemap.xml': page });
    expect(outline(await treeOf(server), server)).toEqual(['pages-xml /sitemap.xml 1']);
  });

  test('with no Sitemap line is an IndexRobotsTxtSitemap with no children', async () => {
    const server = await siteOf({ '/robots.txt': robots() });
    const tree = await treeOf(server);
    expect(outline(tree, server)).toEqual(['robots-txt /robots.txt']);
    expect(tree).toMatchObject({ complete: true, problems: [] });
  });

  test('redirected to a sitemap at a known path: that is in the tree once', async () => {
    const server = await siteOf({ '/robots.txt': { redirect: '/sitemap.xml' }, '/sitemap.xml': page });
    expect(outline(await treeOf(server), server)).toEqual(['pages-xml /sitemap.xml (/robots.txt) 1']);
  });

  test('redirected to another path is a robots.txt, also of a stream, of an archive and of an earlier tree', async () => {
    const server = await siteOf({
      '/robots.txt': { redirect: '/rules' },
      '/rules': ({ host }) => ({ body: robots(`http://${host}/a.xml`), headers: { etag: '"1"' } }),
      '/a.xml': page,
    });
    const expected = ['robots-txt /rules (/robots.txt)', '  pages-xml /a.xml 1'];
    const tree = await treeOf(server, DECLARED);
    expect(outline(tree, server)).toEqual(expected);
    expect(await streamed(server, DECLARED)).toHaveLength(1);
    const file = join(folder(), 'site.warc.gz');
    await saveTree(tree, file);
    const previous = await loadTree(file);
    expect(outline(await treeOf(server, { ...DECLARED, previous }), server)).toEqual(expected);
    expect(await streamed(server, { ...DECLARED, previous })).toHaveLength(1);
    server.site['/rules'] = 'Sitemap: nothing\nhttps://example.org/page\n';
    expect(outline(await treeOf(server, DECLARED), server)).toEqual(['pages-text /rules (/robots.txt) 1']);
    // The pages of the tree are read as those of the stream: no rows of CSV are taken for URLs.
    server.site['/rules'] = 'https://example.org/1,2024-05-06\nhttps://example.org/2,2024-05-07\n';
    const { subSitemaps, problems } = await treeOf(server, DECLARED);
    expect([subSitemaps, problems]).toEqual([[], [expect.objectContaining({ code: 'robots-txt-failed' })]]);
    expect(await streamed(server, DECLARED)).toEqual([]);
    server.site['/rules'] = 'Disallow: /a,/b\nSitemap: /a.xml,\n';
    expect(outline(await treeOf(server, DECLARED), server)[0]).toEqual('robots-txt /rules (/robots.txt)');
    server.site['/rules'] = '\n\n';
    expect(outline(await treeOf(server, DECLARED), server)).toEqual(['robots-txt /rules (/robots.txt)']);
  });

  test('useRobots: false does not even ask for it', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/sitemap.xml': page,
      '/a.xml': page,
    });
    const tree = await treeOf(server, { ...QUICK, useRobots: false });
    expect(outline(tree, server)).toEqual(['pages-xml /sitemap.xml 1']);
    expect(server.paths()).not.toContain('/robots.txt');
  });
});

describe('§1.4 a wrong known path costs next to nothing', () => {
  test('declared sitemaps are requested before known paths', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/deep.xml'],
      '/deep.xml': page,
    });
    await treeOf(server, { ...QUICK, perHostConcurrency: 1 });
    expect(server.paths().slice(0, 2)).toEqual(['/robots.txt', '/index.xml']);
    expect(server.paths().indexOf('/deep.xml')).toBeLessThan(4);
  });

  test('a known path gets two attempts, a declared sitemap as many as the options say', async () => {
    const server = await siteOf({
      '/robots.txt': ['/sitemap.xml'],
      '/sitemap.xml': { status: 502, headers: { 'retry-after': '0' } },
      '/sitemap_index.xml': { status: 502, headers: { 'retry-after': '0' } },
    });
    await treeOf(server, { retries: 2 });
    expect(timesAsked(server, '/sitemap_index.xml')).toBe(2);
    expect(timesAsked(server, '/sitemap.xml')).toBe(3);
  });

  test('§15 a known path that gave up before it was declared is asked again, with all attempts', async () => {
    const gaveUp = new AbortController();
    const whenGaveUp = once(gaveUp.signal, 'abort');
    const server = await siteOf((origin) => ({
      '/robots.txt': ['/index.xml'],
      '/index.xml': async () => {
        await whenGaveUp;
        return index(`${origin}/sitemap.xml`);
      },
      '/sitemap.xml': { status: 502 },
    }));
    const tree = await treeOf(server, {
      proxy: false,
      retries: 2,
      logger: {
        info() {},
        warn() {},
        error() {},
        debug: (message) => {
          if (/sitemap\.xml: .*after 2 attempts/.test(message)) gaveUp.abort();
        },
      },
    });
    expect(timesAsked(server, '/sitemap.xml')).toBe(5);
    const [reason] = [...tree.allSitemaps()].flatMap((each) =>
      each instanceof InvalidSitemap ? [each.reason] : [],
    );
    expect(reason).toContain('after 3 attempts');
  });

  test('§15 a declared sitemap at a known path has all its attempts, also if it was requested as a known path first', async () => {
    const server = await siteOf({
      '/robots.txt': ['/sitemap.xml', '/index.xml'],
      '/sitemap.xml': { status: 502 },
      // Declares a known path only after it was requested as a known path.
      '/index.xml': { body: ['/sitemap_index.xml'], delayMs: 300 },
      '/sitemap_index.xml': { status: 502 },
    });
    const tree = await treeOf(server, { proxy: false, retries: 2 });
    expect(timesAsked(server, '/sitemap.xml')).toBe(3);
    expect(timesAsked(server, '/sitemap_index.xml')).toBe(3);
    const reasons = [...tree.allSitemaps()].flatMap((each) =>
      each instanceof InvalidSitemap ? [each.reason] : [],
    );
    expect(reasons).toHaveLength(2);
    for (const reason of reasons) expect(reason).toContain('after 3 attempts');
  });
});

describe('§1.4 a stream requests known paths early, and reads them late', () => {
  const pagesOf = async (server: Awaited<ReturnType<typeof siteOf>>): Promise<readonly string[]> => {
    const pages: string[] = [];
    for await (const { page: each, sitemap } of streamPages(server.origin, QUICK)) {
      pages.push(`${new URL(sitemap.url).pathname} ${each.url}`);
    }
    return pages;
  };

  test('they are requested while declared sitemaps are on their way', async () => {
    const { promise: isAsked, resolve } = signalling();
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': async () => {
        await isAsked;
        return page;
      },
      '/sitemap.xml': () => {
        resolve();
        return { status: 404 };
      },
    });
    expect(await streamed(server, QUICK)).toHaveLength(1);
  });

  test('one that is declared meanwhile is read once, as it is declared', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': { body: ['/sitemap.xml'], delayMs: 300 },
      '/sitemap.xml': page,
    });
    const pages = [];
    for await (const { sitemap } of streamPages(server.origin, QUICK)) pages.push(sitemap);
    expect(pages.map(({ parentUrls }) => [...parentUrls])).toEqual([
      [`${server.origin}/robots.txt`, `${server.origin}/index.xml`],
    ]);
    expect(timesAsked(server, '/sitemap.xml')).toBe(1);
  });

  test.each([
    ['of 64 KiB', 65_536, 1],
    ['larger, which is not held', 65_537, 2],
    ['much larger', 200_000, 2],
  ])('one that nothing declares and is %s is read when all others are known', async (_name, size, times) => {
    const large = page.padEnd(size);
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { body: urlset('https://example.org/declared'), delayMs: 300 },
      '/sitemap.xml': large,
    });
    expect(await pagesOf(server)).toEqual([
      '/a.xml https://example.org/declared',
      expect.stringContaining('/sitemap.xml '),
    ]);
    expect(timesAsked(server, '/sitemap.xml')).toBe(times);
  });

  test('one that is too large to be held gives its slot to what is declared on its host', async () => {
    const { promise: isAsked, resolve } = signalling();
    const other = await siteOf({});
    const server = await siteOf({
      '/robots.txt': robots(`${other.origin}/index.xml`),
      '/sitemap.xml': () => {
        resolve();
        return page.padEnd(200_000);
      },
      '/a.xml': urlset('https://example.org/declared'),
    });
    other.site['/index.xml'] = async () => {
      await isAsked;
      return index(`${server.origin}/a.xml`);
    };
    const options = { ...QUICK, allowPrivateNetworks: true, perHostConcurrency: 1 };
    const pages = await waitingFor(() => 'the declared sitemap', streamed(server, options));
    expect(pages.map(({ sitemap }) => sitemap.url)).toEqual([
      `${server.origin}/a.xml`,
      `${server.origin}/sitemap.xml`,
    ]);
  });
});

describe('§1.4 known paths', () => {
  test('all of them are tried, each once, and the list is ordered', async () => {
    const server = await siteOf({ '*': ({ path }) => ({ body: page, delayMs: path.length % 7 }) });
    const tree = await treeOf(server, { ...QUICK, useRobots: false });
    expect(tree.subSitemaps.map(({ url }) => url)).toEqual(
      KNOWN_PATHS.map((path) => `${server.origin}/${path}`),
    );
    expect(server.paths().sort()).toEqual(KNOWN_PATHS.map((path) => `/${path}`).sort());
  });

  test.each<[string, Site, boolean]>([
    ['declares a sitemap', { '/robots.txt': ['/a.xml'], '/a.xml': page }, false],
    ['declares a sitemap that is missing', { '/robots.txt': ['/a.xml'] }, false],
    ['is a sitemap', { '/robots.txt': { redirect: '/map.xml' }, '/map.xml': page }, false],
    ['declares none', { '/robots.txt': robots() }, true],
    ['is empty', { '/robots.txt': '' }, true],
    ['responds with 404', {}, true],
    ['responds with 410', { '/robots.txt': { status: 410 } }, true],
    ['responds with 403', { '/robots.txt': { status: 403 } }, false],
    ['responds with 500', { '/robots.txt': { status: 500 } }, false],
    ['is an HTML page', { '/robots.txt': HTML }, false],
  ])("with 'if-none-declared' and a robots.txt that %s, requested: $2", async (_name, site, isRequested) => {
    const server = await siteOf({ ...site, '/sitemap.xml': page });
    const options = { ...QUICK, useKnownPaths: 'if-none-declared' } as const;
    const tree = await treeOf(server, options);
    const asked = server.paths();
    const known = KNOWN_PATHS.map((path) => `/${path}`);
    expect(known.filter((path) => asked.includes(path))).toEqual(isRequested ? known : []);
    expect(outline(tree, server).includes('pages-xml /sitemap.xml 1')).toBe(isRequested);
    const pages = await streamed(server, options);
    expect(pages.some(({ sitemap }) => sitemap.url === `${server.origin}/sitemap.xml`)).toBe(isRequested);
  });

  test("with 'if-none-declared' and no robots.txt wanted, known paths are requested", async () => {
    const server = await siteOf({ '/sitemap.xml': page });
    const tree = await treeOf(server, { ...QUICK, useRobots: false, useKnownPaths: 'if-none-declared' });
    expect(outline(tree, server)).toEqual(['pages-xml /sitemap.xml 1']);
  });

  test('are those of the text', () => {
    const text = `
      sitemap.xml sitemap.xml.gz sitemap_index.xml sitemap-index.xml sitemap_index.xml.gz
      sitemap-index.xml.gz .sitemap.xml sitemap admin/config/search/xmlsitemap
      sitemap/sitemap-index.xml sitemap_news.xml sitemap-news.xml sitemap_news.xml.gz
      sitemap-news.xml.gz wp-sitemap.xml sitemap.txt sitemaps.xml sitemap1.xml sitemap-0.xml
      sitemap.php sitemap/sitemap.xml
    `;
    expect(KNOWN_PATHS).toEqual(text.trim().split(/\s+/));
  });

  test.each<[string, Site]>([
    ['robots.txt', { '/robots.txt': ['/sitemap.xml'] }],
    ['an index', { '/robots.txt': ['/a.xml'], '/a.xml': ['/sitemap.xml'] }],
    ['a late index', { '/robots.txt': ['/a.xml'], '/a.xml': { body: ['/sitemap.xml'], delayMs: 60 } }],
  ])('one that %s declares gives no second node, and one request', async (_name, site) => {
    const server = await siteOf({ ...site, '/sitemap.xml': page });
    const tree = await treeOf(server);
    expect([...tree.allSitemaps()].filter(({ pageCount }) => pageCount > 0)).toHaveLength(1);
    expect(tree.subSitemaps).toHaveLength(1);
    expect(timesAsked(server, '/sitemap.xml')).toBe(1);
  });

  test('filtered ones too: declared is declared', async () => {
    const server = await siteOf({ '/robots.txt': ['/sitemap.xml'], '/sitemap.xml': page });
    const options = { ...QUICK, recurseCallback: () => false };
    expect(outline(await treeOf(server, options), server)).toEqual(['robots-txt /robots.txt']);
    expect(await streamed(server, options)).toEqual([]);
    expect(server.paths()).not.toContain('/sitemap.xml');
  });

  test.each<SitemapOptions>([
    { recurseCallback: (url) => url.endsWith('/i.xml') },
    { recurseListCallback: (urls) => urls.filter((url) => url.endsWith('/i.xml')) },
  ])('filtered ones too where an index declares them late, with %o', async (callback) => {
    const server = await siteOf({
      '/robots.txt': ['/i.xml'],
      '/i.xml': { body: ['/sitemap.xml'], delayMs: 30 },
      '/sitemap.xml': page,
    });
    const tree = await treeOf(server, { ...QUICK, ...callback });
    expect(outline(tree, server)).toEqual(['robots-txt /robots.txt', '  index-xml /i.xml']);
    expect(await streamed(server, { ...QUICK, ...callback })).toEqual([]);
    expect(server.paths()).not.toContain('/sitemap.xml');
  });

  test('the callbacks do not see known paths themselves, only their children', async () => {
    const server = await siteOf({ '/sitemap.xml': ['/a.xml'], '/a.xml': page });
    const seen: string[] = [];
    await treeOf(server, {
      ...QUICK,
      recurseCallback: (url) => {
        seen.push(url);
        return true;
      },
    });
    expect(seen).toEqual([`${server.origin}/a.xml`]);
  });

  test('an invalid known path gives no node; a problem only if it exists and is HTML', async () => {
    const server = await siteOf({
      '/robots.txt': robots(),
      '/sitemap.xml': '<?xml version="1.0"?><books/>',
      '/sitemap.txt': 'nothing here',
      '/sitemap': { status: 410 },
    });
    const tree = await treeOf(server);
    expect(outline(tree, server)).toEqual(['robots-txt /robots.txt']);
    expect(tree).toMatchObject({ complete: true, problems: [] });
  });

  test('useKnownPaths: false requests none', async () => {
    const server = await siteOf({ '*': page });
    const tree = await treeOf(server, { ...DECLARED, useRobots: false });
    expect(tree.subSitemaps).toEqual([]);
    expect(server.requests).toEqual([]);
    expect(tree.complete).toBe(true);
  });

  test('extraKnownPaths are tried after the others, relative to the homepage, without useKnownPaths too', async () => {
    const server = await siteOf({ '/sitemap.xml': page, '/maps/main.xml': page, '/x/y.xml': page });
    const extraKnownPaths = ['maps/main.xml', 'sitemap.xml', '/x/y.xml', 'not-there.xml'];
    expect(outline(await treeOf(server, { ...QUICK, extraKnownPaths }), server)).toEqual([
      'pages-xml /sitemap.xml 1',
      'pages-xml /maps/main.xml 1',
      'pages-xml /x/y.xml 1',
    ]);
    expect(
      outline(await treeOf(server, { ...DECLARED, extraKnownPaths: ['maps/main.xml'] }), server),
    ).toEqual(['pages-xml /maps/main.xml 1']);
  });

  test('an extraKnownPath that is not a path is a caller’s mistake', async () => {
    const server = await siteOf({});
    await expect(treeOf(server, { ...QUICK, extraKnownPaths: ['http://'] })).rejects.toMatchObject({
      name: 'SitemapException',
      code: 'bad-option',
    });
    expect(server.requests).toEqual([]);
  });

  test('a 404 there is expected: logged low, and no progress event', async () => {
    const server = await siteOf({});
    const log: string[] = [];
    const say = (level: string) => (message: string) => void log.push(`${level} ${message}`);
    const events: string[] = [];
    await treeOf(server, {
      ...QUICK,
      logger: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
      onProgress: ({ type }) => events.push(type),
    });
    expect(log.filter((line) => !line.startsWith('debug'))).toEqual([]);
    expect(log.length).toBeGreaterThanOrEqual(KNOWN_PATHS.length);
    expect(events.filter((type) => type !== 'bytes')).toEqual([]);
  });
});

describe('§1 a site that is down must not look like a site without sitemaps', () => {
  test('a site without sitemaps: 404 everywhere', async () => {
    const server = await siteOf({});
    expect(await treeOf(server)).toMatchObject({
      subSitemaps: [],
      problems: [],
      complete: true,
      stopped: undefined,
    });
  });

  test('a host that refuses', async () => {
    const tree = await sitemapTreeForHomepage(`http://127.0.0.1:${await closedPort()}`, QUICK);
    expect(tree).toMatchObject({ subSitemaps: [], complete: false });
    expect(codesOf(tree.problems)).toEqual(['robots-txt-failed', 'known-path-failed']);
    expect(tree.problems[0]!.message).toMatch(/refused/);
    tree.close();
  });

  test('a host that does not resolve', async () => {
    const tree = await sitemapTreeForHomepage('http://nowhere.invalid/', QUICK);
    expect(tree.complete).toBe(false);
    expect(codesOf(tree.problems)).toContain('robots-txt-failed');
    tree.close();
  });

  test.each<[string, Site, readonly string[], RegExp]>([
    ['500 everywhere', { '*': { status: 500 } }, ['robots-txt-failed', 'known-path-failed'], /500/],
    [
      'behind a bot wall: 403',
      { '*': { status: 403, body: BOT_WALL } },
      ['robots-txt-failed', 'known-path-failed'],
      /403/,
    ],
    [
      'behind a bot wall: 200 and a challenge',
      { '*': BOT_WALL },
      ['robots-txt-failed', 'known-path-failed'],
      /bot wall/,
    ],
    [
      'behind a bot wall that lets robots.txt through',
      { '/robots.txt': robots(), '*': { status: 403, body: BOT_WALL } },
      ['known-path-failed'],
      /403/,
    ],
    ['robots.txt 500, the rest missing', { '/robots.txt': { status: 500 } }, ['robots-txt-failed'], /500/],
    [
      'an HTML page for everything (soft 404)',
      { '*': HTML },
      ['robots-txt-failed', 'known-path-failed'],
      /HTML/,
    ],
    [
      'everything redirects to the homepage',
      { '/': HTML, '*': { redirect: '/' } },
      ['robots-txt-failed', 'known-path-failed'],
      /HTML/,
    ],
  ])('%s', async (_name, site, codes, cause) => {
    const server = await siteOf(site);
    const tree = await treeOf(server);
    expect(tree).toMatchObject({ complete: false, stopped: undefined });
    expect(codesOf(tree.problems)).toEqual(codes);
    for (const { message } of tree.problems) expect(message).toMatch(cause);
    expect(tree.problems[0]!.message).toContain(server.origin);
    const stream = streamPages(server.origin, QUICK);
    for await (const _ of stream);
    expect([stream.complete, codesOf(stream.problems)]).toEqual([false, codes]);
  });

  test('a robots.txt that fails leaves it open what it declares, even where a sitemap is found', async () => {
    const server = await siteOf({ '/robots.txt': { status: 503 }, '/sitemap.xml': page });
    expect(await treeOf(server)).toMatchObject({ complete: false });
  });

  test.each<[string, Site]>([
    ['known paths that fail', { '/sitemap_index.xml': { status: 403 } }],
    ['HTML at known paths', { '*': HTML }],
  ])('%s are a problem, and no more than that, where sitemaps are found', async (_name, site) => {
    const server = await siteOf({
      ...site,
      '/robots.txt': ['/a.xml'],
      '/a.xml': page,
    });
    const tree = await treeOf(server);
    expect(tree.complete).toBe(true);
    expect(codesOf(tree.problems)).toEqual(['known-path-failed']);
  });

  test('one problem a cause: the first URL, and how many others', async () => {
    const server = await siteOf({ '/robots.txt': robots(), '*': { status: 403 } });
    const [problem, ...others] = (await treeOf(server)).problems;
    expect(others).toEqual([]);
    expect(problem!.message).toContain(`${server.origin}/sitemap.xml`);
    expect(problem!.message).toContain(`${KNOWN_PATHS.length - 1} other`);
  });
});

describe('§5 complete', () => {
  test.each<[string, Site[string], boolean]>([
    ['everything read', page, true],
    ['a child is missing', { status: 404 }, false],
    ['a child is HTML', HTML, false],
    ['a recursion', ['/a.xml'], false],
    ['a child’s connection breaks', { body: page, truncateAfter: 80 }, false],
    ['a child’s gzip is truncated', { body: page, gzip: true, headers: {}, truncateAfter: 60 }, false],
    ['a child ends in the middle, politely', page.slice(0, -30), false],
    [
      'an index ends in the middle, politely',
      ({ host }) => index(`http://${host}/b.xml`).slice(0, -10),
      false,
    ],
    ['a comment after the root', `${page}\n<!-- made in 0.3 s -->`, true],
    ['no root at all', '<url><loc>https://example.org/</loc></url>', true],
    ['a prefixed root', page.replaceAll('urlset', 's:urlset').replace('xmlns=', 'xmlns:s='), true],
    ['UTF-16', { body: Buffer.from(`\ufeff${page}`, 'utf16le') }, true],
    ['UTF-16, truncated', { body: Buffer.from(`\ufeff${page.slice(0, -30)}`, 'utf16le') }, false],
    ['problems inside a document', urlset('https://example.org/?a=1&b', '/relative'), true],
  ])('%s: the same for tree and stream', async (_name, entry, complete) => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': entry, '/b.xml': page });
    const tree = await treeOf(server, DECLARED);
    const stream = streamPages(server.origin, DECLARED);
    for await (const _ of stream);
    expect([tree.complete, stream.complete]).toEqual([complete, complete]);
  });
});

describe('§1 useHomepageLinks', () => {
  const head = (...links: readonly string[]): string =>
    `<!doctype html><html><head><meta charset="utf-8">${links.join('')}</head><body><link rel="sitemap" href="/body.xml"></body></html>`;
  const site = {
    '/': {
      body: head(
        '<link rel="sitemap" type="application/xml" href="/linked.xml">',
        '<link rel=\'alternate\' type="application/rss+xml; charset=utf-8" href="feed">',
        '<link rel="alternate" type="application/rss+xmlish" href="/not-a-feed">',
        '<link rel="alternate" hreflang="de" href="/de/">',
        '<link rel="stylesheet" href="/style.css">',
        '<script>"<body><link rel=sitemap href=/body.xml>"</script>',
      ),
      headers: { link: '</header.xml>; rel="sitemap", </x>; rel="preload"' },
    },
    '/linked.xml': urlset('https://example.org/1'),
    '/feed': '<rss version="2.0"><channel><item><link>https://example.org/2</link></item></channel></rss>',
    '/header.xml': urlset('https://example.org/3'),
    '/body.xml': urlset('https://example.org/4'),
  };

  test('reads rel="sitemap" and feeds of the head, and the Link header', async () => {
    const server = await siteOf(site);
    expect(outline(await treeOf(server, { ...DECLARED, useHomepageLinks: true }), server)).toEqual([
      'pages-xml /header.xml 1',
      'pages-xml /linked.xml 1',
      'pages-rss /feed 1',
    ]);
  });

  test('a link that ends where the page ends counts', async () => {
    const server = await siteOf({ ...site, '/': '<head><link rel=sitemap href=/linked.xml>' });
    expect(outline(await treeOf(server, { ...DECLARED, useHomepageLinks: true }), server)).toEqual([
      'pages-xml /linked.xml 1',
    ]);
  });

  test('links of the head are relative to its base, and those of the header to the homepage', async () => {
    const server = await siteOf({
      ...site,
      '/': {
        body: head('<link rel="sitemap" href="linked.xml"><base href="/a/"><base href="/b/">'),
        headers: { link: '<header.xml>; title="a, b"; rel="sitemap"' },
      },
      '/a/linked.xml': page,
    });
    expect(outline(await treeOf(server, { ...DECLARED, useHomepageLinks: true }), server)).toEqual([
      'pages-xml /header.xml 1',
      'pages-xml /a/linked.xml 1',
    ]);
  });

  test('links of a homepage that redirects are relative to where it leads', async () => {
    const server = await siteOf({
      '/': { redirect: '/de/start' },
      '/de/start': {
        body: head('<link rel="sitemap" href="linked.xml">'),
        headers: { link: '<header.xml>; rel="sitemap"' },
      },
      '/de/header.xml': page,
      '/de/linked.xml': page,
    });
    expect(outline(await treeOf(server, { ...DECLARED, useHomepageLinks: true }), server)).toEqual([
      'pages-xml /de/header.xml 1',
      'pages-xml /de/linked.xml 1',
    ]);
  });

  test('is off by default: the homepage is not requested', async () => {
    const server = await siteOf(site);
    await treeOf(server);
    expect(server.paths()).not.toContain('/');
  });

  test('what is declared or a known path as well is one node', async () => {
    const server = await siteOf({
      '/': head('<link rel="sitemap" href="/sitemap.xml"><link rel="sitemap" href="/declared.xml">'),
      '/robots.txt': ['/declared.xml'],
      '/declared.xml': page,
      '/sitemap.xml': page,
      '/sitemap_index.xml': { redirect: '/sitemap.xml' },
    });
    const options = { ...QUICK, useHomepageLinks: true };
    expect(outline(await treeOf(server, options), server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /declared.xml 1',
      'pages-xml /sitemap.xml 1',
    ]);
    expect(await streamed(server, options)).toHaveLength(2);
  });

  test('a homepage that cannot be read is a problem of the root', async () => {
    const server = await siteOf({
      '/': { status: 500 },
      '/robots.txt': ['/a.xml'],
      '/a.xml': page,
    });
    const tree = await treeOf(server, { ...QUICK, useHomepageLinks: true });
    expect(codesOf(tree.problems)).toEqual(['homepage-links-failed']);
    expect(tree.subSitemaps).toHaveLength(1);
  });

  test('a homepage without end is read no further than its head', async () => {
    const server = await siteOf({
      '/': { body: head('<link rel="sitemap" href="/linked.xml">') + 'x'.repeat(50_000_000), chunked: true },
      '/linked.xml': page,
    });
    const tree = await treeOf(server, { ...DECLARED, useHomepageLinks: true });
    expect(tree.subSitemaps).toHaveLength(1);
    expect(server.bytesSent).toBeLessThan(20_000_000);
  });
});
