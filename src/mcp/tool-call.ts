/** One call of a tool: its time limit, its signal, its progress, and the size of its result. */
import type { ProgressTotals } from '../index.ts';
import { unlessAborted } from '../runtime/abort.ts';
import { ignorable, systemClock } from '../runtime/time.ts';
import { safeText } from '../text/safe-text.ts';
import { count, number } from '../text/wording.ts';

/** Says why a call has no result, and what to do next. It becomes a result with `isError`. */
export class Refusal extends Error {}

/** Sends a progress notification. */
export type Notify = (progress: { progress: number; total: number; message: string }) => void;

/** The share of a call's time in which a site may be read; in the rest the result is made. */
const READING_SHARE = 0.85;

const PROGRESS_EVERY_MS = 500;

export class ToolCall {
  readonly signal: AbortSignal;
  readonly #startedAt = performance.now();
  readonly #callMs: number;
  readonly #notify: Notify | undefined;
  #lastProgress = 0;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(signal: AbortSignal, callMs: number, notify: Notify | undefined) {
    this.signal = signal;
    this.#callMs = callMs;
    this.#notify = notify;
  }

  /** Whether the time is over, so that a partial result must be returned now. */
  get isLate(): boolean {
    return performance.now() - this.#startedAt > this.#callMs;
  }

  /** @throws Refusal if there was no time to reach the position of the caller: an empty result would not help */
  throwIfLate(): void {
    if (!this.isLate) return;
    throw new Refusal(
      'There was not enough time to reach this position in the list. Call again; a larger limit needs fewer calls.',
    );
  }

  /** The result of a promise; undefined if the call must end before. @throws if the call is cancelled */
  async wait<Value>(promise: Promise<Value>): Promise<Value | undefined> {
    const remainingMs = this.#callMs * READING_SHARE - (performance.now() - this.#startedAt);
    const over = new AbortController();
    const end = ignorable(systemClock.sleep(Math.max(0, remainingMs), over.signal)).then(() => undefined);
    try {
      return await unlessAborted(Promise.race([promise, end]), this.signal);
    } finally {
      over.abort();
    }
  }

  /** Sends progress at most every 500 ms, and never a lower number. */
  progress({ done, failed, known, pages }: ProgressTotals): void {
    const now = performance.now();
    const sitemaps = done + failed;
    if (
      this.#notify === undefined ||
      sitemaps <= this.#lastProgress ||
      now - this.#sentAt < PROGRESS_EVERY_MS
    )
      return;
    this.#lastProgress = sitemaps;
    this.#sentAt = now;
    const message = `${number(sitemaps)} of ${count(known, 'sitemap')}, ${count(pages, 'page')}`;
    this.#notify({ progress: sitemaps, total: known, message });
  }
}

/** The text of a result. Invisible characters are escaped, since models and people read it. */
export function resultText(value: unknown): string {
  return safeText(JSON.stringify(value), 'json');
}

/** The bytes that a part of a result takes. */
export function sizeOf(value: unknown): number {
  return Buffer.byteLength(resultText(value));
}

/** When a site was read, and how long ago that is: the site may have changed since. */
export function timeOf(readAt: Date): { readonly readAt: string; readonly ageSeconds: number } {
  return { readAt: readAt.toISOString(), ageSeconds: Math.max(0, Math.round((Date.now() - +readAt) / 1000)) };
}

/** The bytes of a result apart from its items and its known fields: counts, a cursor or token, and their names. */
const FRAME_BYTES = 360;

/** The items of a result, limited by their number and by the size of their JSON. */
export class ResultList<Item> {
  readonly items: Item[] = [];
  readonly #most: number;
  #bytesLeft: number;

  constructor(most: number, bytes: number) {
    this.#most = most;
    this.#bytesLeft = bytes - FRAME_BYTES;
  }

  /** Adds an item if it fits. The first item is always added: without it the caller could never continue. */
  add(item: Item): boolean {
    const size = sizeOf(item) + 1;
    if (this.items.length >= this.#most || (size > this.#bytesLeft && this.items.length > 0)) return false;
    this.items.push(item);
    this.#bytesLeft -= size;
    return true;
  }

  /** Adds items from an index on. Returns the index of the first one that did not fit, if any. */
  addFrom(items: readonly Item[], from: number): number | undefined {
    const index = items.slice(from).findIndex((item) => !this.add(item));
    return index === -1 ? undefined : from + index;
  }
}
