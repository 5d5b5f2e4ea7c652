/** A clock whose sleeps pass at once and are written down; deadlines on real connections stay real. */
import { type Clock, type Deadline, systemClock } from '../../src/runtime/time.ts';

export class FakeClock implements Clock {
  /** Every pause that was chosen, in milliseconds. */
  readonly slept: number[] = [];
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.#now += ms;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }

  deadline(ms: number, onPassed: () => void): Deadline {
    return systemClock.deadline(ms, onPassed);
  }
}
