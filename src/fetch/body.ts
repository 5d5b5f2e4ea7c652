/**
 * A body on its way, read one chunk at a time at the reader's pace.
 *
 * Not an async generator, on purpose: `return()` on a generator that was never started skips its `finally`,
 * and a body that nobody started to read must still give back its connection and its slot.
 *
 * @packageDocumentation
 */
import type { WebResponse } from './client/web-client.ts';

export interface Body {
  /** The next chunk, or `undefined` at the end. Rejects when the body breaks. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends it early, in any state, any number of times; frees what it holds. Never rejects. */
  cancel(): Promise<void>;
}

const EMPTY: Body = { read: async () => undefined, cancel: async () => {} };

/** The body of a client's answer, whichever of the two shapes it has. */
export function bodyOf(response: WebResponse): Body {
  const { body } = response;
  if (body === null || body === undefined) return EMPTY;
  if ('getReader' in body) {
    const reader = body.getReader();
    return {
      read: async () => {
        const { done, value } = await reader.read();
        return done ? undefined : value;
      },
      cancel: () => quietly(reader.cancel()),
    };
  }
  return bodyFrom(body);
}

/** A body over any async iterable; cancelling returns its iterator. */
export function bodyFrom(chunks: AsyncIterable<Uint8Array>): Body {
  const iterator = chunks[Symbol.asyncIterator]();
  return {
    read: async () => {
      const { done, value } = await iterator.next();
      return done ? undefined : value;
    },
    cancel: () => quietly(iterator.return?.()),
  };
}

/** The chunks of a body as an async generator, which cancels the body when it ends in any way. */
export async function* chunksOf(body: Body): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
      if (chunk.length > 0) yield chunk;
    }
  } finally {
    await body.cancel();
  }
}

/** A body that tells once when it is over: read to its end, broken or cancelled. */
export function onBodyEnd(body: Body, ended: () => void): Body {
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    ended();
  };
  return {
    async read() {
      try {
        const chunk = await body.read();
        if (chunk === undefined) end();
        return chunk;
      } catch (error) {
        end();
        throw error;
      }
    },
    async cancel() {
      try {
        await body.cancel();
      } finally {
        end();
      }
    },
  };
}

/** Waits for the first chunk; rejects, with the body cancelled, when it does not come. */
export async function withFirstChunk(body: Body): Promise<Body> {
  let first: Uint8Array | undefined;
  try {
    first = await body.read();
  } catch (error) {
    await body.cancel();
    throw error;
  }
  let atStart = true;
  return {
    read() {
      if (!atStart) return body.read();
      atStart = false;
      return Promise.resolve(first);
    },
    cancel: () => body.cancel(),
  };
}

/** A body that tells the size of each chunk. */
export function counted(body: Body, onBytes: (count: number) => void): Body {
  return {
    async read() {
      const chunk = await body.read();
      if (chunk !== undefined) onBytes(chunk.length);
      return chunk;
    },
    cancel: () => body.cancel(),
  };
}

/** What may be read of a body that nobody wants, to keep its connection for the next request. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 500;

/** Reads a short body to its end, so that its connection can be used again; gives up on a long or slow one. */
export async function drain(body: Body): Promise<void> {
  let left = DRAIN_BYTES;
  const timer = setTimeout(() => void body.cancel(), DRAIN_MS);
  try {
    for (let chunk = await body.read(); chunk !== undefined && left > 0; chunk = await body.read()) {
      left -= chunk.length;
    }
  } catch {
    // It was not wanted anyway.
  } finally {
    clearTimeout(timer);
    await body.cancel();
  }
}

async function quietly(promise: Promise<unknown> | undefined): Promise<void> {
  try {
    await promise;
  } catch {
    // Whoever cancels has no more use for what went wrong.
  }
}
