/** §1 Where the site is besides its homepage: where robots.txt and the homepage redirect to, read or not. */
import { expect, test } from 'vitest';
import { KNOWN_PATHS, knownUrls, triedPath } from '../../src/crawl/discover.ts';
import { streamPages } from '../../src/index.ts';
import type { StreamOptions } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, QUICK, siteOf, treeOf } from '../support/crawled-site.ts';
import { robots } from '../support/documents.ts';

const toRules: Site = { '/robots.txt': { redirect: '/rules.txt' } };

test.each<[what: string, site: Site, targets: readonly string[]]>([
  ['is read at once', { '/robots.txt': '' }, []],
  ['redirects and is read', { ...toRules, '/rules.txt': 'User-agent: *' }, ['/rules.txt']],
  ['redirects and is missing', toRules, ['/rules.txt']],
  ['redirects and fails', { ...toRules, '/rules.txt': { status: 503 } }, ['/rules.txt']],
  ['redirects and is an HTML page', { ...toRules, '/rules.txt': '<!doctype html><p>Hi' }, ['/rules.txt']],
  ['fails at once', { '/robots.txt': { status: 503 } }, []],
])('a robots.txt that %s', async (_what, site, targets) => {
  const server = await siteOf(site);
  const tree = await treeOf(server, DECLARED);
  expect(tree.redirectedTo).toEqual(targets.map((path) => `${server.origin}${path}`));
});

test.each<[what: string, site: Site, targets: readonly string[]]>([
  ['is read at once', { '/': '<p>Hi' }, []],
  ['redirects and is read', { '/': { redirect: '/de/' }, '/de/': '<p>Hi' }, ['/de/']],
  ['redirects and fails', { '/': { redirect: '/de/' }, '/de/': { status: 503 } }, ['/de/']],
])('a homepage that %s', async (_what, site, targets) => {
  const server = await siteOf({ '/robots.txt': '', ...site });
  const tree = await treeOf(server, { ...DECLARED, useHomepageLinks: true });
  expect(tree.redirectedTo).toEqual(targets.map((path) => `${server.origin}${path}`));
});

test.each<[what: string, response: Site[string], isThere: boolean]>([
  ['cannot be reached', { hangUp: true }, true],
  ['fails', { status: 503 }, true],
  ['is missing for the first time', { status: 404 }, true],
  ['is gone', { status: 410 }, false],
  ['is read', '', false],
])('where robots.txt led to before, in an update in which it %s', async (_what, response, isThere) => {
  const server = await siteOf({ ...toRules, '/rules.txt': '' });
  const previous = await treeOf(server, DECLARED);
  server.site['/robots.txt'] = response;
  const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
  expect(tree.redirectedTo).toEqual(isThere ? [`${server.origin}/rules.txt`] : []);
});

test('what the homepage links to no longer is not kept for a known path that fails', async () => {
  const server = await siteOf({
    '/': '<link rel=sitemap href=/old.xml>',
    '/old.xml': 'https://a.example/1\n',
    '/x.xml': { status: 403 },
  });
  const options = { ...DECLARED, useHomepageLinks: true, extraKnownPaths: ['x.xml'] };
  const previous = await treeOf(server, options);
  expect(previous.subSitemaps).toHaveLength(1);
  server.site['/'] = '<p>Hi';
  const tree = await treeOf(server, { ...options, previous, staleIfError: true });
  expect(tree.subSitemaps).toEqual([]);
});

test.each(['/robots.txt', '/b/robots.txt'])(
  'a known path that fails hides nothing where %s has a sitemap',
  async (path) => {
    const server = await siteOf({
      '/robots.txt': '',
      '/b/robots.txt': '',
      [path]: ['/b/s.xml'],
      '/b/s.xml': 'https://a.example/1\n',
      '/b/x.xml': { status: 403 },
    });
    const options = { ...DECLARED, normalizeHomepageUrl: false, extraKnownPaths: ['x.xml'] };
    const tree = await treeOf({ origin: `${server.origin}/b/` }, options);
    expect([tree.problems.map(({ code }) => code), tree.complete]).toEqual([['known-path-failed'], true]);
  },
);

