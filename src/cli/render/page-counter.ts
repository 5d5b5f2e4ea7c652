/** Counts the pages of a tree, and how many of them are distinct: a page may be in several sitemaps. */
import { SeenUrls, type Sitemap, walkTree } from '../../reading.ts';
import type { PageFilter } from '../filter/page-filter.ts';

/** Counts the pages of one tree. */
export class PageCounter {
  readonly #filter: PageFilter;
  /** Not needed for one document: it lists each page once. */
  readonly #seen: SeenUrls | undefined;
  readonly #counted = new Set<string>();
  #pages = 0;
  #pagesOfFirst = 0;

  constructor(tree: Sitemap, filter: PageFilter) {
    this.#filter = filter;
    const documents = new Set<string>();
    for (const { sitemap } of walkTree(tree))
      if (sitemap.kind.startsWith('pages-')) documents.add(sitemap.url);
    this.#seen = documents.size > 1 ? new SeenUrls() : undefined;
  }

  /** All pages that are listed. */
  get pages(): number {
    return this.#pages;
  }

  /** The listed pages with different URLs. */
  get distinct(): number {
    return this.#seen?.size ?? this.#pagesOfFirst;
  }

  /** How many pages of a sitemap are listed. */
  async count(sitemap: Sitemap): Promise<number> {
    const isRepeated = this.#counted.has(sitemap.url);
    this.#counted.add(sitemap.url);
    const listed = await this.#listed(sitemap, isRepeated ? undefined : this.#seen);
    this.#pages += listed;
    if (!isRepeated) this.#pagesOfFirst += listed;
    return listed;
  }

  // Without a filter, and where the URLs do not matter, the number that the sitemap knows is enough.
  async #listed(sitemap: Sitemap, seen: SeenUrls | undefined): Promise<number> {
    const filter = this.#filter;
    if (filter.isOpen && seen === undefined) return sitemap.pageCount;
    let listed = 0;
    for await (const batch of sitemap.pages.batchesAsync()) {
      const kept = filter.isOpen ? batch : filter.keep(batch, (page) => page);
      listed += kept.length;
      if (seen !== undefined) for (const { url } of kept) seen.add(url);
    }
    return listed;
  }
}
