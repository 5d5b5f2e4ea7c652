/** Which pages are listed: `--include`, `--exclude`, `--since`, `--unique` and `--max-pages`, and what they left out. */
import type { SeenUrls, SitemapPage } from '../../index.ts';
import { count, list } from '../messages/wording.ts';
import { anyMatches, type Pattern } from './patterns.ts';
import { isSince } from './since.ts';

/** A page and the sitemap that lists it: what a stream yields, and what a tree is taken apart into. */
export interface ListedPage {
  readonly page: SitemapPage;
  readonly sitemap: { readonly url: string };
}

/** What the user asked for. */
export interface PageFilterOptions {
  readonly include?: readonly Pattern[] | undefined;
  readonly exclude?: readonly Pattern[] | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly maxPages?: number | undefined;
}

/** Chooses the pages of one site, and counts. */
export class PageFilter {
  readonly #include: readonly Pattern[];
  readonly #exclude: readonly Pattern[];
  readonly #since: number | undefined;
  readonly #seen: SeenUrls | undefined;
  readonly #maxPages: number;
  readonly #leftOut = { notIncluded: 0, excluded: 0, older: 0, undated: 0, repeated: 0 };
  #read = 0;
  #kept = 0;

  /** @param seen - the URLs that were listed before, where each is to be listed once; shared by all sites */
  constructor(options: PageFilterOptions, seen: SeenUrls | undefined) {
    this.#include = options.include ?? [];
    this.#exclude = options.exclude ?? [];
    this.#since = options.since;
    this.#seen = seen;
    this.#maxPages = options.maxPages ?? Number.POSITIVE_INFINITY;
  }

  /** Whether every page is listed: then a tree can be written as it is. */
  get isOpen(): boolean {
    return (
      this.#include.length === 0 &&
      this.#exclude.length === 0 &&
      this.#since === undefined &&
      this.#seen === undefined &&
      this.#maxPages === Number.POSITIVE_INFINITY
    );
  }

  /** Whether `--max-pages` is reached. */
  get isFull(): boolean {
    return this.#kept >= this.#maxPages;
  }

  /** Pages looked at. */
  get read(): number {
    return this.#read;
  }

  /** Pages listed. */
  get kept(): number {
    return this.#kept;
  }

  /** Pages that `--since` left out because nobody knows when they changed. */
  get undated(): number {
    return this.#leftOut.undated;
  }

  /** The pages of a batch that are listed. */
  keep<Listed>(batch: readonly Listed[], pageOf: (listed: Listed) => SitemapPage): readonly Listed[] {
    const wanted = this.isOpen ? batch : batch.filter((listed) => this.#wants(pageOf(listed)));
    const room = this.#maxPages - this.#kept;
    const kept = wanted.length > room ? wanted.slice(0, room) : wanted;
    this.#read += batch.length;
    this.#kept += kept.length;
    return kept;
  }

  #wants(page: SitemapPage): boolean {
    const { url } = page;
    const leftOut = this.#leftOut;
    if (this.#include.length > 0 && !anyMatches(this.#include, url))
      return this.#counted(() => leftOut.notIncluded++);
    if (anyMatches(this.#exclude, url)) return this.#counted(() => leftOut.excluded++);
    if (this.#since !== undefined) {
      // A news sitemap dates its stories, not its pages.
      const date = page.lastModified ?? page.newsStory?.publishDate;
      if (date === undefined) return this.#counted(() => leftOut.undated++);
      const text = page.lastModified === undefined ? undefined : page.lastModifiedText;
      if (!isSince(date, text, this.#since)) return this.#counted(() => leftOut.older++);
    }
    return this.#seen === undefined || this.#seen.add(url) || this.#counted(() => leftOut.repeated++);
  }

  #counted(note: () => void): false {
    note();
    return false;
  }

  /** What was left out and why: `3 do not match --include and 1 has no date (--since)`. */
  get leftOutInWords(): string {
    const { notIncluded, excluded, older, undated, repeated } = this.#leftOut;
    return list(
      [
        { pages: notIncluded, why: 'not matched by --include' },
        { pages: excluded, why: 'matched by --exclude' },
        { pages: older, why: 'older than --since' },
        { pages: undated, why: 'without a date (--since)' },
        { pages: repeated, why: 'listed before (--unique)' },
      ]
        .filter(({ pages }) => pages > 0)
        .map(({ pages, why }) => `${count(pages, 'page')} ${why}`),
    );
  }
}
