/**
 * From a homepage to the tree of its sitemaps. Start reading here: {@link sitemapsOfSite} has the steps in order, and
 * each names what knows more about it.
 *
 * @packageDocumentation
 */

import type { Crawl } from './crawl/crawl.ts';
import { fetchAhead, knownUrls, readRobotsTxt, robotsTxtOf, tryUrls } from './crawl/discover.ts';
import { homepageOf } from './crawl/homepage.ts';
import { homepageLinks } from './crawl/homepage-links.ts';
import { runCrawl } from './crawl/run.ts';
import { SitemapFetcher, treeCrawl } from './crawl/sitemap-fetcher.ts';
import type { SitemapOptions } from './options/options.ts';
import { resolveOptions } from './options/resolve.ts';
import type { Problem } from './problems/problem-list.ts';
import { IndexWebsiteSitemap, type Sitemap } from './sitemap/sitemap.ts';
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
 * @throws SitemapException for a homepage that is not http(s), or an option that is not one; the signal's reason when
 * it aborts; whatever a callback throws. A sitemap that cannot be read is never thrown: it is an `InvalidSitemap`.
 */
export async function sitemapTreeForHomepage(
  homepage: string | URL,
  options?: SitemapOptions,
): Promise<IndexWebsiteSitemap> {
  const resolved = resolveOptions(options, 'tree');
  const site = homepageOf(homepage, resolved);
  const { spool, crawl } = treeCrawl(site, resolved);
  try {
    return await runCrawl(crawl, resolved, async () => {
      const { nodes, problems, complete } = await sitemapsOfSite(crawl, withoutUserinfo(site).href);
      // 4. A top-level sitemap is the parent of robots.txt and of what was found besides it.
      const { stopped } = crawl.limits;
      return new IndexWebsiteSitemap({
        url: withoutUserinfo(site).href,
        subSitemaps: nodes,
        problems,
        complete,
        stopped,
        spool,
      });
    });
  } catch (error) {
    spool.close();
    throw error;
  }
}

/**
 * Fetches one sitemap and all that is below it, with `complete` and, where a limit was reached, `stopped`. What cannot be
 * read is an `InvalidSitemap`, never a rejection.
 *
 * @example
 * ```ts
 * const sitemap = await sitemapFromUrl('https://example.org/news-sitemap.xml');
 * ```
 */
export async function sitemapFromUrl(url: string | URL, options?: SitemapOptions): Promise<Sitemap> {
  return new SitemapFetcher(url, options).sitemap();
}

/** The sitemaps at the top of a site, each with all that is below it. */
export interface SiteSitemaps<Node> {
  readonly nodes: readonly Node[];
  readonly problems: readonly Problem[];
  /** Whether nothing that was declared was unreadable, unfetched or cut. */
  readonly complete: boolean;
}

/** The steps from a homepage to its sitemaps, for a tree and for a stream alike. */
export async function sitemapsOfSite<Node>(
  crawl: Crawl<Node>,
  homepage: string,
): Promise<SiteSitemaps<Node>> {
  const { useRobots, useKnownPaths, extraKnownPaths, useHomepageLinks } = crawl.options;
  const guesses = useKnownPaths
    ? knownUrls(homepage, extraKnownPaths)
    : knownUrls(homepage, extraKnownPaths, []);

  // 1. robots.txt is an index-type sitemap: it lists others in its Sitemap lines.
  const robotsTxt = robotsTxtOf(homepage);
  if (useRobots) await crawl.outcome(robotsTxt);

  // 2. Each sitemap that is declared there is fetched and parsed, and recursed into if it is an index.
  const declaring = useRobots ? readRobotsTxt(crawl, robotsTxt) : undefined;
  await fetchAhead(crawl, guesses, declaring);
  const declared = await declaring;

  // 3. Known places are tried, except those that were declared in robots.txt or below.
  const named = useHomepageLinks
    ? await homepageLinks(crawl.fetcher, homepage, crawl.limits.deadline)
    : undefined;
  const linked = await tryUrls(crawl, named?.urls ?? []);
  const known = await tryUrls(crawl, guesses);

  const tried = [...linked.nodes, ...known.nodes];
  const problems = [declared, named, linked, known].flatMap((found) => found?.problems ?? []);
  // With nothing found, a failure may well be the reason.
  const isFound = declared?.listsSitemaps === true || tried.length > 0;
  const isSure = declared?.isSure !== false && (isFound || problems.length === 0);
  return { nodes: [...(declared?.nodes ?? []), ...tried], problems, complete: crawl.isComplete && isSure };
}
