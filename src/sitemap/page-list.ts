/**
 * Pages to iterate over, sync or async, any number of times. They are made on the way and not held: a list of millions
 * costs no more than its current batch.
 */
import type { SitemapPage } from '../parse/model/page.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import { AsyncBatchItems, BatchItems } from './batch-items.ts';

/** Pages in batches, in order; each call starts from the beginning. */
export interface PageBatches {
  batches(): Iterable<readonly SitemapPage[]>;
  batchesAsync(): AsyncIterable<readonly SitemapPage[]>;
}

/**
 * The pages of a sitemap or a whole tree, in order.
 *
 * @example
 * ```ts
 * for (const page of sitemap.pages) console.log(page.url);        // in a script
 * for await (const page of sitemap.pages) console.log(page.url);  // in a server: reading never blocks it
 * const urls = [...sitemap.pages].map((page) => page.url);        // all of them in memory
 * ```
 */
export class PageList implements PageBatches, Iterable<SitemapPage>, AsyncIterable<SitemapPage> {
  readonly #source: PageBatches;

  constructor(source: PageBatches) {
    this.#source = source;
  }

  /** For scripts: reading from disk blocks. */
  [Symbol.iterator](): IterableIterator<SitemapPage> {
    return new BatchItems(this.#source.batches()[Symbol.iterator]());
  }

  /** For servers: reading from disk does not block. */
  [Symbol.asyncIterator](): AsyncIterableIterator<SitemapPage> {
    return new AsyncBatchItems(this.#source.batchesAsync()[Symbol.asyncIterator]());
  }

  /** The same pages as arrays of a few hundred: less to do for each where there are millions. */
  batches(): Iterable<readonly SitemapPage[]> {
    return this.#source.batches();
  }

  /** The same pages as arrays of a few hundred, read without blocking. */
  batchesAsync(): AsyncIterable<readonly SitemapPage[]> {
    return this.#source.batchesAsync();
  }
}

// What `console.log(sitemap.pages)` shows in Node: an empty object would look like no pages.
Object.defineProperty(PageList.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value: () => 'PageList { read as you walk over it: for (const page of pages), or [...pages] }',
});

export function joined(sources: () => Iterable<PageBatches>): PageBatches {
  return {
    *batches() {
      for (const source of sources()) yield* source.batches();
    },
    async *batchesAsync() {
      for (const source of sources()) yield* source.batchesAsync();
    },
  };
}

/** The same pages without those whose URL was there before, whatever their number. */
export function unique(source: PageBatches): PageBatches {
  const unseen = (seen: SeenUrls, batch: readonly SitemapPage[]) => batch.filter(({ url }) => seen.add(url));
  return {
    *batches() {
      const seen = new SeenUrls();
      for (const batch of source.batches()) yield unseen(seen, batch);
    },
    async *batchesAsync() {
      const seen = new SeenUrls();
      for await (const batch of source.batchesAsync()) yield unseen(seen, batch);
    },
  };
}
