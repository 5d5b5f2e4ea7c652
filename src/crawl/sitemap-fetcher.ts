/**
 * One URL to one sitemap and all that is below it, as the flowchart has it: fetch; failed? invalid; `<`? XML, and the
 * root picks the format; robots.txt? else plain text. Index-type sitemaps recurse.
 */

import { createDocumentFetcher } from '../fetch/fetch-document.ts';
import type { SitemapOptions } from '../options/options.ts';
import { type ResolvedOptions, resolveOptions } from '../options/resolve.ts';
import { EntryAllowance } from '../read/entry-allowance.ts';
import { treeNodes } from '../read/node-factory.ts';
import { SpoolingReader } from '../read/spooling-reader.ts';
import { makeTop, type Sitemap } from '../sitemap/sitemap.ts';
import { Spool } from '../sitemap/spool/spool.ts';
import { withoutUserinfo } from '../url.ts';
import { Crawl } from './crawl.ts';
import { isFiltered } from './filters.ts';
import { requireHttpUrl } from './homepage.ts';
import { Lineage } from './lineage.ts';
import { runCrawl } from './run.ts';

/** Fetches one sitemap, picks the parser for its content, and recurses into it if it is an index. */
export class SitemapFetcher {
  readonly #url: URL;
  readonly #options: ResolvedOptions;

  /** @throws SitemapException for a URL that is not http(s), or an option that is not one */
  constructor(url: string | URL, options?: SitemapOptions) {
    this.#options = resolveOptions(options, 'sitemap');
    this.#url = sitemapUrl(url);
  }

  /**
   * The sitemap and all that is below it, with `complete` and, where a limit was reached, `stopped`. An unreadable one is
   * an `InvalidSitemap`, never a rejection.
   */
  async sitemap(): Promise<Sitemap> {
    const { spool, crawl } = treeCrawl(this.#url, this.#options);
    try {
      return await runCrawl(crawl, this.#options, async () => {
        const sitemap = await sitemapAt(crawl, withoutUserinfo(this.#url).href);
        makeTop(sitemap, { spool, complete: crawl.isComplete, stopped: crawl.limits.stopped });
        return sitemap;
      });
    } catch (error) {
      spool.close();
      throw error;
    }
  }
}

/** The address of one sitemap. @throws SitemapException where it is not http(s) */
export function sitemapUrl(url: string | URL): URL {
  return requireHttpUrl(url, 'sitemap’s address');
}

/** One sitemap and all that is below it, for a tree and for a stream alike. */
export async function sitemapAt<Node>(crawl: Crawl<Node>, url: string): Promise<Node> {
  const place = { url, lastModified: undefined };
  const outcome = await crawl.outcome({ ...place, parentUrls: new Set() });
  crawl.limits.takeNode();
  return crawl.node(place, Lineage.top, outcome);
}

/** A crawl whose pages are kept for a tree, and the spool that they are kept in. */
export function treeCrawl(site: URL, options: ResolvedOptions): { spool: Spool; crawl: Crawl<Sitemap> } {
  const spool = new Spool({
    memoryBytes: options.spoolMemoryBytes,
    directory: options.spoolDirectory,
    onWarning: (message) => options.logger.warn(message),
  });
  const crawl = new Crawl<Sitemap>(options, (progress) => ({
    fetcher: createDocumentFetcher(site, options),
    reader: new SpoolingReader(
      spool,
      progress.isWatched ? (count) => progress.addPages(count) : undefined,
      EntryAllowance.for(options.maxSitemaps, { isFiltered: isFiltered(options) }),
    ),
    nodes: treeNodes,
    keepsDocuments: true,
  }));
  return { spool, crawl };
}
