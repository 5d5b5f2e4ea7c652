/**
 * Between documents that arrive and a consumer that reads. A document that waits for its turn holds bytes, not pages:
 * pages are made when the consumer wants them, and nearly all are dead before V8 looks for garbage. So a slow
 * consumer slows the network and does not fill the memory.
 *
 * The document that came first goes first, and the others hold little but a chunk and a connection until it is done. If
 * they took turns, all would be half read at any time, with chunks so old that V8 takes them for long-lived: a stream
 * of 52 full sitemaps then peaks 8 to 40 MiB higher.
 */

/**
 * Servers close the connection of a client that takes no bytes for a minute: after this wait, a document goes first.
 */
const PATIENCE_MS = 1000;

export interface Lane<T> {
  /** Waits for its turn and only then makes a batch, which may be empty. Rejects once the consumer has gone. */
  put(make: () => readonly T[]): Promise<void>;
}

interface Waiter {
  readonly lane: number;
  readonly since: number;
  readonly wake: () => void;
}

/** A queue of batches from any number of documents, with one consumer. */
export class PageChannel<T> {
  readonly #batches: (readonly T[])[] = [];
  /** Whether the consumer waits for a batch, and no document is making one. */
  #isWanted = false;
  #isEnded = false;
  #error: { readonly reason: unknown } | undefined;
  #wakeConsumer = (): void => {};
  #lanes = 0;
  /** The lane that had the last turn. */
  #served = -1;
  /** In the order in which they began to wait. */
  readonly #line: Waiter[] = [];

  lane(): Lane<T> {
    const lane = this.#lanes++;
    return { put: (make) => this.#put(lane, make) };
  }

  async #put(lane: number, make: () => readonly T[]): Promise<void> {
    if (!this.#isWanted && !this.#isEnded) {
      await new Promise<void>((wake) => this.#line.push({ lane, since: performance.now(), wake }));
    }
    if (this.#isEnded) throw new ChannelClosed();
    this.#isWanted = false;
    let batch: readonly T[] = [];
    try {
      batch = make();
    } finally {
      // A document that has no pages, or failed, leaves the turn to the next.
      if (batch.length === 0) this.#want();
    }
    if (batch.length === 0) return;
    this.#batches.push(batch);
    this.#wakeConsumer();
  }

  /** The next batch, or undefined at the end. Rejects with what {@link fail} was given. */
  async take(): Promise<readonly T[] | undefined> {
    for (;;) {
      const batch = this.#batches.shift();
      if (batch !== undefined) return batch;
      if (this.#error !== undefined) throw this.#error.reason;
      if (this.#isEnded) return undefined;
      this.#want();
      await new Promise<void>((resolve) => {
        this.#wakeConsumer = resolve;
      });
    }
  }

  #want(): void {
    const isHere = this.#line.some(({ lane }) => lane === this.#served);
    if (isHere || this.#line.length === 0) this.#serve();
    // Give the last document one turn of the event loop: its next bytes may be there.
    else setImmediate(() => this.#serve());
  }

  #serve(): void {
    const [longest] = this.#line;
    this.#isWanted = longest === undefined;
    if (longest === undefined) return;
    let next = longest;
    if (performance.now() - longest.since < PATIENCE_MS) {
      for (const waiting of this.#line) if (waiting.lane < next.lane) next = waiting;
    }
    this.#line.splice(this.#line.indexOf(next), 1);
    this.#served = next.lane;
    next.wake();
  }

  /** The producer has no more batches. */
  end(): void {
    this.#isEnded = true;
    this.#wakeConsumer();
    for (const { wake } of this.#line.splice(0)) wake();
  }

  /** The producer has failed: the consumer gets the reason at once, before batches that still wait. */
  fail(reason: unknown): void {
    this.#error = { reason };
    this.close();
  }

  close(): void {
    this.#batches.length = 0;
    this.end();
  }
}

/** What a producer sees when the consumer reads no more. */
class ChannelClosed extends Error {
  override readonly name = 'ChannelClosed';
}
