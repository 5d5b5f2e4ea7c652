/** Specification §1.4: known paths that list each other, and what homepages link to. Each has one place. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTree, type StreamOptions, saveTree } from '../../src/index.ts';
import type { Site } from '../server/scripted-server.ts';
import {
  codesOf,
  outline,
  QUICK,
  siteOf,
  streamed,
  timesAsked,
  treeOf,
  urlsOf,
} from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';

const page = urlset('https://example.org/');
const other = urlset('https://example.org/other');

/** Only these paths are tried, in this order. */
function trying(...extraKnownPaths: string[]): StreamOptions {
  return { ...QUICK, useRobots: false, useKnownPaths: false, extraKnownPaths };
}

const AB = trying('/a.xml', '/b.xml');
const ABC = trying('/a.xml', '/b.xml', '/c.xml');

interface Case {
  readonly name: string;
  readonly site: Site;
  readonly options?: StreamOptions;
  readonly expected: readonly string[];
  /** What a stream gives besides the pages of the tree: it cannot take back pages. */
  readonly streamedToo?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: 'an index at a known path, and its sitemap at another one',
    site: { '/sitemap-index.xml': ['/sitemap-0.xml'], '/sitemap-0.xml': page },
    options: QUICK,
    expected: ['index-xml /sitemap-index.xml', '  pages-xml /sitemap-0.xml 1'],
  },
  {
    name: 'an index that comes late',
    site: { '/a.xml': { body: ['/b.xml'], delayMs: 60 }, '/b.xml': page },
    expected: ['index-xml /a.xml', '  pages-xml /b.xml 1'],
  },
  {
    name: 'a sitemap that an index of an index lists',
    site: { '/a.xml': ['/x.xml'], '/x.xml': { body: ['/b.xml'], delayMs: 60 }, '/b.xml': page },
    expected: ['index-xml /a.xml', '  index-xml /x.xml', '    pages-xml /b.xml 1'],
  },
  {
    name: 'two that list each other: the first stays',
    site: { '/a.xml': ['/b.xml', '/x.xml'], '/b.xml': ['/a.xml', '/y.xml'], '/x.xml': page, '/y.xml': other },
    expected: [
      'index-xml /a.xml',
      '  index-xml /b.xml',
      '    invalid /a.xml recursion',
      '    pages-xml /y.xml 1',
      '  pages-xml /x.xml 1',
    ],
  },
  {
    name: 'a circle of three: the first stays',
    site: { '/a.xml': ['/b.xml'], '/b.xml': ['/c.xml'], '/c.xml': ['/a.xml', '/x.xml'], '/x.xml': page },
    options: ABC,
    expected: [
      'index-xml /a.xml',
      '  index-xml /b.xml',
      '    index-xml /c.xml',
      '      invalid /a.xml recursion',
      '      pages-xml /x.xml 1',
    ],
  },
  {
    name: 'one that lists itself',
    site: { '/a.xml': ['/a.xml', '/x.xml'], '/x.xml': page },
    expected: ['index-xml /a.xml', '  invalid /a.xml recursion', '  pages-xml /x.xml 1'],
  },
  {
    name: 'a later one that lists an earlier one: that is left out',
    site: { '/a.xml': page, '/b.xml': ['/a.xml', '/x.xml'], '/x.xml': other },
    expected: ['index-xml /b.xml', '  pages-xml /a.xml 1', '  pages-xml /x.xml 1'],
  },
  {
    name: 'each listed by the one behind it: only the last is left',
    site: { '/a.xml': page, '/b.xml': ['/a.xml'], '/c.xml': ['/b.xml'] },
    options: ABC,
    expected: ['index-xml /c.xml', '  index-xml /b.xml', '    pages-xml /a.xml 1'],
  },
  {
    name: 'one that redirects to what an earlier one lists',
    site: { '/a.xml': ['/x.xml'], '/b.xml': { redirect: '/x.xml' }, '/x.xml': page },
    expected: ['index-xml /a.xml', '  pages-xml /x.xml 1'],
  },
  {
    name: 'an earlier one lists what redirects to a later one',
    site: { '/a.xml': ['/x.xml'], '/x.xml': { redirect: '/b.xml' }, '/b.xml': page },
    expected: ['index-xml /a.xml', '  pages-xml /b.xml (/x.xml) 1'],
  },
  {
    name: 'an earlier one redirects to what a later one lists',
    site: { '/a.xml': { redirect: '/x.xml' }, '/b.xml': ['/x.xml'], '/x.xml': page },
    expected: ['index-xml /b.xml', '  pages-xml /x.xml 1'],
  },
  {
    name: 'one that redirects to the index that lists it',
    site: { '/a.xml': ['/b.xml', '/x.xml'], '/b.xml': { redirect: '/a.xml' }, '/x.xml': page },
    expected: ['index-xml /a.xml', '  invalid /b.xml recursion', '  pages-xml /x.xml 1'],
  },
  {
    name: 'a sitemap that two indexes list stays in both',
    site: { '/a.xml': ['/x.xml'], '/b.xml': ['/x.xml'], '/x.xml': page },
    expected: ['index-xml /a.xml', '  pages-xml /x.xml 1', 'index-xml /b.xml', '  pages-xml /x.xml 1'],
  },
  {
    name: 'one that is listed too deep keeps its place',
    site: { '/a.xml': ['/b.xml'], '/b.xml': page },
    options: { ...AB, maxDepth: 0 },
    expected: ['index-xml /a.xml', '  invalid /b.xml max-depth', 'pages-xml /b.xml 1'],
  },
  {
    name: 'one whose sitemaps are too deep elsewhere keeps its place',
    site: { '/a.xml': ['/b.xml'], '/b.xml': ['/x.xml'], '/x.xml': page },
    options: { ...AB, maxDepth: 1 },
    expected: [
      'index-xml /a.xml',
      '  index-xml /b.xml',
      '    invalid /x.xml max-depth',
      'index-xml /b.xml',
      '  pages-xml /x.xml 1',
    ],
  },
  {
    name: 'an earlier one whose sitemaps are too deep in a later one keeps its place',
    site: { '/a.xml': ['/x.xml'], '/b.xml': ['/a.xml'], '/x.xml': page },
    options: { ...AB, maxDepth: 1 },
    expected: [
      'index-xml /a.xml',
      '  pages-xml /x.xml 1',
      'index-xml /b.xml',
      '  index-xml /a.xml',
      '    invalid /x.xml max-depth',
    ],
  },
  {
    name: 'an earlier one keeps its place where the tree is full before the later one has all of it',
    site: { '/a.xml': ['/x.xml'], '/b.xml': ['/a.xml'], '/x.xml': page },
    options: { ...AB, maxSitemaps: 4 },
    expected: ['index-xml /a.xml', '  pages-xml /x.xml 1', 'index-xml /b.xml', '  index-xml /a.xml'],
  },
  {
    name: 'one that an earlier one lists and a callback leaves out',
    site: { '/a.xml': { body: ['/b.xml', '/x.xml'], delayMs: 60 }, '/b.xml': page, '/x.xml': other },
    options: { ...AB, recurseCallback: (url) => !url.endsWith('/b.xml') },
    expected: ['index-xml /a.xml', '  pages-xml /x.xml 1'],
  },
  {
    name: 'a large one that an earlier one lists and a callback leaves out',
    site: { '/a.xml': { body: ['/b.xml', '/x.xml'], delayMs: 60 }, '/b.xml': large(), '/x.xml': other },
    options: { ...AB, recurseCallback: (url) => !url.endsWith('/b.xml') },
    expected: ['index-xml /a.xml', '  pages-xml /x.xml 1'],
  },
  {
    name: 'one that a later one lists and a callback leaves out: a stream has given its pages',
    site: { '/a.xml': page, '/b.xml': { body: ['/a.xml', '/x.xml'], delayMs: 60 }, '/x.xml': other },
    options: { ...AB, recurseCallback: (url) => !url.endsWith('/a.xml') },
    expected: ['index-xml /b.xml', '  pages-xml /x.xml 1'],
    streamedToo: ['https://example.org/'],
  },
  {
    name: 'a known path that a link of the homepage lists',
    site: {
      '/': '<html><head><link rel="sitemap" href="/map.xml"></head></html>',
      '/map.xml': ['/b.xml'],
      '/b.xml': page,
    },
    options: { ...trying('/b.xml'), useHomepageLinks: true },
    expected: ['index-xml /map.xml', '  pages-xml /b.xml 1'],
  },
  {
    name: 'a known path that lists a link of the homepage',
    site: {
      '/': '<html><head><link rel="sitemap" href="/map.xml"></head></html>',
      '/map.xml': page,
      '/b.xml': ['/map.xml'],
    },
    options: { ...trying('/b.xml'), useHomepageLinks: true },
    expected: ['index-xml /b.xml', '  pages-xml /map.xml 1'],
  },
];

