/**
 * Takes jobs from a queue, hands them to child processes, publishes what these have finished, and knows which sites a
 * process had when it died. The same for the embedded queue and for one that many machines share.
 *
 * A child that dies takes with it what is not published: those sites go back to the queue. After three deaths a site is
 * crawled alone in a process of its own, and one that ends that process too is `failed`.
 */

import { SitemapException } from '../reading.ts';
import { onAbort } from '../runtime/abort.ts';
import type { FromProcess, ToProcess } from './process-messages.ts';
import type { Batch, FinishedSite, Publisher } from './publisher.ts';
import { DEATHS_BEFORE_ALONE, type Job, type Queue } from './queue.ts';

/** A child process, as the coordinator sees it. */
export interface ChildCrawler {
  send(message: ToProcess): void;
  onMessage(listener: (message: FromProcess) => void): void;
  /** Resolves once it has exited and all its messages have arrived: to how it ended, undefined where that was well. */
  readonly exited: Promise<string | undefined>;
  kill(): void;
}

export interface CoordinatorParts {
  readonly queue: Queue;
  readonly publisher: Pick<Publisher, 'publish'>;
  /** Starts a child that crawls so many sites at once. */
  readonly start: (sitesAtOnce: number) => ChildCrawler;
  readonly processes: number;
  readonly sitesAtOnce: number;
  /** Said in the log: deaths, sites that run alone, archives that are not used. */
  readonly warn: (message: string) => void;
}

/** So many children in a row that die before they are ready mean that none ever will be. */
const MOST_FAILED_STARTS = 3;

/** A child and the sites that it has. */
class Child {
  readonly process: ChildCrawler;
  readonly room: number;
  /** Sites that it crawls. */
  readonly running = new Map<string, Job>();
  /** Sites that wait for their batch. */
  readonly crawled = new Map<string, Job>();
  isReady = false;

  constructor(process: ChildCrawler, room: number) {
    this.process = process;
    this.room = room;
  }

  get hasRoom(): boolean {
    return this.running.size < this.room;
  }

  take(site: string): Job | undefined {
    const job = this.running.get(site) ?? this.crawled.get(site);
    this.running.delete(site);
    this.crawled.delete(site);
    return job;
  }
}

export class Coordinator {
  readonly #parts: CoordinatorParts;
  readonly #children = new Set<Child>();
  readonly #work = new Set<Promise<void>>();
  #failedStarts = 0;
  #isEnding = false;
  #wake = (): void => {};
  #fail: (error: unknown) => void = () => {};
  /** Sites that run alone do so one after the other. */
  #alone: Promise<void> = Promise.resolve();
  /** The process of the site that runs alone. */
  #lone: ChildCrawler | undefined;
  /** No site is begun any more; those that run are finished. */
  #isStopping = false;

  constructor(parts: CoordinatorParts) {
    this.#parts = parts;
  }

