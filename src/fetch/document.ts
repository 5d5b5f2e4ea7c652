/**
 * An open document: its headers and first bytes have arrived, the rest is on its way.
 *
 * A connection may break in the middle, and the retry starts at the first byte again. The two kinds of consumer
 * want different things then, so there are two ways to read, and a document is read in one of them, once.
 *
 * {@link OpenDocument.bytes} is for a stream, which has already handed on what it got. It never repeats itself: a
 * retry's first bytes are passed over, as many as were yielded, and compared by checksum on the way. If they
 * are the same the document goes on as if nothing had happened; if not (the site has changed meanwhile) it ends
 * there, truncated. Nothing is kept but a count and a checksum.
 *
 * {@link OpenDocument.collect} is for a tree, which keeps the document anyway. Every try goes into a sink of its
 * own; the complete one is kept or, after the last try, the longest, marked truncated.
 *
 * Both give the longest result that the tries allow, and neither holds more than a chunk itself. A single
 * generator that says "start again" was the alternative; every consumer would have had to get it right.
 *
 * @packageDocumentation
 */
import { crc32 } from 'node:zlib';
import { isTruncated } from '../problems/catalogue.ts';
import { type Problem, ProblemList } from '../problems/problem-list.ts';
import type { Body } from './body.ts';
import { FetchError } from './failure.ts';
import type { Tries } from './rules/retry.ts';

/** One try that got as far as the first decoded bytes. */
export interface OpenedTry {
  /** The URL that answered, after redirects. */
  readonly url: string;
  /** The HTTP status. */
  readonly status: number;
  readonly charset: string | undefined;
  header(name: string): string | null;
  /** Decoded and inflated, under the byte budget. */
  readonly body: Body;
  /** What is odd about it so far; final once the body has been read. */
  problems(): readonly Problem[];
}

/** How a document ended. */
export interface DocumentEnd {
  /** Whether something is missing at its end: the connection broke for good, or it was larger than allowed. */
  readonly truncated: boolean;
  readonly problems: readonly Problem[];
}

/** Where {@link OpenDocument.collect} puts the bytes of one try. */
export interface DocumentSink {
  write(chunk: Uint8Array): void | Promise<void>;
  /** Another try was better, or the call is over: forget these bytes. */
  discard(): void | Promise<void>;
}

/** A document that answered. */
export class OpenDocument {
  readonly type = 'document' as const;
  /** The URL that answered, after redirects. */
  readonly url: string;
  /** Whether another URL than the one asked for answered. */
  readonly redirected: boolean;
  /** The HTTP status. */
  readonly status: number;
  /** The charset of the Content-Type header. */
  readonly charset: string | undefined;
  readonly #header: (name: string) => string | null;
  readonly #tries: Tries<OpenedTry>;
  readonly #closed: () => void;
  #current: OpenedTry;
  #end: DocumentEnd | undefined;

  /**
   * @param requested - what was asked for
   * @param closed - called when the document is over, in whatever way; stops all that is still going on for it
   */
  constructor(requested: string, first: OpenedTry, tries: Tries<OpenedTry>, closed: () => void) {
    this.url = first.url;
    this.redirected = first.url !== requested;
    this.status = first.status;
    this.charset = first.charset;
    this.#header = (name) => first.header(name);
    this.#current = first;
    this.#tries = tries;
    this.#closed = closed;
  }

  /** A header of the answer, `Link` for one. */
  header(name: string): string | null {
    return this.#header(name);
  }

  /** How it ended; absent until everything was read. */
  get end(): DocumentEnd | undefined {
    return this.#end;
  }

