/** What a crawl of many sites gives for each of them. */
import { type IndexWebsiteSitemap, type Sitemap, SitemapException, walkTree } from '../reading.ts';
import type { PageRow } from './output/part-writer.ts';
import type { Outcome, SiteOutcome } from './site-outcome.ts';

/** One site that was crawled. Its tree is open until the next result is asked for. */
export class CrawledSite {
  /** The normalised homepage; for what is not a URL, the text as it was given. */
  readonly site: string;
  readonly outcome: Outcome;
  /** A stable kebab-case word for what the reason is about; absent where the outcome is `complete`. */
  readonly code: string | undefined;
  /** Why the outcome is not `complete`, in a sentence. */
  readonly reason: string | undefined;
  /** Sitemaps that were read, each document once; robots.txt is not counted. */
  readonly sitemaps: number;
  /** Bytes of the documents that were read, after decoding. */
  readonly bytes: number;
  /** From the start of the site to its last document. */
  readonly elapsedMs: number;
  /** The tree; undefined where the crawl of the site ended with an error. */
  readonly tree: IndexWebsiteSitemap | undefined;
  readonly #maxPages: number;
  readonly #previous: Sitemap | undefined;

  constructor(
    site: string,
    outcome: SiteOutcome,
    details: {
      readonly elapsedMs: number;
      readonly tree?: IndexWebsiteSitemap | undefined;
      readonly maxPages?: number | undefined;
      /** The tree of an earlier crawl, which this one may share documents with. */
      readonly previous?: Sitemap | undefined;
    },
  ) {
    this.site = site;
    this.outcome = outcome.outcome;
    this.code = outcome.code;
    this.reason = outcome.reason;
    this.sitemaps = outcome.sitemaps;
    this.bytes = outcome.bytes;
    this.elapsedMs = Math.round(details.elapsedMs);
    this.tree = details.tree;
    this.#previous = details.previous;
    this.#maxPages = details.maxPages ?? Number.POSITIVE_INFINITY;
  }

  /** Closes its tree; done when the next result is asked for. */
  close(): void {
    this.tree?.close();
    this.#previous?.close();
  }

  /**
   * The pages of all documents, each document once, in arrays of a few hundred: at most `maxPages` of them. They are
   * parsed on the way and not held.
   */
  async *pages(): AsyncGenerator<readonly PageRow[], void, undefined> {
    if (this.tree === undefined) return;
    const seen = new Set<string>();
    let left = this.#maxPages;
    for (const { sitemap } of walkTree(this.tree)) {
      if (!sitemap.kind.startsWith('pages-') || seen.has(sitemap.url)) continue;
      seen.add(sitemap.url);
      for await (const batch of sitemap.pages.batchesAsync()) {
        const rows = batch.slice(0, left).map((page) => ({ sitemap: sitemap.url, page }));
        if (rows.length > 0) yield rows;
        left -= rows.length;
        if (left <= 0) return;
      }
    }
  }
}

/** The result of a site whose crawl ended with an error. */
export function failedSite(site: string, error: unknown, elapsedMs = 0): CrawledSite {
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof SitemapException ? error.code : 'error';
  return new CrawledSite(site, { outcome: 'failed', code, reason, sitemaps: 0, bytes: 0 }, { elapsedMs });
}
