/**
 * Pages to iterate over, sync or async, any number of times. They are made on the way and not held: a list of millions
 * costs no more than its current batch.
 */

import { type AddAlternates, Alternates, sampledFrom } from '../filter/alternates.ts';
import type { LeftOutCounts, LeftOutPages, PagePass } from '../filter/filter-pages.ts';
import { PageChoice, takeSample } from '../filter/page-choice.ts';
import type { SiteHosts } from '../filter/site-hosts.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { badInput } from '../problems/errors.ts';
import { urlKey } from '../url.ts';

/** Pages in batches, in order; each call starts from the beginning. */
export interface PageBatches {
  batches(): Iterable<readonly SitemapPage[]>;
  batchesAsync(): AsyncIterable<readonly SitemapPage[]>;
}

/**
 * The pages of a sitemap or a whole tree, in order. They are not held: each loop reads and parses the documents again,
 * and requests nothing.
 *
 * @example
 * ```ts
 * for (const page of sitemap.pages) console.log(page.url);        // in a script
 * for await (const page of sitemap.pages) console.log(page.url);  // in a server: reading never blocks it
 * const urls = sitemap.pages.toArray().map((page) => page.url);   // all of them in memory
 * ```
 */
export class PageList implements Iterable<SitemapPage>, AsyncIterable<SitemapPage> {
  readonly #source: PageBatches;
  readonly #leftOut: LeftOutCounts | undefined;

  /** @internal */
  constructor(source: PageBatches, leftOut?: LeftOutCounts) {
    this.#source = source;
    this.#leftOut = leftOut;
  }

  /**
   * How many pages the filters of `allPages` left out in the last loop, by reason; complete once that loop has ended.
   */
  get leftOut(): LeftOutPages {
    return this.#leftOut?.counts ?? {};
  }

