/**
 * Items one by one, out of batches. Written by hand: a generator that delegates to another one costs as much for each
 * page as parsing it.
 */

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The items of batches, for `for…of`. */
export class BatchItems<Item> implements IterableIterator<Item, undefined, undefined> {
  readonly #batches: Iterator<readonly Item[]>;
  #batch: readonly Item[] = [];
  #at = 0;

  constructor(batches: Iterator<readonly Item[]>) {
    this.#batches = batches;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Item, undefined> {
    while (this.#at === this.#batch.length) {
      const { done, value } = this.#batches.next();
      this.#at = 0;
      this.#batch = done === true ? [] : value;
      if (done === true) return DONE;
    }
    return { done: false, value: this.#batch[this.#at++]! };
  }

  return(): IteratorResult<Item, undefined> {
    this.#at = 0;
    this.#batch = [];
    this.#batches.return?.();
    return DONE;
  }
}

/** The items of batches, for `for await…of`. */
export class AsyncBatchItems<Item> implements AsyncIterableIterator<Item, undefined, undefined> {
  readonly #batches: AsyncIterator<readonly Item[]>;
  #batch: readonly Item[] = [];
  #at = 0;
  #isOver = false;
  /** The last call that waits for a batch; a later call waits for it first. */
  #waiting: Promise<unknown> | undefined;

  constructor(batches: AsyncIterator<readonly Item[]>) {
    this.#batches = batches;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#waiting === undefined && this.#at < this.#batch.length) {
      return Promise.resolve({ done: false, value: this.#batch[this.#at++]! });
    }
    const fromBatches = () => this.#nextOfBatches();
    const result = this.#waiting === undefined ? fromBatches() : this.#waiting.then(fromBatches, fromBatches);
    const settled = (): void => {
      if (this.#waiting === result) this.#waiting = undefined;
    };
    this.#waiting = result;
    result.then(settled, settled);
    return result;
  }

  async #nextOfBatches(): Promise<IteratorResult<Item, undefined>> {
    while (this.#at === this.#batch.length) {
      if (this.#isOver) return DONE;
      const { done, value } = await this.#batches.next();
      if (done === true) return DONE;
      // This call came before the end: it still gets its item, as from a generator.
      this.#batch = this.#isOver ? value.slice(0, 1) : value;
      this.#at = 0;
    }
    return { done: false, value: this.#batch[this.#at++]! };
  }

  /**
   * Ends the batches at once, also while a batch is waited for: a consumer that has gone must not wait for a slow
   * site.
   */
  async return(): Promise<IteratorResult<Item, undefined>> {
    this.#isOver = true;
    this.#batch = [];
    this.#at = 0;
    await this.#batches.return?.();
    return DONE;
  }
}
