/** §13: the sitemaps of a summary as rows. */
import { describe, expect, test } from 'vitest';
import {
  IndexXMLSitemap,
  InvalidSitemap,
  PagesTextSitemap,
  PagesXMLSitemap,
  type Sitemap,
} from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { sitemapRows } from '../../src/summary/sitemap-rows.ts';
import { pagesNode, SITE, source, urlset } from '../support/trees.ts';

const spool = new Spool({ memoryBytes: 1_000_000 });
const failed = (name: string, code = 'timeout', status?: number): Sitemap =>
  new InvalidSitemap({ url: `${SITE}${name}`, code, status, reason: `${name} failed.` });
const indexOf = (subSitemaps: readonly Sitemap[], url = `${SITE}index.xml`): Sitemap =>
  new IndexXMLSitemap({ url, subSitemaps });
const rowsOf = (tree: Sitemap) => sitemapRows(tree, () => ({ pages: 1, problems: 2 }));
/** Enough alike ones that rows are grouped. */
const MANY = Array.from({ length: 2_000 }, (_, at) => failed(`many/${at}`));

describe('a sitemap of each row, or several', () => {
  test.each([
    [1_999, 1_999, 0, undefined],
    [2_000, 1, 0, `${SITE}many/{n}`],
  ])('a tree with %d sitemaps below its top has %d rows there', (count, rows, more, url) => {
    const tree = rowsOf(indexOf(MANY.slice(0, count)));
    expect([tree.sitemaps.length, tree.more]).toEqual([rows, more]);
    expect(tree.sitemaps[0]).toMatchObject({
      url: url ?? `${SITE}many/0`,
      count: url === undefined ? 1 : count,
    });
    expect([tree.pages, tree.problems]).toEqual([count + 1, 2]);
  });

  test('alike are those of one kind, code and URL but for its digits; those of the host and of escapes count', () => {
    const urls = ['a1?x=2', 'a22?x=33', 'b1', 'b%201', 'b%202', 'b%212'];
    const text = new PagesTextSitemap({ url: `${SITE}a1?x=2`, pages: source(spool, '') });
    const subSitemaps = [
      ...MANY,
      ...urls.map((url) => pagesNode(spool, url)),
      text,
      failed('a1', 'http-status', 404),
      failed('a2', 'http-status', 500),
      failed('a3', 'reset'),
      ...['HTTP://a1.org:81/1', 'HTTP://a1.org:81/2', 'HTTP://a1.org:82/2'].map((url) => indexOf([], url)),
    ];
    const { sitemaps } = rowsOf(indexOf(subSitemaps));
    expect(
      sitemaps.slice(1).map(({ url, count, kind, failure }) => [url, count, kind, failure?.status]),
    ).toEqual([
      [`${SITE}a{n}?x={n}`, 2, 'pages-xml', undefined],
      [`${SITE}b1`, 1, 'pages-xml', undefined],
      [`${SITE}b%20{n}`, 2, 'pages-xml', undefined],
      [`${SITE}b%212`, 1, 'pages-xml', undefined],
      [`${SITE}a1?x=2`, 1, 'pages-text', undefined],
      [`${SITE}a{n}`, 2, 'invalid', 404],
      [`${SITE}a3`, 1, 'invalid', undefined],
      ['HTTP://a1.org:81/{n}', 2, 'index-xml', undefined],
      ['HTTP://a1.org:82/2', 1, 'index-xml', undefined],
    ]);
    expect(sitemaps[6]).toMatchObject({
      example: `${SITE}a1`,
      failure: { code: 'http-status', status: 404, reason: 'a1 failed.' },
    });
    expect(sitemaps[7]).not.toHaveProperty('example');
    expect(sitemaps[7]?.failure).toStrictEqual({ code: 'reset', reason: 'a3 failed.' });
  });

  test('a row has the sums of its sitemaps, the newest date, and how fresh they are where that is the same', () => {
    const node = (name: string, more: object): Sitemap =>
      new PagesXMLSitemap({ url: `${SITE}${name}`, pages: source(spool, urlset()), ...more });
    const date = (day: number) => new Date(Date.UTC(2013, 4, day));
    const { sitemaps } = rowsOf(
      indexOf([
        ...MANY,
        node('a1', {
          bytes: 10,
          truncated: true,
          lastModified: date(6),
          facts: { durationMs: 1.4 },
          freshness: 'new',
        }),
        node('a2', { lastModified: date(8), facts: { durationMs: 2.4 }, freshness: 'new' }),
        node('a3', { bytes: 5, truncated: true, lastModified: date(7), freshness: 'new' }),
        node('b1', { freshness: 'stale' }),
        node('b2', { freshness: 'unchanged' }),
        node('c1', { freshness: 'unchanged' }),
        node('c2', {}),
      ]),
    );
    const row = { kind: 'pages-xml', problems: 4, count: 2, pages: 2, truncated: 0, sitemaps: [], more: 0 };
    expect(sitemaps.slice(1)).toStrictEqual([
      {
        ...row,
        url: `${SITE}a{n}`,
        example: `${SITE}a1`,
        count: 3,
        pages: 3,
        truncated: 2,
        problems: 6,
        bytes: 15,
        durationMs: 3,
        lastModified: '2013-05-08T00:00:00.000Z',
        freshness: 'new',
      },
      { ...row, url: `${SITE}b{n}`, example: `${SITE}b1` },
      { ...row, url: `${SITE}c{n}`, example: `${SITE}c1` },
    ]);
  });

  test('the children of all sitemaps of a row are its children', () => {
    const parents = [1, 2].map((at) =>
      indexOf([failed(`child/${at}`), failed('other')], `${SITE}parent/${at}`),
    );
    const [, row] = rowsOf(indexOf([...MANY, ...parents])).sitemaps;
    expect([row?.url, row?.pages, row?.sitemaps.map(({ url, count }) => [url, count])]).toEqual([
      `${SITE}parent/{n}`,
      6,
      [
        [`${SITE}child/{n}`, 2],
        [`${SITE}other`, 2],
      ],
    ]);
  });
});