  /** For scripts: reading from disk blocks. */
  [Symbol.iterator](): IterableIterator<SitemapPage> {
    return new BatchItems(this.#source.batches()[Symbol.iterator]());
  }

  /** For servers: reading from disk does not block. */
  [Symbol.asyncIterator](): AsyncIterableIterator<SitemapPage> {
    return new AsyncBatchItems(this.#source.batchesAsync()[Symbol.asyncIterator]());
  }

  /** The pages as arrays of a few hundred: less to do for each where there are millions. */
  batches(): Iterable<readonly SitemapPage[]> {
    return { [Symbol.iterator]: () => this.#source.batches()[Symbol.iterator]() };
  }

  /** The pages as arrays of a few hundred, read without blocking. */
  batchesAsync(): AsyncIterable<readonly SitemapPage[]> {
    return { [Symbol.asyncIterator]: () => this.#source.batchesAsync()[Symbol.asyncIterator]() };
  }

  /** All of them in memory. For scripts: reading from disk blocks. */
  toArray(): SitemapPage[] {
    return [...this];
  }
}

/** What people ask of an array. Here it would be `undefined`, and look like no pages. */
const OF_ARRAYS = ['at', 'every', 'filter', 'find', 'findIndex', 'flatMap', 'forEach', 'includes', 'indexOf'];
OF_ARRAYS.push('join', 'length', 'map', 'reduce', 'slice', 'some', 'sort');

for (const name of OF_ARRAYS) {
  const instead =
    name === 'length' ? 'pageCount of the sitemap, or toArray().length' : `toArray().${name}(…), or a loop`;
  Object.defineProperty(PageList.prototype, name, {
    get() {
      throw badInput(`Pages are read as you walk over them, and have no "${name}": use ${instead}.`);
    },
  });
}

// What `console.log(sitemap.pages)` shows in Node: an empty object would look like no pages.
Object.defineProperty(PageList.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value: () => 'PageList { read as you walk over it: for (const page of pages), or pages.toArray() }',
});

/** @internal */
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

/** @internal The pages of sources with their alternates; all are read twice, for what is listed and to give. */
export function withAlternates(sources: () => Iterable<PageBatches>): () => Iterable<PageBatches> {
  return () => {
    // One pass over all sources gives an alternate once.
    let addAlternates: AddAlternates | undefined;
    const batches = joined(sources);
    return Array.from(sources(), (source) => ({
      *batches() {
        addAlternates ??= alternatesOf(batches).pass();
        for (const batch of source.batches()) yield addAlternates(batch);
      },
      async *batchesAsync() {
        addAlternates ??= (await Alternates.of(batches.batchesAsync())).pass();
        for await (const batch of source.batchesAsync()) yield addAlternates(batch);
      },
    }));
  };
}

function alternatesOf(batches: PageBatches): Alternates {
  const alternates = new Alternates();
  for (const batch of batches.batches()) alternates.note(batch);
  return alternates;
}

/** What decides which pages of a site are left out, and counts these. */
interface Filtering {
  readonly pass: PagePass;
  readonly site: SiteHosts | undefined;
  readonly leftOut: LeftOutCounts;
}

/** @internal The pages that a filter keeps. */
export function filtered(source: PageBatches, { pass, site, leftOut }: Filtering): PageBatches {
  return {
    *batches() {
      const whyNot = pass(site);
      for (const batch of source.batches()) yield batch.filter((page) => leftOut.keeps(whyNot, page));
    },
    async *batchesAsync() {
      const whyNot = pass(site);
      for await (const batch of source.batchesAsync())
        yield batch.filter((page) => leftOut.keeps(whyNot, page));
    },
  };
}

/** @internal A sample of the pages of several sources; they are read twice, to choose and to give. */
export function sampled(sources: () => Iterable<PageBatches>, size: number): PageBatches {
  const note = (choice: PageChoice<undefined>, source: number, batch: readonly SitemapPage[]): void => {
    for (const page of batch) choice.note(sampledFrom(page, source), urlKey(page.url), () => undefined);
  };
  const urlOf = ({ url }: SitemapPage): string => url;
  return {
    *batches() {
      const choice = new PageChoice<undefined>(size);
      let number = 0;
      for (const source of sources()) {
        number++;
        for (const batch of source.batches()) note(choice, number, batch);
      }
      const { keys } = choice;
      for (const batch of joined(sources).batches()) yield takeSample(batch, keys, urlOf);
    },
    async *batchesAsync() {
      const choice = new PageChoice<undefined>(size);
      let number = 0;
      for (const source of sources()) {
        number++;
        for await (const batch of source.batchesAsync()) note(choice, number, batch);
      }
      const { keys } = choice;
      for await (const batch of joined(sources).batchesAsync()) yield takeSample(batch, keys, urlOf);
    },
  };
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The items of batches, for `for…of`. Written by hand: a generator that delegates to another one costs as much for each
 * page as parsing it.
 */
class BatchItems<Item> implements IterableIterator<Item, undefined, undefined> {
  readonly #batches: Iterator<readonly Item[]>;
  #batch: readonly Item[] = [];
  #at = 0;

  constructor(batches: Iterator<readonly Item[]>) {
    this.#batches = batches;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Item, undefined> {
    while (this.#at === this.#batch.length) {
      const { done, value } = this.#batches.next();
      this.#at = 0;
      this.#batch = done === true ? [] : value;
      if (done === true) return DONE;
    }
    return { done: false, value: this.#batch[this.#at++]! };
  }

  return(): IteratorResult<Item, undefined> {
    this.#at = 0;
    this.#batch = [];
    this.#batches.return?.();
    return DONE;
  }
}

/** What is needed of an `AbortSignal`: consumers may have types without it. */
interface Aborts {
  readonly aborted: boolean;
  throwIfAborted(): void;
}

/** The items of batches, for `for await…of`. */
export class AsyncBatchItems<Item> implements AsyncIterableIterator<Item, undefined, undefined> {
  readonly #batches: AsyncIterator<readonly Item[]>;
  readonly #signal: Aborts | undefined;
  #batch: readonly Item[] = [];
  #at = 0;
  #isOver = false;
  /** The last call that waits for a batch; a later call waits for it first. */
  #waiting: Promise<unknown> | undefined;

  /** @param signal - where it is aborted, the rest of the batch is not given any more */
  constructor(batches: AsyncIterator<readonly Item[]>, signal?: Aborts) {
    this.#batches = batches;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#waiting === undefined && this.#at < this.#batch.length && this.#signal?.aborted !== true) {
      return Promise.resolve({ done: false, value: this.#batch[this.#at++]! });
    }
    const fromBatches = () => this.#nextOfBatches();
    const result = this.#waiting === undefined ? fromBatches() : this.#waiting.then(fromBatches, fromBatches);
    const onSettled = (): void => {
      if (this.#waiting === result) this.#waiting = undefined;
    };
    this.#waiting = result;
    result.then(onSettled, onSettled);
    return result;
  }

  async #nextOfBatches(): Promise<IteratorResult<Item, undefined>> {
    if (this.#signal?.aborted === true && !this.#isOver) {
      await this.return();
      this.#signal.throwIfAborted();
    }
    while (this.#at === this.#batch.length) {
      if (this.#isOver) return DONE;
      const { done, value } = await this.#batches.next();
      if (done === true) return DONE;
      // This call came before the end: it still gets its item, as from a generator.
      this.#batch = this.#isOver ? value.slice(0, 1) : value;
      this.#at = 0;
    }
    return { done: false, value: this.#batch[this.#at++]! };
  }

  /**
   * Ends the batches at once, also while a batch is waited for: a consumer that has gone must not wait for a slow
   * site.
   */
  async return(): Promise<IteratorResult<Item, undefined>> {
    this.#isOver = true;
    this.#batch = [];
    this.#at = 0;
    await this.#batches.return?.();
    return DONE;
  }
}
