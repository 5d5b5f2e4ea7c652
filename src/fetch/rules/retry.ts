/**
 * The attempts of one document. An attempt goes all the way from the first request, over redirects, to the first bytes
 * of the decoded body. A body that breaks later asks here for the next attempt, out of the same number.
 *
 * @packageDocumentation
 */
import { abortSignalOf, type StopSignal } from '../../runtime/abort.ts';
import { FetchError, orFetchError } from '../failure.ts';
import type { Clock } from './clock.ts';
import { retryVerdict } from './retry-timing.ts';

export interface RetryPolicy {
  /** How many attempts may follow the first; asked after each failure. */
  readonly retries: () => number;
  /** Whether an attempt was refused for the pace of its host, and does not count; asked once for each failure. */
  readonly isPace: (error: FetchError) => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends the pauses; its reason is thrown. */
  readonly signal: StopSignal;
  /** Called before each pause. */
  readonly onRetry: (event: FailedAttempt & { readonly waitMs: number }) => void;
  /** Called once, when there are no more attempts. */
  readonly onGaveUp: () => void;
}

interface FailedAttempt {
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  readonly error: FetchError;
}

/** Why there are no more attempts. */
export interface GaveUp {
  readonly error: FetchError;
  /** How many attempts have failed. */
  readonly attempts: number;
  /** How many more were refused for the pace of their host, which do not count. */
  readonly refusals: number;
}

/** Attempts as they are needed; the end is the failure of the last one. */
export type Attempts<T> = AsyncGenerator<T, GaveUp, FetchError>;

/**
 * Makes attempts until one opens, and gives it to the consumer. Where that one breaks later, the consumer passes the
 * error to `next()`, which makes further attempts.
 */
export async function* attempts<T>(open: () => Promise<T>, policy: RetryPolicy): Attempts<T> {
  let failed = 0;
  for (let attempt = 1; ; attempt++) {
    const opened = await orFetchError(open());
    const error = opened instanceof FetchError ? opened : yield opened;
    const isPace = policy.isPace(error);
    if (!isPace) failed++;
    const facts = { failed, excused: attempt - failed, isPace, retries: policy.retries() };
    const verdict = retryVerdict(error, { ...facts, random: policy.random });
    if (!verdict.again) {
      policy.onGaveUp();
      const { because, code = error.code } = verdict;
      const message = because === undefined ? error.message : `${error.message}, and ${because}`;
      return { error: error.with({ code, message }), attempts: failed, refusals: attempt - failed };
    }
    policy.onRetry({ attempt, error, waitMs: verdict.waitMs });
    await policy.clock.sleep(verdict.waitMs, abortSignalOf(policy.signal));
  }
}
