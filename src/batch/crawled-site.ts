/** What a crawl of many sites gives for each of them. */
import {
  type IndexWebsiteSitemap,
  robotsVerdicts,
  type Sitemap,
  SitemapException,
  type SiteOutcome,
  walkTree,
} from '../index.ts';
import type { PageRow } from './output/page-columns.ts';

/** One site that was crawled. Its tree is open until the next result is asked for. */
export class CrawledSite {
  /** The normalised homepage; for what is not a URL, the text as it was given. */
  readonly site: string;
  readonly outcome: SiteOutcome;
  /** A stable kebab-case word for what the reason is about; absent where the outcome is `complete`. */
  readonly code: string | undefined;
  /** Why the outcome is not `complete`, in a sentence. */
  readonly reason: string | undefined;
  /** Sitemaps that were read, each document once; robots.txt is not counted. */
  readonly sitemaps: number;
  /** Sitemaps that could not be read this time and are those of an earlier crawl (`staleIfError`). */
  readonly stale: number;
  /** Bytes of the documents that were read, after decoding. */
  readonly bytes: number;
  /** From the start of the site to its last document. */
  readonly elapsedMs: number;
  /** The tree; undefined where the crawl of the site ended with an error. */
  readonly tree: IndexWebsiteSitemap | undefined;
  readonly #maxPages: number;
  readonly #agent: string | undefined;
  readonly #previous: Sitemap | undefined;

  constructor(
    site: string,
    { outcome, code, reason }: Pick<CrawledSite, 'outcome' | 'code' | 'reason'>,
    details: {
      readonly elapsedMs: number;
      readonly tree?: IndexWebsiteSitemap | undefined;
      readonly maxPages?: number | undefined;
      readonly agent?: string | undefined;
      /** The tree of an earlier crawl, which this one may share documents with. */
      readonly previous?: Sitemap | undefined;
    },
  ) {
    this.site = site;
    this.outcome = outcome;
    this.code = code;
    this.reason = reason;
    const counts = details.tree === undefined ? { sitemaps: 0, stale: 0, bytes: 0 } : countsOf(details.tree);
    this.sitemaps = counts.sitemaps;
    this.stale = counts.stale;
    this.bytes = counts.bytes;
    this.elapsedMs = Math.round(details.elapsedMs);
    this.tree = details.tree;
    this.#previous = details.previous;
    this.#maxPages = details.maxPages ?? Number.POSITIVE_INFINITY;
    this.#agent = details.agent;
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
    const verdictOf = this.#agent === undefined ? undefined : await robotsVerdicts(this.tree, this.#agent);
    let left = this.#maxPages;
    for (const { sitemap } of walkTree(this.tree)) {
      if (!sitemap.kind.startsWith('pages-') || seen.has(sitemap.url)) continue;
      seen.add(sitemap.url);
      const stale = sitemap.freshness === 'stale';
      for await (const batch of sitemap.pages.batchesAsync()) {
        const rows = batch
          .slice(0, left)
          .map((page) => ({ sitemap: sitemap.url, page, stale, verdict: verdictOf?.(page.url) }));
        if (rows.length > 0) yield rows;
        left -= rows.length;
        if (left <= 0) return;
      }
    }
  }
}

export function failedSite(site: string, error: unknown, elapsedMs = 0): CrawledSite {
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof SitemapException ? error.code : 'error';
  return new CrawledSite(site, { outcome: 'failed', code, reason }, { elapsedMs });
}

function countsOf(tree: IndexWebsiteSitemap): Pick<CrawledSite, 'sitemaps' | 'stale' | 'bytes'> {
  const read = new Map<string, number>();
  const stale = new Set<string>();
  let robots = 0;
  for (const { sitemap } of walkTree(tree)) {
    const { kind, url, bytes = 0 } = sitemap;
    if (kind === 'invalid' || kind === 'website') continue;
    const isStale = sitemap.freshness === 'stale';
    if (kind === 'robots-txt') robots += isStale ? 0 : bytes;
    else if (isStale) stale.add(url);
    else read.set(url, bytes);
  }
  const bytes = [...read.values()].reduce((sum, size) => sum + size, robots);
  return { sitemaps: read.size, stale: stale.size, bytes };
}
