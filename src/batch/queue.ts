/**
 * The queue that the sites of a crawl wait in: embedded in the process, or on Redis or Valkey for
 * any number of machines (redis-queue.ts). One contract suite holds both.
 *
 * A queue delivers each site at least once. It does not decide what is finished, `sites.ndjson` does (journal.ts): a
 * job that is delivered twice costs time, and nothing is published twice.
 */
import { Waiters } from '../runtime/time.ts';

/**
 * A site that one worker has now. Exactly one of {@link done} and {@link giveBack} is called in the end. Where another
 * worker has it meanwhile, since the lock of this one has expired, they do nothing.
 */
export interface Job {
  /** The normalised homepage. */
  readonly site: string;
  /** How often a process died while it had the site. From three on the site runs alone in its process. */
  readonly deaths: number;
  /** The site is crawled, and what came of it is safe: the job is removed. */
  done(): Promise<void>;
  /** The site is crawled again, by any worker. `died` counts a death. */
  giveBack(why: { readonly died: boolean }): Promise<void>;
}

export interface Queue {
  /**
   * Adds sites, each of which the queue holds at most once at a time: one that waits, or that a worker has, is not
   * added again. Waits while the queue is full, so that it stays small whatever the number of sites. Rejects with the
   * signal's reason.
   */
  add(sites: Iterable<string>, signal?: AbortSignal): Promise<void>;
  /** The next job. Waits while there is none; undefined when the signal aborts, or where there will be no more. */
  take(signal: AbortSignal): Promise<Job | undefined>;
  /** Releases connections and timers. Jobs that this process still has are given back. */
  close(): Promise<void>;
}

/** A site that as many processes died with is crawled alone. */
export const DEATHS_BEFORE_ALONE = 3;

interface Waiting {
  readonly site: string;
  readonly deaths: number;
}

/** How many sites wait at a time: more are asked for when there is room. */
const MOST_HELD = 1_000;

/** The queue of a crawl on one machine: in memory. What is finished is in `sites.ndjson`, so nothing else is kept. */
export class EmbeddedQueue implements Queue {
  readonly #waiting: Waiting[] = [];
  /** Those that wait, and those that a worker has. */
  readonly #known = new Set<string>();
  #isEnded = false;
  #isClosed = false;
  /** Of what is waited for: room, a job, or the end. */
  readonly #waiters = new Waiters();

  async add(sites: Iterable<string>, signal?: AbortSignal): Promise<void> {
    for (const site of sites) {
      while (this.#waiting.length >= MOST_HELD && !this.#isClosed) await this.#waiters.wait(signal);
      signal?.throwIfAborted();
      if (this.#isClosed) return;
      if (this.#known.has(site)) continue;
      this.#known.add(site);
      this.#waiting.push({ site, deaths: 0 });
      this.#waiters.wake();
    }
  }

  /** No more sites will be added: once all are done, `take` resolves to undefined. */
  end(): void {
    this.#isEnded = true;
    this.#waiters.wake();
  }

  async take(signal: AbortSignal): Promise<Job | undefined> {
    for (;;) {
      if (signal.aborted || this.#isClosed) return undefined;
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#waiters.wake();
        return this.#job(next);
      }
      if (this.#isEnded && this.#known.size === 0) return undefined;
      await this.#waiters.wait(signal).catch(() => {});
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#waiters.wake();
  }

  #job({ site, deaths }: Waiting): Job {
    let isOver = false;
    const once = async (act: () => void): Promise<void> => {
      if (!isOver) act();
      isOver = true;
      this.#waiters.wake();
    };
    return {
      site,
      deaths,
      done: () => once(() => this.#known.delete(site)),
      giveBack: ({ died }) =>
        once(() => {
          if (!this.#isClosed) this.#waiting.push({ site, deaths: deaths + (died ? 1 : 0) });
        }),
    };
  }
}