test('what is thrown for the request of the homepage rejects the call', async () => {
  const server = await siteOf({ '/robots.txt': '' });
  const bug = new Error('bug');
  const headers = (url: string): Record<string, string> => {
    if (url.endsWith('/')) throw bug;
    return {};
  };
  await expect(treeOf(server, { ...DECLARED, useHomepageLinks: true, headers })).rejects.toBe(bug);
});

test('what was tried: robots.txt, the links, then known paths; not what is declared or found by then', async () => {
  const page = 'https://a.example/1\n';
  const server = await siteOf({
    '/robots.txt': ['/declared.xml'],
    '/':
      '<link rel=sitemap href=/linked.xml><link rel=sitemap href=/declared.xml><link rel=sitemap href=/none.xml>' +
      '<link rel=sitemap href=/refused.xml>',
    '/refused.xml': { status: 403 },
    '/declared.xml': page,
    '/linked.xml': page,
    '/html.xml': '<!doctype html><p>Hi',
    '/found.xml': page,
  });
  const extraKnownPaths = ['found.xml', 'robots.txt', 'linked.xml', 'declared.xml', 'html.xml'];
  const options = { ...DECLARED, useHomepageLinks: true, extraKnownPaths };
  const tree = await treeOf(server, options);
  const at = (path: string): string => `${server.origin}${path}`;
  expect(tree.triedPaths).toEqual([
    { url: at('/robots.txt') },
    { url: at('/linked.xml') },
    { url: at('/none.xml'), code: 'http-status', status: 404 },
    { url: at('/refused.xml'), code: 'http-status', status: 403 },
    { url: at('/found.xml') },
    { url: at('/html.xml'), code: 'not-a-sitemap', isHtml: true },
  ]);
  expect(tree.subSitemaps.map(({ url }) => url)).toEqual(
    ['/robots.txt', '/linked.xml', '/found.xml'].map(at),
  );
  const [refused, html, ...others] = tree.problems.map(({ message }) => message);
  expect([refused, html, others]).toEqual([
    expect.stringContaining(at('/refused.xml')),
    expect.stringContaining(at('/html.xml')),
    [],
  ]);
  expect(server.paths().filter((path) => path === '/robots.txt')).toHaveLength(1);
  // Where robots.txt is not wanted, it may be a known path.
  const without = await treeOf(server, { ...DECLARED, useRobots: false, extraKnownPaths: ['robots.txt'] });
  expect(without.triedPaths).toEqual([{ url: at('/robots.txt') }]);
});

test.each<[string, Site, boolean]>([
  ['nothing is found', { '/robots.txt': '' }, false],
  ['robots.txt is missing, too', {}, false],
  ['a sitemap is found', { '/robots.txt': ['/a.xml'], '/a.xml': 'https://a.example/1\n' }, true],
])('a homepage that cannot be read for its links, where %s', async (_what, site, complete) => {
  const server = await siteOf({ '/': { status: 403 }, ...site });
  const tree = await treeOf(server, { ...DECLARED, useHomepageLinks: true });
  expect([tree.problems.map(({ code }) => code), tree.complete]).toEqual([
    ['homepage-links-failed'],
    complete,
  ]);
  // A filter by host needs the homepage first, which is requested once.
  for (const hosts of ['same', 'subdomains'] as const) {
    const earlier = server.paths().length;
    const stream = streamPages(server.origin, { ...DECLARED, useHomepageLinks: true, hosts });
    for await (const _ of stream);
    expect(stream.complete).toBe(complete);
    expect(server.paths().slice(earlier).lastIndexOf('/')).toBe(0);
  }
});

