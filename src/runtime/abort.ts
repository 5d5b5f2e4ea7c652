/** Listening to abort signals. */

/** What those need who listen to a signal. An `AbortSignal` has it. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Stops one piece of work, as an `AbortController` does. Each of those is an `EventTarget` with hidden classes of its
 * own: 2 kB, most of it in V8's old generation, and two of them for each document.
 */
export class Stop implements StopSignal {
  aborted = false;
  reason: unknown;
  #listeners: (() => void)[] = [];

  /** For those who only listen. */
  get signal(): StopSignal {
    return this;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    // One that is removed by another is not called.
    for (const listener of [...this.#listeners]) if (this.#listeners.includes(listener)) listener();
    this.#listeners = [];
  }
}

/** The signal as Node, `fetch` and callers' own code expect it. It lives as long as `signal`. */
export function abortSignalOf(signal: StopSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  onAbort(signal, (reason) => controller.abort(reason));
  return controller.signal;
}

/**
 * Calls `listener` once with the reason of the abort: at once, where the signal is aborted already. The returned
 * function stops listening; call it when the work is over, since a signal may live longer than what listens to it.
 */
export function onAbort(signal: StopSignal | undefined, listener: (reason: unknown) => void): () => void {
  if (signal === undefined) return () => {};
  const onEvent = (): void => listener(signal.reason);
  if (signal.aborted) onEvent();
  else signal.addEventListener('abort', onEvent, { once: true });
  return () => signal.removeEventListener('abort', onEvent);
}

/**
 * What the promise comes to; rejects as soon as the signal aborts. What the promise comes to after that is ignored.
 *
 * @param errorOf - what it rejects with then
 */
export function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: StopSignal | undefined,
  errorOf: (reason: unknown) => unknown = (reason) => reason,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, (reason) => reject(errorOf(reason)));
    promise.then(resolve, reject).finally(stop);
  });
}

interface Listening {
  readonly turn: number;
  readonly listener: (reason: unknown) => void;
}

/**
 * Many short-lived listeners of one signal that lives as long as a call.
 *
 * The signal has one listener for all of them. With one each, adding takes the longer the more there are. Worse, a
 * listener that was removed still refers to the next one: a removed one that V8 has moved out of its young generation
 * keeps what came after it alive, and with it the state of every document, until the whole heap is collected. For the
 * same reason the list is not a `Set`, whose outgrown tables refer to the table that followed.
 */
export class AbortListeners {
  readonly #signal: StopSignal;
  readonly #places: (Listening | undefined)[] = [];
  readonly #free: number[] = [];
  #turns = 0;

  constructor(signal: StopSignal) {
    this.#signal = signal;
    onAbort(signal, (reason) => this.#callAll(reason));
  }

  /** Calls `listener` as {@link onAbort} does; the returned function stops listening. */
  add(listener: (reason: unknown) => void): () => void {
    if (this.#signal.aborted) {
      listener(this.#signal.reason);
      return () => {};
    }
    const place = this.#free.pop() ?? this.#places.length;
    const listening = { turn: this.#turns++, listener };
    this.#places[place] = listening;
    return () => {
      if (this.#places[place] !== listening) return;
      this.#places[place] = undefined;
      this.#free.push(place);
    };
  }

  /** In the order in which they were added. */
  #callAll(reason: unknown): void {
    const all = this.#places.filter((each) => each !== undefined).sort((a, b) => a.turn - b.turn);
    this.#places.length = 0;
    this.#free.length = 0;
    for (const { listener } of all) listener(reason);
  }
}
