/**
 * Fairness to the rest of the process. A chain of promises that are already settled never gives the event loop a turn:
 * no timer fires, no signal arrives, and a limit of time is not kept.
 */

/** Work that takes longer than this without a turn of the event loop is noticed by others. */
const MOST_MS = 20;

/** Reminds long work to give the event loop a turn from time to time. */
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
