/**
 * Hands sites to child processes, publishes what these have finished, and knows which sites a process had when it died:
 * they are crawled again. It serves the list of one machine and a queue that many share.
 *
 * A site is with one child, first running, then crawled, until its batch is published. After three deaths it is with a
 * child of its own, one site at a time; where this child dies too, the site is given up, with a line `failed`.
 */
import { SitemapException } from '../index.ts';
import { unlessAborted } from '../runtime/abort.ts';
import { inTurn, Waiters } from '../runtime/time.ts';
import type { ChildCrawler, FromProcess, UnpublishedSite } from './child-process.ts';
import type { Batch, FinishedSite } from './journal.ts';

interface CoordinatorOptions {
  /** Resolves once what came of its sites is safe. */
  readonly publish: (batch: Batch) => Promise<void>;
  readonly start: (sitesAtOnce: number) => ChildCrawler;
  readonly processes: number;
  readonly sitesAtOnce: number;
  /** A child that is silent for this time is stuck in one turn of its event loop: it is killed. @default 120_000 */
  readonly silentMs?: number | undefined;
  /** Says in a sentence what is worth knowing: deaths, sites that run alone, archives that are not used. */
  readonly warn: (message: string) => void;
}

const SILENT_MS = 120_000;

/** A site that as many processes died with is crawled alone. */
const DEATHS_BEFORE_ALONE = 3;

/** Where this number of children in a row die before they are ready, no more are started. */
const MOST_FAILED_STARTS = 3;

interface Site {
  readonly site: string;
  readonly earlierProblem: string | undefined;
  deaths: number;
  /** What came of it, once it is crawled. */
  result: UnpublishedSite | undefined;
  readonly crawled: Promise<void>;
  /** Makes it crawled. */
  readonly resolve: () => void;
}

interface Child {
  readonly process: ChildCrawler;
  readonly sites: Set<Site>;
  /** How many of them are not crawled yet. */
  running: number;
  isReady: boolean;
  heardAt: number;
}

export class Coordinator {
  readonly #options: CoordinatorOptions;
  /** `finishing`: what a child had when it died is not crawled again. `over`: everything is given up. */
  #phase: 'crawling' | 'finishing' | 'over' = 'crawling';
  readonly #sites = new Map<string, Site>();
  readonly #running = new Map<string, number>();
  readonly #unpublished = new Set<UnpublishedSite>();
  readonly #children = new Set<Child>();
  /** The process of the site that runs alone; the others wait for their turn. */
  #lone: Child | undefined;
  readonly #inTurn = inTurn();
  #failedStarts = 0;
  readonly #work = new Set<Promise<void>>();
  readonly #waiters = new Waiters();
  readonly #watching: NodeJS.Timeout;
  readonly #failure = new AbortController();

  constructor(options: CoordinatorOptions) {
    this.#options = options;
    this.#watching = this.#watch();
  }

  /** Aborted where nothing can be written, or no process can be started. */
  get failed(): AbortSignal {
    return this.#failure.signal;
  }

  /** The sites that children have and that are not crawled yet, with when they got them (`performance.now()`). */
  get running(): ReadonlyMap<string, number> {
    return this.#running;
  }

  /** The sites that are crawled and wait for their line. */
  get unpublished(): ReadonlySet<UnpublishedSite> {
    return this.#unpublished;
  }

  /** How many sites are crawled at once. */
  get atOnce(): number {
    return this.#options.processes * this.#options.sitesAtOnce;
  }

  /**
   * Crawls a site; resolves once it is crawled, and waits for its batch, or is given up.
   *
   * @param deaths - how often a process died while it had the site
   * @param earlierProblem - why the archive of the earlier crawl cannot be used
   */
  async crawl(site: string, deaths = 0, earlierProblem?: string): Promise<void> {
    this.failed.throwIfAborted();
    await (this.#sites.get(site) ?? this.#add(site, deaths, earlierProblem)).crawled;
  }

  /** Waits until all sites are published. If the work was stopped, sites of a child that dies are not crawled again. */
  async end({ isStopped }: { readonly isStopped: boolean }): Promise<void> {
    if (isStopped) this.#phase = 'finishing';
    else while (this.#sites.size > 0) await this.#waiters.wait(this.failed);
    for (const { process } of this.#children) process.send({ type: 'end' });
    while (this.#work.size > 0) await unlessAborted(Promise.all(this.#work), this.failed);
  }

  /** Ends all children. Resolves once they have exited: until then they may write to their folder. */
  async close(): Promise<void> {
    this.#phase = 'over';
    clearInterval(this.#watching);
    const alive = this.#alive.map(({ process }) => process);
    for (const process of alive) process.kill();
    await Promise.all(alive.map(({ exited }) => exited));
  }

  get #alive(): readonly Child[] {
    return [...this.#children, ...(this.#lone === undefined ? [] : [this.#lone])];
  }

  /** Kills children that are stuck, so that the other sites that they have do not wait forever. */
  #watch(): NodeJS.Timeout {
    const { silentMs = SILENT_MS, warn } = this.#options;
    let lookedAt = performance.now();
    return setInterval(() => {
      const now = performance.now();
      // This process was stopped itself, or had no time: then its children could not be heard.
      const wasAway = now - lookedAt > silentMs / 2;
      lookedAt = now;
      for (const child of this.#alive) {
        if (wasAway) child.heardAt = now;
        if (!child.isReady || now - child.heardAt < silentMs) continue;
        warn(`a process has not responded for ${Math.round(silentMs / 1000)} seconds, and is ended.`);
        child.process.kill();
      }
    }, silentMs / 8);
  }

  #add(name: string, deaths: number, earlierProblem: string | undefined): Site {
    let resolve = (): void => {};
    const crawled = new Promise<void>((settle) => {
      resolve = settle;
    });
    const site = { site: name, earlierProblem, deaths, result: undefined, crawled, resolve };
    this.#sites.set(name, site);
    this.#hand(site);
    return site;
  }

  #hand(site: Site): void {
    if (site.deaths >= DEATHS_BEFORE_ALONE) {
      this.#track(this.#inTurn(() => this.#runAlone(site)));
      return;
    }
    while (this.#children.size < this.#options.processes) this.#start();
    const [first, ...others] = this.#children;
    if (first !== undefined) this.#give(site, others.reduce(lessBusy, first));
  }

  #give(site: Site, child: Child): void {
    child.sites.add(site);
    child.running++;
    this.#running.set(site.site, performance.now());
    child.process.send({ type: 'site', site: site.site, earlierProblem: site.earlierProblem });
  }

  #start(): void {
    const child = this.#newChild(this.#options.sitesAtOnce);
    this.#children.add(child);
    const buried = child.process.exited.then((trouble) => {
      this.#children.delete(child);
      this.#bury(child, trouble);
    });
    this.#track(buried);
  }

  #newChild(sitesAtOnce: number): Child {
    const process = this.#options.start(sitesAtOnce);
    const heardAt = performance.now();
    const child: Child = { process, sites: new Set(), running: 0, isReady: false, heardAt };
    process.onMessage((message) => {
      child.heardAt = performance.now();
      this.#hear(child, message);
    });
    return child;
  }

