/** §11.2 Documents that nothing declares any more: kept as stale until what replaces them was read. */
import { describe, expect, test } from 'vitest';
import type { Sitemap, SitemapOptions } from '../../src/index.ts';
import type { ScriptedServer, Site } from '../server/scripted-server.ts';
import { DECLARED, outline, QUICK, siteOf, treeOf, urlsOf } from '../support/crawled-site.ts';

/** The next tree of a site, with what is carried over of an earlier one. */
const nextTree = (server: ScriptedServer, previous: Sitemap, options: SitemapOptions = {}) =>
  treeOf(server, { ...DECLARED, ...options, previous, staleIfError: true });

const pathsOf = (tree: Sitemap, { origin }: ScriptedServer): readonly string[] =>
  [...new Set(urlsOf(tree.allPages()).map((url) => url.replace(origin, '')))].sort();

describe('documents that nothing declares any more', () => {
  const gone = { status: 410 };
  const late = { delayMs: 30 };
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
  ])('%s', async (_what, before, after, pages) => {
    const server = await siteOf(before);
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, after);
    expect(pathsOf(await nextTree(server, previous), server)).toEqual(pages);
  });

  test('are kept where they are at known paths, and those are no longer asked for since robots.txt declares one', async () => {
    const server = await siteOf({ '/sitemap.xml': { pages: ['/1'] } });
    const options = { useKnownPaths: 'if-none-declared' } as const;
    const previous = await treeOf(server, { ...QUICK, ...options });
    Object.assign(server.site, { '/robots.txt': ['/new.xml'], '/new.xml': { status: 503 } });
    expect(pathsOf(await nextTree(server, previous, options), server)).toEqual(['/1']);
  });

  test('are kept run after run, until what was declared when they went is read', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/old.xml'],
      '/old.xml': { pages: ['/1'] },
    });
    let tree = await treeOf(server, DECLARED);
    Object.assign(server.site, { '/index.xml': ['/new.xml'], '/new.xml': { status: 503 } });
    for (const _run of [2, 3, 4]) {
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

  test('have the URL that once declared them where that redirected', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/post.xml'],
      '/post.xml': { redirect: '/real-post.xml' },
      '/real-post.xml': { pages: ['/1'] },
    });
    const previous = await treeOf(server, DECLARED);
    Object.assign(server.site, { '/index.xml': ['/post-1.xml'], '/post-1.xml': { status: 503 } });
    const tree = await nextTree(server, previous);
    expect(tree.subSitemaps.at(-1)).toMatchObject({
      freshness: 'stale',
      url: `${server.origin}/real-post.xml`,
      declaredUrl: `${server.origin}/post.xml`,
    });
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
