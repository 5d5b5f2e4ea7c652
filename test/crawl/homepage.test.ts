/** Specification §1.1: the URL that a call is about. §9: userinfo appears in no URL, log or JSON. */
import { describe, expect, test } from 'vitest';
import {
  robotsVerdicts,
  SitemapException,
  SitemapFetcher,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  streamPages,
} from '../../src/index.ts';
import type { Site } from '../server/scripted-server.ts';
import { outline, QUICK, siteOf, treeOf } from '../support/crawled-site.ts';
import { robots, urlset } from '../support/documents.ts';

const page = urlset('https://example.org/');

describe('§1.1 must be http(s) with a host, else SitemapException, and nothing fetched', () => {
  const bad = [
    'ftp://example.org/',
    'file:///etc/passwd',
    'mailto:a@example.org',
    'http://',
    'https:///',
    '',
    'no url',
    '/path',
    'javascript:0',
  ];

  test.each(bad)('%j', async (url) => {
    await expect(sitemapTreeForHomepage(url)).rejects.toBeInstanceOf(SitemapException);
    await expect(sitemapTreeForHomepage(url)).rejects.toMatchObject({ code: 'bad-url' });
    await expect(sitemapFromUrl(url)).rejects.toMatchObject({ code: 'bad-url' });
    expect(() => streamPages(url)).toThrow(SitemapException);
    expect(() => new SitemapFetcher(url)).toThrow(SitemapException);
  });

  test.each([undefined, null, 42, {}])('%j is not a URL either', async (url) => {
    await expect(sitemapTreeForHomepage(url as unknown as string)).rejects.toMatchObject({ code: 'bad-url' });
  });

  test.each([
    ['example.org', 'https://example.org'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['www.example.org/path?x', 'https://www.example.org/path?x'],
    ['example.org:8080/path', 'https://example.org:8080/path'],
    ['localhost:3000', 'http://localhost:3000'],
    ['//example.org/', 'https://example.org/'],
  ])('a URL without scheme gets a suggestion: %s', async (url, suggestion) => {
    await expect(sitemapTreeForHomepage(url)).rejects.toThrow(`Did you mean ${suggestion}?`);
  });

  test.each(['mailto:a@example.org', 'no url', 'ftp://example.org/', 'javascript:0'])(
    'and %s does not',
    async (url) => {
      await expect(sitemapTreeForHomepage(url)).rejects.not.toThrow('Did you mean');
    },
  );

  test.each([
    'ftp://user:secret@example.org/',
    'user:secret@example.org',
    'http://user:secret@',
    '//user:secret@example.org/',
    'http://user:secret@exa mple.org/',
  ])('the password of %s is in no message', async (url) => {
    const error = await sitemapTreeForHomepage(url).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SitemapException);
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('secret');
  });
});

describe('§1.1 the homepage is shortened to the site’s root, with a log warning', () => {
  test.each(['/a/b', '/a/b/?x=1#y', '/index.html'])('%s', async (path) => {
    const server = await siteOf({ '/sitemap.xml': page });
    const warnings: string[] = [];
    const tree = await sitemapTreeForHomepage(server.origin + path, {
      ...QUICK,
      logger: { debug() {}, info() {}, warn: (message) => void warnings.push(message), error() {} },
    });
    expect(tree.url).toBe(`${server.origin}/`);
    expect(outline(tree, server)).toEqual(['pages-xml /sitemap.xml 1']);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('normalizeHomepageUrl');
    tree.close();
  });

  test.each(['', '/', '/?x=1', '/#top'])('nothing to shorten, and no warning: %j', async (path) => {
    const server = await siteOf({});
    const warnings: string[] = [];
    const logger = {
      debug() {},
      info() {},
      warn: (message: string) => void warnings.push(message),
      error() {},
    };
    const tree = await sitemapTreeForHomepage(server.origin + path, { ...QUICK, logger });
    expect([tree.url, warnings]).toEqual([`${server.origin}/`, []]);
    tree.close();
  });

  test.each(['/shop/de', '/shop/de/', '/shop/de?x=1#y'])(
    'normalizeHomepageUrl: false keeps the path, and everything is looked for under it: %s',
    async (path) => {
      const server = await siteOf((origin) => ({
        '/shop/de/robots.txt': robots(`${origin}/shop/de/a.xml`),
        '/shop/de/a.xml': page,
        '/shop/de/sitemap.xml': page,
        '/sitemap.xml': page,
      }));
      const tree = await sitemapTreeForHomepage(server.origin + path, {
        ...QUICK,
        normalizeHomepageUrl: false,
      });
      expect(tree.url).toBe(`${server.origin}/shop/de/`);
      expect(outline(tree, server)).toEqual([
        'robots-txt /shop/de/robots.txt',
        '  pages-xml /shop/de/a.xml 1',
        'pages-xml /shop/de/sitemap.xml 1',
      ]);
      expect(server.paths().filter((asked) => !asked.startsWith('/shop/de/'))).toEqual(['/robots.txt']);
      tree.close();
    },
  );

  test('a URL object is as good as a string, and is not changed', async () => {
    const server = await siteOf({ '/sitemap.xml': page });
    const url = new URL('/a?b#c', server.origin);
    const before = url.href;
    const tree = await sitemapTreeForHomepage(url, QUICK);
    expect(tree.subSitemaps).toHaveLength(1);
    expect(url.href).toBe(before);
    tree.close();
  });
});

