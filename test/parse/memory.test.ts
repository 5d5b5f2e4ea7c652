/**
 * Memory: a page that a caller keeps must not keep its document alive. A JavaScript substring pins the string
 * it was cut from, and a view pins its buffer, so a careless parser keeps a chunk alive for every page that is kept.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { DocumentParser } from '../../src/parse/document-parser.ts';
import { parseSitemap, type SitemapPage } from '../../src/parse/index.ts';
import { SoughtUrls } from '../../src/parse/seen-urls.ts';
import { sized } from '../support/tier.ts';

const MB = 1_000_000;
/**
 * Of how many pages one is kept. Fewer pages must be kept more often, or the documents that they keep alive are small.
 */
const EVERY = sized({ fast: 200, full: 400, strong: 1000 });
const PAGES_IN_A_CHUNK = 400;
/** Megabytes: less than any of the documents. */
const MOST = sized({ fast: 2.5, full: 4, strong: 5 });

interface Format {
  readonly name: string;
  readonly pages: number;
  readonly start: string;
  readonly entry: (index: number) => string;
  readonly end: string;
}

const path = (index: number) => `https://example.org/a/rather/long/path/to/page-${index}?with=query`;

const FORMATS: readonly Format[] = [
  {
    name: 'a urlset',
    pages: sized({ fast: 20_000, full: 100_000, strong: 1_000_000 }),
    start: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    entry: (index) =>
      `<url><loc>${path(index)}</loc><lastmod>2024-05-06T07:08:09+02:00</lastmod><changefreq>daily</changefreq><priority>0.8</priority></url>\n`,
    end: '</urlset>',
  },
  {
    name: 'a urlset with every extension',
    pages: sized({ fast: 6_000, full: 40_000, strong: 200_000 }),
    start:
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
    entry: (index) =>
      `<url><loc>${path(index)}</loc><news:news><news:title>Title &amp; more ${index}</news:title><news:keywords>first, second</news:keywords></news:news><image:image><image:loc>${path(index)}</image:loc></image:image><video:video><video:description>A description of some length, ${index}</video:description></video:video><xhtml:link rel="alternate" hreflang="de" href="${path(index)}"/></url>`,
    end: '</urlset>',
  },
  {
    name: 'a text sitemap',
    pages: sized({ fast: 50_000, full: 100_000, strong: 300_000 }),
    start: '',
    entry: (index) => `${path(index)}\n`,
    end: '',
  },
  {
    name: 'a feed',
    pages: sized({ fast: 20_000, full: 60_000, strong: 200_000 }),
    start: '<rss version="2.0"><channel>',
    entry: (index) =>
      `<item><link>${path(index)}</link><title>A title of some length, ${index}</title><pubDate>Tue, 10 Aug 2010 20:43:53 GMT</pubDate></item>`,
    end: '</channel></rss>',
  },
];

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

test.each(FORMATS)(`1 in ${EVERY} pages of $name of $pages pages keeps less than ${MOST} MB`, (format) => {
  // Once beforehand: compiled code and tables that are built on first use do not count as pages.
  keptPages({ ...format, pages: sized({ fast: 5_000, full: 10_000 }) });
  const before = aliveBytes();
  const kept = keptPages(format);
  const alive = aliveBytes() - before;
  expect(kept).toHaveLength(format.pages / EVERY);
  expect(kept.at(-1)?.url).toBe(path(format.pages - EVERY));
  expect(alive / MB).toBeLessThan(MOST);
});

const INDEX: Format = {
  name: 'an index',
  pages: 0,
  start: '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
  entry: (index) => `<sitemap><loc>${path(index)}</loc><lastmod>2024-05-06</lastmod></sitemap>`,
  end: '</sitemapindex>',
};

test.each([...FORMATS, INDEX])('nothing keeps the bytes of $name once it is parsed', async (format) => {
  const buffers: WeakRef<ArrayBuffer>[] = [];
  // Of several lengths: whether a token is carried from chunk to chunk, and copied, depends on where they end.
  for (let entries = 1; entries <= 5; entries++) buffers.push(parsedBuffer(format, entries * 777));
  const alive = (): typeof buffers => buffers.filter((buffer) => buffer.deref() !== undefined);
  for (let turn = 0; turn < 3; turn++) {
    await nextTurn();
    aliveBytes();
    await nextTurn();
    if (alive().length === 0) break;
  }
  expect(alive()).toEqual([]);
});

test.each([...FORMATS, INDEX])('nothing keeps who listened to $name once it is parsed', async (format) => {
  const listened = listenersOf(format);
  const alive = (): typeof listened => listened.filter((one) => one.deref() !== undefined);
  for (let turn = 0; turn < 3 && alive().length > 0; turn++) {
    await nextTurn();
    aliveBytes();
  }
  expect(alive()).toEqual([]);
});

/** Parses a document for listeners, who are then needed no more: the last parser of each kind is kept. */
function listenersOf({ start, entry, end }: Format): WeakRef<object>[] {
  let heard = 0;
  const listener = { location: () => heard++ };
  const onProblem = () => heard++;
  const sought = new SoughtUrls(() => false);
  const parser = new DocumentParser({ url: undefined, charset: undefined, listener, onProblem, sought });
  parser.write(new TextEncoder().encode(`${start}${entry(1)}${entry(2)}${end}`));
  parser.end();
  expect(heard).toBeGreaterThan(1);
  return [listener, onProblem, sought].map((one) => new WeakRef<object>(one));
}

function parsedBuffer({ start, entry, end }: Format, entries: number): WeakRef<ArrayBuffer> {
  const bytes = new TextEncoder().encode(
    start + Array.from({ length: entries }, (_, at) => entry(at)).join('') + end,
  );
  let found = 0;
  for (const { type } of parseSitemap(bytes)) if (type !== undefined) found++;
  expect(found).toBe(entries);
  return new WeakRef(bytes.buffer);
}

function keptPages(format: Format): SitemapPage[] {
  const kept: SitemapPage[] = [];
  let index = 0;
  for (const item of parseSitemap(chunksOf(format), { url: 'https://example.org/sitemap.xml' })) {
    if (item.type === 'page' && index++ % EVERY === 0) kept.push(item.page);
  }
  return kept;
}

function* chunksOf({ start, pages, entry, end }: Format): Generator<Uint8Array> {
  yield Buffer.from(start);
  for (let index = 0; index < pages; index += PAGES_IN_A_CHUNK) {
    yield Buffer.from(
      Array.from({ length: PAGES_IN_A_CHUNK }, (_, offset) => entry(index + offset)).join(''),
    );
  }
  yield Buffer.from(end);
}

/** The heap, and the buffers outside of it, that are still reachable. */
function aliveBytes(): number {
  if (typeof collectGarbage !== 'function') throw new Error('no garbage collector to call');
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
