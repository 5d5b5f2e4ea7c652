/** §11.2 Documents that nothing declares any more: kept as stale until what replaces them was read. */
import { describe, expect, test } from 'vitest';
import {
  type Sitemap,
  type SitemapOptions,
  sitemapFromUrl,
  streamPages,
  streamSitemap,
} from '../../src/index.ts';
import { internalsOf } from '../../src/sitemap/sitemap.ts';
import type { ScriptedResponse, ScriptedServer, Site } from '../server/scripted-server.ts';
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
import { index } from '../support/documents.ts';

/** The next tree of a site, with what is carried over of an earlier one. */
const nextTree = (server: ScriptedServer, previous: Sitemap, options: SitemapOptions = {}) =>
  treeOf(server, { ...DECLARED, ...options, previous, staleIfError: true });

const pathsOf = (tree: Sitemap, { origin }: ScriptedServer): readonly string[] =>
  [...new Set(urlsOf(tree.allPages()).map((url) => url.replace(origin, '')))].sort();

/** What a stream gives where a tree would be the next one. */
const nextStreamed = async (
  server: ScriptedServer,
  previous: Sitemap,
  options: SitemapOptions = {},
): Promise<readonly string[]> => {
  const pages = await streamed(server, { ...DECLARED, ...options, previous, staleIfError: true });
  return pages.map(({ page }) => page.url.replace(server.origin, '')).sort();
};