test.each([
  ['application/rss+xml', 'alternate', '/s.xml', true],
  ['application/rdf+xml', 'alternate', '/s.xml', true],
  ['APPLICATION/Atom+XML; charset=utf-8', 'alternate', '/s.xml', true],
  ['application/rss+xmlx', 'alternate', '/s.xml', false],
  ['text/html', 'alternate', '/s.xml', false],
  ['x-application/rss+xml', 'alternate', '/s.xml', false],
  ['application/rss+xml', 'stylesheet', '/s.xml', false],
  ['application/xml', 'sitemap', '/s.xml', true],
  ['', 'nofollow sitemap', '/s.xml', true],
  ['', 'sitemap', 'ftp://127.0.0.1/s.xml', false],
  ['', 'sitemap', 'http://[', false],
])('a link of type %s, rel %s to %s is tried: %s', async (type, rel, href, isTried) => {
  const link = `<link rel="${rel}" type="${type}" href="${href}">`;
  // Twice, and in the header as well: it is one sitemap.
  const server = await siteOf({
    '/robots.txt': '',
    '/': {
      body: `<base href="/b/">${link}${link}`,
      headers: { link: `<${href}>; rel="${rel}"; type="${type}"` },
    },
    '/s.xml': 'https://a.example/1\n',
  });
  const tree = await treeOf(server, { ...DECLARED, useHomepageLinks: true });
  const paths = tree.triedPaths?.map(({ url }) => url.slice(server.origin.length));
  expect(paths).toEqual(isTried ? ['/robots.txt', '/s.xml'] : ['/robots.txt']);
  expect(tree.subSitemaps.map(({ kind }) => kind)).toEqual(
    isTried ? ['robots-txt', 'pages-text'] : ['robots-txt'],
  );
});

// Where the homepage is a path, the robots.txt of the host and that of the path are both read.
test.each<
  [
    what: string,
    ofHost: Site[string],
    ofPath: Site[string] | undefined,
    nodes: number,
    codes: string,
    complete: boolean,
    known: boolean,
  ]
>([
  ['neither is there', { status: 404 }, undefined, 0, '', true, true],
  ['that of the host fails', { status: 403 }, ['/b/s.xml'], 1, 'robots-txt-failed', false, false],
  [
    'that of the host fails, and the other is missing',
    { status: 403 },
    undefined,
    0,
    'robots-txt-failed',
    false,
    false,
  ],
  ['that of the path fails', ['/b/s.xml'], { status: 403 }, 1, 'robots-txt-failed', false, false],
  ['both have the same sitemap', ['/b/s.xml'], ['/b/s.xml'], 2, '', true, false],
  ['that of the host has one elsewhere', ['/c/s.xml'], undefined, 1, 'sitemaps-elsewhere', true, true],
  [
    'that of the host has one elsewhere, the other has one',
    ['/c/s.xml'],
    ['/b/s.xml'],
    2,
    'sitemaps-elsewhere',
    true,
    false,
  ],
  ['that of the host alone has one', ['/b/s.xml'], { body: '' }, 2, '', true, false],
])(
  'robots.txt, with normalizeHomepageUrl off: %s',
  async (_what, ofHost, ofPath, nodes, codes, complete, known) => {
    const server = await siteOf({
      '/robots.txt': ofHost,
      ...(ofPath !== undefined && { '/b/robots.txt': ofPath }),
      '/b/s.xml': 'https://a.example/1\n',
      '/c/s.xml': 'https://a.example/2\n',
    });
    const options = { ...QUICK, normalizeHomepageUrl: false, useKnownPaths: 'if-none-declared' } as const;
    const tree = await treeOf({ origin: `${server.origin}/b` }, options);
    expect(tree.subSitemaps).toHaveLength(nodes);
    expect(tree.problems.map(({ code }) => code).join(' ')).toBe(codes);
    expect(tree.complete).toBe(complete);
    const tried = tree.triedPaths?.slice(0, 2).map(({ url }) => url.slice(server.origin.length));
    expect(tried).toEqual(['/robots.txt', '/b/robots.txt']);
    expect(server.paths().includes('/b/sitemap.xml')).toBe(known);
  },
);