describe('§9 userinfo in the homepage', () => {
  const site: Site = {
    '/robots.txt': ['/a.xml', '/gone.xml'],
    '/a.xml': page,
    '/b/c.xml': { status: 500 },
  };

  test('becomes Basic auth, and appears in no URL, log, event or JSON', async () => {
    const server = await siteOf(site);
    const seen: string[] = [];
    const say = (message: string): void => void seen.push(message);
    const url = server.origin.replace('//', '//me:s3cret@');
    const options = {
      ...QUICK,
      logger: { debug: say, info: say, warn: say, error: say },
      onProgress: (event: object) => void seen.push(JSON.stringify(event)),
    };
    const tree = await sitemapTreeForHomepage(`${url}/some/path`, options);
    seen.push(JSON.stringify(tree), JSON.stringify(tree.problems));
    for (const node of tree.allSitemaps()) seen.push(node.url, node.declaredUrl ?? '', JSON.stringify(node));
    for await (const { sitemap } of streamPages(url, options)) seen.push(sitemap.url, ...sitemap.parentUrls);
    const one = await sitemapFromUrl(`${url}/a.xml`, QUICK);
    seen.push(one.url, JSON.stringify(one));
    const gone = await sitemapFromUrl(`${url}/gone.xml`, QUICK);
    seen.push(JSON.stringify(gone));
    expect(tree.url).toBe(`${server.origin}/`);
    expect(one).toMatchObject({ url: `${server.origin}/a.xml`, declaredUrl: undefined });
    expect(seen.length).toBeGreaterThan(50);
    expect(seen.filter((text) => /s3cret|me:|@/.test(text))).toEqual([]);
    const basic = `Basic ${Buffer.from('me:s3cret').toString('base64')}`;
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([basic]));
    tree.close();
  });
});

test('§1.5 the root has the homepage URL', async () => {
  const server = await siteOf({});
  expect(await treeOf(server)).toMatchObject({
    kind: 'website',
    url: `${server.origin}/`,
    declaredUrl: undefined,
  });
});

