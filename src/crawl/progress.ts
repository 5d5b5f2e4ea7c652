/** Counts what a call has done, and tells whoever listens. */
import type { ProgressEvent, ProgressTotals, ResolvedOptions } from '../options.ts';

/** A progress event without its totals. */
type News = ProgressEvent extends infer Event
  ? Event extends ProgressEvent
    ? Omit<Event, 'totals'>
    : never
  : never;

/** `bytes` is told at most this often. */
const BYTES_EVERY_MS = 100;

/** The progress of one call. */
export class Progress {
  readonly #listener: ((event: ProgressEvent) => void) | undefined;
  readonly #startedAt = performance.now();
  #known = 0;
  #done = 0;
  #failed = 0;
  #pages = 0;
  #bytes = 0;
  #toldBytesAt = Number.NEGATIVE_INFINITY;

  constructor({ onProgress }: ResolvedOptions) {
    this.#listener = onProgress;
  }

  /** Whether anybody listens: what is counted for people only need not be counted otherwise. */
  get isWatched(): boolean {
    return this.#listener !== undefined;
  }

  get totals(): ProgressTotals {
    return {
      known: this.#known,
      done: this.#done,
      failed: this.#failed,
      pages: this.#pages,
      bytes: this.#bytes,
      elapsedMs: Math.round(performance.now() - this.#startedAt),
    };
  }

  queued(url: string): void {
    this.#known++;
    this.#tell({ type: 'queued', url });
  }

  started(url: string): void {
    this.#tell({ type: 'started', url });
  }

  finished(url: string): void {
    this.#done++;
    this.#tell({ type: 'finished', url });
  }

  failed(url: string, code: string, reason: string): void {
    this.#failed++;
    this.#tell({ type: 'failed', url, code, reason });
  }

  retried(url: string, retry: { attempt: number; waitMs: number; reason: string }): void {
    this.#tell({ type: 'retried', url, ...retry });
  }

  addBytes(url: string, count: number): void {
    this.#bytes += count;
    if (this.#listener === undefined) return;
    const now = performance.now();
    if (now - this.#toldBytesAt < BYTES_EVERY_MS) return;
    this.#toldBytesAt = now;
    this.#tell({ type: 'bytes', url });
  }

  addPages(count: number): void {
    this.#pages += count;
  }

  #tell(news: News): void {
    this.#listener?.({ ...news, totals: this.totals } as ProgressEvent);
  }
}
