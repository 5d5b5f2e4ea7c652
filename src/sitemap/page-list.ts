/**
 * Pages to walk over, sync or async, as often as one likes. They are made on the way and not held: a list of millions
 * costs no more than the batch that is being looked at.
 */
import type { SitemapPage } from '../parse/model/page.ts';
import { SeenUrls } from '../parse/seen-urls.ts';

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

  /** In a script; what is on disk is read at once. */
  [Symbol.iterator](): IterableIterator<SitemapPage> {
    return new PageIterator(this.#source.batches()[Symbol.iterator]());
  }

  /** In a server: reading from disk blocks nobody. */
  [Symbol.asyncIterator](): AsyncIterableIterator<SitemapPage> {
    return new AsyncPageIterator(this.#source.batchesAsync()[Symbol.asyncIterator]());
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

/** The pages of several sources, one after the other. */
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

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };
const NONE: readonly SitemapPage[] = [];

// By hand, since a generator that delegates to another costs as much for each page as parsing it.
class PageIterator implements IterableIterator<SitemapPage> {
  readonly #batches: Iterator<readonly SitemapPage[]>;
  #batch: readonly SitemapPage[] = NONE;
  #at = 0;

  constructor(batches: Iterator<readonly SitemapPage[]>) {
    this.#batches = batches;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<SitemapPage, undefined> {
    while (this.#at === this.#batch.length) {
      const { done, value } = this.#batches.next();
      this.#at = 0;
      this.#batch = done === true ? NONE : value;
      if (done === true) return DONE;
    }
    return { done: false, value: this.#batch[this.#at++]! };
  }

  return(): IteratorResult<SitemapPage, undefined> {
    this.#at = 0;
    this.#batch = NONE;
    this.#batches.return?.();
    return DONE;
  }
}

class AsyncPageIterator implements AsyncIterableIterator<SitemapPage> {
  readonly #batches: AsyncIterator<readonly SitemapPage[]>;
  #batch: readonly SitemapPage[] = NONE;
  #at = 0;
  /** The calls that wait for a batch; whoever comes after them waits for its turn. */
  #waiting: Promise<unknown> | undefined;

  constructor(batches: AsyncIterator<readonly SitemapPage[]>) {
    this.#batches = batches;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<SitemapPage, undefined>> {
    if (this.#waiting === undefined && this.#at < this.#batch.length) {
      return Promise.resolve({ done: false, value: this.#batch[this.#at++]! });
    }
    return this.#inTurn(() => this.#nextOfBatches());
  }

  return(): Promise<IteratorResult<SitemapPage, undefined>> {
    return this.#inTurn(async () => {
      this.#at = 0;
      this.#batch = NONE;
      await this.#batches.return?.();
      return DONE;
    });
  }

  async #nextOfBatches(): Promise<IteratorResult<SitemapPage, undefined>> {
    while (this.#at === this.#batch.length) {
      const { done, value } = await this.#batches.next();
      this.#at = 0;
      this.#batch = done === true ? NONE : value;
      if (done === true) return DONE;
    }
    return { done: false, value: this.#batch[this.#at++]! };
  }

  #inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
    const result = this.#waiting === undefined ? action() : this.#waiting.then(action, action);
    const settled = () => {
      if (this.#waiting === result) this.#waiting = undefined;
    };
    this.#waiting = result;
    result.then(settled, settled);
    return result;
  }
}
