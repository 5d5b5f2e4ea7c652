/** Counts what a call has done, and reports it to the listener, if there is one. */
import type { RetryEvent } from '../fetch/fetch-document.ts';
import type { ProgressTotals, SitemapProgress } from '../options/options.ts';
import type { ResolvedOptions } from '../options/resolve.ts';

/** A progress event without its totals. */
type News = SitemapProgress extends infer Event
  ? Event extends SitemapProgress
    ? Omit<Event, 'totals'>
    : never
  : never;

/** `bytes` is reported at most this often. */
const BYTES_EVERY_MS = 100;

export class CrawlProgress {
  readonly #listener: ((event: SitemapProgress) => void) | undefined;
  readonly #startedAt = performance.now();
  readonly #counts = { known: 0, done: 0, failed: 0, pages: 0, bytes: 0 };
  #reportedBytesAt = Number.NEGATIVE_INFINITY;

  constructor({ onProgress }: ResolvedOptions) {
    this.#listener = onProgress;
  }

  /** Whether there is a listener: what is counted for people only need not be counted otherwise. */
  get isWatched(): boolean {
    return this.#listener !== undefined;
  }

  get totals(): ProgressTotals {
    return { ...this.#counts, elapsedMs: Math.round(performance.now() - this.#startedAt) };
  }

  queued(url: string): void {
    this.#counts.known++;
    this.report({ type: 'queued', url });
  }

  finished(url: string): void {
    this.#counts.done++;
    this.report({ type: 'finished', url });
  }

  failed(url: string, code: string, reason: string): void {
    this.#counts.failed++;
    this.report({ type: 'failed', url, code, reason });
  }

  addBytes(url: string, count: number): void {
    this.#counts.bytes += count;
    if (this.#listener === undefined) return;
    if (performance.now() - this.#reportedBytesAt < BYTES_EVERY_MS) return;
    this.report({ type: 'bytes', url });
    // Only now: the next report is that much later than the time that this one has.
    this.#reportedBytesAt = performance.now();
  }

  addPages(count: number): void {
    this.#counts.pages += count;
  }

  report(news: News): void {
    this.#listener?.({ ...news, totals: this.totals } as SitemapProgress);
  }
}

/**
 * Why a URL is asked for. robots.txt and known paths count as sitemaps only where there is one. Known paths also wait
 * behind everything that is declared, and are hardly retried.
 */
export type Origin = 'declared' | 'robots-txt' | 'known-path';

/**
 * The progress of one URL. robots.txt and a known path are not counted before there turns out to be a sitemap, or an
 * index declares it: a listener should not get events of twenty sitemaps that never existed.
 */
export class DocumentProgress {
  readonly #progress: CrawlProgress;
  readonly #url: string;
  #isCounted: boolean;
  /** Whether it is more than a known path: a sitemap that an index declares, or robots.txt. */
  isDeclared: boolean;
  isStarted = false;
  /** Of this attempt. */
  #bytes = 0;
  #lastRetry: RetryEvent | undefined;
  #failure: { readonly code: string; readonly reason: string } | undefined;

  constructor(progress: CrawlProgress, url: string, origin: Origin) {
    this.#progress = progress;
    this.#url = url;
    this.#isCounted = origin === 'declared';
    this.isDeclared = origin !== 'known-path';
    if (this.#isCounted) progress.queued(url);
  }

  /** What has arrived so far, as the end of a sentence. */
  get standing(): string {
    if (!this.isStarted) return 'its turn had not come';
    if (this.#bytes > 0) return `${this.#bytes} bytes of it had arrived`;
    if (this.#lastRetry === undefined) return 'nothing of it had arrived';
    const { attempt, reason } = this.#lastRetry;
    return `${attempt === 1 ? 'its first attempt had failed' : `${attempt} attempts had failed`}: ${reason}`;
  }

  /** An index declares it, or it turned out to be a sitemap: what was held back is reported now. */
  declared(): void {
    this.isDeclared = true;
    if (this.#isCounted) return;
    this.#isCounted = true;
    this.#progress.queued(this.#url);
    if (this.isStarted) this.#progress.report({ type: 'started', url: this.#url });
    if (this.#failure !== undefined) this.failed(this.#failure.code, this.#failure.reason);
  }

  started(): void {
    this.isStarted = true;
    if (this.#isCounted) this.#progress.report({ type: 'started', url: this.#url });
  }

  /** @param isSitemap - false for a robots.txt, which is reported as well, but not counted */
  finished({ isSitemap }: { readonly isSitemap: boolean }): void {
    if (isSitemap || this.#isCounted) {
      this.declared();
      this.#progress.finished(this.#url);
      return;
    }
    for (const type of ['queued', 'started', 'finished'] as const)
      this.#progress.report({ type, url: this.#url });
  }

  failed(code: string, reason: string): void {
    this.#failure = { code, reason };
    if (this.#isCounted) this.#progress.failed(this.#url, code, reason);
  }

  // Also for known paths: retries are all a user sees of a slow, failing site.
  retried(retry: RetryEvent): void {
    this.#lastRetry = retry;
    this.#bytes = 0;
    this.#progress.report({ type: 'retried', url: this.#url, ...retry });
  }

  addBytes(count: number): void {
    this.#bytes += count;
    this.#progress.addBytes(this.#url, count);
  }
}
