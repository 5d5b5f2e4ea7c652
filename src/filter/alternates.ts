/** `listAlternates`: the alternates of entries as pages, each once, without those that an entry lists. */

import { ReadPage, SitemapPage } from '../parse/model/page.ts';
import { SeenUrls } from '../parse/seen-urls.ts';

/** The pages that were made here. They are values like others: a sample must know them without a field. */
const madeOfLinks = new WeakSet<SitemapPage>();

/**
 * What chooses samples calls the sitemap of a page. Alternates count as those of one sitemap: which one names an
 * alternate first depends, in a stream, on the order in which documents arrive.
 */
export function sampledFrom(page: SitemapPage, sitemap: unknown): unknown {
  return madeOfLinks.has(page) ? madeOfLinks : sitemap;
}

/** An alternate as a page: its address, and nothing else, since its entry is about another page. */
export function alternatePage(url: string): SitemapPage {
  const page = new SitemapPage(Object.assign(new ReadPage(), { url }));
  madeOfLinks.add(page);
  return page;
}

/** Gives pages with their alternates, each behind the page that names it. */
export type AddAlternates = (pages: readonly SitemapPage[]) => readonly SitemapPage[];

export class Alternates {
  readonly #listedUrls = new SeenUrls();

  /** Reads all pages of a tree for the first time. */
  static async of(batches: AsyncIterable<readonly SitemapPage[]>): Promise<Alternates> {
    const alternates = new Alternates();
    for await (const batch of batches) alternates.note(batch);
    return alternates;
  }

  /** Notes listed pages: all of them, before the first alternate is asked for. */
  note(pages: readonly SitemapPage[]): void {
    for (const { url } of pages) this.#listedUrls.add(url);
  }

  isListed(url: string): boolean {
    return this.#listedUrls.has(url);
  }

  /** Starts one pass over the pages: it gives an alternate once. */
  pass(): AddAlternates {
    const addedUrls = new SeenUrls();
    const isNew = (href: string): boolean => !this.isListed(href) && addedUrls.add(href);
    return (pages) =>
      pages.flatMap((page) => [
        page,
        ...page.alternates.filter(({ href }) => isNew(href)).map(({ href }) => alternatePage(href)),
      ]);
  }
}
