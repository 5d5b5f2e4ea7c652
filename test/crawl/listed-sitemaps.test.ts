/** Specification §7: sitemaps that a urlset lists as pages, with `followListedSitemaps`. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Lineage } from '../../src/crawl/lineage.ts';
import { Listings } from '../../src/crawl/listed-sitemaps.ts';
import { loadTree, type ParentSitemap, type StreamOptions, saveTree, streamPages } from '../../src/index.ts';
import type { PagesOutcome } from '../../src/read/outcome.ts';
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
  urlsOf,
} from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { withMoreTime } from '../support/more-time.ts';

const LISTED: StreamOptions = { ...DECLARED, followListedSitemaps: true };
const page = urlset('https://example.org/');
const other = urlset('https://example.org/other');

interface Case {
  readonly name: string;
  /** Below robots.txt, which declares /a.xml. */
  readonly site: (origin: string) => Site;
  readonly options?: StreamOptions;
  /** Behind the lines of robots.txt and /a.xml, which has one page for each address. */
  readonly expected: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: 'are children of the root, in their order',
    site: (at) => ({
      '/a.xml': urlset(`${at}/sitemap-2.xml`, `${at}/`, `${at}/x/Post-SiteMap.XML`),
      '/sitemap-2.xml': page,
      '/x/Post-SiteMap.XML': other,
    }),
    expected: ['pages-xml /sitemap-2.xml 1', 'pages-xml /x/Post-SiteMap.XML 1'],
  },
  {
    name: 'are not followed where the option is off',
    site: (at) => ({ '/a.xml': urlset(`${at}/sitemap-2.xml`), '/sitemap-2.xml': page }),
    options: DECLARED,
    expected: [],
  },
  {
    name: 'are on the same host, and end as sitemaps do',
    site: (at) => ({
      '/a.xml': urlset(
        `${at.replace('127.0.0.1', 'localhost')}/sitemap-2.xml`,
        `${at}/sitemap.txt`,
        `${at}/sitemap.xml?page=2`,
        `${at}/sitemap/posts.xml`,
      ),
      '/sitemap-2.xml': page,
      '/sitemap.txt': page,
      '/sitemap.xml?page=2': page,
      '/sitemap/posts.xml': page,
    }),
    expected: [],
  },
  {
    name: 'come after known paths, and what is declared or found has its place already',
    site: (at) => ({
      '/a.xml': urlset(
        `${at}/sitemap-2.xml`,
        `${at}/a.xml`,
        `${at}/known-sitemap.xml`,
        `${at}/sitemap-2.xml#b`,
      ),
      '/known-sitemap.xml': page,
      '/sitemap-2.xml': other,
    }),
    options: { ...LISTED, extraKnownPaths: ['/known-sitemap.xml'] },
    expected: ['pages-xml /known-sitemap.xml 1', 'pages-xml /sitemap-2.xml 1'],
  },
  {
    name: 'are recursed into where they are indexes, and what these declare has its place there',
    site: (at) => ({
      '/a.xml': urlset(`${at}/sitemap-2.xml`, `${at}/sitemap-index.xml`, `${at}/sitemap-3.xml`),
      '/sitemap-index.xml': ['/sitemap-2.xml', '/sitemap-3.xml', '/a.xml'],
      '/sitemap-2.xml': page,
      '/sitemap-3.xml': other,
    }),
    expected: [
      'index-xml /sitemap-index.xml',
      '  pages-xml /sitemap-2.xml 1',
      '  pages-xml /sitemap-3.xml 1',
      '  invalid /a.xml recursion',
    ],
  },
  {
    name: 'are followed in listed ones, and back to none',
    site: (at) => ({
      '/a.xml': urlset(`${at}/sitemap-2.xml`),
      '/sitemap-2.xml': urlset(`${at}/sitemap-3.xml`, `${at}/a.xml`),
      '/sitemap-3.xml': urlset(`${at}/sitemap-2.xml`),
    }),
    expected: ['pages-xml /sitemap-2.xml 2', 'pages-xml /sitemap-3.xml 1'],
  },
  {
    name: 'keep their place where an index that they list declares them, which is recursion',
    site: (at) => ({
      '/a.xml': urlset(`${at}/sitemap-2.xml`),
      '/sitemap-2.xml': urlset(`${at}/sitemap-3.xml`, `${at}/2`),
      '/sitemap-3.xml': ['/sitemap-2.xml'],
    }),
    expected: [
      'pages-xml /sitemap-2.xml 2',
      'index-xml /sitemap-3.xml',
      '  invalid /sitemap-2.xml recursion',
    ],
  },
  {
    name: 'keep their place where an index declares them whose only place is below one that they list',
    site: (at) => ({
      '/a.xml': urlset(`${at}/sitemap-2.xml`, `${at}/sitemap-3.xml`),
      '/sitemap-2.xml': urlset(`${at}/sitemap-4.xml`, `${at}/2`),
      '/sitemap-3.xml': ['/sitemap-2.xml'],
      '/sitemap-4.xml': ['/sitemap-3.xml'],
    }),
    expected: [
      'pages-xml /sitemap-2.xml 2',
      'index-xml /sitemap-4.xml',
      '  index-xml /sitemap-3.xml',
      '    invalid /sitemap-2.xml recursion',
    ],
  },
  {
    name: 'are one level below what lists them',
    site: (at) => ({
      '/a.xml': urlset(`${at}/sitemap-2.xml`),
      '/sitemap-2.xml': urlset(`${at}/sitemap-3.xml`),
      '/sitemap-3.xml': page,
    }),
    options: { ...LISTED, maxDepth: 2 },
    expected: ['pages-xml /sitemap-2.xml 1', 'invalid /sitemap-3.xml max-depth'],
  },
  {
    name: 'have a node where they cannot be read, and none where they redirect to what has a place',
    site: (at) => ({
      '/a.xml': urlset(`${at}/sitemap-2.xml`, `${at}/sitemap-3.xml`, `${at}/sitemap-4.xml`),
      '/sitemap-2.xml': { status: 500 },
      '/sitemap-3.xml': '<!doctype html><title>Not found</title>',
      '/sitemap-4.xml': { status: 302, headers: { location: '/a.xml' } },
    }),
    expected: ['invalid /sitemap-2.xml http-status', 'invalid /sitemap-3.xml not-a-sitemap'],
  },
  {
    name: 'have no node where they redirect to what a callback left out',
    site: (at) => ({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': urlset(`${at}/sitemap-2.xml`),
      '/b.xml': page,
      '/sitemap-2.xml': { redirect: '/b.xml' },
    }),
    options: { ...LISTED, recurseCallback: (url) => !url.endsWith('/b.xml') },
    expected: [],
  },
  {
    name: 'that cannot be read have one node, however many documents list them',
    site: (at) => ({
      '/a.xml': urlset(`${at}/sitemap-2.xml`, `${at}/sitemap-3.xml`),
      '/sitemap-2.xml': urlset(`${at}/sitemap-3.xml`, `${at}/sitemap-4.xml`),
      '/sitemap-3.xml': { status: 410 },
      '/sitemap-4.xml': urlset(`${at}/sitemap-3.xml`),
    }),
    expected: [
      'pages-xml /sitemap-2.xml 2',
      'invalid /sitemap-3.xml http-status',
      'pages-xml /sitemap-4.xml 1',
    ],
  },
  {
    name: 'are chosen by callbacks',
    site: (at) => ({
      '/a.xml': urlset(`${at}/sitemap-2.xml`, `${at}/sitemap-3.xml`),
      '/sitemap-2.xml': page,
      '/sitemap-3.xml': other,
    }),
    options: { ...LISTED, recurseCallback: (url) => !url.endsWith('2.xml') },
    expected: ['pages-xml /sitemap-3.xml 1'],
  },
  {
    name: 'are left out where an index before them declares them, and a callback does not want them',
    site: (at) => ({
      '/a.xml': urlset(`${at}/sitemap-index.xml`, `${at}/sitemap-2.xml`),
      '/sitemap-index.xml': { body: ['/sitemap-2.xml', '/x.xml'], delayMs: 60 },
      '/sitemap-2.xml': page,
      '/x.xml': other,
    }),
    options: {
      ...LISTED,
      recurseCallback: (url, _level, _parents, { parent }) =>
        parent.url.endsWith('/a.xml') || !url.endsWith('/sitemap-2.xml'),
    },
    expected: ['index-xml /sitemap-index.xml', '  pages-xml /x.xml 1'],
  },
];