/** More than a stream holds in memory until it may be read. */
function large(): string {
  return urlset(...Array.from({ length: 2000 }, (_, n) => `https://example.org/${'x'.repeat(50)}/${n}`));
}

describe('§1.4 what an index declares is not found at a known path', () => {
  test.each(CASES)('$name', async ({ site, options = AB, expected, streamedToo = [] }) => {
    const server = await siteOf(site);
    const tree = await treeOf(server, options);
    expect(outline(tree, server)).toEqual(expected);
    const inTree = [...tree.allPages({ unique: true })].map(({ url }) => url);
    const inStream = (await streamed(server, options)).map((each) => each.page.url);
    // Nothing is lost, and a stream gives each document once.
    expect(inStream.sort()).toEqual([...inTree, ...streamedToo].sort());
  });

  test('a sitemap at two known paths is requested once, and in the order of the list', async () => {
    const server = await siteOf({ '/a.xml': ['/b.xml', '/x.xml'], '/b.xml': page, '/x.xml': page });
    await treeOf(server, { ...AB, concurrency: 1 });
    expect(server.paths()).toEqual(['/a.xml', '/b.xml', '/x.xml']);
  });

  test('one that fails is a failure of the index that lists it, and no problem of the site', async () => {
    const server = await siteOf({
      '/a.xml': ['/b.xml', '/x.xml'],
      '/b.xml': { status: 403 },
      '/x.xml': page,
    });
    const tree = await treeOf(server, AB);
    expect(outline(tree, server)).toContain('  invalid /b.xml http-status');
    expect(codesOf(tree.problems)).toEqual([]);
    const reversed = await treeOf(server, trying('/b.xml', '/a.xml'));
    expect(codesOf(reversed.problems)).toEqual([]);
    expect(reversed.complete).toBe(false);
  });

  test('an update from an archive that has it twice has it once', async () => {
    const server = await siteOf({ '/a.xml': page, '/b.xml': page });
    const file = join(folder(), 'site.warc.gz');
    await saveTree(await treeOf(server, AB), file);
    server.site['/a.xml'] = ['/b.xml'];
    const before = await loadTree(file);
    const tree = await treeOf(server, { ...AB, previous: before, staleIfError: true });
    const expected = ['index-xml /a.xml', '  pages-xml /b.xml 1'];
    expect(outline(tree, server)).toEqual(expected);
    // Where the index fails later, what it listed is there as it was, and has no second place either.
    await saveTree(tree, file);
    server.site['/a.xml'] = { status: 500 };
    const again = await treeOf(server, { ...AB, previous: await loadTree(file), staleIfError: true });
    expect(outline(again, server)).toEqual(expected);
    // Where it is gone, the known path has its own place.
    server.site['/a.xml'] = { status: 410 };
    const gone = await treeOf(server, { ...AB, previous: await loadTree(file), staleIfError: true });
    expect(outline(gone, server)).toEqual(['pages-xml /b.xml 1']);
  });

  test('more known paths than documents are under way at once do not keep a stream from what is declared', async () => {
    const paths = Array.from({ length: 100 }, (_, n) => `/known-${n}.xml`);
    const server = await siteOf({
      '/robots.txt': ['/i.xml'],
      '/i.xml': { body: ['/j.xml'], delayMs: 200 },
      '/j.xml': ['/x.xml'],
      '/x.xml': other,
      ...Object.fromEntries(paths.map((path) => [path, page])),
    });
    const options = { ...QUICK, useKnownPaths: false, extraKnownPaths: paths };
    expect(await streamed(server, options)).toHaveLength(101);
    expect(timesAsked(server, '/x.xml')).toBe(1);
  });
});

test('a declared URL that redirects to a known path, which is requested before, is read in a stream', async () => {
  const server = await siteOf({
    '/robots.txt': ['/old-sitemap.xml'],
    '/old-sitemap.xml': { redirect: '/sitemap.xml', delayMs: 40 },
    '/sitemap.xml': page,
  });
  expect(urlsOf((await streamed(server, QUICK)).map((each) => each.page))).toEqual(['https://example.org/']);
  expect(timesAsked(server, '/sitemap.xml')).toBeLessThanOrEqual(2);
});
