/** Specification §2, recursion and depth: no site makes a tree without end, and none is left out that has one. */
import { describe, expect, test } from 'vitest';
import type { InvalidSitemap, SitemapOptions } from '../../src/index.ts';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, outline, QUICK, siteOf, streamed, timesAsked, treeOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { isFull } from '../support/tier.ts';

const page = urlset('https://example.org/');

interface Case {
  readonly name: string;
  readonly site: Site | ((origin: string) => Site);
  readonly options?: SitemapOptions;
  readonly tree: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'an index that lists itself',
    site: {
      '/robots.txt': ['/a.xml'],
      '/a.xml': ['/a.xml', '/b.xml'],
      '/b.xml': page,
    },
    tree: [
      'robots-txt /robots.txt',
      '  index-xml /a.xml',
      '    invalid /a.xml recursion',
      '    pages-xml /b.xml 1',
    ],
  },
  {
    name: 'an index that lists itself under a fragment, another case of the host, a dot segment',
    site: (origin) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': index(`${origin.replace('http', 'HTTP')}/a.xml`),
      '/b.xml': page,
    }),
    tree: ['robots-txt /robots.txt', '  index-xml /a.xml', '    invalid HTTP:ORIGIN/a.xml recursion'],
  },
  {
    name: 'two indexes that list each other',
    site: {
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': ['/b.xml'],
      '/b.xml': ['/a.xml'],
    },
    tree: [
      'robots-txt /robots.txt',
      '  index-xml /a.xml',
      '    index-xml /b.xml',
      '      invalid /a.xml recursion',
      '  index-xml /b.xml',
      '    index-xml /a.xml',
      '      invalid /b.xml recursion',
    ],
  },
  {
    name: 'mutual redirects, which lead nowhere',
    site: {
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': { redirect: '/b.xml' },
      '/b.xml': { redirect: '/a.xml' },
    },
    tree: ['robots-txt /robots.txt', '  invalid /a.xml redirects', '  invalid /b.xml redirects'],
  },
  {
    name: 'indexes that redirect to each other’s target',
    site: {
      '/robots.txt': ['/a.xml'],
      '/a.xml': { redirect: '/a2.xml' },
      '/a2.xml': ['/b.xml'],
      '/b.xml': { redirect: '/b2.xml' },
      '/b2.xml': ['/a.xml', '/a2.xml'],
    },
    tree: [
      'robots-txt /robots.txt',
      '  index-xml /a2.xml (/a.xml)',
      '    index-xml /b2.xml (/b.xml)',
      '      invalid /a.xml recursion',
      '      invalid /a2.xml recursion',
    ],
  },
  {
    name: 'a redirect to an ancestor, over two hops',
    site: {
      '/robots.txt': ['/a.xml'],
      '/a.xml': ['/b.xml'],
      '/b.xml': ['/c.xml'],
      '/c.xml': { redirect: '/hop' },
      '/hop': { redirect: '/a.xml' },
    },
    tree: [
      'robots-txt /robots.txt',
      '  index-xml /a.xml',
      '    index-xml /b.xml',
      '      invalid /c.xml recursion',
    ],
  },
  {
    name: 'a redirect to a sibling is not recursion',
    site: {
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': page,
      '/b.xml': { redirect: '/a.xml' },
    },
    tree: ['robots-txt /robots.txt', '  pages-xml /a.xml 1', '  pages-xml /a.xml (/b.xml) 1'],
  },
  {
    name: 'robots.txt that lists itself',
    site: {
      '/robots.txt': ['/robots.txt', '/a.xml'],
      '/a.xml': page,
    },
    tree: ['robots-txt /robots.txt', '  invalid /robots.txt recursion', '  pages-xml /a.xml 1'],
  },
  {
    name: 'an index that lists robots.txt',
    site: {
      '/robots.txt': ['/a.xml'],
      '/a.xml': ['/robots.txt'],
    },
    tree: ['robots-txt /robots.txt', '  index-xml /a.xml', '    invalid /robots.txt recursion'],
  },
  {
    name: 'a known path that redirects to a sitemap deep below robots.txt',
    site: {
      '/robots.txt': ['/a.xml'],
      '/a.xml': ['/b.xml'],
      '/b.xml': page,
      '/sitemap.xml': { redirect: '/b.xml' },
    },
    options: QUICK,
    tree: ['robots-txt /robots.txt', '  index-xml /a.xml', '    pages-xml /b.xml 1'],
  },
  {
    name: 'a known path that redirects to where a sitemap of robots.txt redirects to',
    site: {
      '/robots.txt': ['/a.xml'],
      '/a.xml': { redirect: '/b.xml' },
      '/b.xml': page,
      '/sitemap.xml': { redirect: '/b.xml' },
      '/sitemap_index.xml': { redirect: '/a.xml' },
    },
    options: QUICK,
    tree: ['robots-txt /robots.txt', '  pages-xml /b.xml (/a.xml) 1'],
  },
  {
    name: 'a known path that a sitemap of robots.txt redirects to',
    site: {
      '/robots.txt': ['/a.xml'],
      '/a.xml': { redirect: '/sitemap.xml' },
      '/sitemap.xml': page,
    },
    options: QUICK,
    tree: ['robots-txt /robots.txt', '  pages-xml /sitemap.xml (/a.xml) 1'],
  },
  {
    name: 'a known path that redirects to a sitemap that was filtered',
    site: {
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': page,
      '/b.xml': page,
      '/sitemap.xml': { redirect: '/a.xml' },
    },
    options: { ...QUICK, recurseCallback: (url) => url.endsWith('/b.xml') },
    tree: ['robots-txt /robots.txt', '  pages-xml /b.xml 1'],
  },
  {
    name: 'a known path that redirects to robots.txt',
    site: {
      '/robots.txt': ['/a.xml'],
      '/a.xml': page,
      '/sitemap.xml': { redirect: '/robots.txt' },
    },
    options: QUICK,
    tree: ['robots-txt /robots.txt', '  pages-xml /a.xml 1'],
  },
  {
    name: 'two known paths with one final URL give one node, the first',
    site: {
      '/sitemap.xml': { redirect: '/main.xml', delayMs: 20 },
      '/sitemap_index.xml': { redirect: '/main.xml' },
      '/main.xml': page,
    },
    options: QUICK,
    tree: ['pages-xml /main.xml (/sitemap.xml) 1'],
  },
  {
    name: 'a known path that redirects to another one gives one node',
    site: { '/sitemap.xml': { redirect: '/sitemap_index.xml' }, '/sitemap_index.xml': page },
    options: QUICK,
    tree: ['pages-xml /sitemap_index.xml (/sitemap.xml) 1'],
  },
];

