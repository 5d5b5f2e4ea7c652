/** Specification §4: across sitemaps nothing is dropped, and one request a URL is enough for a tree. */
import { describe, expect, test } from 'vitest';
import type { Sitemap } from '../../src/index.ts';
import { SitePool } from '../../src/site-pool.ts';
import type { Site } from '../server/scripted-server.ts';
import { testIf } from '../support/collected.ts';
import {
  DECLARED,
  outline,
  QUICK,
  siteOf,
  streamed,
  timesAsked,
  treeOf,
  urlsOf,
} from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { seededRandom } from '../support/every-cut.ts';
import { folder, openFiles } from '../support/folder.ts';
import { IS_LINUX } from '../support/platform.ts';
import { CHANGING_SEED } from '../support/random.ts';
import { sized } from '../support/tier.ts';

describe('§4 one request per URL per tree', () => {
  test('a sitemap declared by three indexes is requested once and appears three times', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(...[1, 2, 3].map((n) => `${origin}/${n}.xml`)),
      '/1.xml': ['/shared.xml'],
      '/2.xml': { body: ['/own.xml', '/shared.xml'], delayMs: 30 },
      '/3.xml': { body: ['/shared.xml#again'], delayMs: 60 },
      '/shared.xml': urlset('https://example.org/1', 'https://example.org/2'),
      '/own.xml': urlset('https://example.org/3'),
    }));
    const tree = await treeOf(server, DECLARED);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /1.xml',
      '    pages-xml /shared.xml 2',
      '  index-xml /2.xml',
      '    pages-xml /own.xml 1',
      '    pages-xml /shared.xml 2',
      '  index-xml /3.xml',
      '    pages-xml /shared.xml#again 2',
    ]);
    expect(timesAsked(server, '/shared.xml')).toBe(1);
    expect(urlsOf(tree.allPages())).toHaveLength(7);
    expect(urlsOf(tree.allPages({ unique: true }))).toHaveLength(3);
  });

  test.each([
    ['two indexes declare', '/s.xml'],
    ['one index declares, and a redirect leads to', '/moved.xml'],
  ])('who follows the crawl of a pool gets a sitemap once that %s', async (_, second) => {
    const server = await siteOf({
      '/robots.txt': ['/1.xml', '/2.xml'],
      '/1.xml': ['/s.xml'],
      '/2.xml': [second],
      '/moved.xml': { redirect: '/s.xml' },
      '/s.xml': urlset('https://example.org/'),
    });
    const pool = new SitePool({ ...DECLARED, allowPrivateNetworks: true });
    const arrived: string[] = [];
    const follower = { onPages: ({ url }: Sitemap) => void arrived.push(url), onStart: () => {} };
    using tree = await pool.tree(server.origin, {}, follower);
    expect(urlsOf(tree.allPages())).toHaveLength(2);
    expect(arrived).toEqual([`${server.origin}/s.xml`]);
    await pool.close();
  });

  test('each place has its own lastModified, as its index declares it', async () => {
    const dated = (origin: string, date: string): string =>
      index(`${origin}/shared.xml`).replace('</loc>', `</loc><lastmod>${date}</lastmod>`);
    const server = await siteOf((origin) => ({
      '/robots.txt': ['/1.xml', '/2.xml'],
      '/1.xml': dated(origin, '2024-01-01'),
      '/2.xml': dated(origin, '2024-02-02'),
      '/shared.xml': urlset('https://example.org/'),
    }));
    const tree = await treeOf(server, DECLARED);
    const dates = tree.subSitemaps[0]!.subSitemaps.map((node) =>
      node.subSitemaps[0]!.lastModified?.toISOString(),
    );
    expect(dates).toEqual(['2024-01-01T00:00:00.000Z', '2024-02-02T00:00:00.000Z']);
  });

  test.each([404, 503])(
    'an unreadable one too: it is tried once and invalid at each place, with %i',
    async (status) => {
      const server = await siteOf({
        '/robots.txt': ['/1.xml', '/2.xml', '/3.xml'],
        '/1.xml': ['/bad.xml'],
        '/2.xml': ['/bad.xml'],
        '/3.xml': { body: ['/4.xml'], delayMs: 30 },
        '/4.xml': ['/bad.xml'],
        '/bad.xml': { status },
      });
      const tree = await treeOf(server, DECLARED);
      expect([...tree.allSitemaps()].filter(({ kind }) => kind === 'invalid')).toHaveLength(3);
      expect(timesAsked(server, '/bad.xml')).toBe(1);
    },
  );

  test.each<[string, Site, readonly string[]]>([
    [
      'what a redirect led to',
      { '/robots.txt': ['/old.xml', '/index.xml'], '/index.xml': { body: ['/new.xml'], delayMs: 50 } },
      ['  pages-xml /new.xml (/old.xml) 1', '  index-xml /index.xml', '    pages-xml /new.xml 1'],
    ],
    [
      'what another redirect leads to',
      { '/robots.txt': ['/new.xml', '/index.xml'], '/index.xml': { body: ['/old.xml'], delayMs: 50 } },
      ['  pages-xml /new.xml 1', '  index-xml /index.xml', '    pages-xml /new.xml (/old.xml) 1'],
    ],
  ])('%s is not requested again where it is declared itself', async (_what, site, lines) => {
    const page = urlset('https://example.org/');
    const server = await siteOf({ ...site, '/old.xml': { redirect: '/new.xml#part' }, '/new.xml': page });
    expect(outline(await treeOf(server, DECLARED), server)).toEqual(['robots-txt /robots.txt', ...lines]);
    expect(timesAsked(server, '/new.xml')).toBe(1);
  });

  test('a fragment is a part of the URL of a sitemap, and is no redirect', async () => {
    const server = await siteOf({
      '/robots.txt': ['/i.xml'],
      '/i.xml': ['/s.xml#part'],
      '/s.xml': urlset('https://example.org/'),
    });
    expect(outline(await treeOf(server, DECLARED), server).at(-1)).toBe('    pages-xml /s.xml#part 1');
  });

  test('a document that several URLs redirect to is downloaded once', async () => {
    const body = urlset(...Array.from({ length: 40_000 }, (_, at) => `https://example.org/page/${at}`));
    const server = await siteOf({
      '/robots.txt': ['/main.xml', '/a.xml', '/b.xml'],
      '/a.xml': { redirect: '/main.xml' },
      '/b.xml': { redirect: '/main.xml' },
      '/main.xml': { body, trickle: { bytes: 100_000, everyMs: 1 } },
    });
    const tree = await treeOf(server, DECLARED);
    expect(tree.subSitemaps[0]!.subSitemaps.map(({ pageCount }) => pageCount)).toEqual([
      40_000, 40_000, 40_000,
    ]);
    expect(timesAsked(server, '/main.xml')).toBe(1);
  });

  test('what known paths redirect to is requested once, whether or not it is declared', async () => {
    const toMain = { redirect: '/main.xml' };
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': { body: ['/main.xml'], delayMs: 30 },
      '/sitemap.xml': toMain,
      '/sitemap_index.xml': toMain,
      '/sitemap.txt': { redirect: '/sitemap.xml' },
      '/main.xml': urlset('https://example.org/'),
    });
    expect(outline(await treeOf(server, QUICK), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /index.xml',
      '    pages-xml /main.xml 1',
    ]);
    expect(timesAsked(server, '/main.xml')).toBe(1);
    expect(await streamed(server, QUICK)).toHaveLength(1);
    expect(timesAsked(server, '/main.xml')).toBe(2);
  });

  test('where it fails for one, the others request it themselves', async () => {
    const toMain = { redirect: '/main.xml' };
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': toMain,
      '/b.xml': toMain,
      '/main.xml': { script: [{ status: 500, delayMs: 50 }, { body: urlset('https://example.org/') }] },
    });
    const [first, second] = (await treeOf(server, DECLARED)).subSitemaps[0]!.subSitemaps;
    expect([first?.kind, second?.kind].sort()).toEqual(['invalid', 'pages-xml']);
  });

  test.each(sized({ fast: [4711], full: [4711, CHANGING_SEED] }))(
    'URLs that redirect in circles, and to what is in one, all have an outcome: seed %i',
    async (seed) => {
      const random = seededRandom(seed);
      const paths = Array.from({ length: 12 }, (_, at) => `/${at}.xml`);
      for (let round = 0; round < 10; round++) {
        const site = Object.fromEntries(
          paths.map((path) => {
            const redirect = paths[Math.floor(random() * paths.length)]!;
            const delayMs = Math.floor(random() * 10);
            const isPages = random() < 0.2;
            return [
              path,
              isPages ? { body: urlset('https://example.org/'), delayMs } : { redirect, delayMs },
            ];
          }),
        );
        const server = await siteOf({ ...site, '/robots.txt': paths });
        const tree = await treeOf(server, DECLARED);
        expect(tree.subSitemaps[0]!.subSitemaps).toHaveLength(paths.length);
        expect((await streamed(server, DECLARED)).length > 0).toBe(
          tree.outcome === 'complete' || tree.outcome === 'partial',
        );
      }
    },
  );

  test('two URLs that redirect to each other do not wait for each other', async () => {
    // Each redirects to the other at its first request and responds at its second.
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': { script: [{ redirect: '/b.xml' }, { body: urlset('https://example.org/a'), delayMs: 20 }] },
      '/b.xml': { script: [{ redirect: '/a.xml' }, { body: urlset('https://example.org/b'), delayMs: 20 }] },
    });
    const tree = await treeOf(server, DECLARED);
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  pages-xml /b.xml (/a.xml) 1',
      '  pages-xml /a.xml (/b.xml) 1',
    ]);
  });
});

