/**
 * Takes jobs from a queue, hands them to child processes, publishes what these have finished, and knows which sites a
 * process had when it died. The same for the embedded queue and for one that many machines share.
 *
 * What a job goes through, from the queue to one of its two ends:
 *
 *     state     is in            goes on                            where its process dies
 *     ───────── ──────────────── ────────────────────────────────── ─────────────────────────────
 *     taken     #hand            three deaths → alone                –
 *                                otherwise → running                 –
 *     running   child.running    `crawled` → crawled                 back, and a death
 *     alone     a child of its   as running; one at a time           a line `failed` → done
 *               own
 *     crawled   child.crawled    `batch` is published → done         back
 *
 * `done` and `back` (job.giveBack) end a job here. A queue may deliver a site again that a child still has, since the
 * lock of its job was lost: then the new job takes the place of the old one.
 */
import { SitemapException } from '../index.ts';
import { onAbort } from '../runtime/abort.ts';
import { inTurn, Waiters } from '../runtime/time.ts';
import type { ChildCrawler, FromProcess, UnpublishedSite } from './child-process.ts';
import type { Batch, FinishedSite } from './journal.ts';
import { DEATHS_BEFORE_ALONE, type Job, type Queue } from './queue.ts';

interface CoordinatorParts {
  readonly queue: Queue;
  /** Resolves once what came of its sites is safe. */
  readonly publish: (batch: Batch) => Promise<void>;
  readonly start: (sitesAtOnce: number) => ChildCrawler;
  readonly processes: number;
  readonly sitesAtOnce: number;
  /** A child that has been silent for so long is stuck in one turn of its event loop: it is killed. @default 120_000 */
  readonly silentMs?: number | undefined;
  /** The sites that are crawled and wait for their line. */
  readonly unpublished: Set<UnpublishedSite>;
  /** Says in a sentence what is worth knowing: deaths, sites that run alone, archives that are not used. */
  readonly warn: (message: string) => void;
}

const SILENT_MS = 120_000;

/** So many children in a row that die before they are ready mean that none ever will be. */
const MOST_FAILED_STARTS = 3;

interface Child {
  readonly process: ChildCrawler;
  readonly room: number;
  readonly running: Map<string, Job>;
  readonly crawled: Map<string, { readonly job: Job; readonly result: UnpublishedSite }>;
  isReady: boolean;
  heardAt: number;
}

export class Coordinator {
  readonly #parts: CoordinatorParts;
  /** `finishing`: no site is begun any more, those that run are finished. `over`: everything is given back. */
  #phase: 'feeding' | 'finishing' | 'over' = 'feeding';
  readonly #children = new Set<Child>();
  /** The process of the site that runs alone; the others wait for their turn. */
  #lone: Child | undefined;
  readonly #inTurn = inTurn();
  #failedStarts = 0;
  readonly #work = new Set<Promise<void>>();
  readonly #waiters = new Waiters();
  #fail: (error: unknown) => void = () => {};

  constructor(parts: CoordinatorParts) {
    this.#parts = parts;
  }

  get running(): number {
    let sites = 0;
    for (const { running } of this.#children) sites += running.size;
    return sites;
  }

  get #isOver(): boolean {
    return this.#phase === 'over';
  }