describe('§1.1 normalizeHomepageUrl: false reads the robots.txt of the host too', () => {
  const site = (origin: string): Site => ({
    '/robots.txt': [
      'User-agent: *',
      'Disallow: /docs/private/',
      `Sitemap: ${origin}/docs/map.xml`,
      `Sitemap: ${origin}/shop.xml`,
      `Sitemap: ${origin}/docsearch.xml`,
    ].join('\n'),
    '/docs/map.xml': urlset('https://example.org/outside', `${origin}/docs/private/1`),
    '/docs/sitemap.xml': urlset(`${origin}/docs/2`),
    '/shop.xml': page,
    '/docsearch.xml': page,
  });
  const options = { ...QUICK, normalizeHomepageUrl: false };

  test('its sitemaps below the path are children, and the number of the others is a problem and in the log', async () => {
    const server = await siteOf(site);
    const warnings: string[] = [];
    const logger = {
      debug() {},
      info() {},
      warn: (message: string) => void warnings.push(message),
      error() {},
    };
    const tree = await treeOf({ origin: `${server.origin}/docs` }, { ...options, logger });
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /docs/map.xml 2',
      'pages-xml /docs/sitemap.xml 1',
    ]);
    const message = `2 of 3 sitemaps in ${server.origin}/robots.txt were not read: only those below ${server.origin}/docs/ are.`;
    expect(tree.problems).toEqual([{ code: 'sitemaps-elsewhere', message }]);
    expect(tree).toMatchObject({ complete: true, outcome: 'complete' });
    expect(warnings).toEqual([message]);
    expect(server.paths()).not.toContain('/shop.xml');
    expect(tree.subSitemaps[0]?.filteredUrls).toEqual([
      `${server.origin}/shop.xml`,
      `${server.origin}/docsearch.xml`,
    ]);
  });

  test('in an update too, where it cannot be read, and where it is too old', async () => {
    const server = await siteOf(site);
    const at = { origin: `${server.origin}/docs` };
    const update = { ...options, useKnownPaths: false, staleIfError: true };
    const previous = await treeOf(at, update);
    server.site['/robots.txt'] = { status: 503 };
    for (const [maxStaleMs, codes] of [
      [undefined, ['sitemaps-elsewhere']],
      [0, ['robots-txt-failed', 'sitemaps-elsewhere']],
    ] as const) {
      const tree = await treeOf(at, { ...update, previous, maxStaleMs });
      expect(outline(tree, server)).toEqual(['robots-txt /robots.txt', '  pages-xml /docs/map.xml 2']);
      expect([tree.problems.map(({ code }) => code), tree.complete]).toEqual([codes, false]);
    }
    expect(server.paths()).not.toContain('/shop.xml');
  });

  test('the homepage with links is the page at the path', async () => {
    const server = await siteOf({
      '/': '<link rel=sitemap href=/shop.xml>',
      '/docs/': '<link rel=sitemap href=map.xml>',
      '/docs/map.xml': page,
      '/shop.xml': page,
    });
    const linked = { ...options, useKnownPaths: false, useHomepageLinks: true };
    const tree = await treeOf({ origin: `${server.origin}/docs` }, linked);
    expect(outline(tree, server)).toEqual(['pages-xml /docs/map.xml 1']);
    expect(server.paths()).not.toContain('/');
  });

  test('a second robots.txt without room is counted, and nothing that it declares is read', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': '',
      '/docs/robots.txt': robots(`${origin}/docs/own.xml`),
      '*': page,
    }));
    const at = { origin: `${server.origin}/docs/` };
    const few = { ...options, useKnownPaths: 'if-none-declared', maxSitemaps: 1 } as const;
    const tree = await treeOf(at, few);
    expect(outline(tree, server)).toEqual(['robots-txt /robots.txt']);
    expect(tree.problems.map(({ code }) => code)).toEqual(['too-many-sitemaps']);
    expect(tree).toMatchObject({ complete: false, stopped: { limit: 'maxSitemaps' } });
    expect(server.paths()).toEqual(['/robots.txt', '/docs/robots.txt']);
    expect(await treeOf(at, { ...few, maxSitemaps: 3 })).toMatchObject({ complete: true, problems: [] });
  });

  test('its rules apply, for a tree and a stream', async () => {
    const server = await siteOf(site);
    const home = `${server.origin}/docs/`;
    const tree = await treeOf({ origin: home }, options);
    const verdictOf = await robotsVerdicts(tree, 'bot');
    const stream = streamPages(home, { ...options, robotsAgent: 'bot' });
    const pages: string[] = [];
    for await (const each of stream) pages.push(each.page.url.replace(server.origin, ''));
    expect(pages.sort()).toEqual(['/docs/2', '/docs/private/1', 'https://example.org/outside']);
    for (const verdict of [verdictOf, (url: string) => stream.verdictOf(url)]) {
      expect(verdict(`${server.origin}/docs/private/1`)).toMatchObject({ allowed: false });
      expect(verdict(`${server.origin}/docs/2`)).toMatchObject({ allowed: true });
    }
    expect(stream.problems.map(({ code }) => code)).toEqual(['sitemaps-elsewhere']);
  });

  test('a robots.txt below the path is read as well', async () => {
    const server = await siteOf((origin) => ({
      ...site(origin),
      '/docs/robots.txt': robots(`${origin}/docs/own.xml`),
      '/docs/own.xml': page,
    }));
    const tree = await treeOf({ origin: `${server.origin}/docs/` }, { ...options, useKnownPaths: false });
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /docs/map.xml 2',
      'robots-txt /docs/robots.txt',
      '  pages-xml /docs/own.xml 1',
    ]);
  });

  test.each<[string, Site, boolean]>([
    ['the robots.txt below the path declares one', { '/docs/robots.txt': ['/docs/own.xml'] }, false],
    ['the robots.txt of the host declares one below the path', { '/robots.txt': ['/docs/own.xml'] }, false],
    ['the robots.txt of the host declares others', { '/robots.txt': ['/shop.xml'] }, true],
    ['neither of them is there', {}, true],
  ])(
    "with 'if-none-declared', where %s, known paths are requested: %s",
    async (_where, robotsTxt, isTried) => {
      const server = await siteOf({ ...robotsTxt, '/docs/own.xml': page, '/docs/sitemap.xml': page });
      await treeOf({ origin: `${server.origin}/docs/` }, { ...options, useKnownPaths: 'if-none-declared' });
      expect(server.paths().includes('/docs/sitemap.xml')).toBe(isTried);
    },
  );

  test('without a sitemap below the path the outcome is none, and complete', async () => {
    const server = await siteOf((origin) => ({ '/robots.txt': robots(`${origin}/shop.xml`) }));
    const tree = await treeOf({ origin: `${server.origin}/docs/` }, options);
    expect(tree).toMatchObject({ complete: true, outcome: 'none', code: 'no-sitemap' });
  });
});