describe('documents that nothing declares any more', () => {
  const gone = { status: 410 };
  const late = { delayMs: 30 };
  /** An index of these children, without its end. */
  const cut = (...children: readonly string[]): ScriptedResponse => {
    const body = index(...children);
    return { body, truncateAfter: body.length - 5 };
  };
  const alias: Site = {
    '/robots.txt': ['/index.xml', '/alias.xml'],
    '/alias.xml': { redirect: '/index.xml' },
    '/index.xml': ['/a.xml'],
    '/a.xml': { pages: ['/1'] },
  };
  test.each<[what: string, before: Site, after: Site, pages: readonly string[]]>([
    [
      'are kept where they are two indexes that list each other, with what these list',
      {
        '/robots.txt': ['/x.xml', '/y.xml'],
        '/x.xml': ['/y.xml', '/a.xml'],
        '/y.xml': ['/x.xml', '/b.xml'],
        '/a.xml': { pages: ['/1'] },
        '/b.xml': { pages: ['/2'] },
      },
      { '/robots.txt': ['/new.xml'], '/new.xml': { status: 503 } },
      ['/1', '/2'],
    ],
    [
      'are kept once where several URLs led to them',
      {
        '/robots.txt': ['/old.xml', '/a.xml', '/older.xml'],
        '/old.xml': { redirect: '/a.xml' },
        '/older.xml': { redirect: '/old.xml' },
        '/a.xml': { pages: ['/1'] },
      },
      { '/robots.txt': ['/new.xml'], '/new.xml': { status: 503 } },
      ['/1'],
    ],
    [
      'are not kept where the URL that led to them leads to another one',
      { '/robots.txt': ['/old.xml'], '/old.xml': { redirect: '/a.xml' }, '/a.xml': { pages: ['/1'] } },
      {
        '/robots.txt': ['/old.xml', '/new.xml'],
        '/old.xml': { redirect: '/b.xml' },
        '/b.xml': { pages: ['/2'] },
        '/new.xml': { status: 503 },
      },
      ['/2'],
    ],
    [
      'are kept where their index is read, and later a URL that led to it is gone',
      alias,
      { '/index.xml': ['/new.xml'], '/new.xml': { status: 503 }, '/alias.xml': { ...gone, ...late } },
      ['/1'],
    ],
    [
      'are kept where a URL that led to their index is gone, and later the index is read',
      alias,
      {
        '/index.xml': { body: ['/new.xml'], ...late },
        '/new.xml': { status: 503 },
        '/alias.xml': gone,
      },
      ['/1'],
    ],
    [
      'are kept where only a redirect led to their index',
      {
        '/robots.txt': ['/alias.xml'],
        '/alias.xml': { redirect: '/index.xml' },
        '/index.xml': ['/a.xml'],
        '/a.xml': { pages: ['/1'] },
      },
      { '/index.xml': ['/new.xml'], '/new.xml': { status: 503 } },
      ['/1'],
    ],
    [
      'are kept where what fails is declared two levels below their index',
      { '/robots.txt': ['/index.xml'], '/index.xml': ['/a.xml'], '/a.xml': { pages: ['/1'] } },
      { '/index.xml': ['/nested.xml'], '/nested.xml': ['/new.xml'], '/new.xml': { status: 503 } },
      ['/1'],
    ],
    [
      'are not kept where what fails is declared below another index',
      {
        '/robots.txt': ['/index.xml', '/other.xml'],
        '/index.xml': ['/a.xml'],
        '/other.xml': ['/b.xml'],
        '/a.xml': { pages: ['/1'] },
        '/b.xml': { pages: ['/2'] },
      },
      { '/index.xml': [], '/other.xml': ['/b.xml', '/new.xml'], '/new.xml': { status: 503 } },
      ['/2'],
    ],
    [
      'are kept where more of their index arrives than before, and still not its end',
      { '/robots.txt': ['/index.xml'], '/index.xml': cut('/a.xml'), '/a.xml': { pages: ['/1'] } },
      { '/index.xml': cut('/b.xml', '/b.xml', '/b.xml'), '/b.xml': { pages: ['/2'] } },
      ['/1', '/2'],
    ],
  ])('%s', async (_what, before, after, pages) => {
    const server = await siteOf(before);
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, after);
    const tree = await nextTree(server, previous);
    expect(pathsOf(tree, server)).toEqual(pages);
    expect(await nextStreamed(server, previous)).toEqual(pages);
    // And in the run after it.
    const again = await nextTree(server, tree);
    expect(outline(again, server)).toEqual(outline(tree, server));
    expect(await nextStreamed(server, tree)).toEqual(pages);
  });

  test('are kept where they are at known paths, and those are no longer asked for since robots.txt declares one', async () => {
    const server = await siteOf({ '/sitemap.xml': { pages: ['/1'] } });
    const options = { useKnownPaths: 'if-none-declared' } as const;
    const previous = await treeOf(server, { ...QUICK, ...options });
    Object.assign(server.site, { '/robots.txt': ['/new.xml'], '/new.xml': { status: 503 } });
    expect(pathsOf(await nextTree(server, previous, options), server)).toEqual(['/1']);
    expect(await nextStreamed(server, previous, options)).toEqual(['/1']);
  });

  test.each([
    ['fails', { status: 503 }, ['/1']],
    ['is HTML', { body: '<!doctype html>' }, ['/1']],
    ['is missing', { status: 404 }, []],
    ['is gone', { status: 410 }, []],
    ['is read', { pages: ['/2'] }, ['/2']],
  ])('of a homepage that links to another sitemap now, which %s', async (_what, response, pages) => {
    const server = await siteOf({ '/': '<link rel=sitemap href=/old.xml>', '/old.xml': { pages: ['/1'] } });
    const options = { useHomepageLinks: true };
    const previous = await treeOf(server, { ...DECLARED, ...options });
    Object.assign(server.site, { '/': '<link rel=sitemap href=/new.xml>', '/new.xml': response });
    expect(pathsOf(await nextTree(server, previous, options), server)).toEqual(pages);
    expect(await nextStreamed(server, previous, options)).toEqual(pages);
    expect(timesAsked(server, '/old.xml')).toBe(1);
  });

  test('do not repeat the index that declared them, where they link back to it', async () => {
    const server = await siteOf({
      '/robots.txt': ['/top.xml'],
      '/top.xml': ['/i.xml', '/a.xml'],
      '/i.xml': ['/top.xml', '/b.xml'],
      '/a.xml': { pages: ['/1'] },
      '/b.xml': { pages: ['/2'] },
    });
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, { '/top.xml': ['/new.xml', '/a.xml'], '/new.xml': { status: 503 } });
    expect(outline(await nextTree(server, previous), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /top.xml',
      '    invalid /new.xml http-status',
      '    pages-xml /a.xml 1',
      'index-xml /i.xml',
      '  invalid /top.xml recursion',
      '  pages-xml /b.xml 1',
    ]);
  });

  test('have their place below an index that is kept, also where another index above that one is not', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/top.xml', '/kept.xml'],
      '/top.xml': ['/other.xml'],
      '/other.xml': ['/kept.xml'],
      '/kept.xml': ['/a.xml'],
      '/a.xml': { pages: ['/1'] },
    });
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, {
      '/robots.txt': ['/top.xml', '/new.xml'],
      '/top.xml': [],
      '/new.xml': { status: 503 },
    });
    expect(outline(await nextTree(server, previous), server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /top.xml',
      '  invalid /new.xml http-status',
      'index-xml /kept.xml',
      '  pages-xml /a.xml 1',
    ]);
  });

  test('say since when and in how many runs they are kept, which ends once what replaces them is read', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml'],
      '/a.xml': { pages: ['/1'] },
    });
    let tree = await treeOf(server, DECLARED);
    const since = internalsOf([...tree.allSitemaps()].at(-1)!).facts?.document?.requestedAt;
    Object.assign(server.site, { '/index.xml': ['/new.xml'], '/new.xml': { status: 503 } });
    for (const runs of [1, 2, 3]) {
      tree = await nextTree(server, tree);
      expect(tree.subSitemaps.at(-1)?.staleness).toMatchObject({ runs, since: new Date(since ?? 0) });
      expect([tree.complete, timesAsked(server, '/a.xml')]).toEqual([false, 1]);
      expect(await nextStreamed(server, tree)).toEqual(['/1']);
    }
    server.site['/new.xml'] = { pages: ['/2'] };
    tree = await nextTree(server, tree);
    expect([pathsOf(tree, server), tree.complete, tree.problems]).toEqual([['/2'], true, []]);
  });

  test('end with maxStaleMs, but not an index while something below it is read', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml', '/b.xml'],
      '/index.xml': ['/a.xml'],
      '/a.xml': { pages: ['/1'] },
      '/b.xml': { pages: ['/2'] },
    });
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, { '/robots.txt': ['/new.xml'], '/new.xml': { status: 503 } });
    const lines = ['robots-txt /robots.txt', '  invalid /new.xml http-status'];
    const kept = await nextTree(server, previous, { maxStaleMs: 60_000 });
    expect(pathsOf(kept, server)).toEqual(['/1', '/2']);
    const tree = await nextTree(server, previous, { maxStaleMs: 0 });
    expect(outline(tree, server)).toEqual([...lines, 'index-xml /index.xml', '  pages-xml /a.xml 1']);
    expect(tree.problems).toEqual([
      {
        code: 'not-kept',
        message: expect.stringMatching(/\/b\.xml is not kept: it was last read on \d{4}-.*\(maxStaleMs\)\.$/),
        option: 'maxStaleMs',
      },
    ]);
    expect(tree.complete).toBe(false);
    expect(await nextStreamed(server, previous, { maxStaleMs: 0 })).toEqual(['/1']);
    // Nothing below the index is left: it ends too, and no stream names it.
    server.site['/a.xml'] = gone;
    const ended = await nextTree(server, previous, { maxStaleMs: 0 });
    expect(outline(ended, server)).toEqual(lines);
    expect(ended.problems.map(({ message }) => message.split(' is ')[0]).sort()).toEqual([
      `${server.origin}/b.xml`,
      `${server.origin}/index.xml`,
    ]);
    const update = { ...DECLARED, previous, staleIfError: true, maxStaleMs: 0 };
    const stream = streamPages(server.origin, update);
    for await (const { page } of stream) expect.fail(page.url);
    expect([...stream.invalidSitemaps, ...stream.incompleteSitemaps].map(({ url }) => url)).not.toContain(
      `${server.origin}/index.xml`,
    );
  });

  test('are kept for what was declared since they went, and not for what failed before', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml', '/b.xml'],
      '/a.xml': { pages: ['/1'] },
      '/b.xml': { pages: ['/2'] },
    });
    const first = await treeOf(server, DECLARED);
    Object.assign(server.site, {
      '/index.xml': ['/a.xml', '/b.xml', '/new.xml'],
      '/new.xml': { status: 503 },
    });
    const second = await nextTree(server, first);
    server.site['/index.xml'] = ['/b.xml', '/new.xml'];
    expect(pathsOf(await nextTree(server, second), server)).toEqual(['/2']);
    // For a tree that never saw the new one, it is declared since then.
    expect(pathsOf(await nextTree(server, first), server)).toEqual(['/1', '/2']);
  });

  test('are kept until what replaces them was missing in as many runs as `goneAfter` says', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml'],
      '/a.xml': { pages: ['/1'] },
    });
    const first = await treeOf(server, DECLARED);
    server.site['/index.xml'] = ['/new.xml'];
    const second = await nextTree(server, first);
    expect(pathsOf(second, server)).toEqual(['/1']);
    expect(pathsOf(await nextTree(server, second), server)).toEqual([]);
    expect(pathsOf(await nextTree(server, first, { goneAfter: 1 }), server)).toEqual([]);
  });

  test('are kept run after run, also where their index fails then, until what was declared when they went is read', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/old.xml'],
      '/old.xml': { pages: ['/1'] },
    });
    let tree = await treeOf(server, DECLARED);
    server.site['/new.xml'] = { status: 503 };
    for (const inIndex of [['/new.xml'], { status: 503 }, ['/new.xml']]) {
      server.site['/index.xml'] = inIndex;
      tree = await nextTree(server, tree);
      expect(pathsOf(tree, server)).toEqual(['/1']);
    }
    server.site['/new.xml'] = { pages: ['/2'] };
    expect(pathsOf(await nextTree(server, tree), server)).toEqual(['/2']);
  });

  test('are kept while new ones lack room, but not in a tree that is full', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml'],
      '/a.xml': { pages: ['/a'] },
      '/b.xml': { pages: ['/b'] },
      '/c.xml': { pages: ['/c'] },
    });
    const first = await treeOf(server, DECLARED);
    server.site['/index.xml'] = ['/b.xml', '/c.xml', '/d.xml'];
    const second = await nextTree(server, first, { maxSitemaps: 4 });
    expect(pathsOf(second, server)).toEqual(['/a', '/b']);
    const third = await nextTree(server, second, { maxSitemaps: 4 });
    expect(pathsOf(third, server)).toEqual(['/b', '/c']);
  });

  test('have the URL that once declared them, its date, and its redirect', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': [['/post.xml', '2024-05-06']],
      '/post.xml': { redirect: '/real-post.xml' },
      '/real-post.xml': { pages: ['/1'] },
    });
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, { '/index.xml': ['/post-1.xml'], '/post-1.xml': { status: 503 } });
    const tree = await nextTree(server, previous);
    const kept = tree.subSitemaps.at(-1)!;
    expect(kept).toMatchObject({
      freshness: 'stale',
      url: `${server.origin}/real-post.xml`,
      declaredUrl: `${server.origin}/post.xml`,
      lastModified: new Date('2024-05-06'),
    });
    // Behind it, an archive has what led to it.
    expect(internalsOf(kept).facts?.hops).toHaveLength(1);
  });

  test('are below the one sitemap that a call is about', async () => {
    const server = await siteOf({
      '/i.xml': ['/a.xml', '/b.xml'],
      '/a.xml': { pages: ['/1'] },
      '/b.xml': { pages: ['/2'] },
    });
    const url = `${server.origin}/i.xml`;
    using previous = await sitemapFromUrl(url, QUICK);
    Object.assign(server.site, { '/i.xml': ['/new.xml', '/b.xml'], '/new.xml': { status: 503 } });
    const update = { ...QUICK, previous, staleIfError: true };
    using sitemap = await sitemapFromUrl(url, update);
    expect(outline(sitemap, server)).toEqual([
      'invalid /new.xml http-status',
      'pages-xml /b.xml 1',
      'pages-xml /a.xml 1',
    ]);
    const stale: unknown[] = [];
    for await (const { page, sitemap: of } of streamSitemap(url, update)) {
      if (of.freshness === 'stale') stale.push([page.url, [...of.parentUrls]]);
    }
    expect(stale).toEqual([[`${server.origin}/1`, [url]]]);
  });

  test('keep the number of runs in which they were missing, for when they are declared again', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/a.xml', '/z.xml'],
      '/a.xml': { pages: ['/1'] },
      '/z.xml': { pages: ['/2'] },
    });
    const first = await treeOf(server, DECLARED);
    server.site['/a.xml'] = { status: 404 };
    const second = await nextTree(server, first);
    Object.assign(server.site, { '/index.xml': ['/new.xml', '/z.xml'], '/new.xml': { status: 503 } });
    const third = await nextTree(server, second);
    expect(pathsOf(third, server)).toEqual(['/1', '/2']);
    server.site['/index.xml'] = ['/a.xml', '/new.xml', '/z.xml'];
    const fourth = await nextTree(server, third);
    expect(outline(fourth, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /index.xml',
      '    invalid /a.xml http-status',
      '    invalid /new.xml http-status',
      '    pages-xml /z.xml 1',
    ]);
  });
});

