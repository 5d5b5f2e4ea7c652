/**
 * An open document: its headers and first bytes have arrived, the rest is on its way.
 *
 * A connection may break in the middle, and the retry starts at the first byte again. The two kinds of consumer need
 * different things then, so there are two ways to read, and a document is read in one of them, once.
 *
 * {@link OpenDocument.bytes} is for a stream, which has already passed on what it got. It never repeats itself: the
 * first bytes of a retry are skipped, as many as were read before, and compared by checksum. If they are the same the
 * document continues as if nothing had happened; if not (the site has changed meanwhile) it ends there, truncated. Only
 * a count and a checksum are kept.
 *
 * {@link OpenDocument.collect} is for a tree, which keeps the document anyway. Every attempt goes into a sink of its
 * own; the complete one is kept or, after the last attempt, the longest, marked truncated.
 *
 * Both take their attempts from one generator (rules/retry.ts), give the longest result that the attempts allow, and
 * hold no more than a chunk.
 *
 * @packageDocumentation
 */
import { isTruncated } from '../problems/catalogue.ts';
import { type Problem, ProblemList } from '../problems/problem-list.ts';
import { type Body, iterate, readAhead } from './body.ts';
import { CHANGED, Continuation } from './continuation.ts';
import { FetchError, orFetchError } from './failure.ts';
import type { ResponseHead } from './rules/exchange.ts';
import type { Unchanged } from './rules/not-modified.ts';
import type { SameAs } from './rules/redirects.ts';
import type { Attempts, GaveUp } from './rules/retry.ts';

/** What a response says about its document. */
export interface ResponseFacts extends ResponseHead {
  /** The redirects that led to it, in order. */
  readonly hops: readonly ResponseHead[];
  /** The charset of the Content-Type header. */
  readonly charset: string | undefined;
  /** A header of the response, `Link` for example. */
  header(name: string): string | null;
}

/** One attempt that got as far as the first decoded bytes. */
export interface OpenAttempt extends ResponseFacts {
  readonly type: 'attempt';
  /** Decoded and inflated, under the byte budget. */
  readonly body: Body;
  /** The problems so far; final once the body has been read. */
  problems(): readonly Problem[];
}

/** What an attempt without failure ends with. */
export type Opened = OpenAttempt | SameAs | Unchanged;

/** How a document ended. */
export interface DocumentEnd {
  /** Whether something is missing at its end: the connection broke at every attempt, or it was larger than allowed. */
  readonly truncated: boolean;
  readonly problems: readonly Problem[];
}

/** Where {@link OpenDocument.collect} puts the bytes of one attempt. */
export interface DocumentSink {
  write(chunk: Uint8Array): void | Promise<void>;
  /** Another attempt was better, or the call is over: these bytes are not needed. */
  discard(): void | Promise<void>;
}

/** The result of {@link OpenDocument.collect}: the sink that was kept, with the facts of the attempt that filled it. */
export interface Collected<Sink> extends ResponseFacts {
  readonly sink: Sink;
  readonly end: DocumentEnd;
}

/** A document whose server responded. Its URL, charset and headers are those of the first attempt. */
export class OpenDocument implements ResponseFacts {
  readonly type = 'document' as const;
  readonly url: string;
  /** Whether another URL than the requested one responded. */
  readonly redirected: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly requestedAt: number;
  readonly hops: readonly ResponseHead[];
  readonly charset: string | undefined;
  readonly #first: ResponseFacts;
  readonly #attempts: Attempts<Opened>;
  readonly #closed: () => void;
  #attempt: OpenAttempt;
  #end: DocumentEnd | undefined;

  /**
   * @param requested - the URL that was requested
   * @param attempts - makes further attempts
   * @param closed - called when the document is over in any way; stops everything that is still done for it
   */
  constructor(requested: string, first: OpenAttempt, attempts: Attempts<Opened>, closed: () => void) {
    this.url = first.url;
    this.redirected = first.url !== requested;
    this.status = first.status;
    this.statusText = first.statusText;
    this.requestedAt = first.requestedAt;
    this.hops = first.hops;
    this.charset = first.charset;
    this.#first = first;
    this.#attempt = first;
    this.#attempts = attempts;
    this.#closed = closed;
  }

  header(name: string): string | null {
    return this.#first.header(name);
  }

  headers(): Iterable<readonly [name: string, value: string]> {
    return this.#first.headers();
  }

  /** How it ended; absent until everything was read. */
  get end(): DocumentEnd | undefined {
    return this.#end;
  }

