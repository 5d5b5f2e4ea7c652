/**
 * A body on its way, read one chunk at a time at the reader's pace. All bytes travel as a {@link Body}, from the socket
 * to the parser, and everything that changes them on the way is a {@link Decoder}. {@link iterate} is the only place
 * that turns a body into an iterable.
 *
 * A body is not an async generator: `return()` on a generator that was never started skips its `finally`, and a body
 * that was never read must still give back its connection and its slot.
 */

import type { HostMap } from '../options/host-map.ts';
import { FairShare } from '../runtime/time.ts';

export interface Body {
  /**
   * The next chunk, or `undefined` at the end. Rejects when the body breaks, after everything that arrived was read.
   * One call at a time.
   */
  read(): Promise<Uint8Array | undefined>;
  /** Ends it early, in any state, any number of times; frees what it holds. Never rejects. */
  cancel(): Promise<void>;
}

/** One step of decoding; its limits and its list of problems are bound beforehand. Cancelling it cancels its source. */
export type Decoder = (body: Body) => Body;

/** A body over any async iterable; cancelling returns its iterator. */
export function bodyFrom(chunks: AsyncIterable<Uint8Array>): Body {
  const iterator = chunks[Symbol.asyncIterator]();
  return bodyOfReads(
    () => iterator.next(),
    () => iterator.return?.(),
  );
}

type ReadResult = { readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined };

/** A body over the reads of an iterator, or of a stream's reader. */
export function bodyOfReads(
  next: () => Promise<ReadResult>,
  cancel: () => Promise<unknown> | undefined,
): Body {
  const share = new FairShare();
  return {
    read: async () => {
      const { done, value } = await next();
      // Chunks that are there without a wait, and may be empty, must not keep timers and signals from being heard.
      await share.dueTurn();
      return done ? undefined : value;
    },
    cancel: () => cancelQuietly(cancel),
  };
}

/** The chunks of a body for consumers that iterate; empty chunks are skipped. Leaving the loop cancels the body. */
export function iterate(body: Body): AsyncIterableIterator<Uint8Array, undefined, undefined> {
  return new BodyIterator(body);
}

class BodyIterator implements AsyncIterableIterator<Uint8Array, undefined, undefined> {
  readonly #source: Body;

  constructor(source: Body) {
    this.#source = source;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      for (;;) {
        const value = await this.#source.read();
        if (value === undefined) return { done: true, value };
        if (value.length > 0) return { done: false, value };
      }
    } catch (error) {
      // `for await` does not call return() after a rejection.
      await this.#source.cancel();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    await this.#source.cancel();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** A body that reports its end once, with the error that it broke with: read to its end, broken or cancelled. */
export function onBodyEnd(body: Body, ended: (error?: unknown) => void): Body {
  let isOver = false;
  const end = (error?: unknown): void => {
    if (!isOver) ended(error);
    isOver = true;
  };
  let isCancelled = false;
  return {
    async read() {
      try {
        const chunk = await body.read();
        if (chunk === undefined) end();
        return chunk;
      } catch (error) {
        end(isCancelled ? undefined : error);
        throw error;
      }
    },
    async cancel() {
      isCancelled = true;
      try {
        await body.cancel();
      } finally {
        end();
      }
    },
  };
}

interface ReadAhead {
  /** All chunks of the body, also those that were read ahead. If it broke, it breaks after them. */
  readonly body: Body;
  /** Whether the whole body is in memory. */
  readonly isAll: boolean;
}

/** Reads a body into memory, up to a number of bytes and one chunk. A short one gives back its connection by that. */
export async function readAhead(body: Body, maxBytes: number): Promise<ReadAhead> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isAll = false;
  let rest = (): Promise<Uint8Array | undefined> => body.read();
  try {
    while (!isAll && bytes <= maxBytes) {
      const chunk = await body.read();
      if (chunk === undefined) isAll = true;
      else bytes += chunks[chunks.push(chunk) - 1]!.length;
    }
  } catch (error) {
    isAll = true;
    rest = () => Promise.reject(error);
  }
  const ahead = chunks.values();
  const read = async (): Promise<Uint8Array | undefined> => ahead.next().value ?? rest();
  return { body: { read, cancel: () => body.cancel() }, isAll };
}

/** A body whose chunks are counted, and handed on once that is done. */
export const withByteCount =
  (onBytes: (count: number) => void | Promise<void>): Decoder =>
  (body) => ({
    async read() {
      const chunk = await body.read();
      if (chunk !== undefined) await onBytes(chunk.length);
      return chunk;
    },
    cancel: () => body.cancel(),
  });

/** How much of an unwanted body is read to keep its connection for the next request. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 500;

/**
 * Reads a short body to its end, so that its connection can be used again; gives up on a long or slow one. Returns its
 * first chunk.
 */
export async function drain(body: Body): Promise<Uint8Array> {
  let remainingBytes = DRAIN_BYTES;
  let first: Uint8Array | undefined;
  const timer = setTimeout(() => void body.cancel(), DRAIN_MS);
  try {
    for (
      let chunk = await body.read();
      chunk !== undefined && remainingBytes > 0;
      chunk = await body.read()
    ) {
      first ??= chunk;
      remainingBytes -= chunk.length;
    }
  } catch {
    // The body is not needed, so neither is its error.
  } finally {
    clearTimeout(timer);
    await body.cancel();
  }
  return first ?? new Uint8Array();
}

async function cancelQuietly(cancel: () => Promise<unknown> | undefined): Promise<void> {
  try {
    await cancel();
  } catch {
    // An error of a body that is cancelled does not matter.
  }
}

/** Replaces the addresses in a body by public ones. If the body breaks, what has arrived comes before the error. */
export const withPublicHosts =
  (hosts: HostMap): Decoder =>
  (body) => {
    const replacer = hosts.replacer();
    let rest: (() => Promise<undefined>) | undefined;
    return {
      async read() {
        if (rest !== undefined) return rest();
        try {
          const chunk = await body.read();
          if (chunk !== undefined) return replacer.write(chunk);
          rest = async () => undefined;
        } catch (error) {
          rest = () => Promise.reject(error);
        }
        return replacer.end();
      },
      cancel: () => body.cancel(),
    };
  };
