/** One call of a tool: how long it may take, how it is cancelled, and what is said when it cannot be answered. */
import type { ProgressTotals } from '../index.ts';
import { unlessAborted } from '../runtime/abort.ts';
import { ignorable, systemClock } from '../runtime/time.ts';
import { safeText } from '../text/safe-text.ts';
import { count, number } from '../text/wording.ts';

/** Why a call has no result, in words that say what to do next. It becomes a result with `isError`. */
export class Refusal extends Error {}

/** Sends a progress notification. */
export type Notify = (progress: { progress: number; total: number; message: string }) => void;

/** The part of the time for a result in which a site may still be read; in the rest the result is made. */
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

  /** Whether the result has to be given now, with what there is. */
  get isLate(): boolean {
    return performance.now() - this.#startedAt > this.#callMs;
  }

  /** @throws Refusal where there was no time to come to the place that the caller names: no result would go on */
  throwIfLate(): void {
    if (!this.isLate) return;
    throw new Refusal(
      'There was not enough time to come to this place of the list. Call again; a larger limit needs fewer calls.',
    );
  }

  /** What a promise comes to; undefined where the call has to end before. @throws where the call is cancelled */
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

/** A result's text: characters that cannot be seen are escapes, since models read it and people are shown it. */
export function resultText(value: unknown): string {
  return safeText(JSON.stringify(value), 'json');
}

/** The bytes that a part of a result takes. */
export function sizeOf(value: unknown): number {
  return Buffer.byteLength(resultText(value));
}

/** When something was read, and how long ago that is: what is kept may be older than the site. */
export function timeOf(readAt: Date): { readonly readAt: string; readonly ageSeconds: number } {
  return { readAt: readAt.toISOString(), ageSeconds: Math.max(0, Math.round((Date.now() - +readAt) / 1000)) };
}

/** What a result has besides its items and what is known before: counts, a cursor or token, and the names of these. */
const FRAME_BYTES = 360;

/** Items of a result, as many as fit: by their number and by the size of their JSON. */
export class ResultList<Item> {
  readonly items: Item[] = [];
  readonly #most: number;
  #bytesLeft: number;

  constructor(most: number, bytes: number) {
    this.#most = most;
    this.#bytesLeft = bytes - FRAME_BYTES;
  }

  /** Whether it took the item. The first one is always taken: a result without any would never go on. */
  add(item: Item): boolean {
    const size = sizeOf(item) + 1;
    if (this.items.length >= this.#most || (size > this.#bytesLeft && this.items.length > 0)) return false;
    this.items.push(item);
    this.#bytesLeft -= size;
    return true;
  }

  /** Takes items from a place on; the place of the first that it did not take, where there is one. */
  addFrom(items: readonly Item[], from: number): number | undefined {
    const index = items.slice(from).findIndex((item) => !this.add(item));
    return index === -1 ? undefined : from + index;
  }
}
