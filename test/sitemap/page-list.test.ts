/** §5: pages to iterate over, sync or async, in batches or one by one. */
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { SitemapPage } from '../../src/index.ts';
import { AsyncBatchItems, joined, PageList } from '../../src/sitemap/page-list.ts';
import { IndexXMLSitemap, PagesXMLSitemap } from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { pagesNode, SITE, source } from '../support/trees.ts';

const pagesOf = (...urls: readonly string[]) => urls.map((url) => ({ url }) as unknown as SitemapPage);
const urlsOf = (pages: readonly SitemapPage[]) => pages.map(({ url }) => url);

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Batches that say whether they were ended. */
function batchesOf(...batches: readonly (readonly string[])[]) {
  const ends: string[] = [];
  return {
    ends,
    *batches() {
      try {
        for (const batch of batches) yield pagesOf(...batch);
      } finally {
        ends.push('sync');
      }
    },
    async *batchesAsync() {
      try {
        for (const batch of batches) yield pagesOf(...batch);
      } finally {
        ends.push('async');
      }
    },
  };
}

test('empty batches anywhere do not end a loop, and a loop that is left ends the batches', async () => {
  const batches = batchesOf([], ['a', 'b'], [], [], ['c'], []);
  const list = new PageList(joined(() => [batches, batchesOf(), batchesOf(['d'])]));
  expect([urlsOf([...list]), urlsOf(list.toArray()), urlsOf(await all(list))]).toEqual(
    Array(3).fill(['a', 'b', 'c', 'd']),
  );
  expect([[...list.batches()].flat().length, (await all(list.batchesAsync())).flat().length]).toEqual([4, 4]);
  batches.ends.length = 0;
  for (const page of list) if (page.url === 'b') break;
  for await (const page of list) if (page.url === 'a') break;
  expect(batches.ends).toEqual(['sync', 'async']);
  const iterator = list[Symbol.iterator]();
  expect([iterator.next().value?.url, iterator.return?.(), iterator.next().done]).toEqual([
    'a',
    { done: true, value: undefined },
    true,
  ]);
});

test('what arrays have says what to use instead, and what a console shows is no empty object', () => {
  const list = new PageList(batchesOf(['a']));
  for (const name of 'at every filter find findIndex flatMap forEach includes indexOf join map reduce slice some sort'.split(
    ' ',
  )) {
    expect(() => Reflect.get(list, name)).toThrow(
      `Pages are read as you walk over them, and have no "${name}": use toArray().${name}(…), or a loop.`,
    );
  }
  expect(() => Reflect.get(list, 'length')).toThrow('use pageCount of the sitemap, or toArray().length.');
  expect(inspect(list)).toContain('for (const page of pages)');
  expect(list.leftOut).toEqual({});
});

