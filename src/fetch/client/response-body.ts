/**
 * The body of a response of `node:http`, one chunk at a time at the reader's pace.
 *
 * Node's own iterator throws as soon as a connection breaks, and drops what was not read yet. Here everything that
 * arrived is handed over, and then the error.
 *
 * @packageDocumentation
 */
import type { IncomingMessage } from 'node:http';
import type { Body } from '../body.ts';

export class ResponseBody implements Body {
  readonly #message: IncomingMessage;
  /** Whether what has arrived will not be read. */
  #isUnwanted = false;
  #isOver = false;
  #failure: { readonly reason: unknown } | undefined;
  /**
   * The reads that wait for something to arrive. Their resolvers as they are: with a function in between, kept in a
   * field, every response that had ended stayed alive until V8 collected the whole heap, 4 kB of it each.
   */
  readonly #waiting: (() => void)[] = [];

  constructor(message: IncomingMessage) {
    this.#message = message;
    message
      .on('readable', () => this.#wakeAll())
      .on('end', () => this.#finish())
      .on('error', (reason) => this.#finish({ reason }))
      .on('close', () => this.#closed());
  }

  /** Ends it with an error, which comes after what has arrived; does nothing where all of it has arrived. */
  break(error: Error): void {
    if (!this.#message.complete) this.#message.destroy(error);
  }

  /** Ends it now, for a reason, which may be any value. */
  abort(reason: unknown): void {
    this.#isUnwanted = true;
    this.#finish({ reason });
    this.#message.destroy();
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      // A message that was destroyed is read too: there may be something left.
      const chunk: Uint8Array | null = this.#isUnwanted ? null : this.#message.read();
      if (chunk !== null) return chunk;
      if (this.#failure !== undefined) throw this.#failure.reason;
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Closes the connection, unless all of the body was read; then it is kept for the next request. */
  async cancel(): Promise<void> {
    this.#isUnwanted = true;
    this.#finish();
    this.#message.destroy();
  }

  // An error takes its stack: not one for each response that has ended well.
  #closed(): void {
    if (!this.#isOver) this.#finish({ reason: new Error('The response was closed.') });
  }

  #finish(failure?: { readonly reason: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
