/**
 * @internal Trees of many sites, for `batch/` and `mcp/`: they share one network, so that a host has one pace whatever
 * the number of sites there, and one budget of memory.
 */
import { homepageOf, sitemapUrl } from './crawl/site.ts';
import {
  type CrawlFollower,
  crawlSharing,
  type SharingInternals,
  type TreeCrawlSharing,
} from './crawl/tree-crawl.ts';
import type { StreamOptions } from './options/options.ts';
import { type ResolvedOptions, resolveOptions } from './options/resolve.ts';
import type { IndexWebsiteSitemap, Sitemap } from './sitemap/sitemap.ts';
import { treeOfSite, treeOfSitemap } from './tree.ts';

export type { CrawlFollower } from './crawl/tree-crawl.ts';

export class SitePool {
  readonly #options: ResolvedOptions;
  readonly #sharing: TreeCrawlSharing;

  /** @throws SitemapException with code `bad-option` */
  constructor(options: StreamOptions, internals: SharingInternals = {}) {
    this.#options = resolveOptions(options, 'stream');
    this.#sharing = crawlSharing(this.#options, internals);
  }

  /** The homepage under which a site is looked for. */
  homepage(url: string | URL): URL {
    return homepageOf(url, this.#options);
  }

  /** The tree of one site. `siteOptions` replace those of the pool. */
  tree(
    homepage: string | URL,
    siteOptions: Partial<ResolvedOptions>,
    follower?: CrawlFollower,
  ): Promise<IndexWebsiteSitemap> {
    return treeOfSite(homepage, { ...this.#options, ...siteOptions }, { ...this.#sharing, follower });
  }

  /** One sitemap and everything below it. `siteOptions` replace those of the pool. */
  async sitemap(
    url: string | URL,
    siteOptions: Partial<ResolvedOptions>,
    follower?: CrawlFollower,
  ): Promise<Sitemap> {
    return treeOfSitemap(
      sitemapUrl(url, this.#options),
      { ...this.#options, ...siteOptions },
      { ...this.#sharing, follower },
    );
  }

  /** Whether no request would be sent to a site, since it is at a private address. */
  refuses(site: URL): Promise<boolean> {
    return this.#sharing.network.refuses(site);
  }

  /** Ends everything that is open for any site. */
  close(): Promise<void> {
    return this.#sharing.network.close();
  }
}
