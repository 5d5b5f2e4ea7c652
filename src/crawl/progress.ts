/** Counts what a call has done, and tells whoever listens. */
import type { ProgressEvent, ProgressTotals } from '../options/options.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import type { Problem } from '../problems/problem-list.ts';

/** A progress event without its totals. */
type News = ProgressEvent extends infer Event
  ? Event extends ProgressEvent
    ? Omit<Event, 'totals'>
    : never
  : never;

interface Retry {
  readonly attempt: number;
  readonly waitMs: number;
  readonly reason: string;
}

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

  retried(url: string, retry: Retry): void {
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

  problems(url: string, problems: readonly Problem[], problemCount: number): void {
    this.#tell({ type: 'problems', url, problems, problemCount });
  }

  addPages(count: number): void {
    this.#pages += count;
  }

  #tell(news: News): void {
    this.#listener?.({ ...news, totals: this.totals } as ProgressEvent);
  }
}

/**
 * The progress of one URL. A guess is not counted before it turns out to be a sitemap, or somebody declares it: nobody
 * wants to hear of twenty sitemaps that were never there.
 */
export class DocumentProgress {
  readonly #progress: Progress;
  readonly #url: string;
  #isGuess: boolean;
  #isStarted = false;
  /** Of this try. */
  #bytes = 0;
  #lastRetry: Retry | undefined;
  #failure: { readonly code: string; readonly reason: string } | undefined;

  constructor(progress: Progress, url: string, isGuess: boolean) {
    this.#progress = progress;
    this.#url = url;
    this.#isGuess = isGuess;
    if (!isGuess) progress.queued(url);
  }

  /** Whether a request was made. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** How far it has come, as the end of a sentence. */
  get standing(): string {
    if (!this.#isStarted) return 'its turn had not come';
    if (this.#bytes > 0) return `${this.#bytes} bytes of it had arrived`;
    if (this.#lastRetry === undefined) return 'nothing of it had arrived';
    const { attempt, reason } = this.#lastRetry;
    return `${attempt === 1 ? 'its first try had failed' : `${attempt} tries had failed`}: ${reason}`;
  }

  /** It is no guess any more: what was kept back is told now. */
  declared(): void {
    if (!this.#isGuess) return;
    this.#isGuess = false;
    this.#progress.queued(this.#url);
    if (this.#isStarted) this.#progress.started(this.#url);
    if (this.#failure !== undefined) this.failed(this.#failure.code, this.#failure.reason);
  }

  started(): void {
    this.#isStarted = true;
    if (!this.#isGuess) this.#progress.started(this.#url);
  }

  finished(): void {
    this.declared();
    this.#progress.finished(this.#url);
  }

  failed(code: string, reason: string): void {
    this.#failure = { code, reason };
    if (!this.#isGuess) this.#progress.failed(this.#url, code, reason);
  }

  // Guesses too: while a site that is slow to fail is tried again, this is all that there is to see.
  retried(retry: Retry): void {
    this.#lastRetry = retry;
    this.#bytes = 0;
    this.#progress.retried(this.#url, retry);
  }

  addBytes(count: number): void {
    this.#bytes += count;
    this.#progress.addBytes(this.#url, count);
  }
}