describe('§2 recursion', () => {
  test.each(cases)('$name', async ({ site, options = DECLARED, tree }) => {
    const server = await siteOf(site);
    const lines = outline(await treeOf(server, options), server);
    expect(lines).toEqual(
      tree.map((line) => line.replace('HTTP:ORIGIN', server.origin.replace('http', 'HTTP'))),
    );
  });

  // "Same pages as the tree": what has no node in the tree is not streamed either, and nothing twice.
  const compared = isFull ? cases : cases.filter((_case, at) => at % 2 === 0);
  test.each(compared)('$name: the stream has the same pages', async ({ site, options = DECLARED }) => {
    const server = await siteOf(site);
    const fromTree = [...new Set(Array.from((await treeOf(server, options)).allSitemaps(), (node) => node))]
      .filter(({ pageCount }) => pageCount > 0)
      .map(({ url }) => url);
    const fromStream = (await streamed(server, options)).map(({ sitemap }) => sitemap.url);
    expect(fromStream.sort()).toEqual([...new Set(fromTree)].sort());
  });
});

test('§2 an index that lists itself under another query ends at the depth', async () => {
  let last = 0;
  const server = await siteOf((origin) => ({
    '/robots.txt': ['/a.xml?n=1'],
    '*': ({ path }) => {
      last = Number(path.split('=')[1]);
      return index(`${origin}/a.xml?n=${last + 1}`);
    },
  }));
  const tree = await treeOf(server, DECLARED);
  const nodes = [...tree.allSitemaps()];
  // Levels 0 (robots.txt) to 11, and the one that is too deep.
  expect(nodes).toHaveLength(13);
  expect(last).toBe(11);
  const tooDeep = nodes.at(-1);
  expect(tooDeep).toMatchObject({ kind: 'invalid', code: 'max-depth', url: `${server.origin}/a.xml?n=12` });
  expect((tooDeep as InvalidSitemap).reason).toContain('maxDepth');
  expect(tree.complete).toBe(false);
});

