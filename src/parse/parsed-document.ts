/** What the parsers of all formats share while one document is read. */
import { type Locate, ProblemList, type ProblemListener } from '../problems/problem-list.ts';
import type { ParseListener } from './listener.ts';
import type { SitemapEntry } from './model/item.ts';
import type { SitemapPage } from './model/page.ts';
import { ReportedValues } from './reported-values.ts';
import { SeenUrls } from './seen-urls.ts';

export interface DocumentListeners {
  /** Called with every problem, however many there are; also for a document that turns out not to be a sitemap. */
  readonly onProblem?: ProblemListener | undefined;
  readonly listener?: ParseListener | undefined;
  /** The only URLs wanted, if not all. */
  readonly sought?: SeenUrls | undefined;
}

export class ParsedDocument {
  readonly problems: ProblemList;
  readonly values: ReportedValues;
  /** Whether pages are wanted, or only the events of a listener. */
  readonly wantsPages: boolean;
  readonly listener: ParseListener | undefined;
  /** The URLs that were there before: only the first declaration of a page or a sub-sitemap counts. */
  seen: SeenUrls;
  // A document lists pages or sitemaps, never both.
  #pages: SitemapPage[] = [];
  #sitemaps: SitemapEntry[] = [];

  constructor(url: string | undefined, listeners: DocumentListeners = {}, locate?: Locate) {
    this.problems = new ProblemList(listeners.onProblem, locate);
    this.listener = listeners.listener;
    this.seen = listeners.sought ?? new SeenUrls();
    this.wantsPages = listeners.listener?.isAll !== true;
    this.values = new ReportedValues(url, this.problems);
  }

  /**
   * Whether an address makes a page or a sub-sitemap: it is here for the first time. `key` is what it is compared by.
   */
  isFirst(url: string, offset: number, key: string = url): boolean {
    const isNew = this.seen.add(key);
    this.listener?.location?.(url, offset, !isNew);
    return isNew && this.wantsPages;
  }

  /** {@link isFirst} for the URL whose fingerprint was taken last. */
  isMarkedFirst(url: string, offset: number): boolean {
    const isNew = this.seen.addMarked();
    this.listener?.location?.(url, offset, !isNew);
    return isNew && this.wantsPages;
  }

  addPage(page: SitemapPage): void {
    this.#pages.push(page);
  }

  addSitemap(sitemap: SitemapEntry): void {
    this.#sitemaps.push(sitemap);
  }

  /** Hands over the pages that were found since the last time. */
  takePages(): SitemapPage[] {
    const pages = this.#pages;
    if (pages.length > 0) this.#pages = [];
    return pages;
  }

  /** Hands over the sub-sitemaps that were found since the last time. */
  takeSitemaps(): SitemapEntry[] {
    const sitemaps = this.#sitemaps;
    if (sitemaps.length > 0) this.#sitemaps = [];
    return sitemaps;
  }
}
