/** What the parsers of all formats share while one document is read. */
import { ProblemList } from '../problem.ts';
import type { SitemapItem } from './item.ts';
import { Locations } from './locations.ts';
import { SeenUrls } from './seen-urls.ts';

/** One document on its way through a parser. */
export class Document {
  readonly problems: ProblemList = new ProblemList();
  readonly locations: Locations;
  /** The URLs that were there before: only the first declaration of a page or a sub-sitemap counts. */
  readonly seen: SeenUrls = new SeenUrls();
  /** What was found and not yet taken. */
  #items: SitemapItem[] = [];

  constructor(url: string | undefined) {
    this.locations = new Locations(url, this.problems);
  }

  add(item: SitemapItem): void {
    this.#items.push(item);
  }

  /** Hands over what was found since the last time. */
  takeItems(): SitemapItem[] {
    const items = this.#items;
    if (items.length > 0) this.#items = [];
    return items;
  }
}