test.each([
  [['/b/1', '/b/2'], undefined],
  [['/c/1'], '1 of 1 sitemap in ORIGIN/robots.txt was not read: only those below ORIGIN/b/ are.'],
  [['/b/1', '/c/1'], '1 of 2 sitemaps in ORIGIN/robots.txt was not read: only those below ORIGIN/b/ are.'],
  [
    ['/c/1', '/b/1', '/bc'],
    '2 of 3 sitemaps in ORIGIN/robots.txt were not read: only those below ORIGIN/b/ are.',
  ],
  [
    ['http://127.0.0.1:1/b/1'],
    '1 of 1 sitemap in ORIGIN/robots.txt was not read: only those below ORIGIN/b/ are.',
  ],
])(
  'of the sitemaps %j in the robots.txt of the host, those below the path of the homepage are read',
  async (urls, message) => {
    const warnings: string[] = [];
    const logger = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} };
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(...urls.map((url) => new URL(url, origin).href)),
      '*': 'https://a.example/1\n',
      '/b/robots.txt': { status: 404 },
    }));
    const options = { ...DECLARED, normalizeHomepageUrl: false, logger };
    const tree = await treeOf({ origin: `${server.origin}/b/` }, options);
    const said = message === undefined ? [] : [message.replaceAll('ORIGIN', server.origin)];
    expect(tree.problems.map((problem) => problem.message)).toEqual(said);
    expect(warnings.filter((text) => text.includes('not read'))).toEqual(said);
    const read = tree.subSitemaps[0]?.subSitemaps.map(({ url }) => url.slice(server.origin.length));
    expect(read).toEqual(urls.filter((url) => url.startsWith('/b/')));
  },
);

test.each<[StreamOptions, readonly string[], readonly string[]]>([
  [{}, KNOWN_PATHS, KNOWN_PATHS],
  [{ useKnownPaths: 'if-none-declared' }, [], KNOWN_PATHS],
  [{ useKnownPaths: false }, [], []],
  [{ useKnownPaths: false, extraKnownPaths: ['a.xml', 'a.xml'] }, ['a.xml'], ['a.xml']],
  [{ useKnownPaths: 'if-none-declared', extraKnownPaths: ['a.xml'] }, ['a.xml'], [...KNOWN_PATHS, 'a.xml']],
  [{ extraKnownPaths: ['sitemap.xml', './a.xml'] }, [...KNOWN_PATHS, 'a.xml'], [...KNOWN_PATHS, 'a.xml']],
])('the known paths of %j: always, and if none is declared', (given, always, ifNoneDeclared) => {
  const urls = (paths: readonly string[]): string[] => paths.map((path) => `https://a.example/b/${path}`);
  const found = knownUrls('https://a.example/b/', resolveOptions(given, 'tree'));
  expect(found).toEqual({ always: urls(always), ifNoneDeclared: urls(ifNoneDeclared) });
  const absolute = resolveOptions({ useKnownPaths: false, extraKnownPaths: ['/c', '//d.example/e'] }, 'tree');
  const expected = ['https://a.example/c', 'https://d.example/e'];
  expect(knownUrls('https://a.example/b/', absolute).always).toEqual(expected);
});

test.each([
  [
    { type: 'invalid', code: 'http-status', status: 403, reason: 'x' },
    { code: 'http-status', status: 403 },
  ],
  [
    { type: 'invalid', code: 'not-a-sitemap', status: 200, reason: 'x', isHtml: true },
    { code: 'not-a-sitemap', status: 200, isHtml: true },
  ],
  [
    { type: 'invalid', code: 'not-a-sitemap', status: 200, reason: 'x', isHtml: false },
    { code: 'not-a-sitemap', status: 200 },
  ],
  [{ type: 'pages', status: 200 }, {}],
])('a path that was tried, with the outcome %j, is kept as %j', (outcome, expected) => {
  expect(triedPath('https://a.example/s', outcome as never)).toEqual({
    url: 'https://a.example/s',
    ...expected,
  });
});
