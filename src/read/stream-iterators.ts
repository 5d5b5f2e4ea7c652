/**
 * How a stream is iterated. Not by a generator: one that waits for its next value cannot be ended before that comes. A
 * server that pipes a stream to a client ends it when the client goes away, and must not have to wait for a slow site.
 */

/** A generator that can be ended while it waits. */
export class StoppableIterator<T> implements AsyncIterableIterator<T, void, undefined> {
  readonly #values: AsyncGenerator<T, void, undefined>;
  readonly #stop: () => void;

  /** `stop` makes what the generator waits for come at once. */
  constructor(values: AsyncGenerator<T, void, undefined>, stop: () => void) {
    this.#values = values;
    this.#stop = stop;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, void>> {
    return this.#values.next();
  }

  return(): Promise<IteratorResult<T, void>> {
    this.#stop();
    return this.#values.return();
  }
}
