/** The queue of a crawl on one machine: in memory. What is finished is in `sites.ndjson`, so nothing else is kept. */
import { onAbort } from '../runtime/abort.ts';
import type { Job, Queue } from './queue.ts';

interface Waiting {
  readonly site: string;
  readonly deaths: number;
  readonly diedAlone: boolean;
}

/** How many sites wait at a time: more are asked for when there is room. */
const MOST_HELD = 1_000;

export class EmbeddedQueue implements Queue {
  readonly #waiting: Waiting[] = [];
  /** Those that wait, and those that a worker has. */
  readonly #known = new Set<string>();
  #isEnded = false;
  #isClosed = false;
  /** What waits for a change: room, a job, or the end. */
  readonly #sleepers = new Set<() => void>();

  async add(sites: Iterable<string> | AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
    for await (const site of sites) {
      while (this.#waiting.length >= MOST_HELD && !this.#isClosed) await this.#change(signal);
      signal?.throwIfAborted();
      if (this.#isClosed) return;
      if (this.#known.has(site)) continue;
      this.#known.add(site);
      this.#waiting.push({ site, deaths: 0, diedAlone: false });
      this.#wake();
    }
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#wake();
  }

  async take(signal: AbortSignal): Promise<Job | undefined> {
    for (;;) {
      if (signal.aborted || this.#isClosed) return undefined;
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#wake();
        return this.#job(next);
      }
      if (this.#isEnded && this.#known.size === 0) return undefined;
      await this.#change(signal).catch(() => {});
    }
  }

  async remove(): Promise<void> {}

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#wake();
  }

  #job({ site, deaths, diedAlone }: Waiting): Job {
    let isAlone = false;
    let isOver = false;
    const once = (act: () => void): Promise<void> => {
      if (!isOver) act();
      isOver = true;
      this.#wake();
      return Promise.resolve();
    };
    return {
      site,
      deaths,
      diedAlone,
      // A job is lost with the process, and that is the whole queue.
      lost: new AbortController().signal,
      startsAlone: async () => {
        isAlone = true;
      },
      done: () => once(() => this.#known.delete(site)),
      giveBack: ({ died }) =>
        once(() => {
          if (this.#isClosed) return;
          const after = { site, deaths: deaths + (died ? 1 : 0), diedAlone: diedAlone || (died && isAlone) };
          this.#waiting.push(after);
        }),
    };
  }

  #wake(): void {
    for (const wake of [...this.#sleepers]) wake();
  }

  /** Waits until something has changed, or the signal aborts. */
  #change(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        this.#sleepers.delete(wake);
        stopListening();
        resolve();
      };
      this.#sleepers.add(wake);
      const stopListening = onAbort(signal, (reason) => {
        this.#sleepers.delete(wake);
        reject(reason);
      });
    });
  }
}
