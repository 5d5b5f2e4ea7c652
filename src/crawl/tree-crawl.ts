/** A crawl for a tree: its documents are kept in a spool, which lives as long as the tree. */
import { fetcherWithOwnNetwork, type Network } from '../fetch/network.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { EntryAllowance } from '../read/entry-allowance.ts';
import { treeNodes } from '../read/node-factory.ts';
import { SpoolingReader } from '../read/spooling-reader.ts';
import type { Sitemap } from '../sitemap/sitemap.ts';
import type { SpoolMemory } from '../sitemap/spool/memory.ts';
import { Spool } from '../sitemap/spool/spool.ts';
import { TreeDocuments } from '../sitemap/tree-documents.ts';
import { Crawl } from './crawl.ts';
import { isFiltered } from './filters.ts';
import { runCrawl } from './run.ts';

/** What the trees of many sites share. */
export interface SharedBySites {
  readonly network: Network;
  readonly spoolMemory: SpoolMemory;
}

/**
 * Runs one crawl for a tree. Where it fails, what holds its documents is closed.
 *
 * @param site - the homepage, or the one sitemap that the call is about; with its userinfo, if it has any
 * @param shared - what it shares with other sites, where there are any
 */
export async function crawlTree<Tree>(
  site: URL,
  options: ResolvedOptions,
  work: (crawl: Crawl<Sitemap>, documents: TreeDocuments) => Promise<Tree>,
  shared?: SharedBySites,
): Promise<Tree> {
  const spool = spoolFor(options, shared);
  const documents = new TreeDocuments(spool);
  const crawl = new Crawl<Sitemap>(options, (progress) => ({
    fetcher: shared?.network.forSite(site, options) ?? fetcherWithOwnNetwork(site, options),
    reader: new SpoolingReader({
      spool,
      onPages: progress.isWatched ? (count) => progress.addPages(count) : undefined,
      allowance: EntryAllowance.for(options.maxSitemaps, { isFiltered: isFiltered(options) }),
      problemPositions: options.problemPositions,
      useSource: (source) => documents.use(source),
    }),
    nodes: treeNodes,
  }));
  try {
    return await runCrawl(crawl, options, () => work(crawl, documents));
  } catch (error) {
    documents.close();
    throw error;
  }
}

// In a function of its own: the closure would hold everything that is in the function which makes it, and with it the
// crawl, for as long as the tree lives.
function spoolFor(
  { logger, spoolDirectory, spoolMemoryBytes }: ResolvedOptions,
  shared?: SharedBySites,
): Spool {
  return new Spool({
    memoryBytes: shared?.spoolMemory ?? spoolMemoryBytes,
    directory: spoolDirectory,
    onWarning: (message) => logger.warn(message),
  });
}
