/** Timers of any length, and turns of the event loop. */

/** Work that takes longer than this without a turn of the event loop is noticed by others. */
const MOST_MS = 20;

/**
 * Reminds long work to give the event loop a turn from time to time. A chain of promises that are already settled never
 * does: no timer fires, no signal arrives, and a limit of time is not kept.
 */
export class FairShare {
  #since = performance.now();

  /** Whether a turn is due. Cheap enough to ask for every few entries, not for every byte. */
  get isUsedUp(): boolean {
    return performance.now() - this.#since > MOST_MS;
  }

  /** Gives the event loop a turn: timers fire and signals arrive before this resolves. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}

/** `setTimeout` takes 31 bits and fires at once when given more; a wait this long (25 days) never ends in practice. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** Calls `onPassed` after `ms`, unless the returned function is called first. */
export function startTimer(ms: number, onPassed: () => void): () => void {
  const timer = setTimeout(onPassed, Math.min(ms, LONGEST_TIMER_MS));
  return () => clearTimeout(timer);
}
