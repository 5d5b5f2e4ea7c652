/** Listening to abort signals. */

/** A signal to listen to: Node's, or ours. */
export type StopSignal = AbortSignal | Stop;

interface Listening {
  readonly turn: number;
  listener: (() => void) | undefined;
}

/**
 * Stops one piece of work, or many, as an `AbortController` does. Each of those is an `EventTarget` with hidden classes
 * of its own: 2 kB, most of it in V8's old generation, and two of them for each document.
 *
 * Many short-lived listeners are added and removed in the same time as a few. Those of an `AbortSignal` refer to the
 * next one even when they were removed: a removed one that V8 has moved out of its young generation keeps what came
 * after it alive, and with it the state of every document, until the whole heap is collected. For the same reason the
 * list is not a `Set`, whose outgrown tables refer to the table that followed.
 */
export class Stop {
  aborted = false;
  reason: unknown;
  #places: (Listening | undefined)[] = [];
  #free: number[] = [];
  #turns = 0;

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** Calls `listener` when it aborts; the returned function stops listening. See {@link onAbort}. */
  listen(listener: () => void): () => void {
    const place = this.#free.pop() ?? this.#places.length;
    const listening: Listening = { turn: this.#turns++, listener };
    this.#places[place] = listening;
    return () => {
      if (listening.listener === undefined) return;
      listening.listener = undefined;
      this.#places[place] = undefined;
      this.#free.push(place);
    };
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const all = this.#places.filter((each) => each !== undefined).sort((a, b) => a.turn - b.turn);
    // In the order in which they were added; one that is removed by another is not called.
    for (const { listener } of all) listener?.();
    this.#places = [];
    this.#free = [];
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
  if (signal.aborted) {
    onEvent();
    return () => {};
  }
  if (signal instanceof Stop) return signal.listen(onEvent);
  signal.addEventListener('abort', onEvent, { once: true });
  return () => signal.removeEventListener('abort', onEvent);
}

/**
 * The promise, unless the signal aborts: then it rejects at once, and the result of the promise is ignored.
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

/**
 * The items of an iterable. It throws as soon as the signal aborts, also while it waits for the next item. It does not
 * wait for the iterable to end then, since that may never happen.
 */
export async function* itemsUnlessAborted<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  const iterator = items[Symbol.asyncIterator]();
  // One listener for all items: a million of them would be slow to add and remove.
  let stop: (reason: unknown) => void = () => {};
  const stopListening = onAbort(signal, (reason) => stop(reason));
  try {
    for (;;) {
      signal?.throwIfAborted();
      const next = await new Promise<IteratorResult<Item>>((resolve, reject) => {
        stop = reject;
        Promise.resolve(iterator.next()).then(resolve, reject);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    stopListening();
    const ending = (async () => iterator.return?.())().catch(() => {});
    if (signal?.aborted !== true) await ending;
  }
}
