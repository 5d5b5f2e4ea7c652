/** What decoders are made of: bytes a few at a time, a choice by the first bytes, and the byte budget of each stage. */
import type { ProblemList } from '../../problems/problem-list.ts';
import type { Body, Decoder } from '../body.ts';

const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * Reads a body a few bytes at a time where a format's header needs it, and in whole chunks everywhere else. It is a
 * {@link Body} itself: what was not taken can still be read.
 */
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

  unread(...chunks: readonly Uint8Array[]): void {
    this.#rest = joined([...chunks, this.#rest]);
  }

  /** The next `count` bytes, which stay in the body; fewer only at the end. */
  async peek(count: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    // Copies, but for the last chunk: the source may write the next chunk to the same bytes.
    if (this.#rest.length < count) this.#rest = new Uint8Array(this.#rest);
    try {
      for (let length = this.#rest.length; length < count; ) {
        const chunk = await this.#body.read();
        if (chunk === undefined) break;
        length += chunk.length;
        chunks.push(length < count ? new Uint8Array(chunk) : chunk);
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
    let remaining = count;
    while (remaining > 0) {
      const chunk = await this.read();
      if (chunk === undefined) return false;
      if (chunk.length > remaining) this.#rest = chunk.subarray(remaining);
      remaining -= Math.min(remaining, chunk.length);
    }
    return true;
  }

  /** Skips everything up to and including `byte`; whether it was found. */
  async skipPast(byte: number): Promise<boolean> {
    for (let chunk = await this.read(); chunk !== undefined; chunk = await this.read()) {
      const index = chunk.indexOf(byte);
      if (index !== -1) {
        this.#rest = chunk.subarray(index + 1);
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
    let decoded: Body | undefined;
    let isCancelled = false;
    const first = async (): Promise<Uint8Array | undefined> => {
      const start = await reader.peek(count);
      if (isCancelled) return undefined;
      decoded = choose(start)(reader);
      return decoded.read();
    };
    return {
      read: () => (decoded === undefined ? first() : decoded.read()),
      cancel() {
        isCancelled = true;
        return (decoded ?? reader).cancel();
      },
    };
  };

/** Ends a generator that waits for bytes when its body is cancelled. */
const CANCELLED = Symbol('cancelled');

/**
 * A decoder that is written as a generator. One that was never started runs no `finally`, and need not: it holds
 * nothing but its source, which is cancelled here.
 */
export const generated =
  (decode: (reader: ByteReader) => AsyncGenerator<Uint8Array, void, undefined>): Decoder =>
  (body) => {
    let isCancelled = false;
    const reader = new ByteReader({
      async read() {
        const chunk = await body.read();
        // Not its end: the generator would report that the rest is missing.
        if (isCancelled) throw CANCELLED;
        return chunk;
      },
      cancel: () => body.cancel(),
    });
    const chunks = decode(reader);
    return {
      async read() {
        try {
          const { done, value } = await chunks.next();
          if (!done) return value;
        } catch (error) {
          if (error !== CANCELLED) throw error;
        }
        await reader.cancel();
        return undefined;
      },
      async cancel() {
        isCancelled = true;
        // Not waited for: it ends when the source does, which may still be asked for a chunk.
        void chunks.return();
        await reader.cancel();
      },
    };
  };

export interface DecodeLimits {
  /** Bytes that each stage may produce. */
  readonly maxBytes: number;
  readonly problems: ProblemList;
}

/**
 * Truncates a stage of decoding at `maxBytes`, with a problem. Every stage has its limit: gigabytes in the middle may
 * become nothing at the next stage, and still cost the time to decode them.
 */
export const withinBudget = ({ maxBytes, problems }: DecodeLimits): Decoder =>
  truncatedAt(maxBytes, 'The document', problems);

/**
 * What a content coding may take before decoding, for each byte that it may give: honest ones take less than they give,
 * and a body that cannot be compressed takes hardly more.
 */
const RAW_FACTOR = 2;
/** Added for the headers of codings, which matter where `maxBytes` is very small. */
const RAW_EXTRA = 64 * 1024;

/**
 * Truncates a body before its content coding is undone, with a problem. Every coding has a form that decodes to nothing
 * (a file name without end, empty blocks, padding), so a limit on the output alone would read it forever.
 */
export const withinRawBudget = ({ maxBytes, problems }: DecodeLimits): Decoder =>
  truncatedAt(maxBytes * RAW_FACTOR + RAW_EXTRA, 'The encoded document', problems);

const truncatedAt =
  (most: number, what: string, problems: ProblemList): Decoder =>
  (body) => {
    let remaining = most;
    return {
      async read() {
        const chunk = remaining < 0 ? undefined : await body.read();
        if (chunk !== undefined) {
          const allowed = remaining;
          remaining -= chunk.length;
          if (remaining >= 0) return chunk;
          problems.addOnce(
            'too-large',
            `${what} is larger than ${most} bytes (maxSitemapBytes); it is truncated there.`,
            undefined,
            { option: 'maxSitemapBytes' },
          );
          if (allowed > 0) return chunk.subarray(0, allowed);
        }
        if (remaining < 0) await body.cancel();
        return undefined;
      },
      cancel: () => body.cancel(),
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