  /**
   * Crawls until the queue is over, or `stop` aborts: then what is running is finished and published. Rejects where
   * nothing can be written, or no process can be started.
   */
  async run(stop: AbortSignal): Promise<void> {
    const failed = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    failed.catch(() => {});
    const watching = this.#watch();
    try {
      await Promise.race([this.#feed(stop), failed]);
      if (stop.aborted) this.#phase = 'finishing';
      for (const { process } of this.#children) process.send({ type: 'end' });
      await Promise.race([this.#settled(), failed]);
    } finally {
      this.#phase = 'over';
      clearInterval(watching);
      for (const { process } of this.#children) process.kill();
      this.#lone?.process.kill();
    }
  }

  /** Kills children that are stuck, so that the other sites that they have do not wait forever. */
  #watch(): NodeJS.Timeout {
    const { silentMs = SILENT_MS, warn } = this.#parts;
    let lookedAt = performance.now();
    return setInterval(() => {
      const now = performance.now();
      // This process was stopped itself, or had no time: then its children could not be heard.
      const wasAway = now - lookedAt > silentMs / 2;
      lookedAt = now;
      for (const child of [...this.#children, ...(this.#lone === undefined ? [] : [this.#lone])]) {
        if (wasAway) child.heardAt = now;
        if (!child.isReady || now - child.heardAt < silentMs) continue;
        warn(`a process has not responded for ${Math.round(silentMs / 1000)} seconds, and is ended.`);
        child.process.kill();
      }
    }, silentMs / 8);
  }

  async #feed(stop: AbortSignal): Promise<void> {
    const stopListening = onAbort(stop, () => this.#waiters.wake());
    try {
      while (!stop.aborted && this.#phase === 'feeding') {
        while (this.#children.size < this.#parts.processes) this.#start();
        if (this.#freest() === undefined) {
          await this.#waiters.wait();
          continue;
        }
        const job = await this.#parts.queue.take(stop);
        if (job === undefined) return;
        if (this.#isOver) await job.giveBack({ died: false });
        else this.#hand(job);
      }
    } finally {
      stopListening();
    }
  }

  #hand(job: Job): void {
    const { site, deaths } = job;
    const holder = [...this.#children].find(({ running, crawled }) => running.has(site) || crawled.has(site));
    const finished = holder?.crawled.get(site);
    if (deaths >= DEATHS_BEFORE_ALONE) this.#track(this.#inTurn(() => this.#runAlone(job)));
    else if (finished !== undefined) holder?.crawled.set(site, { ...finished, job });
    else if (holder !== undefined) holder.running.set(site, job);
    // While the queue was asked, the child with room may have died.
    else this.#give(job, this.#freest() ?? this.#start());
  }

  #give(job: Job, child: Child): void {
    child.running.set(job.site, job);
    child.process.send({ type: 'site', site: job.site });
  }

  #freest(): Child | undefined {
    let freest: Child | undefined;
    for (const child of this.#children) {
      const sites = child.running.size;
      if (sites < child.room && sites < (freest?.running.size ?? Number.POSITIVE_INFINITY)) freest = child;
    }
    return freest;
  }

  #start(): Child {
    const child = this.#newChild(this.#parts.sitesAtOnce);
    this.#children.add(child);
    const buried = child.process.exited.then(async (trouble) => {
      this.#children.delete(child);
      await this.#bury(child, trouble);
      this.#waiters.wake();
    });
    this.#track(buried);
    return child;
  }

  #newChild(room: number): Child {
    const process = this.#parts.start(room);
    const [running, crawled] = [new Map(), new Map()];
    const child: Child = { process, room, running, crawled, isReady: false, heardAt: performance.now() };
    process.onMessage((message) => {
      child.heardAt = performance.now();
      this.#hear(child, message);
      this.#waiters.wake();
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
        const { site } = result;
        const job = child.running.get(site);
        child.running.delete(site);
        if (job !== undefined) {
          child.crawled.set(site, { job, result });
          this.#parts.unpublished.add(result);
        }
        if (warning !== undefined) this.#parts.warn(`${site}: ${warning}`);
        return;
      }
      case 'batch':
        this.#track(this.#publish(child, message.batch));
        return;
      case 'stuck':
        this.#fail(new SitemapException(message.reason, { code: 'folder-unwritable' }));
    }
  }

  async #publish({ crawled }: Child, batch: Batch): Promise<void> {
    const entries = batch.sites.flatMap(({ site }) => crawled.get(site) ?? []);
    for (const { site } of batch.sites) crawled.delete(site);
    await this.#parts.publish(batch);
    for (const { result } of entries) this.#parts.unpublished.delete(result);
    // All at once: each is a round trip to a queue that may be far away.
    await Promise.all(entries.map(({ job }) => job.done()));
  }

  /** Gives back what a child had when it ended. @param trouble - how it ended; undefined where that was well */
  async #bury({ running, crawled, isReady }: Child, trouble: string | undefined): Promise<void> {
    if (trouble !== undefined && !this.#isOver) {
      const count = `${running.size} ${running.size === 1 ? 'site' : 'sites'}`;
      const named = [...running.keys()].slice(0, 3).join(', ');
      this.#parts.warn(`a process ended (${trouble}) with ${count}: ${named}.`);
      if (!isReady && ++this.#failedStarts >= MOST_FAILED_STARTS) {
        this.#fail(new SitemapException(`no process can be started: ${trouble}.`, { code: 'no-process' }));
      }
    }
    for (const { result } of crawled.values()) this.#parts.unpublished.delete(result);
    await Promise.all([
      ...Array.from(crawled.values(), ({ job }) => job.giveBack({ died: false })),
      ...Array.from(running.values(), (job) => job.giveBack({ died: trouble !== undefined })),
    ]);
  }

  async #runAlone(job: Job): Promise<void> {
    if (this.#phase !== 'feeding') return job.giveBack({ died: false });
    this.#parts.warn(`${job.site} runs alone, since ${job.deaths} processes ended while they had it.`);
    const child = this.#newChild(1);
    this.#lone = child;
    this.#give(job, child);
    child.process.send({ type: 'end' });
    const trouble = await child.process.exited;
    this.#lone = undefined;
    const hasEndedIt = trouble !== undefined && child.running.has(job.site) && !this.#isOver;
    await (hasEndedIt ? this.#giveUp(job) : this.#bury(child, trouble));
  }

  /** A site that has ended a process in which it was alone is not tried again. */
  async #giveUp(job: Job): Promise<void> {
    const site: FinishedSite = {
      site: job.site,
      outcome: 'failed',
      code: 'process-died',
      reason: `The process that crawled ${job.site}, and nothing else, ended before the site was finished.`,
      sitemaps: 0,
      pages: 0,
      bytes: 0,
      elapsedMs: 0,
      finishedAt: new Date().toISOString(),
    };
    await this.#parts.publish({ part: undefined, sites: [site] });
    await job.done();
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch((error: unknown) => this.#fail(error));
    this.#work.add(tracked);
    tracked.then(() => this.#work.delete(tracked));
  }

  async #settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}
