/** The queue of a crawl on one machine: in memory. What is finished is in `sites.ndjson`, so nothing else is kept. */
import { Stop } from '../runtime/abort.ts';
import { Changes } from './changes.ts';
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
  /** Of what is waited for: room, a job, or the end. */
  readonly #changes = new Changes();

  async add(sites: Iterable<string> | AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
    for await (const site of sites) {
      while (this.#waiting.length >= MOST_HELD && !this.#isClosed) await this.#changes.wait(signal);
      signal?.throwIfAborted();
      if (this.#isClosed) return;
      if (this.#known.has(site)) continue;
      this.#known.add(site);
      this.#waiting.push({ site, deaths: 0, diedAlone: false });
      this.#changes.wake();
    }
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#changes.wake();
  }

  async take(signal: AbortSignal): Promise<Job | undefined> {
    for (;;) {
      if (signal.aborted || this.#isClosed) return undefined;
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#changes.wake();
        return this.#job(next);
      }
      if (this.#isEnded && this.#known.size === 0) return undefined;
      await this.#changes.wait(signal).catch(() => {});
    }
  }

  async remove(): Promise<void> {}

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#changes.wake();
  }

  #job({ site, deaths, diedAlone }: Waiting): Job {
    let isAlone = false;
    let isOver = false;
    const once = (act: () => void): Promise<void> => {
      if (!isOver) act();
      isOver = true;
      this.#changes.wake();
      return Promise.resolve();
    };
    return {
      site,
      deaths,
      diedAlone,
      // A job is lost with the process, and that is the whole queue.
      lost: new Stop(),
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
}