  #hear(child: Child, message: FromProcess): void {
    switch (message.type) {
      case 'alive':
        return;
      case 'ready':
        child.isReady = true;
        this.#failedStarts = 0;
        return;
      case 'crawled': {
        const { result, warning } = message;
        const site = this.#sites.get(result.site);
        child.running--;
        if (site !== undefined) site.result = result;
        this.#running.delete(result.site);
        this.#unpublished.add(result);
        site?.resolve();
        if (warning !== undefined) this.#options.warn(`${result.site}: ${warning}`);
        return;
      }
      case 'batch':
        this.#track(this.#publish(child, message.batch));
        return;
      case 'stuck':
        this.#fail(new SitemapException(message.reason, { code: 'folder-unwritable' }));
    }
  }

  async #publish(child: Child, batch: Batch): Promise<void> {
    const sites = batch.sites.flatMap(({ site }) => this.#sites.get(site) ?? []);
    for (const site of sites) child.sites.delete(site);
    await this.#options.publish(batch);
    for (const site of sites) this.#forget(site);
  }

  #forget(site: Site): void {
    if (site.result !== undefined) this.#unpublished.delete(site.result);
    this.#running.delete(site.site);
    this.#sites.delete(site.site);
    site.resolve();
    this.#waiters.wake();
  }

  /** Crawls again what a child had when it ended. @param trouble - how it ended; undefined where that was well */
  #bury({ sites, isReady }: Child, trouble: string | undefined): void {
    if (trouble !== undefined && this.#phase !== 'over') {
      const running = [...sites].filter(({ result }) => result === undefined).map(({ site }) => site);
      const count = `${running.length} ${running.length === 1 ? 'site' : 'sites'}`;
      const names = running.length === 0 ? '' : `: ${running.slice(0, 3).join(', ')}`;
      this.#options.warn(`a process ended (${trouble}) with ${count}${names}.`);
      if (!isReady && ++this.#failedStarts >= MOST_FAILED_STARTS) {
        this.#fail(new SitemapException(`no process can be started: ${trouble}.`, { code: 'no-process' }));
        return;
      }
    }
    for (const site of sites) {
      if (this.#phase !== 'crawling') {
        this.#forget(site);
        continue;
      }
      if (site.result === undefined && trouble !== undefined) site.deaths++;
      if (site.result !== undefined) this.#unpublished.delete(site.result);
      site.result = undefined;
      this.#hand(site);
    }
  }

  async #runAlone(site: Site): Promise<void> {
    if (this.#phase !== 'crawling') return this.#forget(site);
    this.#options.warn(`${site.site} runs alone, since ${site.deaths} processes ended while they had it.`);
    const child = this.#newChild(1);
    this.#lone = child;
    this.#give(site, child);
    child.process.send({ type: 'end' });
    const trouble = await child.process.exited;
    this.#lone = undefined;
    const hasEndedIt = trouble !== undefined && child.sites.has(site) && this.#phase === 'crawling';
    if (hasEndedIt) await this.#giveUp(site);
    else this.#bury(child, trouble);
  }

  /** A site that has ended a process in which it was alone is not tried again. */
  async #giveUp(site: Site): Promise<void> {
    const failed: FinishedSite = {
      site: site.site,
      outcome: 'failed',
      code: 'process-died',
      reason: `The process that crawled ${site.site}, and nothing else, ended before the site was finished.`,
      sitemaps: 0,
      pages: 0,
      bytes: 0,
      elapsedMs: 0,
      finishedAt: new Date().toISOString(),
    };
    await this.#options.publish({ part: undefined, sites: [failed] });
    this.#forget(site);
  }

  #fail(error: unknown): void {
    this.#failure.abort(error);
    for (const { resolve } of this.#sites.values()) resolve();
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch((error: unknown) => this.#fail(error));
    this.#work.add(tracked);
    tracked.then(() => this.#work.delete(tracked));
  }
}

function lessBusy(one: Child, other: Child): Child {
  return other.running < one.running ? other : one;
}
