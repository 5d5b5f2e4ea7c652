/**
 * Time that passes when nothing else happens: every wait is an event, and the clock jumps from one to the next. For
 * tests of minutes in a moment, with clients that do not use a real network.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { onAbort } from '../../src/runtime/abort.ts';
import type { Clock, Deadline } from '../../src/runtime/time.ts';

interface TimedEvent {
  at: number;
  readonly happen: () => void;
}

export class SimulatedClock implements Clock {
  /** How many waits were begun. */
  waits = 0;
  #now = Date.UTC(2026, 0, 1);
  readonly #started = this.#now;
  /** By time, the next one last. */
  readonly #events: TimedEvent[] = [];

  now(): number {
    return this.#now;
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.#now - this.#started;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const pause = this.deadline(ms, () => {
        stopListening();
        resolve();
      });
      const stopListening = onAbort(signal, (reason) => {
        pause.cancel();
        reject(reason);
      });
    });
  }

  deadline(ms: number, onPassed: () => void): Deadline {
    this.waits++;
    const event = { at: 0, happen: onPassed };
    const cancel = (): void => {
      const at = this.#events.indexOf(event);
      if (at !== -1) this.#events.splice(at, 1);
    };
    const restart = (): void => {
      cancel();
      event.at = this.#now + ms;
      this.#insert(event);
    };
    restart();
    return { cancel, restart };
  }

  #insert(event: TimedEvent): void {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#events[middle]!.at > event.at) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  /** Lets time pass until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = (): void => {
      isDone = true;
    };
    work.then(done, done);
    while (!isDone) {
      // What a moment causes may take a few turns of the event loop.
      for (let turns = 0; turns < 3; turns++) await turn();
      if (isDone) break;
      const next = this.#events.at(-1)?.at;
      if (next === undefined) continue;
      this.#now = Math.max(this.#now, next);
      while (this.#events.at(-1)?.at === next) this.#events.pop()!.happen();
    }
    return work;
  }
}
