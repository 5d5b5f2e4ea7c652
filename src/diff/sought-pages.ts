/**
 * What has to be looked for in equal documents: the URLs of the pages that these may decide about. Mostly these are
 * few, and then the pages of a site need not be made for them, only read over.
 */
import type { SitemapPage } from '../parse/model/page.ts';
import { SoughtUrls } from '../parse/seen-urls.ts';
import type { Comparison, UndecidedPages } from './comparison.ts';

/** The most pages that are looked for by their URLs: about 8 MiB. Where there are more, all pages are read. */
const MOST_SOUGHT = 250_000;

/** Collects the URLs of undecided pages. */
export class SoughtPages {
  readonly #comparison: Comparison;
  readonly #earlier: readonly number[];
  readonly #urls = new SoughtUrls();

  /** @param earlier - the places of the documents of `after` in `before` */
  constructor(comparison: Comparison, earlier: readonly number[]) {
    this.#comparison = comparison;
    this.#earlier = earlier;
  }

  /** Takes pages of `after`, with their numbers, that were just noted. */
  take(pages: readonly SitemapPage[], entries: ArrayLike<number>): void {
    for (const [index, { url }] of pages.entries()) {
      if (this.#urls.size > MOST_SOUGHT) return;
      if (this.#comparison.isUndecided(entries[index]!, this.#earlier)) this.#urls.seek(url);
    }
  }

  /**
   * All that is to be looked for; undefined where that is too much. What `before` alone lists is known only now, and of
   * its URLs there are only fingerprints: their documents are read again.
   *
   * @param read - the pages of the document of `before` at a place
   */
  async all(
    { count, onlyBefore }: UndecidedPages,
    read: (place: number) => AsyncIterable<readonly SitemapPage[]>,
  ): Promise<SoughtUrls | undefined> {
    if (count > MOST_SOUGHT) return undefined;
    for (const [place, inDocument] of onlyBefore) {
      let left = inDocument;
      for await (const pages of read(place)) {
        for (const page of pages) {
          if (!this.#comparison.isOnlyBefore(page, place)) continue;
          this.#urls.seek(page.url);
          left--;
        }
        if (left === 0) break;
      }
    }
    return this.#urls;
  }
}
