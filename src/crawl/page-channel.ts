/**
 * Between documents that arrive and a consumer that reads: batches of pages, no more than so many at a time. Whoever
 * wants to put in more waits, and with it its download: a slow consumer slows the network, not the memory.
 */

/** The page limit of what waits for the consumer: enough to keep it busy, small enough to be nothing. */
const CAPACITY = 8192;

/** A bounded queue of batches, with one consumer. */
export class PageChannel<T> {
  readonly #batches: (readonly T[])[] = [];
  #size = 0;
  #isEnded = false;
  #error: { readonly reason: unknown } | undefined;
  #wakeConsumer: (() => void) | undefined;
  #wakeProducers: (() => void)[] = [];

  /** Puts a batch in; resolves when there is room for more. Rejects once the consumer has gone. */
  async put(batch: readonly T[]): Promise<void> {
    this.#batches.push(batch);
    this.#size += batch.length;
    this.#wakeConsumer?.();
    while (this.#size > CAPACITY && !this.#isEnded) {
      await new Promise<void>((resolve) => this.#wakeProducers.push(resolve));
    }
    if (this.#isEnded) throw new ChannelClosed();
  }

  /** The next batch, or undefined at the end. Rejects with what {@link fail} was given. */
  async take(): Promise<readonly T[] | undefined> {
    for (;;) {
      const batch = this.#batches.shift();
      if (batch !== undefined) {
        this.#size -= batch.length;
        if (this.#size <= CAPACITY) this.#wakeAll();
        return batch;
      }
      if (this.#error !== undefined) throw this.#error.reason;
      if (this.#isEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wakeConsumer = resolve;
      });
      this.#wakeConsumer = undefined;
    }
  }

  /** No more will come. */
  end(): void {
    this.#isEnded = true;
    this.#wakeConsumer?.();
    this.#wakeAll();
  }

  /** No more will come, for a reason, which the consumer hears at once: it has no use for what still waits. */
  fail(reason: unknown): void {
    this.#error = { reason };
    this.close();
  }

  /** The consumer has gone. */
  close(): void {
    this.#batches.length = 0;
    this.#size = 0;
    this.end();
  }

  #wakeAll(): void {
    const waiting = this.#wakeProducers;
    this.#wakeProducers = [];
    for (const wake of waiting) wake();
  }
}

/** What a producer sees when nobody reads any more. */
class ChannelClosed extends Error {
  override readonly name = 'ChannelClosed';
}
