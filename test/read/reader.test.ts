/** §8: the children of indexes are kept up to a limit in bytes. `test/crawl/limits.test.ts` shows it in a crawl. */
import { describe, expect, test } from 'vitest';
import { streamPages } from '../../src/index.ts';
import type { SitemapEntry } from '../../src/parse/index.ts';
import { SitemapPage } from '../../src/parse/model/page.ts';
import {
  Entries,
  EntryAllowance,
  isRedirectedRobots,
  isSiteRobots,
  ListedAsPages,
  tooManySitemaps,
} from '../../src/read/reader.ts';
import { DECLARED, siteOf, streamed, treeOf, urlsOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';

const LENGTH = 2_000;
const LISTED = 10_000;
/** 250,000 children of 400 bytes are allowed for; each has 200 bytes besides its URL. */
const ROOM = Math.floor((250_000 * 400) / (200 + LENGTH));

const children: readonly SitemapEntry[] = Array.from({ length: LISTED }, (_, at) => ({
  url: `https://example.org/${at}-`.padEnd(LENGTH, 'x'),
  lastModified: undefined,
}));

/** Indexes that list the same children, one after the other. */
function filled(allowance: EntryAllowance, indexes: number): Entries[] {
  return Array.from({ length: indexes }, () => {
    const entries = new Entries(allowance);
    entries.add(children);
    return entries;
  });
}

describe('§8 the children of indexes', () => {
  test('long URLs count for what they are, and what has no room is counted', () => {
    const all = filled(new EntryAllowance(100, { isFiltered: false }), 6);
    const kept = all.map((entries) => entries.kept.length);
    expect(kept).toEqual([LISTED, LISTED, LISTED, LISTED, ROOM - 4 * LISTED, 0]);
    for (const entries of all) expect(entries.kept.length + entries.leftOut).toBe(LISTED);
  });

  test('callbacks have eight times as many to choose from', () => {
    const all = filled(new EntryAllowance(100, { isFiltered: true }), 40);
    const kept = all.map((entries) => entries.kept.length).reduce((sum, count) => sum + count, 0);
    expect(kept).toBe(Math.floor((8 * 250_000 * 400) / (200 + LENGTH)));
  });

  test('what is discarded leaves its room to others', () => {
    const allowance = new EntryAllowance(100, { isFiltered: false });
    const [first] = filled(allowance, 5);
    first?.discard();
    expect(first?.kept).toEqual([]);
    expect(filled(allowance, 1)[0]?.kept).toHaveLength(LISTED);
  });
});

describe('§8 how many children of one million bytes there is room for', () => {
  const large: SitemapEntry = { url: 'x'.repeat(1_000_000 - 200), lastModified: undefined };
  const countIn = (allowance: EntryAllowance): number => {
    let count = 0;
    while (allowance.take(large)) count++;
    return count;
  };

  test.each([
    [1, false, 100],
    [250_000, false, 100],
    [250_001, false, 100],
    [500_000, false, 200],
    [1, true, 800],
    [500_000, true, 1600],
  ])('with maxSitemaps %i and callbacks (%j): %i', (maxSitemaps, isFiltered, count) => {
    expect(countIn(new EntryAllowance(maxSitemaps, { isFiltered }))).toBe(count);
  });

  test('to the byte, and as much again as is given back', () => {
    const allowance = new EntryAllowance(1, { isFiltered: false });
    expect(countIn(allowance)).toBe(100);
    expect(allowance.take({ url: '', lastModified: undefined })).toBe(false);
    for (const _ of [1, 2]) {
      allowance.giveBack(large);
      expect(countIn(allowance)).toBe(1);
    }
  });
});

test('the problem of a full tree says how many of all sitemaps were left out', () => {
  expect(tooManySitemaps(2, 10)).toEqual({
    code: 'too-many-sitemaps',
    message: '2 of its 10 sitemaps were left out: the tree is full (maxSitemaps).',
    option: 'maxSitemaps',
  });
});

test('§3 sitemaps among pages are those of the host and port of the document, with what is said of them', () => {
  const allowance = new EntryAllowance(1, { isFiltered: false });
  const listed = new ListedAsPages('http://example.org:8080/pages.xml', allowance);
  const lastModified = new Date(0);
  const urls = ['http://example.org:8080/sitemap-1.xml', 'http://user:secret@example.org:8080/sitemap-2.xml'];
  const others = [
    'http://example.org/sitemap-3.xml',
    'http://a.test:8080/sitemap.xml',
    'http://example.org:8080/a',
  ];
  listed.add([...urls, ...others].map((url) => new SitemapPage({ url, lastModified })));
  expect(listed.sitemaps).toEqual({
    entries: urls.map((url) => ({ url: url.replace('user:secret@', ''), lastModified })),
    leftOut: 0,
  });
});

test.each([
  ['https://example.org/robots.txt', 'https://example.org/robots.txt', [], false],
  ['https://example.org/rules', 'https://example.org/robots.txt', [], true],
  ['https://example.org/rules', 'https://example.org/robots.txt', ['https://example.org/'], false],
  ['https://example.org/rules', 'https://example.org/sitemap.xml', [], false],
])('§3 whether %s is a robots.txt that %s below %j redirects to: %j', (at, url, parents, isOne) => {
  expect(isRedirectedRobots(at, { url, lastModified: undefined, parentUrls: new Set(parents) })).toBe(isOne);
});

describe('§8 where there is hardly any room left', () => {
  const child = (length: number): SitemapEntry => ({
    url: 'https://example.org/'.padEnd(length, 'x'),
    lastModified: undefined,
  });
  /** Room for one child whose URL has this length. */
  const withRoomFor = (length: number): EntryAllowance => {
    const allowance = new EntryAllowance(1, { isFiltered: false });
    while (allowance.take(child(1_000_000)));
    for (let size = 2 ** 19; size >= 1; size /= 2) while (allowance.take(child(size)));
    allowance.giveBack(child(length));
    return allowance;
  };

  test('the children that are kept are the first ones: none behind one that did not fit', () => {
    const entries = new Entries(withRoomFor(600));
    entries.add([child(200), child(301), child(30)]);
    expect([entries.kept.map(({ url }) => url.length), entries.leftOut]).toEqual([[200], 2]);
  });

  test('sitemaps among pages of which none has room are counted', () => {
    const listed = new ListedAsPages('https://example.org/pages.xml', withRoomFor(1));
    expect(listed.sitemaps).toBeUndefined();
    listed.add([new SitemapPage({ url: 'https://example.org/sitemap.xml' })]);
    expect(listed.sitemaps).toEqual({ entries: [], leftOut: 1 });
  });
});

test.each([
  ['https://example.org/robots.txt', [], true],
  ['https://example.org/robots.txt', ['https://example.org/index.xml'], false],
  ['https://example.org/sitemap.xml', [], false],
])('§3 %s below %j is the robots.txt of the site: %j', (url, parents, isOne) => {
  expect(isSiteRobots({ url, lastModified: undefined, parentUrls: new Set(parents) })).toBe(isOne);
});

test('§11.2 a robots.txt of an earlier tree that is still the same declares all its sitemaps again', async () => {
  const etag = '"v1"';
  // No line break behind the last one: only the end of the document ends it.
  const body = 'Sitemap: /1.xml\nSitemap: /2.xml';
  const server = await siteOf({
    '/robots.txt': ({ headers }) =>
      headers['if-none-match'] === etag ? { status: 304 } : { body, headers: { etag } },
    '/1.xml': urlset('https://example.org/1'),
    '/2.xml': urlset('https://example.org/2'),
  });
  const previous = await treeOf(server, DECLARED);
  const tree = await treeOf(server, { ...DECLARED, previous });
  const streamed: string[] = [];
  for await (const { page } of streamPages(server.origin, { ...DECLARED, previous })) streamed.push(page.url);
  const pages = ['https://example.org/1', 'https://example.org/2'];
  expect([tree.subSitemaps[0]?.freshness, urlsOf(tree.allPages())]).toEqual(['unchanged', pages]);
  expect(streamed.toSorted()).toEqual(pages);
});

test('§11.2 a urlset of an earlier tree that is still the same lists its sitemaps again', async () => {
  const etag = '"v1"';
  const page = 'https://example.org/1';
  const server = await siteOf((origin) => ({
    '/robots.txt': ['/a.xml'],
    '/a.xml': ({ headers }) =>
      headers['if-none-match'] === etag
        ? { status: 304 }
        : { body: urlset(`${origin}/sitemap-2.xml`), headers: { etag } },
    '/sitemap-2.xml': urlset(page),
  }));
  const previous = await treeOf(server, DECLARED);
  const options = { ...DECLARED, previous, followListedSitemaps: true };
  const tree = await treeOf(server, options);
  expect(urlsOf(tree.allPages())).toContain(page);
  expect(urlsOf((await streamed(server, options)).map((each) => each.page))).toContain(page);
});

test('§3 a robots.txt that redirects to another path is read as one, in a tree and in a stream', async () => {
  const server = await siteOf({
    '/robots.txt': { redirect: '/static/robots-live' },
    '/static/robots-live': 'User-agent: *\nSitemap: /s.xml\n',
    '/s.xml': urlset('https://example.org/1'),
  });
  const pages = ['https://example.org/1'];
  expect(urlsOf((await treeOf(server, DECLARED)).allPages())).toEqual(pages);
  expect(urlsOf((await streamed(server, DECLARED)).map(({ page }) => page))).toEqual(pages);
});
