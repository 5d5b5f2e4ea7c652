/**
 * The body of an answer of `node:http`, one chunk at a time at the reader's pace.
 *
 * Node's own iterator throws as soon as a connection breaks, and drops what nobody has read yet. Here all that arrived is
 * handed over, and then the error.
 *
 * @packageDocumentation
 */
import type { IncomingMessage } from 'node:http';

export class AnswerBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #answer: IncomingMessage;
  /** Whether nobody wants what has arrived. */
  #isUnwanted = false;
  #isOver = false;
  #failure: { readonly reason: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(answer: IncomingMessage) {
    this.#answer = answer;
    answer
      .on('readable', () => this.#wakeAll())
      .on('end', () => this.#finish())
      .on('error', (reason) => this.#finish({ reason }))
      .on('close', () => this.#finish({ reason: new Error('The answer was closed.') }));
  }

  /** Ends it with an error, which comes after what has arrived; nothing happens where all of it has. */
  break(error: Error): void {
    if (!this.#answer.complete) this.#answer.destroy(error);
  }

  /** Ends it now, for a reason, which may be anything. */
  abort(reason: unknown): void {
    this.#isUnwanted = true;
    this.#finish({ reason });
    this.#answer.destroy();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      // Also of an answer that was destroyed: there may be something left.
      const chunk: Uint8Array | null = this.#isUnwanted ? null : this.#answer.read();
      if (chunk !== null) return { done: false, value: chunk };
      if (this.#failure !== undefined) throw this.#failure.reason;
      if (this.#isOver) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        const others = this.#wake;
        this.#wake = () => {
          others();
          resolve();
        };
      });
    }
  }

  /** Closes the connection, unless all of the body was read; then it is kept for the next request. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#isUnwanted = true;
    this.#finish();
    this.#answer.destroy();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finish(failure?: { readonly reason: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#wakeAll();
  }

  #wakeAll(): void {
    const wake = this.#wake;
    this.#wake = () => {};
    wake();
  }
}
