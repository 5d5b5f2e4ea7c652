/** A child process: crawls the sites that its parent sends, and writes their pages to parts. It publishes nothing. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileTrouble } from '../files.ts';
import { loadTree, type Sitemap, saveTree } from '../index.ts';
import { BatchWriter, type SiteExtras } from './batch-writer.ts';
import { CrawlFolder } from './crawl-folder.ts';
import { type CrawlSitesOptions, crawlSites, type SiteToCrawl } from './crawl-sites.ts';
import type { CrawledSite } from './crawled-site.ts';
import type { FromProcess, ProcessSettings, ToProcess } from './process-messages.ts';

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
      const wasAborted = sites.isAborted(site);
      if (!wasAborted) await writer.add(result, await extrasOf(result, settings, rules));
      sites.finish(site);
      parent.send({ type: wasAborted ? 'dropped' : 'crawled', site });
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
  await saveTree(site.tree, path);
  return { keep, archive };
}

/** The tree that an earlier crawl kept of a site. One that cannot be read is not worth a failure: all is fetched. */
async function previousOf(site: string, folder: string | undefined): Promise<Sitemap | undefined> {
  if (folder === undefined) return undefined;
  return loadTree(join(folder, CrawlFolder.archiveOf(site))).catch(() => undefined);
}

/** The sites that the parent sent, as they are asked for. */
class SiteFeed implements AsyncIterable<SiteToCrawl> {
  readonly #waiting: string[] = [];
  readonly #running = new Map<string, AbortController>();
  #isEnded = false;
  #wake = (): void => {};
  readonly #previous: string | undefined;

  /** @param previous - the folder of an earlier crawl with archives */
  constructor(previous: string | undefined) {
    this.#previous = previous;
  }

  /** How many sites wait or are crawled. */
  get size(): number {
    return this.#waiting.length + this.#running.size;
  }

  add(site: string): void {
    this.#waiting.push(site);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  abort(site: string): void {
    this.#running.get(site)?.abort(new Error('another worker has the site'));
  }

  isAborted(site: string): boolean {
    return this.#running.get(site)?.signal.aborted === true;
  }

  finish(site: string): void {
    this.#running.delete(site);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SiteToCrawl, void, undefined> {
    for (;;) {
      const site = this.#waiting.shift();
      if (site !== undefined) {
        const own = new AbortController();
        this.#running.set(site, own);
        yield { url: site, signal: own.signal, previous: () => previousOf(site, this.#previous) };
        continue;
      }
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
