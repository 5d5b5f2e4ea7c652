/** stdout, or stderr for `-o /dev/stderr`. */
import type { Writable } from 'node:stream';
import { interruptible, type Output, writeError } from './output.ts';

/** A stream of the process. Writing waits for the reader; an interruption ends the wait. */
export class StreamOutput implements Output {
  readonly isTerminal: boolean;
  readonly #stream: Writable;
  readonly #signal: AbortSignal;
  #bytes = Buffer.alloc(64 * 1024);

  constructor(stream: Writable, isTerminal: boolean, signal: AbortSignal) {
    this.#stream = stream;
    this.isTerminal = isTerminal;
    this.#signal = signal;
    // The callback of the write that failed gets the error too, and deals with it.
    stream.on('error', () => {});
  }

  async write(text: string): Promise<void> {
    if (text === '') return;
    // One buffer for all writes: a new one each time is garbage faster than it is collected. It is free again when the
    // write is done; after an interruption nothing more is written.
    if (text.length * 3 > this.#bytes.length) this.#bytes = Buffer.alloc(text.length * 3);
    const bytes = this.#bytes.subarray(0, this.#bytes.write(text));
    const written = new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(writeError('The output', error));
      });
    });
    await interruptible(written, this.#signal);
  }

  async finish(): Promise<void> {}

  async discard(): Promise<void> {}
}
