/**
 * From a homepage to the tree of its sitemaps. The steps in between, which stream.ts takes too, are in crawl/site.ts.
 *
 * @packageDocumentation
 */
import { homepageOf, treeOriginOf } from './crawl/homepage.ts';
import { sitemapsOfSite } from './crawl/site.ts';
import { SitemapFetcher } from './crawl/sitemap-fetcher.ts';
import { crawlTree, type SharedBySites } from './crawl/tree-crawl.ts';
import { createNetwork } from './fetch/network.ts';
import type { SitemapOptions, StreamOptions } from './options/options.ts';
import { type ResolvedOptions, resolveOptions } from './options/resolve.ts';
import { IndexWebsiteSitemap, type Sitemap } from './sitemap/sitemap.ts';
import { SpoolMemory } from './sitemap/spool/memory.ts';
import { withoutUserinfo } from './url.ts';

/**
 * Finds all sitemaps of a site, fetches them, and returns the tree that they make.
 *
 * @example
 * ```ts
 * const tree = await sitemapTreeForHomepage('https://example.org/');
 * for (const page of tree.allPages()) console.log(page.url);
 * ```
 *
 * @throws SitemapException for a homepage that is not http(s), or an option that does not exist or has a wrong value;
 * the signal's reason when it aborts; what a callback throws. A sitemap that cannot be read is never thrown: it is an
 * `InvalidSitemap`.
 */
export async function sitemapTreeForHomepage(
  homepage: string | URL,
  options?: SitemapOptions,
): Promise<IndexWebsiteSitemap> {
  return treeOfSite(homepage, resolveOptions(options, 'tree'));
}

/** @internal The same for one of many sites: its options are checked, and it shares network and memory with others. */
export async function treeOfSite(
  homepage: string | URL,
  options: ResolvedOptions,
  shared?: SharedBySites,
): Promise<IndexWebsiteSitemap> {
  // With the userinfo that requests need, and no result shows.
  const site = homepageOf(homepage, options);
  const { href: url } = withoutUserinfo(site);
  return crawlTree(
    site,
    options,
    async (crawl, documents) => {
      const { nodes, problems, triedPaths, complete } = await sitemapsOfSite(crawl, url);
      const { stopped } = crawl.limits;
      // The top-level sitemap is the parent of robots.txt and of everything that was found besides it.
      return new IndexWebsiteSitemap({
        url,
        subSitemaps: nodes,
        problems,
        triedPaths,
        complete,
        stopped,
        documents,
        origin: treeOriginOf('homepage', site, options),
      });
    },
    shared,
  );
}

/**
 * Fetches one sitemap and everything below it, with `complete` and, where a limit was reached, `stopped`. What cannot
 * be read is an `InvalidSitemap`; only wrong arguments, an abort or a callback's error reject.
 *
 * @example
 * ```ts
 * const sitemap = await sitemapFromUrl('https://example.org/news-sitemap.xml');
 * ```
 */
export async function sitemapFromUrl(url: string | URL, options?: SitemapOptions): Promise<Sitemap> {
  return new SitemapFetcher(url, options).sitemap();
}

/**
 * @internal Trees of many sites, for `batch/`: they share one network, so that a host has one pace whatever the number
 * of sites there, and one budget of memory.
 */
export class SitePool {
  readonly #options: ResolvedOptions;
  readonly #shared: SharedBySites;

  /** @throws SitemapException with code `bad-option` */
  constructor(options: StreamOptions) {
    this.#options = resolveOptions(options, 'stream');
    this.#shared = {
      network: createNetwork(this.#options),
      spoolMemory: new SpoolMemory(this.#options.spoolMemoryBytes),
    };
  }

  /** The tree of one site. `own` are the options that are not those of all sites. */
  tree(homepage: string | URL, own: Partial<ResolvedOptions>): Promise<IndexWebsiteSitemap> {
    return treeOfSite(homepage, { ...this.#options, ...own }, this.#shared);
  }

  /** Ends everything that is open for any site. */
  close(): Promise<void> {
    return this.#shared.network.close();
  }
}
