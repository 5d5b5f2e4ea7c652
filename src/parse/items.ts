/** The items of a document as it is parsed. */
import { checkChunk } from './chunks.ts';
import type { DocumentParser } from './document-parser.ts';
import type { SitemapItem, SubSitemap } from './model/item.ts';
import type { SitemapPage } from './model/page.ts';

/** What was found since the last time. */
export function itemsOf(parser: DocumentParser): SitemapItem[] {
  const pages = parser.takePages();
  if (pages.length > 0) return pages.map((page) => ({ type: 'page', page }));
  return parser.takeSitemaps().map((sitemap) => ({ type: 'sitemap', sitemap }));
}

/**
 * The items of a document, parsed a chunk at a time. Not a generator: `next` is inlined into the caller's loop
 * then, and what it returns is never made (4 × 50,000 URLs: 173 ms with a generator, 147 with this).
 */
export class Items implements IterableIterator<SitemapItem, undefined> {
  readonly #parser: DocumentParser;
  readonly #chunks: Iterator<Uint8Array>;
  #pages: readonly SitemapPage[] = [];
  #nextPage = 0;
  #sitemaps: readonly SubSitemap[] = [];
  #nextSitemap = 0;
  #isDone = false;

  constructor(parser: DocumentParser, chunks: Iterable<Uint8Array>) {
    this.#parser = parser;
    this.#chunks = chunks[Symbol.iterator]();
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<SitemapItem, undefined> {
    for (;;) {
      if (this.#nextPage < this.#pages.length) {
        return { done: false, value: { type: 'page', page: this.#pages[this.#nextPage++]! } };
      }
      if (this.#nextSitemap < this.#sitemaps.length) {
        return { done: false, value: { type: 'sitemap', sitemap: this.#sitemaps[this.#nextSitemap++]! } };
      }
      if (this.#isDone) return { done: true, value: undefined };
      this.#parse();
    }
  }

  #parse(): void {
    // An error that is thrown here ends the iteration, as it would end a generator.
    this.#isDone = true;
    const { done, value: chunk } = this.#chunks.next();
    if (done === true) {
      this.#parser.end();
    } else {
      this.#write(chunk);
      if (this.#parser.kind === 'invalid') this.#chunks.return?.();
      else this.#isDone = false;
    }
    this.#pages = this.#parser.takePages();
    this.#nextPage = 0;
    this.#sitemaps = this.#parser.takeSitemaps();
    this.#nextSitemap = 0;
  }

  #write(chunk: unknown): void {
    try {
      this.#parser.write(checkChunk(chunk));
    } catch (error) {
      this.#chunks.return?.();
      throw error;
    }
  }

  return(): IteratorResult<SitemapItem, undefined> {
    if (!this.#isDone) this.#chunks.return?.();
    this.#isDone = true;
    this.#pages = [];
    this.#sitemaps = [];
    return { done: true, value: undefined };
  }
}
