/**
 * From a homepage to the tree of its sitemaps. The steps in between, which stream.ts takes too, are in crawl/site.ts.
 */

import { isFiltered } from './crawl/filters.ts';
import { Crawl, runCrawl } from './crawl/node-crawl.ts';
import { homepageOf, sitemapAt, sitemapsOfSite, sitemapUrl, treeOriginOf } from './crawl/site.ts';
import { createNetwork, type FetchInternals, fetcherWithOwnNetwork, type Network } from './fetch/network.ts';
import type { OneSitemapOptions, SitemapOptions, StreamOptions } from './options/options.ts';
import { type ResolvedOptions, resolveOptions } from './options/resolve.ts';
import type { SitemapPage } from './parse/model/page.ts';
import { missingParts } from './problems/catalogue.ts';
import { treeNodes } from './read/outcome.ts';
import { EntryAllowance } from './read/reader.ts';
import { SpoolingReader } from './read/spooling-reader.ts';
import type { RobotsVerdict } from './robots/robots-rules.ts';
import type { TopFields, TreeOrigin } from './sitemap/node-fields.ts';
import { IndexWebsiteSitemap, makeTop, type Sitemap, walkTree } from './sitemap/sitemap.ts';
import { Spool, type SpoolMemory } from './sitemap/spool/spool.ts';
import { robotsVerdicts } from './sitemap/tree-verdicts.ts';
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

/** The same for one of many sites: its options are checked. */
async function treeOfSite(
  homepage: string | URL,
  options: ResolvedOptions,
  pool?: PooledCrawl,
): Promise<IndexWebsiteSitemap> {
  // With the userinfo that requests need, and no result shows.
  const site = homepageOf(homepage, options);
  const { href: url } = withoutUserinfo(site);
  const work = async (crawl: Crawl<Sitemap>, documents: Spool): Promise<IndexWebsiteSitemap> => {
    const { nodes, problems, triedPaths, complete } = await sitemapsOfSite(crawl, url);
    const top = topFields('homepage', site, crawl, documents);
    // The top-level sitemap is the parent of robots.txt and of everything that was found besides it.
    return new IndexWebsiteSitemap({ ...top, url, subSitemaps: nodes, problems, triedPaths, complete });
  };
  return crawlTree(site, options, work, pool);
}

