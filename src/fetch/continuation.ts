/**
 * How a stream continues a document after a retry, which starts at the first byte again: what was read before is
 * skipped and compared by checksum.
 *
 * @packageDocumentation
 */
import { crc32 } from 'node:zlib';
import type { Problem } from '../problems/problem-list.ts';

/** The problem of a document that is not the same at a further attempt. */
export const CHANGED: Problem = {
  code: 'changed-on-retry',
  message:
    'The connection broke, and a further attempt gave another document; truncated where the first one broke.',
};

/** What was read of a document so far, and how much of it the current attempt has to repeat. */
export class Continuation {
  #bytes: number;
  #checksum: number;
  #toRepeat: number;
  #repeatedChecksum = 0;

  constructor(bytes: number, checksum: number) {
    this.#bytes = bytes;
    this.#checksum = checksum;
    this.#toRepeat = bytes;
  }

  /** How many bytes were read over all attempts. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The same for the next attempt. */
  again(): Continuation {
    return new Continuation(this.#bytes, this.#checksum);
  }

  /** The bytes of a chunk that are new, or {@link CHANGED}; of the end, `undefined` or {@link CHANGED}. */
  freshOf(chunk: Uint8Array | undefined): Uint8Array | Problem | undefined {
    if (chunk === undefined) return this.#toRepeat === 0 ? undefined : CHANGED;
    const fresh = chunk.subarray(Math.min(this.#toRepeat, chunk.length));
    if (this.#toRepeat > 0) {
      const repeated = chunk.subarray(0, chunk.length - fresh.length);
      this.#repeatedChecksum = crc32(repeated, this.#repeatedChecksum);
      this.#toRepeat -= repeated.length;
      if (this.#toRepeat === 0 && this.#repeatedChecksum !== this.#checksum) return CHANGED;
    }
    this.#checksum = crc32(fresh, this.#checksum);
    this.#bytes += fresh.length;
    return fresh;
  }
}