  /** How many sites are crawled now. */
  get running(): number {
    let sites = 0;
    for (const { running } of this.#children) sites += running.size;
    return sites;
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
    try {
      await Promise.race([this.#feed(stop), failed]);
      this.#isStopping = stop.aborted;
      await Promise.race([this.#finish(), failed]);
    } finally {
      this.#isEnding = true;
      for (const { process } of this.#children) process.kill();
      this.#lone?.kill();
    }
  }

  async #feed(stop: AbortSignal): Promise<void> {
    const stopListening = onAbort(stop, () => this.#wake());
    try {
      while (!stop.aborted && !this.#isEnding) {
        while (this.#children.size < this.#parts.processes) this.#start(this.#parts.sitesAtOnce);
        if (this.#freest() === undefined) {
          await this.#change();
          continue;
        }
        const job = await this.#parts.queue.take(stop);
        if (job === undefined) return;
        if (this.#isEnding) await job.giveBack({ died: false });
        else await this.#hand(job);
      }
    } finally {
      stopListening();
    }
  }

  async #hand(job: Job): Promise<void> {
    if (job.diedAlone) this.#track(this.#giveUp(job));
    else if (job.deaths >= DEATHS_BEFORE_ALONE) {
      this.#alone = this.#alone.then(() => this.#runAlone(job));
      this.#track(this.#alone);
    } else {
      if (!(await this.#isDropped(job))) return job.giveBack({ died: false });
      // A child has crawled it already, for a job that was lost: its batch finishes this one.
      const holder = [...this.#children].find(({ crawled }) => crawled.has(job.site));
      if (holder !== undefined) {
        holder.crawled.set(job.site, job);
        return;
      }
      // While the queue was asked, the child with room may have died.
      const child = this.#freest() ?? this.#start(this.#parts.sitesAtOnce);
      this.#give(job, child);
    }
  }

  /**
   * Waits while a child still has the site from a job that was lost: it is being aborted there, and what comes of that
   * must not be taken for the result of this job. Resolves to false where the work ends meanwhile.
   */
  async #isDropped({ site, lost }: Job): Promise<boolean> {
    const stopListening = onAbort(lost, () => this.#wake());
    try {
      while (
        [...this.#children].some(({ running }) => running.has(site)) &&
        !lost.aborted &&
        !this.#isEnding
      ) {
        await this.#change();
      }
      return !lost.aborted && !this.#isEnding;
    } finally {
      stopListening();
    }
  }

  #give(job: Job, child: Child): void {
    const { site } = job;
    child.running.set(site, job);
    child.process.send({ type: 'site', site });
    onAbort(job.lost, () => child.process.send({ type: 'abort', site }));
  }

  /** The child with the most room. */
  #freest(): Child | undefined {
    let freest: Child | undefined;
    for (const child of this.#children) {
      if (child.hasRoom && child.running.size < (freest?.running.size ?? Number.POSITIVE_INFINITY))
        freest = child;
    }
    return freest;
  }

  #start(sitesAtOnce: number): Child {
    const child = this.#newChild(sitesAtOnce);
    this.#children.add(child);
    this.#track(
      child.process.exited.then(async (trouble) => {
        this.#children.delete(child);
        await this.#bury(child, trouble);
        this.#wake();
      }),
    );
    return child;
  }

  #newChild(sitesAtOnce: number): Child {
    const child = new Child(this.#parts.start(sitesAtOnce), sitesAtOnce);
    child.process.onMessage((message) => this.#hear(child, message));
    return child;
  }

  #hear(child: Child, message: FromProcess): void {
    switch (message.type) {
      case 'ready':
        child.isReady = true;
        this.#failedStarts = 0;
        break;
      case 'crawled': {
        const job = child.running.get(message.site);
        child.running.delete(message.site);
        if (job !== undefined) child.crawled.set(message.site, job);
        if (message.warning !== undefined) {
          this.#parts.warn(`${message.site}: ${message.warning.replace(/\.$/, '')}`);
        }
        break;
      }
      case 'dropped': {
        const job = child.take(message.site);
        // The child was told to drop it for an earlier job that was lost.
        if (job !== undefined && !job.lost.aborted) this.#track(job.giveBack({ died: false }));
        break;
      }
      case 'batch':
        this.#track(this.#publish(child, message.batch));
        break;
      case 'stuck':
        this.#fail(new SitemapException(message.reason, { code: 'folder-unwritable' }));
        break;
    }
    this.#wake();
  }

  async #publish(child: Child, batch: Batch): Promise<void> {
    const jobs = new Map(batch.sites.map(({ site }) => [site, child.take(site)]));
    const { finished, again } = await this.#parts.publisher.publish(batch);
    // All at once: each is a round trip to a queue that may be far away.
    await Promise.all([
      ...finished.map((site) => jobs.get(site)?.done()),
      ...again.map((site) => jobs.get(site)?.giveBack({ died: false })),
    ]);
  }

  /** Gives back what a child had when it ended. */
  async #bury(child: Child, trouble: string | undefined): Promise<void> {
    if (trouble !== undefined && !this.#isEnding) {
      const sites = [...child.running.keys()];
      const count = `${sites.length} ${sites.length === 1 ? 'site' : 'sites'}`;
      this.#parts.warn(`a process ended (${trouble}) with ${count}: ${sites.slice(0, 3).join(', ')}`);
      if (!child.isReady && ++this.#failedStarts >= MOST_FAILED_STARTS) {
        const message = `no process can be started: ${trouble}.`;
        this.#fail(new SitemapException(message, { code: 'no-process' }));
      }
    }
    await Promise.all([
      ...Array.from(child.crawled.values(), (job) => job.giveBack({ died: false })),
      ...Array.from(child.running.values(), (job) => job.giveBack({ died: trouble !== undefined })),
    ]);
  }

  async #runAlone(job: Job): Promise<void> {
    if (this.#isEnding || this.#isStopping) return job.giveBack({ died: false });
    this.#parts.warn(`${job.site} runs alone, since ${job.deaths} processes ended while they had it`);
    await job.startsAlone();
    const child = this.#newChild(1);
    this.#give(job, child);
    child.process.send({ type: 'end' });
    this.#lone = child.process;
    const trouble = await child.process.exited;
    this.#lone = undefined;
    await this.#bury(child, trouble);
  }

  /** A site that has ended a process in which it was alone is not tried again. */
  async #giveUp(job: Job): Promise<void> {
    const site: FinishedSite = {
      site: job.site,
      outcome: 'failed',
      code: 'process-died',
      reason: `The process that crawled ${job.site}, and nothing else, ended before the site was finished.`,
      ...{ sitemaps: 0, pages: 0, bytes: 0, elapsedMs: 0 },
      finishedAt: new Date().toISOString(),
    };
    await this.#parts.publisher.publish({ part: undefined, sites: [site] });
    await job.done();
  }

  /** Lets the children finish what they have. */
  async #finish(): Promise<void> {
    for (const { process } of this.#children) process.send({ type: 'end' });
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch((error: unknown) => this.#fail(error));
    this.#work.add(tracked);
    tracked.then(() => this.#work.delete(tracked));
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