  /** The document's bytes, each once, over all retries. Ending early closes the connection. */
  async *bytes(): AsyncGenerator<Uint8Array, DocumentEnd, undefined> {
    let yielded = 0;
    let checksum = 0;
    try {
      for (;;) {
        const repeated = new Repetition(yielded, checksum);
        const current = this.#current;
        try {
          for (
            let chunk = await current.body.read();
            chunk !== undefined;
            chunk = await current.body.read()
          ) {
            const fresh = repeated.pass(chunk);
            if (fresh === 'changed') return this.#finish(yielded, current, CHANGED);
            if (fresh.length === 0) continue;
            checksum = crc32(fresh, checksum);
            yielded += fresh.length;
            yield fresh;
          }
          return this.#finish(yielded, current, repeated.isOver ? undefined : CHANGED);
        } catch (error) {
          if (!(error instanceof FetchError)) throw error;
          await current.body.cancel();
          const broken = await this.#again(error);
          if (broken !== undefined) return this.#finish(yielded, current, broken);
          if (this.#current.url !== this.url) return this.#finish(yielded, current, CHANGED);
        }
      }
    } finally {
      await this.close();
    }
  }

  /** Writes the document into a sink; the sink of the best try is the result, all others are discarded. */
  async collect<Sink extends DocumentSink>(
    openSink: () => Sink | Promise<Sink>,
  ): Promise<{ readonly sink: Sink; readonly end: DocumentEnd }> {
    let best: { sink: Sink; bytes: number; from: OpenedTry } | undefined;
    let sink: Sink | undefined;
    try {
      for (;;) {
        const from = this.#current;
        sink = await openSink();
        let bytes = 0;
        let broken: FetchError | undefined;
        for (;;) {
          const chunk = await from.body.read().catch((error: unknown) => {
            if (!(error instanceof FetchError)) throw error;
            broken = error;
            return undefined;
          });
          if (chunk === undefined) break;
          bytes += chunk.length;
          await sink.write(chunk);
        }
        if (broken === undefined) {
          await best?.sink.discard();
          return { sink, end: this.#finish(bytes, from) };
        }
        await from.body.cancel();
        if (best === undefined || bytes > best.bytes) {
          await best?.sink.discard();
          best = { sink, bytes, from };
        } else {
          await sink.discard();
        }
        sink = undefined;
        const gaveUp = await this.#again(broken);
        if (gaveUp !== undefined)
          return { sink: best.sink, end: this.#finish(best.bytes, best.from, gaveUp) };
      }
    } catch (error) {
      await sink?.discard();
      await best?.sink.discard();
      throw error;
    } finally {
      await this.close();
    }
  }

  /** Gives the connection and the slot back. Needed only for a document that is not read, or not to its end. */
  async close(): Promise<void> {
    this.#closed();
    await this.#current.body.cancel();
  }

  /** Opens the next try, or says why there is none. */
  async #again(error: FetchError): Promise<Problem | undefined> {
    try {
      this.#current = await this.#tries.after(error);
      return undefined;
    } catch (last) {
      if (!(last instanceof FetchError)) throw last;
      const tries = this.#tries.failed;
      return {
        code: 'connection-broke',
        message: `The document broke off (${last.message}), after ${tries} ${tries === 1 ? 'try' : 'tries'}.`,
      };
    }
  }

  #finish(bytes: number, from: OpenedTry, broken?: Problem): DocumentEnd {
    const list = new ProblemList();
    for (const { code, message, offset } of from.problems()) {
      // Client and inflate have the same budget, and may both say that it was not enough.
      if (code === 'too-large') list.addOnce(code, message, offset);
      else list.add(code, message, offset);
    }
    const cut = isTruncated(list.kept);
    if (broken !== undefined) list.add(broken.code, broken.message, bytes);
    this.#end = { truncated: cut || broken !== undefined, problems: list.kept };
    return this.#end;
  }
}

const CHANGED: Problem = {
  code: 'changed-on-retry',
  message: 'The connection broke, and a further try gave another document; cut where the first one broke.',
};

/** The part of a retry that repeats what was yielded before. */
class Repetition {
  readonly #expected: number;
  #left: number;
  #checksum = 0;

  constructor(bytes: number, checksum: number) {
    this.#left = bytes;
    this.#expected = checksum;
  }

  get isOver(): boolean {
    return this.#left === 0;
  }

  /** What of a chunk is new. */
  pass(chunk: Uint8Array): Uint8Array | 'changed' {
    if (this.#left === 0) return chunk;
    const known = chunk.subarray(0, this.#left);
    this.#checksum = crc32(known, this.#checksum);
    this.#left -= known.length;
    if (this.#left === 0 && this.#checksum !== this.#expected) return 'changed';
    return chunk.subarray(known.length);
  }
}
