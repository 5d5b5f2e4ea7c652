/** A crawl that makes a tree: its spool, what it shares with other crawls, and the listener that follows it. */

import { createNetwork, type FetchInternals, type Network } from '../fetch/network.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { treeNodes } from '../read/outcome.ts';
import { EntryAllowance } from '../read/reader.ts';
import { SpoolingReader } from '../read/spooling-reader.ts';
import type { TopFields, TreeOrigin } from '../sitemap/node-fields.ts';
import type { Sitemap } from '../sitemap/sitemap.ts';
import { Spool, type SpoolMemory } from '../sitemap/spool/spool.ts';
import { isFiltered } from './filters.ts';
import { Crawl, runCrawl } from './node-crawl.ts';
import { treeOriginOf } from './site.ts';

/** What the crawl of one site shares with those of others, and who follows it. */
export interface TreeCrawlSharing {
  readonly network: Network;
  readonly spoolMemory: SpoolMemory;
  readonly follower?: CrawlFollower | undefined;
}

/** `isSiteGuarded` is for sites whose URLs come from strangers. */
export type SharingInternals = Pick<FetchInternals, 'isSiteGuarded'>;

/** A network and a budget of memory for the crawls of many sites. */
export function crawlSharing(options: ResolvedOptions, internals: SharingInternals): TreeCrawlSharing {
  const { spoolMemoryBytes } = options;
  const spoolMemory = { total: spoolMemoryBytes, remaining: spoolMemoryBytes };
  return { network: createNetwork(options, internals), spoolMemory };
}

/** Follows one crawl while it goes on. */
export interface CrawlFollower {
  /** Called with each sitemap that lists pages once it can be read, in the order of arrival, each document once. */
  readonly onPages: (sitemap: Sitemap) => void;
  /** Called first, with a function that ends the crawl as a limit does: what was found is kept. */
  readonly onStart: (end: (limit: string, message: string) => void) => void;
}

interface TreeCall {
  readonly call: TreeOrigin['call'];
  /** The homepage, or the one sitemap that the call is about; with its userinfo, if it has one. */
  readonly site: URL;
  readonly options: ResolvedOptions;
  /** @default the crawl has a network and a spool of its own */
  readonly sharing: TreeCrawlSharing | undefined;
}

/**
 * Runs the crawl of one call. If it fails, the spool is closed.
 *
 * @param work - makes the tree; the second parameter gives the fields of its root once everything was read
 */
export async function crawlTree<Tree>(
  { call, site, options, sharing }: TreeCall,
  work: (crawl: Crawl<Sitemap>, topFields: () => TopFields) => Promise<Tree>,
): Promise<Tree> {
  const follower = sharing?.follower;
  const documents = spoolFor(options, sharing?.spoolMemory);
  const crawl = new Crawl<Sitemap>(site, options, (progress) => ({
    network: sharing?.network,
    reader: new SpoolingReader({
      spool: documents,
      onPages: progress.isWatched ? (count) => progress.addPages(count) : undefined,
      allowance: new EntryAllowance(options.maxSitemaps, { isFiltered: isFiltered(options) }),
      problemPositions: options.problemPositions,
      followsListed: call === 'homepage' && options.followListedSitemaps,
    }),
    nodes: follower === undefined ? treeNodes : followedNodes(follower),
  }));
  follower?.onStart((limit, message) => crawl.limits.end(limit, message));
  const topFields = (): TopFields => ({
    documents,
    origin: treeOriginOf(call, site, options),
    stopped: crawl.limits.stopped,
    run: crawl.revisit?.run,
  });
  try {
    return await runCrawl(crawl, options, () => work(crawl, topFields));
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

// A function of its own: a closure holds all variables of the function that makes it, here the crawl, and the spool
// holds the closure for as long as the tree lives.
export function spoolFor(
  { logger, spoolDirectory, spoolMemoryBytes }: ResolvedOptions,
  memory?: SpoolMemory,
): Spool {
  return new Spool({
    memoryBytes: memory ?? spoolMemoryBytes,
    directory: spoolDirectory,
    onWarning: (message) => logger.warn(message),
  });
}
