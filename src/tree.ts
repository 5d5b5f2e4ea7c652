/**
 * From a homepage to the tree of its sitemaps, in the steps of docs/fetch-and-parse-process.md:
 *
 * 1. robots.txt is read as an index: it declares sitemaps.
 * 2. Each declared sitemap is fetched and parsed, and recursed into if it is an index.
 * 3. Known paths such as /sitemap.xml are tried, without those that are declared.
 *    If the options say so, links of the homepage and sitemaps that are listed as pages are tried, too.
 * 4. A top-level sitemap becomes the parent of robots.txt and of everything that was found at known paths.
 *
 * Steps 1 to 3 are `sitemapsOfSite` in crawl/site.ts, since stream.ts uses them too; step 4 is here.
 */

import { homepageOf, oneSitemap, sitemapsOfSite, sitemapUrl } from './crawl/site.ts';
import { crawlTree, type TreeCrawlSharing } from './crawl/tree-crawl.ts';
import type { OneSitemapOptions, SitemapOptions } from './options/options.ts';
import { type ResolvedOptions, resolveOptions } from './options/resolve.ts';
import { IndexWebsiteSitemap, makeTop, type Sitemap } from './sitemap/sitemap.ts';

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

/** @internal `sitemapTreeForHomepage` with options that are already checked. */
export async function treeOfSite(
  homepage: string | URL,
  options: ResolvedOptions,
  sharing?: TreeCrawlSharing,
): Promise<IndexWebsiteSitemap> {
  const site = homepageOf(homepage, options);
  return crawlTree({ call: 'homepage', site, options, sharing }, async (crawl, topFields) => {
    const { nodes, problems, triedPaths, complete } = await sitemapsOfSite(crawl);
    const redirectedTo = [...crawl.redirectedTo];
    const fields = { url: crawl.url, subSitemaps: nodes, problems, triedPaths, redirectedTo, complete };
    return new IndexWebsiteSitemap({ ...topFields(), ...fields });
  });
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
export async function sitemapFromUrl(url: string | URL, options?: OneSitemapOptions): Promise<Sitemap> {
  return new SitemapFetcher(url, options).sitemap();
}

/**
 * Fetches one sitemap and everything below it, as the flowchart shows. What cannot be fetched is invalid. What begins
 * with `<` is XML, and its root element decides the format. A robots.txt is read as an index, and everything else as
 * plain text. The children of an index are fetched in the same way.
 */
export class SitemapFetcher {
  readonly #url: URL;
  readonly #options: ResolvedOptions;

  /** @throws SitemapException for a URL that is not http(s), or an option that does not exist or has a wrong value */
  constructor(url: string | URL, options?: OneSitemapOptions) {
    this.#options = resolveOptions(options, 'sitemap');
    this.#url = sitemapUrl(url, this.#options);
  }

  /**
   * The sitemap and everything below it, with `complete` and, where a limit was reached, `stopped`. An unreadable one
   * is an `InvalidSitemap`, never a rejection.
   */
  async sitemap(): Promise<Sitemap> {
    return treeOfSitemap(this.#url, this.#options);
  }
}

/** @internal `sitemapFromUrl` with arguments that are already checked. */
export async function treeOfSitemap(
  url: URL,
  options: ResolvedOptions,
  sharing?: TreeCrawlSharing,
): Promise<Sitemap> {
  return crawlTree({ call: 'sitemap', site: url, options, sharing }, async (crawl, topFields) => {
    const sitemap = await oneSitemap(crawl);
    makeTop(sitemap, { ...topFields(), complete: crawl.isComplete });
    return sitemap;
  });
}
