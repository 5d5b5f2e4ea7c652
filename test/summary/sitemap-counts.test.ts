/** §13: sitemaps by kind, failures by reason, problems by code, and how much of a limit sitemaps use. */
import { describe, expect, test } from 'vitest';
import { summarize } from '../../src/index.ts';
import type { Problem } from '../../src/problems/problem-list.ts';
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesAtomSitemap,
  PagesRSSSitemap,
  PagesXMLSitemap,
  type Sitemap,
} from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { LimitCounts, SitemapCounts } from '../../src/summary/sitemap-counts.ts';
import { pagesNode, SITE, source, urlset } from '../support/trees.ts';

const spool = new Spool({ memoryBytes: 1_000_000 });
const invalid = (
  name: string,
  code: string,
  more: { status?: number; option?: string } = {},
): InvalidSitemap => new InvalidSitemap({ url: `${SITE}${name}`, code, reason: `${name} failed.`, ...more });
const countsOf = (...sitemaps: readonly Sitemap[]) => {
  const counts = new SitemapCounts();
  for (const sitemap of sitemaps) counts.add(sitemap, false, { problems: [], problemCount: 0 });
  return counts.summary();
};

test('limits and local files leave sitemaps that were not fetched; all other failures are unreadable', () => {
  const codes = [
    'limit',
    'not-fetched',
    'limit',
    'max-depth',
    'private-network',
    'not-in-archive',
    'http-status',
  ];
  const { sitemaps, failures } = countsOf(...codes.map((code) => invalid(code, code)));
  expect(sitemaps).toEqual({
    count: 0,
    notFetched: 3,
    unreadable: 4,
    truncated: 0,
    stale: 0,
    kinds: { invalid: 7 },
  });
  expect(failures.map(({ code, count }) => [code, count])).toEqual([
    ['limit', 2],
    ...codes
      .slice(1)
      .filter((code) => code !== 'limit')
      .map((code) => [code, 1]),
  ]);
});

test('items of feeds are no stories, with a title or without; those of news sitemaps are', async () => {
  const item = (path: string, title: string) => `<item><link>${SITE}${path}</link>${title}</item>`;
  const rss = `<rss version="2.0"><channel>${item('1', '<title>A</title>')}${item('2', '<title>B</title>')}${item('3', '')}</channel></rss>`;
  const news = '<n:news><n:title>T</n:title></n:news>';
  const stories = urlset('4', '5').replaceAll('</loc>', `</loc>${news}`);
  const feed = new PagesRSSSitemap({ url: `${SITE}feed`, pages: source(spool, rss, `${SITE}feed`) });
  const namespaced = stories.replace(
    '<urlset ',
    '<urlset xmlns:n="http://www.google.com/schemas/sitemap-news/0.9" ',
  );
  const subSitemaps = [
    feed,
    new PagesXMLSitemap({ url: `${SITE}news.xml`, pages: source(spool, namespaced) }),
  ];
  const tree = new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps });
  expect(await summarize(feed)).toMatchObject({ feeds: { items: 3 }, news: { pages: 0 } });
  expect(await summarize(tree)).toMatchObject({ feeds: { items: 3 }, news: { pages: 2 } });
});

test('a failure has the first URL, reason, status and option of its code and status', () => {
  const { failures } = countsOf(
    invalid('a', 'http-status', { status: 404 }),
    invalid('b', 'http-status', { status: 503, option: 'retries' }),
    invalid('c', 'http-status', { status: 503 }),
    invalid(`${'d'.repeat(3000)}`, 'timeout'),
  );
  const long = `${SITE}${'d'.repeat(2048 - SITE.length)}…`;
  expect(failures).toStrictEqual([
    { code: 'http-status', status: 503, count: 2, url: `${SITE}b`, reason: 'b failed.', option: 'retries' },
    { code: 'http-status', status: 404, count: 1, url: `${SITE}a`, reason: 'a failed.' },
    { code: 'timeout', count: 1, url: long, reason: `${'d'.repeat(2048)}…` },
  ]);
});

