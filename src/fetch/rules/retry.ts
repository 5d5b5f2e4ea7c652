/**
 * The attempts of one document, with all the numbers of Specification §2's retries. An attempt goes all the way from
 * the first request, over redirects, to the first bytes of the decoded body. A body that breaks later asks here for the
 * next attempt, out of the same number.
 */

import type { FailureCode } from '../../problems/catalogue.ts';
import type { StopSignal } from '../../runtime/abort.ts';
import type { Clock } from '../../runtime/time.ts';
import { FetchError, orFetchError } from '../fetch-failure.ts';

interface RetryPolicy {
  /** How many attempts may follow the first; asked after each failure. */
  readonly retries: () => number;
  /** Whether an attempt was refused for the pace of its host; asked once for each failure. */
  readonly isPace: (error: FetchError) => boolean;
  /** For how long after its first refusal a document may be refused for the pace of its host. */
  readonly refusalsMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends the pauses; its reason is thrown. */
  readonly signal: StopSignal;
  /** Called with the number of the attempt that failed, from 1. */
  readonly onRetry: (attempt: number, error: FetchError, waitMs: number) => void;
  readonly onGaveUp: (error: FetchError) => void;
}

export interface GaveUp {
  readonly error: FetchError;
  readonly attempts: number;
  /** How many further attempts were refused for the pace of their host; they do not count. */
  readonly refusals: number;
}

/** A document may be refused this often for the pace of its host, without using up its attempts. */
const MOST_REFUSALS = 20;

/** Attempts as they are needed; the end is the failure of the last one. */
export type Attempts<T> = AsyncGenerator<T, GaveUp, FetchError>;

/**
 * Makes attempts until one opens, and gives it to the consumer. Where this attempt breaks later, the consumer passes
 * the error to `next()`, which makes further attempts.
 */
export async function* attempts<T>(open: () => Promise<T>, policy: RetryPolicy): Attempts<T> {
  const { clock } = policy;
  let failed = 0;
  let refusedSince: number | undefined;
  for (let attempt = 1; ; attempt++) {
    const result = await orFetchError(open());
    const error = result instanceof FetchError ? result : yield result;
    if (error.status !== undefined && isRefusal(error.status)) refusedSince ??= clock.now();
    const refusedMs = clock.now() - (refusedSince ?? clock.now());
    const isExcused = attempt - failed <= MOST_REFUSALS && refusedMs <= policy.refusalsMs;
    const isPace = policy.isPace(error) && isExcused;
    if (!isPace) failed++;
    const facts = { failed, excused: attempt - failed, isPace, retries: policy.retries() };
    const verdict = retryVerdict(error, { ...facts, random: policy.random });
    if (!verdict.again) {
      policy.onGaveUp(error);
      const { because, code = error.code } = verdict;
      const message = because === undefined ? error.message : `${error.message}, and ${because}`;
      return { error: error.with({ code, message }), attempts: failed, refusals: attempt - failed };
    }
    policy.onRetry(attempt, error, verdict.waitMs);
    await clock.sleep(verdict.waitMs, policy.signal);
  }
}

/** Statuses that often go away: overload, faults of proxies and CDNs, and the 400 that some of them send instead. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([
  400, 408, 429, 499, 500, 502, 503, 504, 509, 520, 521, 522, 523, 524, 525, 526, 527, 530, 598,
]);

export function isPassingStatus(status: number): boolean {
  return PASSING_STATUSES.has(status);
}

/** Whether a status says that requests come too fast: 503 is what many servers send without further configuration. */
export function isRefusal(status: number): boolean {
  return status === 429 || status === 503;
}

/** A `Retry-After` longer than this ends the attempts: an hour is too long to wait for one sitemap. */
export const LONGEST_RETRY_AFTER_MS = 120_000;

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;

/** The pauses after refusals for the pace of a host stop growing after this many: at 4–8 s. */
const MOST_EXCUSED_BACKOFFS = 3;

/** The pause after the `failed`th attempt: 1–2 s, 2–4 s, 4–8 s…, never more than 30 s. */
export function backoffMs(failed: number, random: () => number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failed - 1) * (1 + random()));
}

/** A `Retry-After` header, seconds or an HTTP date, as milliseconds from now; absent where it is neither. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Date.parse reads far more than HTTP dates; all three forms of those have a weekday and a time.
  if (!/^[A-Za-z]{3,9},? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const date = Date.parse(/GMT|UTC|[+-]\d{4}$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

type RetryVerdict =
  | { readonly again: true; readonly waitMs: number }
  | { readonly again: false; readonly because?: string; readonly code?: FailureCode };

interface RetryFacts {
  /** How many attempts have failed, this one included, without those that do not count. */
  readonly failed: number;
  readonly retries: number;
  /** How many attempts were refused for the pace of their host, and do not count. */
  readonly excused: number;
  /** Whether this attempt was refused for the pace of its host. */
  readonly isPace: boolean;
  readonly random: () => number;
}

export function retryVerdict(error: FetchError, facts: RetryFacts): RetryVerdict {
  const { failed, excused, retries, isPace, random } = facts;
  if (!error.retryable) return { again: false };
  if (error.retryAfterMs !== undefined && error.retryAfterMs > LONGEST_RETRY_AFTER_MS) {
    const seconds = Math.round(error.retryAfterMs / 1000);
    const because = `asks to come back in ${seconds} s, which is too long to wait`;
    return { again: false, because, code: 'rate-limited' };
  }
  // Without retries every request is sent once, whatever the reason.
  if (retries === 0 || (failed > retries && !isPace)) return { again: false };
  // Its host has slowed down already, so the document itself need not wait for long.
  const backoff = backoffMs(isPace ? Math.min(excused, MOST_EXCUSED_BACKOFFS) : failed, random);
  return { again: true, waitMs: Math.max(backoff, error.retryAfterMs ?? 0) };
}