describe('§7 sitemaps that are listed as pages', () => {
  test.each(CASES)('$name', async ({ site, options = LISTED, expected }) => {
    const server = await siteOf((origin) => ({ '/robots.txt': ['/a.xml'], ...site(origin) }));
    const tree = await treeOf(server, options);
    expect(outline(tree, server).slice(2)).toEqual(expected);
    // Their entries stay pages, and a stream has the pages of the tree.
    const inTree = urlsOf(tree.allPages({ unique: true }));
    const inStream = new Set<string>();
    const stream = streamPages(server.origin, options);
    for await (const each of stream) inStream.add(each.page.url);
    expect([...inStream].sort()).toEqual(inTree.sort());
    const invalid = [...tree.allSitemaps()].filter(({ kind }) => kind === 'invalid');
    expect(urlsOf(stream.invalidSitemaps).sort()).toEqual(urlsOf(invalid).sort());
    expect(stream.complete).toBe(tree.complete);
    expect(timesAsked(server, '/a.xml')).toBe(2);
  });

  test('callbacks hear of the document that lists them, and of its level; they have the date of their entry', async () => {
    const server = await siteOf((at) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': urlset([`${at}/sitemap-2.xml`, '2012-03-04'], `${at}/page`),
      '/sitemap-2.xml': page,
    }));
    const heard: [readonly string[], number, readonly string[], ParentSitemap, unknown][] = [];
    await treeOf(server, {
      ...LISTED,
      recurseListCallback: (urls, level, parents, { entries, parent }) => {
        heard.push([urls, level, [...parents], parent, entries[0]?.lastModified?.toISOString()]);
        return urls;
      },
    });
    const date = new Date('2012-03-04');
    expect((await treeOf(server, LISTED)).subSitemaps[1]?.lastModified).toEqual(date);
    const last = (await streamed(server, LISTED)).at(-1)?.sitemap;
    expect(last).toMatchObject({ url: `${server.origin}/sitemap-2.xml`, lastModified: date });
    const { origin } = server;
    expect(heard[1]).toEqual([
      [`${origin}/sitemap-2.xml`],
      1,
      [`${origin}/robots.txt`, `${origin}/a.xml`],
      { url: `${origin}/a.xml`, kind: 'pages-xml' },
      '2012-03-04T00:00:00.000Z',
    ]);
  });

  test('several are requested at once', async () => {
    const { promise: isAsked, resolve } = signalling();
    const server = await siteOf((at) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': urlset(`${at}/sitemap-1.xml`, `${at}/sitemap-2.xml`),
      '/sitemap-1.xml': async () => {
        await isAsked;
        return page;
      },
      '/sitemap-2.xml': () => {
        resolve();
        return other;
      },
    }));
    expect(await treeOf(server, { ...LISTED, maxTimeMs: 30_000 })).toMatchObject({ complete: true });
  });

  test('maxSitemaps leaves out those without room, with their number, and requests no more than it has room for', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `/sitemap-${n}.xml`);
    const server = await siteOf((at) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': urlset(...names.map((name) => `${at}${name}`)),
      ...Object.fromEntries(names.map((name) => [name, page])),
    }));
    const tree = await treeOf(server, { ...LISTED, maxSitemaps: 5 });
    expect(outline(tree, server).slice(2)).toEqual(names.slice(0, 3).map((name) => `pages-xml ${name} 1`));
    expect(tree.problems.map(({ message }) => message)).toEqual([
      '27 of its 30 sitemaps were left out: the tree is full (maxSitemaps).',
    ]);
    expect([tree.complete, tree.stopped?.limit]).toEqual([false, 'maxSitemaps']);
    expect(server.paths()).toHaveLength(5);
    const exact = await treeOf(server, { ...LISTED, maxSitemaps: 32 });
    expect([exact.subSitemaps.length, exact.problems, exact.complete]).toEqual([31, [], true]);
    const [problem] = (await treeOf(server, { ...LISTED, maxSitemaps: 31 })).problems;
    expect(problem?.message).toContain('1 of its 30 sitemaps');
  });

  test('of those that a callback chose, the ones without room are counted', async () => {
    const server = await siteOf((at) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': urlset(...[1, 2, 3, 4].map((number) => `${at}/sitemap-${number}.xml`)),
      '*': page,
    }));
    const options = { ...LISTED, maxSitemaps: 3, recurseCallback: (url: string) => !url.endsWith('-1.xml') };
    const tree = await treeOf(server, options);
    expect(outline(tree, server).slice(2)).toEqual(['pages-xml /sitemap-2.xml 1']);
    expect(tree.problems.map(({ message }) => message)).toEqual([
      '2 of its 3 sitemaps were left out: the tree is full (maxSitemaps).',
    ]);
  });

  test('those that a callback has not decided about in time are counted on the root', async () => {
    const server = await siteOf((at) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': urlset(`${at}/sitemap-1.xml`, `${at}/sitemap-2.xml`),
      '*': page,
    }));
    const recurseCallback = (url: string): boolean | Promise<boolean> =>
      url.endsWith('/a.xml') || new Promise<boolean>(() => {});
    await withMoreTime([300, 3_000, 30_000], async (maxTimeMs) => {
      const tree = await treeOf(server, { ...LISTED, recurseCallback, maxTimeMs });
      expect(outline(tree, server)).toEqual(['robots-txt /robots.txt', '  pages-xml /a.xml 2']);
      expect(tree.problems).toEqual([
        { code: 'too-many-sitemaps', message: expect.stringContaining('2 of its sitemaps were left out') },
      ]);
    });
  });

  test('an update requests them whatever date they are listed with: it is not that of an index', async () => {
    const server = await siteOf((at) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': urlset([`${at}/sitemap-2.xml`, '2012-03-04']),
      '/sitemap-2.xml': page,
    }));
    const previous = await treeOf(server, LISTED);
    const options = { ...LISTED, previous, trustLastmod: true, staleIfError: true };
    server.site['/sitemap-2.xml'] = other;
    expect((await treeOf(server, options)).subSitemaps[1]).toMatchObject({ freshness: 'changed' });
    expect(await streamed(server, options)).toHaveLength(2);
    expect(timesAsked(server, '/sitemap-2.xml')).toBe(3);
  });

  test('those of a document with several places in the tree are asked about and counted once', async () => {
    const names = ['/sitemap-1.xml', '/sitemap-2.xml', '/sitemap-3.xml'];
    const server = await siteOf((at) => ({
      '/robots.txt': ['/x.xml', '/y.xml', '/b.xml'],
      '/x.xml': ['/a.xml'],
      '/y.xml': ['/a.xml'],
      '/a.xml': urlset(...names.map((name) => `${at}${name}`)),
      // The last place is known when the sitemaps of the others were followed.
      '/b.xml': urlset(`${at}/sitemap-b.xml`),
      '/sitemap-b.xml': ['/a.xml'],
      ...Object.fromEntries(names.map((name) => [name, page])),
    }));
    const asked: string[] = [];
    const recurseListCallback = (urls: readonly string[]) => {
      asked.push(...urls.map((url) => url.slice(server.origin.length)));
      return urls.filter((url) => !url.endsWith(names[0]!));
    };
    const tree = await treeOf(server, { ...LISTED, recurseListCallback });
    const isListed = (text: string): boolean => text.includes('/sitemap-');
    expect(outline(tree, server).filter(isListed)).toEqual([
      'pages-xml /sitemap-2.xml 1',
      'pages-xml /sitemap-3.xml 1',
      'index-xml /sitemap-b.xml',
    ]);
    expect(asked.filter(isListed)).toEqual([...names, '/sitemap-b.xml']);
  });

  test('an archive keeps the option, and an update what could not be read', async () => {
    const server = await siteOf((at) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { body: urlset(`${at}/sitemap-2.xml`), headers: { etag: '"1"' } },
      '/sitemap-2.xml': page,
      '/sitemap-3.xml': other,
    }));
    const file = join(folder(), 'site.warc.gz');
    await saveTree(await treeOf(server, LISTED), file);
    const saved = await loadTree(file);
    expect(saved.origin?.options).toMatchObject({ followListedSitemaps: true });
    const options = { ...LISTED, staleIfError: true };
    const expected = ['pages-xml /sitemap-2.xml 1'];

    // Unchanged, or not readable: what it lists is followed as before.
    expect(outline(await treeOf(server, { ...options, previous: saved }), server).slice(2)).toEqual(expected);
    server.site['/a.xml'] = { status: 500 };
    server.site['/sitemap-2.xml'] = { status: 500 };
    const stale = await treeOf(server, { ...options, previous: saved });
    expect(outline(stale, server).slice(2)).toEqual(expected);
    expect(
      urlsOf((await streamed(server, { ...options, previous: saved })).map((each) => each.page)),
    ).toEqual(expect.arrayContaining(['https://example.org/']));
    // Listed no longer, and another one that cannot be read in its place: it may be listed there.
    server.site['/a.xml'] = urlset(`${server.origin}/sitemap-3.xml`);
    server.site['/sitemap-3.xml'] = { status: 503 };
    const open = await treeOf(server, { ...options, previous: saved });
    expect(outline(open, server).slice(2)).toEqual([expect.stringContaining('/sitemap-3.xml'), ...expected]);
    // Listed, and left out: it goes, with a problem.
    server.site['/a.xml'] = urlset(...[2, 3].map((number) => `${server.origin}/sitemap-${number}.xml`));
    const recurseCallback = (url: string): boolean => !url.endsWith('/sitemap-2.xml');
    const chosen = await treeOf(server, { ...options, previous: saved, recurseCallback });
    expect(outline(chosen, server).slice(2)).toEqual([expect.stringContaining('/sitemap-3.xml')]);
    expect(codesOf(chosen.problems)).toEqual(['not-kept']);
    server.site['/a.xml'] = urlset(`${server.origin}/sitemap-3.xml`);
    // Listed no longer: it goes.
    server.site['/sitemap-3.xml'] = other;
    const later = await treeOf(server, { ...options, previous: saved });
    expect(outline(later, server).slice(2)).toEqual(['pages-xml /sitemap-3.xml 1']);
    // Without the option it is not carried over, and the tree says so.
    const without = await treeOf(server, {
      ...QUICK,
      useKnownPaths: false,
      staleIfError: true,
      previous: saved,
    });
    expect(outline(without, server).slice(2)).toEqual([]);
    expect(codesOf(without.problems)).toEqual(['not-kept']);
  });
});