test('where rows are left out, failures and truncated sitemaps come first, each in their order', () => {
  const wordOf = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  const plain = Array.from({ length: 2_000 }, (_, at) => indexOf([], `${SITE}${wordOf(at)}`));
  const cut = new PagesXMLSitemap({ url: `${SITE}cut`, truncated: true, pages: source(spool, urlset()) });
  const { sitemaps, more } = rowsOf(indexOf([...plain, cut, failed('z'), ...plain.slice(0, 1)]));
  expect(sitemaps.slice(0, 3).map(({ url }) => url)).toEqual([`${SITE}cut`, `${SITE}z`, `${SITE}a`]);
  expect([sitemaps.length, sitemaps.at(-1)?.url, more]).toEqual([1_999, `${SITE}${wordOf(1_996)}`, 3]);
});

test('forty levels below the top are shown, and what is deeper is counted', () => {
  let node = indexOf([failed('a'), failed('b')]);
  for (let depth = 0; depth < 40; depth++) node = indexOf([node]);
  let row = rowsOf(node);
  expect([row.pages, row.more]).toEqual([43, 0]);
  let levels = 0;
  for (; row.sitemaps[0] !== undefined; levels++) row = row.sitemaps[0];
  expect([levels, row.more, row.pages]).toEqual([40, 2, 3]);
});

test('a long URL, example and reason are clipped', () => {
  const long = 'x'.repeat(3_000);
  const [row] = rowsOf(indexOf([failed(long)])).sitemaps;
  expect([row?.url.length, row?.failure?.reason.length]).toEqual([2049, 2049]);
  const grouped = rowsOf(indexOf([...MANY, failed(`${long}1`), failed(`${long}2`)])).sitemaps[1];
  expect([grouped?.url.length, grouped?.example?.length, grouped?.count]).toEqual([2049, 2049, 2]);
});

test('a sitemap at two places has its pages at both, and they count for each', () => {
  const shared = indexOf([failed('a')], `${SITE}shared`);
  const { pages, sitemaps } = rowsOf(indexOf([shared, shared]));
  expect([pages, sitemaps.map((row) => row.pages)]).toEqual([5, [2, 2]]);
});
