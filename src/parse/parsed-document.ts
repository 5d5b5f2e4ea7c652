/** What the parsers of all formats share while one document is read. */
import { ProblemList } from '../problems/problem-list.ts';
import { Locations } from './formats/locations.ts';
import type { SubSitemap } from './model/item.ts';
import type { SitemapPage } from './model/page.ts';
import { SeenUrls } from './seen-urls.ts';

/** One document on its way through a parser. */
export class ParsedDocument {
  readonly problems: ProblemList = new ProblemList();
  readonly locations: Locations;
  /** The URLs that were there before: only the first declaration of a page or a sub-sitemap counts. */
  readonly seen: SeenUrls = new SeenUrls();
  // A document lists pages or sitemaps, never both.
  #pages: SitemapPage[] = [];
  #sitemaps: SubSitemap[] = [];

  constructor(url: string | undefined) {
    this.locations = new Locations(url, this.problems);
  }

  addPage(page: SitemapPage): void {
    this.#pages.push(page);
  }

  addSitemap(sitemap: SubSitemap): void {
    this.#sitemaps.push(sitemap);
  }

  /** Lets go of what only the parsing itself needs. */
  release(): void {
    this.seen.release();
  }

  /** Hands over the pages that were found since the last time. */
  takePages(): SitemapPage[] {
    const pages = this.#pages;
    if (pages.length > 0) this.#pages = [];
    return pages;
  }

  /** Hands over the sub-sitemaps that were found since the last time. */
  takeSitemaps(): SubSitemap[] {
    const sitemaps = this.#sitemaps;
    if (sitemaps.length > 0) this.#sitemaps = [];
    return sitemaps;
  }
}
