/**
 * Reads a stream of chunks a few bytes at a time where a format's header needs it, and in whole chunks
 * everywhere else, without joining chunks.
 *
 * @packageDocumentation
 */
import { type Body, bodyFrom } from '../body.ts';

const NOTHING: Uint8Array = new Uint8Array(0);

export class ByteReader {
  readonly #body: Body;
  #rest: Uint8Array = NOTHING;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#body = bodyFrom(chunks);
  }

  /** The next bytes as they come, or `undefined` at the end. */
  async chunk(): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const chunk = await this.#body.read();
      if (chunk === undefined) return undefined;
      this.#rest = chunk;
    }
    const chunk = this.#rest;
    this.#rest = NOTHING;
    return chunk;
  }

  /** Puts bytes back in front. */
  unread(bytes: Uint8Array): void {
    this.#rest = this.#rest.length === 0 ? bytes : joined(bytes, this.#rest);
  }

  /** The next `count` bytes, left where they are; fewer only at the end. */
  async peek(count: number): Promise<Uint8Array> {
    let seen: Uint8Array = NOTHING;
    while (seen.length < count) {
      const chunk = await this.chunk();
      if (chunk === undefined) break;
      seen = seen.length === 0 ? chunk : joined(seen, chunk);
    }
    this.#rest = seen;
    return seen.subarray(0, count);
  }

  /** The next `count` bytes; fewer only at the end. */
  async take(count: number): Promise<Uint8Array> {
    const bytes = await this.peek(count);
    this.#rest = this.#rest.subarray(bytes.length);
    return bytes;
  }

  /** Passes over `count` bytes; whether there were so many. */
  async skip(count: number): Promise<boolean> {
    let left = count;
    while (left > 0) {
      const chunk = await this.chunk();
      if (chunk === undefined) return false;
      if (chunk.length > left) this.#rest = chunk.subarray(left);
      left -= Math.min(left, chunk.length);
    }
    return true;
  }

  /** Passes over everything up to and including `byte`; whether there was one. */
  async skipPast(byte: number): Promise<boolean> {
    for (let chunk = await this.chunk(); chunk !== undefined; chunk = await this.chunk()) {
      const found = chunk.indexOf(byte);
      if (found !== -1) {
        this.#rest = chunk.subarray(found + 1);
        return true;
      }
    }
    return false;
  }

  /** All that is left. */
  async *remaining(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let chunk = await this.chunk(); chunk !== undefined; chunk = await this.chunk()) yield chunk;
    } finally {
      await this.cancel();
    }
  }

  cancel(): Promise<void> {
    return this.#body.cancel();
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
