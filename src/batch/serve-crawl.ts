/** A child process: crawls the sites that its parent sends, and writes their pages to parts. It publishes nothing. */
import { dirname, join } from 'node:path';
import { loadTree, type Sitemap, SitemapException, saveTree } from '../index.ts';
import { OWN_ARCHIVE_SITEMAPS } from '../options/option-table.ts';
import { errorCode, fileTrouble, makeFolder } from '../runtime/files.ts';
import { Waiters } from '../runtime/time.ts';
import { BatchWriter, type SiteExtras, UnreadableSite } from './batch-writer.ts';
import { ALIVE_EVERY_MS, type FromProcess, type ProcessSettings, type ToProcess } from './child-process.ts';
import { archiveOf } from './crawl-folder.ts';
import {
  type CrawledSite,
  type CrawlSitesOptions,
  crawlEach,
  failedSite,
  type SiteToCrawl,
} from './crawl-sites.ts';
import type { FinishedSite } from './journal.ts';
import type { PageRow } from './output/parts.ts';

interface ParentProcess {
  send(message: FromProcess): void;
  /** Sends a message together with those that follow at once; before any that {@link send} is given later. */
  sendSoon(message: FromProcess): void;
  onMessage(listener: (message: ToProcess) => void): void;
}

export interface SiteRules {
  readonly options: CrawlSitesOptions;
  /** Whether a page is kept, by its verdict; absent where all are. */
  readonly isKept: ((row: PageRow) => boolean) | undefined;
}

/** After this time without a site, what is finished is published. */
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
    folder,
    format,
    everyMs,
    onBatch: (batch) => parent.send({ type: 'batch', batch }),
    onError: stuck,
  });
  /** Writes a result; undefined where the site is crawled again, since what an archive has of it cannot be read. */
  const added = async (result: CrawledSite): Promise<FinishedSite | undefined> => {
    const { site, elapsedMs } = result;
    if (result.tree === undefined && sites.again(site, result.reason)) return undefined;
    const { previousProblem } = sites.running.get(site) ?? {};
    try {
      return await writer.add(result, { ...(await extrasOf(result, settings)), previousProblem });
    } catch (error) {
      if (!(error instanceof UnreadableSite)) throw error;
      if (sites.again(site, error)) return undefined;
      return writer.add(failedSite(site, error.cause, elapsedMs), { previousProblem });
    }
  };
  parent.onMessage((message) => {
    if (message.type === 'site') sites.add(message.site);
    else if (message.type === 'end') sites.end();
  });
  parent.send({ type: 'ready' });
  const alive = setInterval(() => parent.send({ type: 'alive' }), ALIVE_EVERY_MS);
  let idle: NodeJS.Timeout | undefined;
  try {
    for await (const result of crawlEach(sites, { ...rules.options, sitesAtOnce }, rules.isKept)) {
      clearTimeout(idle);
      const finished = await added(result);
      if (finished !== undefined) {
        const { site, outcome, code, pages, previousProblem: warning } = finished;
        sites.finish(site);
        const message = { type: 'crawled', result: { site, outcome, code, pages }, warning } as const;
        // With nothing else to do, the next site is waited for.
        if (sites.size === 0) parent.send(message);
        else parent.sendSoon(message);
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
    clearInterval(alive);
    clearTimeout(idle);
  }
}

async function extrasOf(site: CrawledSite, { archives, crawl }: ProcessSettings): Promise<SiteExtras> {
  if (!archives || site.tree === undefined || site.sitemaps + site.stale === 0) return {};
  const archive = archiveOf(site.site);
  const path = join(crawl, archive);
  await makeFolder(dirname(path));
  await saveTree(site.tree, path).catch((error: unknown) => {
    const isUnreadable = error instanceof SitemapException && error.code === 'archive-damaged';
    throw isUnreadable ? new UnreadableSite(error) : error;
  });
  return { archive };
}

interface FedSite {
  readonly url: string;
  hasPrevious: boolean;
  previousProblem: string | undefined;
}

/** The sites that the parent sent, as they are asked for, each with the tree of an earlier crawl. */
class SiteFeed implements AsyncIterable<SiteToCrawl> {
  readonly #waiting: FedSite[] = [];
  readonly running: Map<string, FedSite> = new Map();
  readonly #previous: string | undefined;
  #isEnded = false;
  readonly #waiters = new Waiters();

  /** @param previous - the folder of an earlier crawl with archives */
  constructor(previous: string | undefined) {
    this.#previous = previous;
  }

  get size(): number {
    return this.#waiting.length + this.running.size;
  }

  add(url: string, again?: FedSite): void {
    this.#waiting.push(again ?? { url, hasPrevious: false, previousProblem: undefined });
    this.#waiters.wake();
  }

  /** No more sites will be added; those that run may still be crawled again. */
  end(): void {
    this.#isEnded = true;
    this.#waiters.wake();
  }

  finish(url: string): void {
    this.running.delete(url);
    this.#waiters.wake();
  }

  /** Lets a site be crawled again without the archive of the earlier crawl; false where it was crawled without one. */
  again(url: string, why: unknown): boolean {
    const site = this.running.get(url);
    if (site === undefined || !site.hasPrevious) return false;
    this.running.delete(url);
    this.add(url, { ...site, hasPrevious: false, previousProblem: this.#unused(url, fileTrouble(why)) });
    return true;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SiteToCrawl, void, undefined> {
    for (;;) {
      const site = this.#waiting.shift();
      if (site !== undefined) {
        this.running.set(site.url, site);
        yield { url: site.url, previous: () => this.#load(site) };
        continue;
      }
      if (this.#isEnded && this.running.size === 0) return;
      await this.#waiters.wait();
    }
  }

  /** The tree that an earlier crawl kept of a site. One that cannot be read is not worth a failure: all is fetched. */
  async #load(site: FedSite): Promise<Sitemap | undefined> {
    if (this.#previous === undefined || site.previousProblem !== undefined) return undefined;
    try {
      const tree = await loadTree(this.#archiveOf(site.url), { maxSitemaps: OWN_ARCHIVE_SITEMAPS });
      site.hasPrevious = true;
      return tree;
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      // A site that is new, or had no sitemap.
      const isMissing = errorCode(cause) === 'ENOENT';
      if (!isMissing) site.previousProblem = this.#unused(site.url, fileTrouble(cause));
      return undefined;
    }
  }

  #archiveOf(url: string): string {
    return join(this.#previous ?? '', archiveOf(url));
  }

  #unused(url: string, why: string): string {
    return `${this.#archiveOf(url)} was not used, so all was fetched: ${why.replace(/\.$/, '')}.`;
  }
}
