/**
 * Sends sites to child processes, publishes the batches that these finish, and crawls again the sites of a process that
 * died. It serves the list of one machine and a queue that many share.
 *
 * One child has a site until the batch of the site is published; the site is first running, then crawled. After three
 * deaths the site gets a child of its own, and only one such child runs at a time. If this child dies too, the site is
 * given up, with a line `failed`.
 */
import { SitemapException } from '../index.ts';
import { unlessAborted } from '../runtime/abort.ts';
import { inTurn, Waiters } from '../runtime/time.ts';
import type { ChildCrawler, FromProcess, UnpublishedSite } from './child-process.ts';
import type { Batch, FinishedSite } from './journal.ts';

interface CoordinatorOptions {
  /** Resolves once the results of its sites cannot be lost. */
  readonly publish: (batch: Batch) => Promise<void>;
  readonly start: (sitesAtOnce: number) => ChildCrawler;
  readonly processes: number;
  readonly sitesAtOnce: number;
  /** A child that is silent for this time is stuck in one turn of its event loop: it is killed. @default 120_000 */
  readonly silentMs?: number | undefined;
  /** Called with a sentence about a process that died, a site that runs alone, or an archive that is not used. */
  readonly warn: (message: string) => void;
}

const SILENT_MS = 120_000;

/** A site is crawled alone after this number of processes died while they had it. */
const DEATHS_BEFORE_ALONE = 3;

/** If this number of children in a row die before they are ready, no more are started. */
const MOST_FAILED_STARTS = 3;

interface Site {
  readonly site: string;
  readonly earlierProblem: string | undefined;
  deaths: number;
  /** Its result, once it is crawled. */
  result: UnpublishedSite | undefined;
  readonly crawled: Promise<void>;
  /** Resolves `crawled`. */
  readonly resolve: () => void;
}

interface Child {
  readonly process: ChildCrawler;
  readonly sites: Set<Site>;
  /** How many of its sites are not crawled yet. */
  running: number;
  isReady: boolean;
  heardAt: number;
}

export class Coordinator {
  readonly #options: CoordinatorOptions;
  /** `finishing`: the sites of a child that dies are not crawled again. `over`: all work is dropped. */
  #phase: 'crawling' | 'finishing' | 'over' = 'crawling';
  readonly #sites = new Map<string, Site>();
  readonly #running = new Map<string, number>();
  readonly #unpublished = new Set<UnpublishedSite>();
  readonly #children = new Set<Child>();
  /** The child of the site that runs alone; other such sites wait for their turn. */
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

  /** Aborts if nothing can be written, or no process can be started. */
  get failed(): AbortSignal {
    return this.#failure.signal;
  }

  /** The sites that children crawl now, with the time at which they got them (`performance.now()`). */
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
   * Crawls a site; resolves once the site is crawled and waits for its batch, or is given up.
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
      // This process itself was paused or too busy, so messages of its children may still wait.
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
    this.#assign(site);
    return site;
  }

  #assign(site: Site): void {
    if (site.deaths >= DEATHS_BEFORE_ALONE) {
      this.#track(this.#inTurn(() => this.#runAlone(site)));
      return;
    }
    while (this.#children.size < this.#options.processes) this.#start();
    const [first, ...others] = this.#children;
    if (first !== undefined) this.#sendSite(site, others.reduce(lessBusy, first));
  }

  #sendSite(site: Site, child: Child): void {
    child.sites.add(site);
    child.running++;
    this.#running.set(site.site, performance.now());
    child.process.send({ type: 'site', site: site.site, earlierProblem: site.earlierProblem });
  }

  #start(): void {
    const child = this.#newChild(this.#options.sitesAtOnce);
    this.#children.add(child);
    const cleanup = child.process.exited.then((trouble) => {
      this.#children.delete(child);
      this.#afterExit(child, trouble);
    });
    this.#track(cleanup);
  }

  #newChild(sitesAtOnce: number): Child {
    const process = this.#options.start(sitesAtOnce);
    const heardAt = performance.now();
    const child: Child = { process, sites: new Set(), running: 0, isReady: false, heardAt };
    process.onMessage((message) => {
      child.heardAt = performance.now();
      this.#receive(child, message);
    });
    return child;
  }

  #receive(child: Child, message: FromProcess): void {
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

  /** Crawls again the sites that a child had when it ended. @param trouble - how it failed; undefined if it did not */
  #afterExit({ sites, isReady }: Child, trouble: string | undefined): void {
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
      this.#assign(site);
    }
  }

  async #runAlone(site: Site): Promise<void> {
    if (this.#phase !== 'crawling') return this.#forget(site);
    this.#options.warn(`${site.site} runs alone, since ${site.deaths} processes ended while they had it.`);
    const child = this.#newChild(1);
    this.#lone = child;
    this.#sendSite(site, child);
    child.process.send({ type: 'end' });
    const trouble = await child.process.exited;
    this.#lone = undefined;
    const isGivenUp = trouble !== undefined && child.sites.has(site) && this.#phase === 'crawling';
    if (isGivenUp) await this.#giveUp(site);
    else this.#afterExit(child, trouble);
  }

  /** A site that has ended a process in which it was alone is not tried again. */
  async #giveUp(site: Site): Promise<void> {
    const failed: FinishedSite = {
      site: site.site,
      outcome: 'failed',
      code: 'process-died',
      reason: `The process that crawled only ${site.site} ended before the site was finished.`,
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
