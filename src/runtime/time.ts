/** Clocks, timers of any length, turns of the event loop, and waiting. */
import { onAbort, type StopSignal, unlessAborted } from './abort.ts';

/** Work that takes longer than this without a turn of the event loop is noticed by others. */
const MOST_MS = 20;

/**
 * Reminds long work to give the event loop a turn from time to time. A chain of promises that are already settled never
 * does: no timer fires, no signal arrives, and a limit of time is not kept.
 */
export class FairShare {
  #since = performance.now();
  #items = 0;
  #turn: Promise<void> | undefined;

  /** Whether a turn is due. Cheap enough to ask for every few entries, not for every byte. */
  get isUsedUp(): boolean {
    return performance.now() - this.#since > MOST_MS;
  }

  /** Acts on each item, with turns where they are due; rejects with the signal's reason after one that aborted. */
  async forEach<Item>(items: Iterable<Item>, act: (item: Item) => void, signal?: AbortSignal): Promise<void> {
    let count = 0;
    for (const item of items) {
      if (++count % 256 === 0 && this.isUsedUp) {
        await this.turn();
        signal?.throwIfAborted();
      }
      act(item);
    }
  }

  /** A turn where one is due. It is asked for after each of many small items. */
  dueTurn(): Promise<void> | undefined {
    return ++this.#items % 64 === 0 && this.isUsedUp ? this.turn() : undefined;
  }

  /**
   * Gives the event loop a turn: timers fire and signals arrive before this resolves. All work that waits for the turn
   * goes on together.
   */
  turn(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#since = performance.now();
        this.#turn = undefined;
        resolve();
      });
    });
    return this.#turn;
  }
}

/** Runs pieces of work one after the other, in the order given; one that fails does not stop the next. */
export function inTurn(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

/**
 * Returns the promise, marked as handled: what waits for it sees a rejection, and if nothing waits, the rejection does
 * not end the process.
 */
export function ignorable<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

/** A condition variable: callers wait, then check again. */
export class Waiters {
  #wake: () => void = () => {};
  #next: Promise<void> | undefined;

  wake(): void {
    this.#next = undefined;
    this.#wake();
  }

  /** Waits for the next change; rejects with the signal's reason when that aborts. */
  wait(signal?: AbortSignal): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    return unlessAborted(this.#next, signal);
  }
}

/** `setTimeout` takes 31 bits, and fires at once when it is given more. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** A timer of Node, or of Cloudflare's workers: there it is a number, and keeps no process alive. */
type PlatformTimer = NodeJS.Timeout | number;

/** Calls `onPassed` after any number of milliseconds, `Infinity` included, unless the timer is cancelled first. */
export function startTimer(ms: number, onPassed: () => void): Timer {
  let timer: PlatformTimer;
  const start = (remainingMs: number): PlatformTimer =>
    remainingMs <= LONGEST_TIMER_MS
      ? setTimeout(onPassed, remainingMs)
      : setTimeout(() => goOn(remainingMs), LONGEST_TIMER_MS);
  const goOn = (remainingMs: number): void => {
    const isHeld = typeof timer === 'number' || timer.hasRef();
    timer = start(remainingMs - LONGEST_TIMER_MS);
    if (!isHeld) unref();
  };
  const unref = (): void => {
    if (typeof timer !== 'number') timer.unref();
  };
  timer = start(ms);
  return {
    cancel: () => clearTimeout(timer),
    restart() {
      if (typeof timer !== 'number' && ms <= LONGEST_TIMER_MS) return void timer.refresh();
      clearTimeout(timer);
      timer = start(ms);
    },
    unref,
  };
}

/**
 * Time as a parameter: retries and pauses are tested without waiting.
 *
 * `sleep` and `deadline` are two methods on purpose. A sleep is a pause that we chose (a backoff, a `waitMs`), which a
 * test's clock may skip; a deadline guards a real connection, which no clock can speed up.
 */
export interface Clock {
  /** Milliseconds since the epoch, never going backwards. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: StopSignal): Promise<void>;
  /** Calls `onPassed` after `ms`, unless it is cancelled first. */
  deadline(ms: number, onPassed: () => void): Deadline;
}

export interface Deadline {
  cancel(): void;
  /** Starts again, even if it has passed. Costs far less than a new deadline. */
  restart(): void;
}

export interface Timer extends Deadline {
  /** Lets the process end before the deadline. */
  unref(): void;
}

const STARTED_AT = performance.timeOrigin;

export const systemClock: Clock = {
  now: () => STARTED_AT + performance.now(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      const timer = startTimer(ms, () => {
        stop();
        resolve();
      });
      const stop = onAbort(signal, (reason) => {
        timer.cancel();
        reject(reason);
      });
    });
  },
  deadline: startTimer,
};
