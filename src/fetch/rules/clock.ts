/**
 * Time as a parameter: retries and pauses are tested without waiting.
 *
 * `sleep` and `deadline` are two methods on purpose. A sleep is a pause that we chose (a backoff, a `waitMs`), which a
 * test's clock may skip; a deadline guards a real connection, which no clock can speed up.
 *
 * @packageDocumentation
 */
import { setTimeout as delay } from 'node:timers/promises';
import { LONGEST_TIMER_MS, startTimer } from '../../runtime/event-loop.ts';

export interface Clock {
  /** Milliseconds since the epoch, never going backwards. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `onPassed` after `ms` unless the returned function is called first. */
  deadline(ms: number, onPassed: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  async sleep(ms, signal) {
    try {
      await delay(Math.min(ms, LONGEST_TIMER_MS), undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // Node wraps the reason in an AbortError of its own; callers want the reason.
      if (signal?.aborted) throw signal.reason;
      throw error;
    }
  },
  deadline: startTimer,
};
