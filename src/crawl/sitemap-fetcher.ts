/**
 * One URL to one sitemap and everything below it, as the flowchart has it: fetch; failed? invalid; `<`? XML, and the
 * root picks the format; robots.txt? else plain text. Index-type sitemaps recurse.
 */
import type { SitemapOptions } from '../options/options.ts';
import { type ResolvedOptions, resolveOptions } from '../options/resolve.ts';
import { makeTop, type Sitemap } from '../sitemap/sitemap.ts';
import { withoutUserinfo } from '../url.ts';
import { sitemapUrl, treeOriginOf } from './homepage.ts';
import { sitemapAt } from './site.ts';
import { crawlTree } from './tree-crawl.ts';

/** Fetches one sitemap, picks the parser for its content, and recurses into it if it is an index. */
export class SitemapFetcher {
  readonly #url: URL;
  readonly #options: ResolvedOptions;

  /** @throws SitemapException for a URL that is not http(s), or an option that does not exist or has a wrong value */
  constructor(url: string | URL, options?: SitemapOptions) {
    this.#options = resolveOptions(options, 'sitemap');
    this.#url = sitemapUrl(url);
  }

  /**
   * The sitemap and everything below it, with `complete` and, where a limit was reached, `stopped`. An unreadable one
   * is an `InvalidSitemap`, never a rejection.
   */
  async sitemap(): Promise<Sitemap> {
    return crawlTree(this.#url, this.#options, async (crawl, documents) => {
      const sitemap = await sitemapAt(crawl, withoutUserinfo(this.#url).href);
      const origin = treeOriginOf('sitemap', this.#url, this.#options);
      makeTop(sitemap, {
        documents,
        complete: crawl.isComplete,
        stopped: crawl.limits.stopped,
        origin,
      });
      return sitemap;
    });
  }
}