describe('a signal', () => {
  test('ends a loop in the middle of a batch with its reason, once, and the batches with it', async () => {
    const stop = new AbortController();
    const batches = batchesOf(['a', 'b', 'c'], ['d']);
    const items = new AsyncBatchItems(batches.batchesAsync(), stop.signal);
    expect((await items.next()).value?.url).toBe('a');
    expect((await items.next()).value?.url).toBe('b');
    stop.abort(new Error('enough'));
    await expect(items.next()).rejects.toThrow('enough');
    expect(batches.ends).toEqual(['async']);
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  test('an item of a batch that has come is there at once, also after one that was waited for', async () => {
    const items = new AsyncBatchItems(batchesOf(['a', 'b', 'c']).batchesAsync());
    const given: (string | undefined)[] = [];
    await items.next();
    for (const expected of ['b', 'c']) {
      items.next().then(({ value }) => given.push(value?.url));
      // One step of promises, and not those of the batches: a walk has millions of pages.
      await undefined;
      expect(given.at(-1)).toBe(expected);
    }
  });

  test('an error of the batches rejects the call that waits for it, and later calls end', async () => {
    async function* failing(): AsyncGenerator<readonly number[]> {
      yield [1];
      throw new Error('broken');
    }
    const items = new AsyncBatchItems(failing());
    const results = await Promise.allSettled([items.next(), items.next(), items.next()]);
    expect(results.map((result) => (result.status === 'rejected' ? 'rejected' : result.value.done))).toEqual([
      false,
      'rejected',
      true,
    ]);
  });
});

describe('filters of allPages', () => {
  const spool = new Spool({ memoryBytes: 1e6 });
  const link = (href: string) => `<xhtml:link rel="alternate" hreflang="de" href="${SITE}${href}"/>`;
  const alternates = new PagesXMLSitemap({
    url: `${SITE}c.xml`,
    pages: source(
      spool,
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">' +
        `<url><loc>${SITE}c1</loc>${link('a1')}${link('x')}${link('x')}</url><url><loc>${SITE}c2</loc>${link('x')}` +
        '</url></urlset>',
    ),
  });
  const tree = new IndexXMLSitemap({
    url: `${SITE}index.xml`,
    subSitemaps: [pagesNode(spool, 'a.xml', 'a1', 'a2'), pagesNode(spool, 'b.xml', 'b1', 'a2'), alternates],
  });
  const names = (pages: readonly SitemapPage[]) => urlsOf(pages).map((url) => url.slice(SITE.length));

  test.each([
    [{}, ['a1', 'a2', 'b1', 'a2', 'c1', 'c2'], {}],
    [{ include: '/a' }, ['a1', 'a2', 'a2'], { include: 3 }],
    [{ exclude: '/a', unique: true }, ['b1', 'c1', 'c2'], { exclude: 3 }],
    [{ unique: true }, ['a1', 'a2', 'b1', 'c1', 'c2'], { unique: 1 }],
    [{ listAlternates: true, include: '/c' }, undefined, undefined],
  ])(
    '%j: the same in every loop, sync or async, with new counts of what is left out',
    async (options, expected, leftOut) => {
      const pages = tree.allPages(options);
      const first = names([...pages]);
      const counts = [pages.leftOut];
      for (const _ of pages);
      counts.push(pages.leftOut);
      expect([names(await all(pages)), names([...pages])]).toEqual([first, first]);
      counts.push(pages.leftOut);
      expect(counts[1]).toEqual(counts[0]);
      expect(counts[2]).toEqual(counts[0]);
      if (expected !== undefined)
        expect([first, Object.values(counts[0] ?? {})]).toEqual([expected, Object.values(leftOut)]);
    },
  );

  test('an alternate that is not listed comes once, behind the page that names it first', async () => {
    const pages = tree.allPages({ listAlternates: true });
    const expected = ['a1', 'a2', 'b1', 'a2', 'c1', 'x', 'c2'];
    expect([names([...pages]), names(await all(pages)), names([...pages])]).toEqual([
      expected,
      expected,
      expected,
    ]);
  });

  test('an alternate that two sitemaps name comes once, sync and async', async () => {
    const twice = new IndexXMLSitemap({ url: `${SITE}twice.xml`, subSitemaps: [alternates, alternates] });
    const pages = twice.allPages({ listAlternates: true });
    const expected = ['c1', 'a1', 'x', 'c2', 'c1', 'c2'];
    expect([names([...pages]), names(await all(pages))]).toEqual([expected, expected]);
  });

  test('a sample has a page of each sitemap, however small it is, sync and async', async () => {
    const paths = Array.from({ length: 300 }, (_, at) => `large/${at}`);
    const small = ['s1', 's2'].map((path) => pagesNode(spool, `${path}.xml`, path));
    const uneven = new IndexXMLSitemap({
      url: `${SITE}uneven.xml`,
      subSitemaps: [pagesNode(spool, 'large.xml', ...paths), ...small],
    });
    const pages = uneven.allPages({ sample: 3 });
    for (const sample of [names([...pages]), names(await all(pages))]) {
      expect(sample).toEqual([expect.stringMatching(/^large/), 's1', 's2']);
    }
  });

  test('a sample has each URL once, the same sync and async', async () => {
    for (const options of [
      { sample: 3 },
      { sample: 3, unique: true },
      { sample: 100 },
      { sample: 4, listAlternates: true },
    ]) {
      const pages = tree.allPages(options);
      const first = names([...pages]);
      expect([names(await all(pages)), names([...pages])]).toEqual([first, first]);
      expect(new Set(first).size).toBe(first.length);
      const size = options.listAlternates === true ? 6 : 5;
      expect(first).toHaveLength(Math.min(options.sample, size));
    }
  });
});
