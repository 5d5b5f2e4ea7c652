/** A child process: crawls the sites that its parent sends, and writes their pages to parts. It publishes nothing. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SitemapException, saveTree } from '../reading.ts';
import { fileTrouble } from '../runtime/files.ts';
import { BatchWriter, type SiteExtras, UnreadableSite } from './batch-writer.ts';
import { CrawlFolder } from './crawl-folder.ts';
import { type CrawlSitesOptions, crawlSites } from './crawl-sites.ts';
import { type CrawledSite, failedSite } from './crawled-site.ts';
import type { FromProcess, ProcessSettings, ToProcess } from './process-messages.ts';
import { SiteFeed } from './site-feed.ts';

/** The parent, as a child sees it. */
export interface ParentProcess {
  send(message: FromProcess): void;
  onMessage(listener: (message: ToProcess) => void): void;
}

/** What the command makes of its flags, for each site. */
export interface SiteRules {
  readonly options: CrawlSitesOptions;
  /** The rows that are kept of one site; called once for each site. @default all */
  readonly keepFor?: (() => SiteExtras['keep']) | undefined;
}

/** With nothing to do for so long, what is finished is published. */
const IDLE_MS = 300;

/** Serves the parent until it sends `end`; rejects where the parts cannot be written. */
export async function serveCrawl(
  parent: ParentProcess,
  settings: ProcessSettings,
  rules: SiteRules,
): Promise<void> {
  const { folder, format, publishEveryMs: everyMs, sitesAtOnce } = settings;
  const sites = new SiteFeed(settings.previous);
  let isStuck = false;
  const stuck = (error: unknown): void => {
    if (isStuck) return;
    isStuck = true;
    parent.send({ type: 'stuck', reason: fileTrouble(error) });
  };
  const writer = new BatchWriter({
    ...{ folder, format, everyMs },
    onBatch: (batch) => parent.send({ type: 'batch', batch }),
    onError: stuck,
  });
  /** Writes a result; false where the site is crawled again, since what an archive has of it cannot be read. */
  const isAdded = async (result: CrawledSite): Promise<boolean> => {
    const { site, elapsedMs } = result;
    if (result.tree === undefined && sites.again(site, result.reason)) return false;
    const previousProblem = sites.previousProblem(site);
    try {
      await writer.add(result, { ...(await extrasOf(result, settings, rules)), previousProblem });
    } catch (error) {
      if (!(error instanceof UnreadableSite)) throw error;
      if (sites.again(site, error)) return false;
      await writer.add(failedSite(site, error.cause, elapsedMs), { previousProblem });
    }
    return true;
  };
  parent.onMessage((message) => {
    if (message.type === 'site') sites.add(message.site);
    else if (message.type === 'abort') sites.abort(message.site);
    else if (message.type === 'end') sites.end();
  });
  parent.send({ type: 'ready' });
  let idle: NodeJS.Timeout | undefined;
  try {
    for await (const result of crawlSites(sites, { ...rules.options, sitesAtOnce })) {
      clearTimeout(idle);
      const { site } = result;
      if (sites.isAborted(site)) {
        sites.finish(site);
        parent.send({ type: 'dropped', site });
      } else if (await isAdded(result)) {
        const warning = sites.previousProblem(site);
        sites.finish(site);
        parent.send({ type: 'crawled', site, warning });
      }
      if (sites.size === 0) idle = setTimeout(() => writer.flush().catch(stuck), IDLE_MS);
    }
    clearTimeout(idle);
    await writer.flush();
  } catch (error) {
    stuck(error);
    await writer.discard();
    throw error;
  } finally {
    clearTimeout(idle);
  }
}

async function extrasOf(
  site: CrawledSite,
  { archives, crawl }: ProcessSettings,
  { keepFor }: SiteRules,
): Promise<SiteExtras> {
  const keep = keepFor?.();
  if (!archives || site.tree === undefined || site.sitemaps === 0) return { keep };
  const archive = CrawlFolder.archiveOf(site.site);
  const path = join(crawl, archive);
  await mkdir(dirname(path), { recursive: true });
  await saveTree(site.tree, path).catch((error: unknown) => {
    const isUnreadable = error instanceof SitemapException && error.code === 'archive-damaged';
    throw isUnreadable ? new UnreadableSite(error) : error;
  });
  return { keep, archive };
}
