/** The limits of one call. A limit throws nothing away: what was found stays, and the result says what stopped it. */
import type { ResolvedOptions } from '../options/resolve.ts';
import type { Stopped } from '../sitemap/stopped.ts';

/** Why a document is given up when the time is over. */
export const TIME_IS_UP: unique symbol = Symbol('time is up');

/** A longer timer would fire at once; nobody waits for this one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Counts nodes and time. */
export class Limits {
  readonly #maxSitemaps: number;
  readonly #deadline = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  #nodes = 0;
  #stopped: Stopped | undefined;

  constructor({ maxSitemaps, maxTimeMs }: ResolvedOptions) {
    this.#maxSitemaps = maxSitemaps;
    if (maxTimeMs !== undefined) {
      this.#timer = setTimeout(
        () => {
          this.stop(
            'maxTimeMs',
            `The call was stopped after ${maxTimeMs} ms (maxTimeMs); what was found is kept.`,
          );
          this.#deadline.abort(TIME_IS_UP);
        },
        Math.min(maxTimeMs, LONGEST_TIMER_MS),
      );
    }
  }

  /** Aborted, with {@link TIME_IS_UP}, when the time is over. */
  get deadline(): AbortSignal {
    return this.#deadline.signal;
  }

  /** What stopped the call, if anything did. */
  get stopped(): Stopped | undefined {
    return this.#stopped;
  }

  /** Notes the limit that stopped the call; the first one counts. */
  stop(limit: string, message: string): void {
    this.#stopped ??= { limit, message };
  }

  /** Whether the tree may have another node; if so, it is counted. */
  takeNode(): boolean {
    if (this.#nodes < this.#maxSitemaps) {
      this.#nodes++;
      return true;
    }
    this.noteFull();
    return false;
  }

  /** Notes that something was left out because the tree is full. */
  noteFull(): void {
    this.stop(
      'maxSitemaps',
      `The tree has ${this.#maxSitemaps} sitemaps, which is the limit (maxSitemaps); the rest was left out.`,
    );
  }

  /** Whether the tree can have no more nodes. */
  get isFull(): boolean {
    return this.#nodes >= this.#maxSitemaps;
  }

  /** Ends the timer. */
  close(): void {
    clearTimeout(this.#timer);
  }
}