describe('what an earlier tree has, and a filter, a limit or another option leaves out now', () => {
  const site: Site = {
    '/robots.txt': ['/i.xml'],
    '/i.xml': ['/a.xml', '/b.xml', '/c.xml'],
    '/a.xml': { pages: ['/1'] },
    '/b.xml': { pages: ['/2'] },
    '/c.xml': { pages: ['/3'] },
    '/sitemap.xml': { pages: ['/4'] },
  };
  const notKept = ({ origin }: ScriptedServer, which: string) => ({
    code: 'not-kept',
    message: `${origin}${which} of the earlier tree: left out by a filter, a limit or another option.`,
  });

  test.each<[what: string, options: SitemapOptions, which: string, complete: boolean]>([
    ['a callback', { recurseCallback: (url) => !url.endsWith('/b.xml') }, '/b.xml', true],
    [
      'a callback of lists',
      { recurseListCallback: async (urls) => urls.slice(0, 1) },
      '/b.xml and 1 other sitemap',
      true,
    ],
    ['useRobots', { useRobots: false }, '/robots.txt', true],
    ['extraKnownPaths', { extraKnownPaths: [] }, '/sitemap.xml', true],
    [
      'useKnownPaths, where one is declared',
      {
        useKnownPaths: 'if-none-declared',
        extraKnownPaths: [],
        recurseCallback: (url) => url.endsWith('/i.xml'),
      },
      '/a.xml and 2 other sitemaps',
      true,
    ],
    ['maxDepth', { maxDepth: 1 }, '/a.xml and 2 other sitemaps', false],
  ])('is named by the root: %s', async (_what, options, which, complete) => {
    const server = await siteOf(site);
    const former = { ...DECLARED, extraKnownPaths: ['sitemap.xml'] };
    const previous = await treeOf(server, former);
    const update = { ...former, ...options, previous, staleIfError: true };
    const tree = await treeOf(server, update);
    expect([tree.problems, tree.complete]).toEqual([[notKept(server, which)], complete]);
    const stream = streamPages(server.origin, update);
    for await (const _ of stream);
    expect([stream.problems, stream.complete]).toEqual([tree.problems, complete]);
  });

  test('is named by the one sitemap that a call is about', async () => {
    // A sitemap behind a redirect is declared by another URL.
    const server = await siteOf({
      ...site,
      '/a.xml': { redirect: '/real.xml' },
      '/real.xml': { pages: ['/1'] },
    });
    const url = `${server.origin}/i.xml`;
    using previous = await sitemapFromUrl(url, QUICK);
    const recurseCallback = (child: string): boolean => child.endsWith('/b.xml');
    using sitemap = await sitemapFromUrl(url, { ...QUICK, previous, staleIfError: true, recurseCallback });
    expect(sitemap.problems).toEqual([notKept(server, '/real.xml and 1 other sitemap')]);
    expect(urlsOf(sitemap.allPages())).toEqual([`${server.origin}/2`]);
  });

  test('is named by one sitemap that is too old itself, and stays for the children that are read', async () => {
    const server = await siteOf(site);
    const url = `${server.origin}/i.xml`;
    using previous = await sitemapFromUrl(url, QUICK);
    Object.assign(server.site, { '/i.xml': { status: 503 }, '/a.xml': { status: 503 } });
    const recurseCallback = (child: string): boolean => !child.endsWith('/c.xml');
    const update = { ...QUICK, previous, staleIfError: true, maxStaleMs: 0, recurseCallback };
    using sitemap = await sitemapFromUrl(url, update);
    expect(outline(sitemap, server)).toEqual(['invalid /a.xml http-status', 'pages-xml /b.xml 1']);
    expect(sitemap.filteredUrls).toEqual([`${server.origin}/c.xml`]);
    expect(sitemap.problems).toMatchObject([
      { code: 'stale', failure: 'http-status', status: 503 },
      notKept(server, '/c.xml'),
      { code: 'not-kept', option: 'maxStaleMs' },
    ]);
    const pages: string[] = [];
    for await (const { page } of streamSitemap(url, update)) pages.push(page.url);
    expect(pages).toEqual([`${server.origin}/2`]);
  });
});