describe('§2 recursion deeper than 11 levels (robots.txt and known paths are level 0)', () => {
  const chain = (length: number) => (origin: string) => ({
    ...Object.fromEntries(
      Array.from({ length }, (_, at) => [
        `/${at + 1}.xml`,
        at + 1 < length ? index(`${origin}/${at + 2}.xml`) : page,
      ]),
    ),
    '/robots.txt': ['/1.xml'],
  });

  test.each([
    ['depth 11 is read', 11, 'pages-xml', true],
    ['depth 12 is not', 12, 'invalid', false],
  ])('%s', async (_name, depth, kind, complete) => {
    const server = await siteOf(chain(depth));
    const tree = await treeOf(server, DECLARED);
    expect([...tree.allSitemaps()].at(-1)).toMatchObject({ kind, url: `${server.origin}/${depth}.xml` });
    expect(tree.complete).toBe(complete);
    expect(timesAsked(server, '/12.xml')).toBe(0);
  });

  test.each([
    [0, ['robots-txt /robots.txt', '  invalid /1.xml max-depth']],
    [1, ['robots-txt /robots.txt', '  index-xml /1.xml', '    invalid /2.xml max-depth']],
  ])('maxDepth: %i', async (maxDepth, lines) => {
    const server = await siteOf(chain(4));
    expect(outline(await treeOf(server, { ...DECLARED, maxDepth }), server)).toEqual(lines);
  });

  test('a known path is level 0 too', async () => {
    const server = await siteOf({ '/sitemap.xml': ['/1.xml'], '/1.xml': page });
    expect(outline(await treeOf(server, { ...QUICK, maxDepth: 0 }), server)).toEqual([
      'index-xml /sitemap.xml',
      '  invalid /1.xml max-depth',
    ]);
  });

  test('a sitemap that is too deep at one place is read at another', async () => {
    const server = await siteOf({
      '/robots.txt': ['/deep.xml', '/shared.xml'],
      '/deep.xml': ['/shared.xml'],
      '/shared.xml': ['/p.xml'],
      '/p.xml': page,
    });
    const options = { ...DECLARED, maxDepth: 2 };
    expect(outline(await treeOf(server, options), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /deep.xml',
      '    index-xml /shared.xml',
      '      invalid /p.xml max-depth',
      '  index-xml /shared.xml',
      '    pages-xml /p.xml 1',
    ]);
    expect(await streamed(server, options)).toHaveLength(1);
  });
});

test.each<[what: string, site: Site, url: string, reason: RegExp]>([
  ['itself', { '/a.xml': ['/a.xml'] }, '/a.xml', /: it is one of its own ancestors/],
  [
    'the URL by which an index was declared, that redirects',
    { '/a.xml': { redirect: '/b.xml' }, '/b.xml': ['/c.xml'], '/c.xml': ['/a.xml'] },
    '/a.xml',
    /: it is one of its own ancestors/,
  ],
  [
    'the URL that an index was redirected to',
    { '/a.xml': { redirect: '/b.xml' }, '/b.xml': ['/c.xml'], '/c.xml': ['/b.xml'] },
    '/b.xml',
    /: it is one of its own ancestors/,
  ],
  [
    'a redirect to an ancestor',
    { '/a.xml': ['/b.xml'], '/b.xml': { redirect: '/a.xml' } },
    '/b.xml',
    /: it redirects to \S+\/a\.xml, one of its own ancestors/,
  ],
])(
  '§2 a recursion names the URL and the cause, and costs no request: %s',
  async (_what, site, path, cause) => {
    const server = await siteOf({ '/robots.txt': ['/a.xml'], ...site });
    const tree = await treeOf(server, DECLARED);
    const node = [...tree.allSitemaps()].at(-1) as InvalidSitemap;
    expect(node).toMatchObject({ url: `${server.origin}${path}`, code: 'recursion' });
    expect(node.reason).toContain(`${server.origin}${path}`);
    expect(node.reason).toMatch(cause);
    const paths = server.paths();
    expect(paths).toEqual([...new Set(paths)]);
  },
);
