/**
 * The tries of one document. A try is the whole way from the first request, over redirects, to the first bytes
 * of the decoded body; a body that breaks later comes back here for the next try, out of the same number.
 *
 * @packageDocumentation
 */

import { FetchError } from '../failure.ts';
import type { Clock } from './clock.ts';
import { retryVerdict } from './retry-timing.ts';

export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Told before each pause. */
  readonly onRetry: (event: {
    readonly attempt: number;
    readonly waitMs: number;
    readonly error: FetchError;
  }) => void;
  /** Told once, when there will be no more tries and nothing came of them. */
  readonly onGaveUp: () => void;
}

export class Tries<T> {
  readonly #attempt: () => Promise<T>;
  readonly #policy: RetryPolicy;
  #failed = 0;

  constructor(attempt: () => Promise<T>, policy: RetryPolicy) {
    this.#attempt = attempt;
    this.#policy = policy;
  }

  /** How many tries were made and failed. */
  get failed(): number {
    return this.#failed;
  }

  /** Tries until one succeeds or no more are left; then throws the last {@link FetchError}. */
  async first(): Promise<T> {
    try {
      return await this.#attempt();
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      return this.after(error);
    }
  }

  /** The same, after a try that succeeded at first and broke later. */
  async after(broken: FetchError): Promise<T> {
    const { retries, clock, random, signal, onRetry, onGaveUp } = this.#policy;
    for (let error = broken; ; ) {
      this.#failed++;
      const verdict = retryVerdict(error, { failed: this.#failed, retries, random });
      if (!verdict.again) {
        onGaveUp();
        throw verdict.because === undefined ? error : explained(error, verdict.because);
      }
      onRetry({ attempt: this.#failed, waitMs: verdict.waitMs, error });
      await clock.sleep(verdict.waitMs, signal);
      try {
        return await this.#attempt();
      } catch (next) {
        if (!(next instanceof FetchError)) throw next;
        error = next;
      }
    }
  }
}

function explained(error: FetchError, because: string): FetchError {
  const { code, status, connected, cause } = error;
  return new FetchError(code, `${error.message}, and ${because}`, {
    ...(status === undefined ? {} : { status }),
    connected,
    cause,
  });
}