function topFields(
  call: TreeOrigin['call'],
  site: URL,
  { options, limits, revisit }: Crawl<Sitemap>,
  documents: Spool,
): TopFields {
  const origin = treeOriginOf(call, site, options);
  return { documents, origin, stopped: limits.stopped, run: revisit?.run };
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

/** What {@link collectPages} found. */
export interface CollectedPages
  extends Pick<IndexWebsiteSitemap, 'complete' | 'stopped' | 'outcome' | 'code' | 'reason'> {
  /** Each page once, in the order of declaration; with `unique: false` also the repeats. */
  readonly pages: readonly SitemapPage[];
  /** What is missing: of the site itself, of sitemaps that could not be read, and of those that are truncated. */
  readonly missing: readonly MissingPart[];
  /** Whether the option `robotsAgent` may fetch a page, by the site's robots.txt. Without it nothing is known. */
  readonly verdictOf: (url: string | URL) => RobotsVerdict;
}

/** Something that {@link collectPages} did not read. */
export interface MissingPart {
  /** The document, or the site. */
  readonly url: string;
  /** A stable kebab-case word: see the problem codes. */
  readonly code: string;
  /** A sentence for people, with the URL. */
  readonly message: string;
}

/** More pages than this are not what an array is for: about 500 MB. */
const MOST_COLLECTED = 1_000_000;

/**
 * All pages of a site as an array, each once. The options are those of a tree, filters, and `maxPages`: where there are
 * more, `pages` has the first of them, and `stopped` says so. {@link streamPages} gives any number of pages.
 *
 * @example
 * ```ts
 * const { pages, outcome, missing } = await collectPages('https://example.org/', { since: '7d' });
 * if (outcome !== 'complete') console.log(missing);
 * ```
 *
 * @param options - `maxPages` is 1,000,000 by default
 * @throws what `sitemapTreeForHomepage` throws
 */
export async function collectPages(homepage: string | URL, options?: StreamOptions): Promise<CollectedPages> {
  const resolved = resolveOptions(options, 'stream');
  const { maxPages = MOST_COLLECTED, robotsAgent, signal } = resolved;
  const { since, until, undated, include, exclude, unique = true } = resolved;
  const tree = await treeOfSite(homepage, resolved);
  try {
    const pages: SitemapPage[] = [];
    let limit: string | undefined;
    const wanted = tree.allPages({ since, until, undated, include, exclude, unique });
    for await (const batch of wanted.batchesAsync()) {
      signal?.throwIfAborted();
      const room = maxPages - pages.length;
      for (const page of batch.slice(0, room)) pages.push(page);
      if (batch.length <= room) continue;
      limit = `There are more than ${maxPages} pages (maxPages): raise it, or use streamPages, which holds none.`;
      break;
    }
    const verdictOf = robotsAgent === undefined ? () => ({}) : await robotsVerdicts(tree, robotsAgent);
    return { pages, ...resultOf(tree, limit), verdictOf };
  } finally {
    tree.close();
  }
}

/** @param limit - a sentence, where there are more pages than `maxPages` */
function resultOf(
  tree: IndexWebsiteSitemap,
  limit: string | undefined,
): Omit<CollectedPages, 'pages' | 'verdictOf'> {
  const { url, complete, stopped, outcome, code, reason } = tree;
  const missing = missingOf(tree);
  if (limit === undefined) return { complete, stopped, outcome, code, reason, missing };
  const byLimit = { outcome: 'partial', code: 'limit', reason: stopped?.message ?? limit } as const;
  return {
    complete: false,
    stopped: stopped ?? { limit: 'maxPages', message: limit },
    ...byLimit,
    missing: [...missing, { url, code: 'limit', message: `${url}: ${limit}` }],
  };
}

function missingOf(tree: IndexWebsiteSitemap): readonly MissingPart[] {
  // A document at several places of the tree is one document.
  const missing = new Map<string, MissingPart>();
  const add = ({ url }: Sitemap, code: string, message: string): void => {
    const named = message.includes(url) ? message : `${url}: ${message}`;
    missing.set(`${url} ${named}`, { url, code, message: named });
  };
  for (const { sitemap } of walkTree(tree)) {
    const { kind, problems } = sitemap;
    if (sitemap.kind === 'invalid') add(sitemap, sitemap.code, sitemap.reason);
    const stale = problems.filter(({ code }) => code === 'stale');
    for (const { code, message } of kind === 'website' ? problems : [...missingParts(problems), ...stale])
      add(sitemap, code, message);
  }
  return [...missing.values()];
}

/**
 * @internal Trees of many sites, for `batch/`: they share one network, so that a host has one pace whatever the number
 * of sites there, and one budget of memory.
 */
export class SitePool {
  readonly #options: ResolvedOptions;
  readonly #shared: SharedBySites;

  /**
   * @param internals - `isSiteGuarded` where the URLs of sites come from strangers
   * @throws SitemapException with code `bad-option`
   */
  constructor(options: StreamOptions, internals: Pick<FetchInternals, 'isSiteGuarded'> = {}) {
    this.#options = resolveOptions(options, 'stream');
    const { spoolMemoryBytes } = this.#options;
    this.#shared = {
      network: createNetwork(this.#options, internals),
      spoolMemory: { total: spoolMemoryBytes, left: spoolMemoryBytes },
    };
  }

  /** The homepage under which a site is looked for. */
  homepage(url: string | URL): URL {
    return homepageOf(url, this.#options);
  }

  /** The tree of one site. `own` are the options that are not those of all sites. */
  tree(
    homepage: string | URL,
    own: Partial<ResolvedOptions>,
    follower?: CrawlFollower,
  ): Promise<IndexWebsiteSitemap> {
    return treeOfSite(homepage, { ...this.#options, ...own }, { ...this.#shared, follower });
  }

  /** One sitemap and everything below it. */
  async sitemap(
    url: string | URL,
    own: Partial<ResolvedOptions>,
    follower?: CrawlFollower,
  ): Promise<Sitemap> {
    return treeOfSitemap(sitemapUrl(url), { ...this.#options, ...own }, { ...this.#shared, follower });
  }

  /** Ends everything that is open for any site. */
  close(): Promise<void> {
    return this.#shared.network.close();
  }
}

/** @internal What the crawls of a pool share. */
export interface SharedBySites {
  readonly network: Network;
  readonly spoolMemory: SpoolMemory;
}

/** @internal Follows one crawl while it goes on. */
export interface CrawlFollower {
  /** Called with each sitemap that lists pages once it can be read, in the order of arrival, each document once. */
  readonly onPages: (sitemap: Sitemap) => void;
  /** Called first, with what ends the crawl as a limit does: what was found is kept. */
  readonly onStart: (end: (limit: string, message: string) => void) => void;
}

interface PooledCrawl extends SharedBySites {
  readonly follower: CrawlFollower | undefined;
}

/**
 * Runs one crawl for a tree. Where it fails, what holds its documents is closed.
 *
 * @param site - the homepage, or the one sitemap that the call is about; with its userinfo, if it has one
 * @param pool - what it shares with other sites, and what follows it, where it is one of many
 */
async function crawlTree<Tree>(
  site: URL,
  options: ResolvedOptions,
  work: (crawl: Crawl<Sitemap>, documents: Spool) => Promise<Tree>,
  pool?: PooledCrawl,
): Promise<Tree> {
  const { follower } = pool ?? {};
  const documents = spoolFor(options, pool?.spoolMemory);
  const crawl = new Crawl<Sitemap>(options, (progress) => ({
    fetcher: pool?.network.forSite(site, options) ?? fetcherWithOwnNetwork(site, options),
    reader: new SpoolingReader({
      spool: documents,
      onPages: progress.isWatched ? (count) => progress.addPages(count) : undefined,
      allowance: new EntryAllowance(options.maxSitemaps, { isFiltered: isFiltered(options) }),
      problemPositions: options.problemPositions,
    }),
    nodes: follower === undefined ? treeNodes : followedNodes(follower),
  }));
  follower?.onStart((limit, message) => crawl.limits.end(limit, message));
  try {
    return await runCrawl(crawl, options, () => work(crawl, documents));
  } catch (error) {
    documents.close();
    throw error;
  }
}

function followedNodes({ onPages }: CrawlFollower): typeof treeNodes {
  const seen = new Set<unknown>();
  return {
    ...treeNodes,
    pages(declared, outcome) {
      const node = treeNodes.pages(declared, outcome);
      if (!seen.has(outcome.pages)) onPages(node);
      seen.add(outcome.pages);
      return node;
    },
  };
}

// In a function of its own: the closure would hold everything that is in the function which makes it, and with it the
// crawl, for as long as the tree lives.
function spoolFor(
  { logger, spoolDirectory, spoolMemoryBytes }: ResolvedOptions,
  memory: SpoolMemory | undefined,
): Spool {
  return new Spool({
    memoryBytes: memory ?? spoolMemoryBytes,
    directory: spoolDirectory,
    onWarning: (message) => logger.warn(message),
  });
}

/**
 * One URL to one sitemap and everything below it, as the flowchart has it: fetch; failed? invalid; `<`? XML, and the
 * root picks the format; robots.txt? else plain text. Index-type sitemaps recurse.
 */
export class SitemapFetcher {
  readonly #url: URL;
  readonly #options: ResolvedOptions;

  /** @throws SitemapException for a URL that is not http(s), or an option that does not exist or has a wrong value */
  constructor(url: string | URL, options?: OneSitemapOptions) {
    this.#options = resolveOptions(options, 'sitemap');
    this.#url = sitemapUrl(url);
  }

  /**
   * The sitemap and everything below it, with `complete` and, where a limit was reached, `stopped`. An unreadable one
   * is an `InvalidSitemap`, never a rejection.
   */
  async sitemap(): Promise<Sitemap> {
    return treeOfSitemap(this.#url, this.#options);
  }
}

function treeOfSitemap(url: URL, options: ResolvedOptions, pool?: PooledCrawl): Promise<Sitemap> {
  const work = async (crawl: Crawl<Sitemap>, documents: Spool): Promise<Sitemap> => {
    const sitemap = await sitemapAt(crawl, withoutUserinfo(url).href);
    makeTop(sitemap, { ...topFields('sitemap', url, crawl, documents), complete: crawl.isComplete });
    return sitemap;
  };
  return crawlTree(url, options, work, pool);
}