describe('documents that list sitemaps as pages', () => {
  const A = 'https://a.example';
  const under = (...urls: readonly string[]): Lineage =>
    urls.reduce((lineage, url) => lineage.below(A + url, A + url), Lineage.top);
  const outcomeOf = (url: string, listed: string | undefined): PagesOutcome => ({
    type: 'pages',
    kind: 'pages-xml',
    pages: undefined,
    url: A + url,
    status: 200,
    problems: [],
    problemCount: 0,
    truncated: false,
    redirected: false,
    listed:
      listed === undefined
        ? undefined
        : { entries: [{ url: A + listed, lastModified: undefined }], leftOut: 0 },
  });
  const noteIn = (listings: Listings, url: string, lineage: Lineage, listed?: string, declared = url): void =>
    listings.note({ url: A + declared, lastModified: undefined }, lineage, outcomeOf(url, listed));

  test('are followed once, in the order of their URLs', () => {
    const listings = new Listings();
    const names = (): string =>
      listings
        .take()
        .map(({ url }) => url.slice(A.length))
        .join(' ');
    for (const url of ['/c', '/a', '/B', '/a', '/none'])
      noteIn(listings, url, Lineage.top, url === '/none' ? undefined : '/x');
    expect([names(), names()]).toEqual(['/B /a /c', '']);
    for (const url of ['/d', '/a', '/c#x', '/B']) noteIn(listings, url, Lineage.top, '/x');
    expect([names(), names()]).toEqual(['/d', '']);
  });

  test.each([
    ['the level', under('/z'), under('/a', '/b'), '/z'],
    ['the ancestors, at one level', under('/a', '/c'), under('/b', '/a'), '/a /c'],
    ['the second ancestor', under('/a', '/b'), under('/a', '/c'), '/a /b'],
  ])('count at the place that is next to the root, by %s', (_what, near, far, ancestors) => {
    for (const places of [
      [near, far],
      [far, near],
    ]) {
      const listings = new Listings();
      for (const [at, lineage] of places.entries()) noteIn(listings, '/s', lineage, `/${at}`);
      const [listing, ...others] = listings.take();
      expect(others).toEqual([]);
      expect([...(listing?.lineage.urls ?? [])].map((url) => url.slice(A.length)).join(' ')).toBe(ancestors);
      expect(listing?.sitemaps.entries[0]?.url).toBe(`${A}/${places.indexOf(near)}`);
    }
  });

  test('that several URLs redirect to are one document, and all of these URLs are ancestors of what it lists', () => {
    const listings = new Listings();
    noteIn(listings, '/new', under('/i'), '/x', '/old');
    noteIn(listings, '/new', under('/i'), '/x', '/older');
    const [listing, ...others] = listings.take();
    expect([listing?.url, others]).toEqual([`${A}/new`, []]);
    expect(listing?.below.level).toBe(2);
    expect([...(listing?.below.urls ?? [])]).toEqual([`${A}/i`, `${A}/new`]);
    expect(['/old', '/new', '/i', '/x'].map((path) => listing?.below.has(A + path))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
