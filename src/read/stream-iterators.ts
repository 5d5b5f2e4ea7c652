/**
 * How a stream is iterated. By hand, for two reasons: a generator around a generator costs three times as much a page,
 * and one that waits for its next value cannot be ended before it comes. Whoever pipes a stream to a client that goes
 * away ends it just then, and must not have to wait for a slow site.
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

/** Takes batches apart. */
export class ItemIterator<T> implements AsyncIterableIterator<T, void, undefined> {
  readonly #batches: StoppableIterator<readonly T[]>;
  #batch: readonly T[] = [];
  #at = 0;
  /** The calls that wait for a batch; whoever comes after them waits for its turn. */
  #waiting: Promise<unknown> | undefined;

  constructor(batches: StoppableIterator<readonly T[]>) {
    this.#batches = batches;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, void>> {
    if (this.#waiting === undefined && this.#at < this.#batch.length) {
      return Promise.resolve({ done: false, value: this.#batch[this.#at++]! });
    }
    const result =
      this.#waiting === undefined
        ? this.#nextOfBatches()
        : this.#waiting.then(
            () => this.#nextOfBatches(),
            () => this.#nextOfBatches(),
          );
    const settled = (): void => {
      if (this.#waiting === result) this.#waiting = undefined;
    };
    this.#waiting = result;
    result.then(settled, settled);
    return result;
  }

  async #nextOfBatches(): Promise<IteratorResult<T, void>> {
    while (this.#at >= this.#batch.length) {
      const { done, value } = await this.#batches.next();
      if (done === true) return { done: true, value: undefined };
      this.#batch = value;
      this.#at = 0;
    }
    return { done: false, value: this.#batch[this.#at++]! };
  }

  async return(): Promise<IteratorResult<T, void>> {
    this.#batch = [];
    await this.#batches.return();
    return { done: true, value: undefined };
  }
}
