/**
 * Reads a body a few bytes at a time where a format's header needs it, and in whole chunks everywhere else. It is a
 * {@link Body} itself: what was not taken can still be read.
 */
import type { Body, Decoder } from '../body.ts';

const NOTHING: Uint8Array = new Uint8Array(0);

export class ByteReader implements Body {
  readonly #body: Body;
  #rest: Uint8Array = NOTHING;

  constructor(body: Body) {
    this.#body = body;
  }

  read(): Promise<Uint8Array | undefined> {
    if (this.#rest.length === 0) return this.#body.read();
    const chunk = this.#rest;
    this.#rest = NOTHING;
    return Promise.resolve(chunk);
  }

  /** How many bytes were read from the body and not taken. */
  get buffered(): number {
    return this.#rest.length;
  }

  unread(bytes: Uint8Array): void {
    this.#rest = joined([bytes, this.#rest]);
  }

  /** The next `count` bytes, which stay in the body; fewer only at the end. */
  async peek(count: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    try {
      for (let length = this.#rest.length; length < count; ) {
        const chunk = await this.#body.read();
        if (chunk === undefined) break;
        chunks.push(chunk);
        length += chunk.length;
      }
    } finally {
      // Joined once, however small they are; what came before the body broke stays.
      this.#rest = joined([this.#rest, ...chunks]);
    }
    return this.#rest.subarray(0, count);
  }

  /** The next `count` bytes; fewer only at the end. */
  async take(count: number): Promise<Uint8Array> {
    const bytes = await this.peek(count);
    this.#rest = this.#rest.subarray(bytes.length);
    return bytes;
  }

  /** Skips `count` bytes; whether the body had that many. */
  async skip(count: number): Promise<boolean> {
    let left = count;
    while (left > 0) {
      const chunk = await this.read();
      if (chunk === undefined) return false;
      if (chunk.length > left) this.#rest = chunk.subarray(left);
      left -= Math.min(left, chunk.length);
    }
    return true;
  }

  /** Skips everything up to and including `byte`; whether it was found. */
  async skipPast(byte: number): Promise<boolean> {
    for (let chunk = await this.read(); chunk !== undefined; chunk = await this.read()) {
      const found = chunk.indexOf(byte);
      if (found !== -1) {
        this.#rest = chunk.subarray(found + 1);
        return true;
      }
    }
    return false;
  }

  cancel(): Promise<void> {
    return this.#body.cancel();
  }
}

export const asItIs: Decoder = (body) => body;

/** A decoder that the first `count` bytes choose; they stay in the body. */
export const byFirstBytes =
  (count: number, choose: (start: Uint8Array) => Decoder): Decoder =>
  (body) => {
    const reader = new ByteReader(body);
    let chosen: Body | undefined;
    const first = async (): Promise<Uint8Array | undefined> => {
      chosen = choose(await reader.peek(count))(reader);
      return chosen.read();
    };
    return {
      read: () => (chosen === undefined ? first() : chosen.read()),
      cancel: () => (chosen ?? reader).cancel(),
    };
  };

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const filled = chunks.filter(({ length }) => length > 0);
  const [only = NOTHING] = filled;
  if (filled.length < 2) return only;
  const all = new Uint8Array(filled.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of filled) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