describe('§5 a sitemap declared twice is streamed once', () => {
  const toMain = { redirect: '/main.xml' };

  test.each<[string, Site]>([
    [
      'several indexes',
      { '/robots.txt': ['/1.xml', '/2.xml'], '/1.xml': ['/main.xml'], '/2.xml': ['/main.xml'] },
    ],
    [
      'redirects that arrive at the same time',
      { '/robots.txt': ['/a.xml', '/b.xml', '/main.xml'], '/a.xml': toMain, '/b.xml': toMain },
    ],
    [
      'redirects of which one is late',
      {
        '/robots.txt': ['/a.xml', '/b.xml', '/main.xml'],
        '/a.xml': toMain,
        '/b.xml': { ...toMain, delayMs: 30 },
      },
    ],
    ['two known paths that lead to it', { '/sitemap.xml': toMain, '/sitemap_index.xml': toMain }],
  ])('by %s', async (_what, site) => {
    const main = urlset('https://example.org/1', 'https://example.org/2');
    const server = await siteOf({ ...site, '/main.xml': main });
    expect(await streamed(server, '/robots.txt' in site ? DECLARED : QUICK)).toHaveLength(2);
    expect(timesAsked(server, '/main.xml')).toBe(1);
  });
});

testIf(IS_LINUX)('trees of a pool share the memory that documents may take', async () => {
  // One of them may take a part of it only.
  const paths = Array.from({ length: 24 }, (_, at) => `/${at}.xml`);
  const small = `${urlset('https://example.org/')}<!--${'x'.repeat(1_300)}-->`;
  const server = await siteOf({ '/robots.txt': paths, '*': small });
  const spoolDirectory = folder();
  const pool = new SitePool({
    ...DECLARED,
    allowPrivateNetworks: true,
    spoolMemoryBytes: 64_000,
    spoolDirectory,
  });
  using _first = await pool.tree(server.origin, {});
  expect(openFiles(spoolDirectory)).toHaveLength(0);
  using _second = await pool.tree(server.origin, {});
  expect(openFiles(spoolDirectory)).toHaveLength(1);
  await pool.close();
});