test('a document at another place counts once; a failure counts at each place', () => {
  const counts = new SitemapCounts();
  const problem: Problem = { code: 'bad-date', message: 'First.' };
  const noticed = {
    problems: [problem, { code: 'doctype', message: 'Second.' } as const, problem],
    problemCount: 205,
  };
  const fields = { pages: source(spool, urlset()), bytes: 70, truncated: true, freshness: 'stale' } as const;
  const sitemap = new PagesXMLSitemap({ url: `${SITE}a.xml`, ...fields });
  counts.add(sitemap, false, noticed);
  counts.add(sitemap, true, noticed);
  const second = { problems: [{ code: 'doctype', message: 'Third.' } as const], problemCount: 1 };
  counts.add(new IndexXMLSitemap({ url: `${SITE}b.xml`, subSitemaps: [], bytes: 5 }), false, second);
  counts.add(new IndexRobotsTxtSitemap({ url: `${SITE}robots.txt`, subSitemaps: [] }), false, second);
  counts.add(invalid('gone', 'limit'), true, { problems: [], problemCount: 0 });
  const { sitemaps, bytes, problems, failures } = counts.summary();
  expect(sitemaps).toEqual({
    count: 2,
    notFetched: 1,
    unreadable: 0,
    truncated: 1,
    stale: 1,
    kinds: { 'pages-xml': 1, 'index-xml': 1, 'robots-txt': 1 },
  });
  expect([bytes, failures.length]).toEqual([75, 1]);
  expect(problems).toEqual({
    count: 207,
    codes: [
      { code: 'doctype', count: 3, url: `${SITE}a.xml`, message: 'Second.' },
      { code: 'bad-date', count: 2, url: `${SITE}a.xml`, message: 'First.' },
    ],
  });
});

describe('how much of a limit sitemaps use', () => {
  test.each([
    [0, 0],
    [1, 0],
    [20, 0],
    [21, 1],
    [40, 1],
    [180, 8],
    [181, 9],
    [200, 9],
  ])('%d of 200 is in the step %d, from 0', (value, step) => {
    const counts = new LimitCounts(200);
    counts.add('a', value);
    const { within, over } = counts.summary();
    expect([within.indexOf(1), within.length, over, counts.sitemaps]).toEqual([step, 10, 0, 1]);
  });

  test('more than the limit is over it, and the first of the largest is the largest', () => {
    const counts = new LimitCounts(200);
    expect(counts.summary()).toEqual({ within: Array(10).fill(0), over: 0 });
    for (const [url, value] of [
      ['a', 200],
      ['b', 201],
      ['c', 201],
      ['d', 500],
      ['e', 500],
      ['f', 3],
    ] as const)
      counts.add(url, value);
    expect(counts.summary()).toEqual({
      within: [1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      over: 4,
      largest: { url: 'd', value: 500 },
    });
    expect(counts.sitemaps).toBe(6);
  });
});

test('limits count what lists pages or sitemaps: an index by all that it declares, each document once', async () => {
  const shared = pagesNode(spool, 'a.xml', 'a1', 'a2');
  const index = new IndexXMLSitemap({
    url: `${SITE}index.xml`,
    subSitemaps: [shared, invalid('gone.xml', 'timeout')],
    filteredUrls: [`${SITE}x.xml`, `${SITE}y.xml`, `${SITE}z.xml`],
    bytes: 70,
    problems: [{ code: 'bad-date', message: 'A date.' }],
    problemCount: 3,
  });
  const atom =
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://example.org/n"/></entry></feed>';
  const feed = new PagesAtomSitemap({
    url: `${SITE}atom`,
    pages: source(spool, atom, `${SITE}atom`),
    bytes: 99,
  });
  const robots = new IndexRobotsTxtSitemap({
    url: `${SITE}robots.txt`,
    subSitemaps: [index, shared, feed],
    bytes: 900,
  });
  const stopped = { limit: 'maxPages', message: 'Enough.' };
  const summary = await summarize(
    new IndexWebsiteSitemap({ url: SITE, subSitemaps: [robots], complete: false, stopped, documents: spool }),
  );
  expect(summary.limits).toMatchObject({
    sitemaps: 3,
    entries: { within: [3, 0, 0, 0, 0, 0, 0, 0, 0, 0], largest: { url: index.url, value: 5 } },
    bytes: { within: [3, 0, 0, 0, 0, 0, 0, 0, 0, 0], largest: { url: feed.url, value: 99 } },
  });
  expect([summary.bytes, summary.stopped, summary.complete]).toEqual([1069, stopped, false]);
  expect([summary.problems.count, summary.problems.codes]).toEqual([
    3,
    [{ code: 'bad-date', count: 1, url: index.url, message: 'A date.' }],
  ]);
  expect([summary.pages, summary.feeds, summary.news]).toEqual([
    { count: 3, distinct: 3 },
    { items: 1 },
    { pages: 0 },
  ]);
  expect(summary).not.toHaveProperty('readAt');
});