  /**
   * Reads the beginning into memory, for a document that may be read later or not at all. Returns whether that is all
   * of it: then it holds no connection and no slot any more.
   */
  async readAhead(maxBytes: number): Promise<boolean> {
    const { body, isAll } = await readAhead(this.#attempt.body, maxBytes);
    this.#attempt = { ...this.#attempt, body };
    return isAll;
  }

  /** The document's bytes, each once, over all retries. Leaving the loop early closes the connection. */
  bytes(): AsyncIterableIterator<Uint8Array, undefined, undefined> {
    let continuation = new Continuation(0, 0);
    const read = async (): Promise<Uint8Array | undefined> => {
      while (this.#end === undefined) {
        const attempt = this.#attempt;
        const chunk = await orFetchError(attempt.body.read());
        if (chunk instanceof FetchError) {
          const ending = (await this.#retry(chunk)) ?? (this.#attempt.url === this.url ? undefined : CHANGED);
          if (ending !== undefined) this.#finish(attempt, continuation.bytes, ending);
          continuation = continuation.again();
          continue;
        }
        const fresh = continuation.freshOf(chunk);
        if (!(fresh instanceof Uint8Array)) this.#finish(attempt, continuation.bytes, fresh);
        else if (fresh.length > 0) return fresh;
      }
      await this.close();
      return undefined;
    };
    return iterate({ read, cancel: () => this.close() });
  }

  /**
   * Writes the document into a sink. Each attempt gets a sink of its own, opened with the facts of its response; the
   * sink of the best attempt is the result, all others are discarded.
   */
  async collect<Sink extends DocumentSink>(
    openSink: (response: ResponseFacts) => Sink | Promise<Sink>,
  ): Promise<Collected<Sink>> {
    let best: Copy<Sink> | undefined;
    try {
      for (;;) {
        const copy = await copyOf(this.#attempt, openSink);
        best = await betterOf(best, copy);
        if (copy.broken === undefined) return this.#collected(best);
        const gaveUp = await this.#retry(copy.broken);
        if (gaveUp !== undefined) return this.#collected(best, gaveUp);
      }
    } catch (error) {
      await best?.sink.discard();
      throw error;
    } finally {
      await this.close();
    }
  }

  /** Gives the connection and the slot back. Needed only for a document that is not read, or not to its end. */
  async close(): Promise<void> {
    this.#closed();
    await this.#attempt.body.cancel();
  }

  /** Goes on with the next attempt; returns the problem where none was better. */
  async #retry(error: FetchError): Promise<Problem | undefined> {
    await this.#attempt.body.cancel();
    const next = await this.#attempts.next(error);
    if (next.done) return brokeOff(next.value);
    if (next.value.type !== 'attempt') return CHANGED;
    this.#attempt = next.value;
    return undefined;
  }

  #collected<Sink>({ sink, attempt, bytes }: Copy<Sink>, broken?: Problem): Collected<Sink> {
    const { url, status, statusText, requestedAt, hops, charset } = attempt;
    return {
      sink,
      url,
      status,
      statusText,
      requestedAt,
      hops,
      charset,
      headers: () => attempt.headers(),
      header: (name) => attempt.header(name),
      end: this.#finish(attempt, bytes, broken),
    };
  }

  #finish(attempt: OpenAttempt, bytes: number, broken: Problem | undefined): DocumentEnd {
    const list = new ProblemList();
    for (const { code, message, offset, ...facts } of attempt.problems()) {
      // Client and inflate have the same budget, and may both report that it was not enough.
      if (code === 'too-large') list.addOnce(code, message, offset, facts);
      else list.add(code, message, offset, facts);
    }
    const truncated = isTruncated(list.kept) || broken !== undefined;
    if (broken !== undefined) list.add(broken.code, broken.message, bytes);
    this.#end = { truncated, problems: list.kept };
    return this.#end;
  }
}

function brokeOff({ error, attempts }: GaveUp): Problem {
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  return {
    code: 'connection-broke',
    message: `The rest of the document could not be read (${error.message}), after ${count}.`,
  };
}

/** One attempt, written into its own sink. */
interface Copy<Sink> {
  readonly attempt: OpenAttempt;
  readonly sink: Sink;
  readonly bytes: number;
  /** Why it is not complete. */
  readonly broken: FetchError | undefined;
}

async function copyOf<Sink extends DocumentSink>(
  attempt: OpenAttempt,
  openSink: (response: ResponseFacts) => Sink | Promise<Sink>,
): Promise<Copy<Sink>> {
  const sink = await openSink(attempt);
  try {
    for (let bytes = 0; ; ) {
      const chunk = await orFetchError(attempt.body.read());
      if (chunk === undefined || chunk instanceof FetchError) return { attempt, sink, bytes, broken: chunk };
      bytes += chunk.length;
      await sink.write(chunk);
    }
  } catch (error) {
    await sink.discard();
    throw error;
  }
}

/** The copy to keep: the complete one, else the longer one. The other is discarded. */
async function betterOf<Sink extends DocumentSink>(
  before: Copy<Sink> | undefined,
  copy: Copy<Sink>,
): Promise<Copy<Sink>> {
  if (before === undefined) return copy;
  const isBetter = copy.broken === undefined || copy.bytes > before.bytes;
  await (isBetter ? before : copy).sink.discard();
  return isBetter ? copy : before;
}
