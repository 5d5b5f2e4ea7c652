/** A child process: crawls the sites that its parent sends, and writes their pages to parts. It publishes nothing. */
import { join } from 'node:path';
import { loadTree, type Sitemap, SitemapException, saveTree } from '../index.ts';
import { OWN_ARCHIVE_SITEMAPS } from '../options/option-table.ts';
import { errorCode, fileTrouble } from '../runtime/files.ts';
import { BatchWriter, type SiteExtras, UnreadableSite } from './batch-writer.ts';
import { ALIVE_EVERY_MS, type FromProcess, type ProcessSettings, type ToProcess } from './child-process.ts';
import { archiveOf, makeFolderOfArchive } from './crawl-folder.ts';
import { type CrawledSite, crawlOne, failedSite, sharedCrawl } from './crawl-sites.ts';
import type { Batch, FinishedSite } from './journal.ts';

interface ParentProcess {
  send(message: FromProcess): void;
  onMessage(listener: (message: ToProcess) => void): void;
}

/** After this time without a site, the finished sites are sent to the parent. */
const IDLE_MS = 300;

/**
 * Serves the parent until it sends `end`; rejects if the parts cannot be written. A site is crawled as soon as it
 * arrives: the parent sends no more than `sitesAtOnce` at a time.
 */
export async function serveCrawl(parent: ParentProcess, settings: ProcessSettings): Promise<void> {
  const { folder, format, publishEveryMs: everyMs } = settings;
  const { onlyAllowed, ...options } = settings.options;
  const shared = sharedCrawl(options, { onlyAllowed });
  let [end, fail]: [() => void, (error: unknown) => void] = [() => {}, () => {}];
  const over = new Promise<void>((resolve, reject) => {
    [end, fail] = [resolve, reject];
  });
  const onBatch = (batch: Batch): void => parent.send({ type: 'batch', batch });
  const writer = new BatchWriter({ folder, format, everyMs, onBatch, onError: fail });
  const underWay = new Set<Promise<void>>();
  let running = 0;
  let idle: NodeJS.Timeout | undefined;

  /**
   * Crawls a site. If the archive of the earlier crawl turns out to be unreadable, crawls it again without the archive.
   */
  const finishedSite = async (url: string, earlierProblem: string | undefined): Promise<FinishedSite> => {
    const earlier = settings.previous === undefined ? undefined : join(settings.previous, archiveOf(url));
    // A worker has a copy of the archive, so no path of this machine is named.
    const unused = (why: unknown): string =>
      `${archiveOf(url)} of the earlier crawl was not used, so everything was fetched: ` +
      `${fileTrouble(why).replace(/\.$/, '')}.`;
    let previousProblem = earlierProblem === undefined ? undefined : unused(earlierProblem);
    for (;;) {
      let tree: Sitemap | undefined;
      const previous = async (): Promise<Sitemap | undefined> => {
        if (earlier === undefined || previousProblem !== undefined) return undefined;
        tree = await treeIn(earlier).catch((error: unknown) => {
          previousProblem = unused(error);
          return undefined;
        });
        return tree;
      };
      const site = await crawlOne({ url, previous }, shared);
      try {
        if (site.tree === undefined && tree !== undefined) throw new UnreadableSite(site.reason);
        return await writer.add(site, { ...(await extrasOf(site, settings)), previousProblem });
      } catch (error) {
        if (!(error instanceof UnreadableSite)) throw error;
        if (tree === undefined)
          return await writer.add(failedSite(site.site, error.cause, site.elapsedMs), { previousProblem });
        previousProblem = unused(error);
      } finally {
        site.close();
      }
    }
  };

  const crawl = async (url: string, earlierProblem: string | undefined): Promise<void> => {
    running++;
    const { site, outcome, code, pages, previousProblem: warning } = await finishedSite(url, earlierProblem);
    running--;
    clearTimeout(idle);
    parent.send({ type: 'crawled', result: { site, outcome, code, pages }, warning });
    if (running === 0) idle = setTimeout(() => writer.flush().catch(fail), IDLE_MS);
  };

  parent.onMessage((message) => {
    if (message.type === 'end') end();
    if (message.type !== 'site') return;
    const crawled = crawl(message.site, message.earlierProblem).finally(() => underWay.delete(crawled));
    crawled.catch(fail);
    underWay.add(crawled);
  });
  parent.send({ type: 'ready' });
  const alive = setInterval(() => parent.send({ type: 'alive' }), ALIVE_EVERY_MS);
  try {
    await over;
    await Promise.all(underWay);
    await writer.flush();
  } catch (error) {
    parent.send({ type: 'stuck', reason: fileTrouble(error) });
    throw error;
  } finally {
    clearInterval(alive);
    clearTimeout(idle);
    await shared.pool.close();
  }
}

async function extrasOf(site: CrawledSite, { archives, crawl }: ProcessSettings): Promise<SiteExtras> {
  if (!archives || site.tree === undefined || site.sitemaps + site.stale === 0) return {};
  const archive = archiveOf(site.site);
  const path = await makeFolderOfArchive(crawl, archive);
  await saveTree(site.tree, path).catch((error: unknown) => {
    const isUnreadable = error instanceof SitemapException && error.code === 'archive-damaged';
    throw isUnreadable ? new UnreadableSite(error) : error;
  });
  return { archive };
}

/** The tree of a site from an earlier crawl; undefined if the site is new, or had no sitemap. */
async function treeIn(archive: string): Promise<Sitemap | undefined> {
  try {
    return await loadTree(archive, { maxSitemaps: OWN_ARCHIVE_SITEMAPS });
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}
