/**
 * An open document: its headers and first bytes have arrived, the rest is on its way.
 *
 * A connection may break in the middle, and the retry starts at the first byte again. The two kinds of consumer need
 * different things then, so there are two ways to read, and a document is read in one of them, once.
 *
 * {@link OpenDocument.bytes} is for a stream, which has already passed on what it got. It never repeats itself: the
 * first bytes of a retry are skipped, as many as were read before, and compared by checksum. If they are the same the
 * document continues as if nothing had happened; if not (the site has changed meanwhile) it ends there, truncated. An
 * ETag is not believed instead: it may differ between the servers of a farm, and be the same for two documents. Only a
 * count and a checksum are kept.
 *
 * {@link OpenDocument.collect} is for a tree, which keeps the document anyway. Every attempt goes into a sink of its
 * own; the complete one is kept or, after the last attempt, the longest, marked truncated.
 *
 * Both take their attempts from one generator (rules/retry.ts), give the longest result that the attempts allow, and
 * hold no more than a chunk.
 */

import { isTruncated } from '../problems/catalogue.ts';
import { type Problem, ProblemList } from '../problems/problem-list.ts';
import { crc32 } from '../runtime/checksum.ts';
import type { AttemptResult, OpenAttempt } from './attempt.ts';
import { iterate, readAhead } from './body.ts';
import type { ResponseFacts } from './client/web-client.ts';
import { FetchError, type FetchFailure, failureOf, type ResponseHead } from './fetch-failure.ts';
import type { Attempts, GaveUp } from './rules/retry.ts';

export interface DocumentEnd {
  /** Whether something is missing at its end: the connection broke at every attempt, or it was larger than allowed. */
  readonly truncated: boolean;
  readonly problems: readonly Problem[];
  /** Why its rest could not be fetched: the failure of a document whose beginning does not show what it is. */
  readonly failure?: FetchFailure | undefined;
}

/** The problem of a document that is truncated where its signal ended it; undefined where the reason is thrown. */
export type CutBy = (reason: unknown) => Problem | undefined;

/** Where {@link OpenDocument.collect} puts the bytes of one attempt. */
export interface DocumentSink {
  write(chunk: Uint8Array): void | Promise<void>;
  /** Another attempt was better, or the call is over: these bytes are not needed. */
  discard(): void | Promise<void>;
}

/** The result of {@link OpenDocument.collect}: the sink that was kept, with the response that filled it. */
interface Collected<Sink> {
  readonly sink: Sink;
  readonly response: ResponseFacts;
  readonly end: DocumentEnd;
}

export class OpenDocument {
  readonly type = 'document' as const;
  /** The response of the first attempt. */
  readonly response: ResponseFacts;
  readonly url: string;
  /** Whether another URL than the requested one responded. */
  readonly redirected: boolean;
  readonly #attempts: Attempts<AttemptResult>;
  readonly #closed: () => void;
  readonly #cutBy: CutBy;
  #attempt: OpenAttempt;
  #failure: FetchFailure | undefined;
  /** How it ended; absent until everything was read. */
  end: DocumentEnd | undefined;

  /**
   * @param requested - the URL that was requested
   * @param attempts - makes further attempts
   * @param closed - called when the document is over in any way; stops everything that is still done for it
   */
  constructor(
    requested: string,
    first: OpenAttempt,
    attempts: Attempts<AttemptResult>,
    closed: () => void,
    cutBy: CutBy = () => undefined,
  ) {
    this.response = first.response;
    this.url = first.response.url;
    this.redirected = this.url !== requested;
    this.#attempt = first;
    this.#attempts = attempts;
    this.#closed = closed;
    this.#cutBy = cutBy;
  }

  get hops(): readonly ResponseHead[] {
    return this.response.hops;
  }

  /**
   * Reads the beginning into memory, for a document that may be read later or not at all. Returns whether that is all
   * of it: then it holds no connection and no slot any more.
   */
  async readAhead(maxBytes: number): Promise<boolean> {
    const { body, isAll } = await readAhead(this.#attempt.body, maxBytes);
    const { type, response, problems } = this.#attempt;
    this.#attempt = { type, response, body, problems };
    return isAll;
  }

  /** The document's bytes, each once, over all retries. Leaving the loop early closes the connection. */
  bytes(): AsyncIterableIterator<Uint8Array, undefined, undefined> {
    const continuation = new Continuation();
    const read = async (): Promise<Uint8Array | undefined> => {
      while (this.end === undefined) {
        const attempt = this.#attempt;
        let chunk: Uint8Array | undefined;
        try {
          chunk = await attempt.body.read();
        } catch (error) {
          const problem =
            (await this.#retry(error)) ?? (this.#attempt.response.url === this.url ? undefined : CHANGED);
          if (problem !== undefined) this.#finish(attempt, continuation.bytes, problem);
          continuation.restart();
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
    openSink: (response: ResponseFacts) => Sink,
  ): Promise<Collected<Sink>> {
    let best: Copy<Sink> | undefined;
    try {
      for (;;) {
        const copy = await copyOf(this.#attempt, openSink);
        best = await betterOf(best, copy);
        if (copy.broken === undefined) return this.#collected(best);
        const gaveUp = await this.#retry(copy.broken.error);
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

  /** Continues with the next attempt; returns the problem where there is none that helps. */
  async #retry(error: unknown): Promise<Problem | undefined> {
    try {
      if (!(error instanceof FetchError)) throw error;
      await this.#attempt.body.cancel();
      const next = await this.#attempts.next(error);
      if (next.done) {
        this.#failure = failureOf(this.url, next.value.error, next.value);
        return brokeOff(next.value);
      }
      if (next.value.type !== 'attempt') return CHANGED;
      this.#attempt = next.value;
      return undefined;
    } catch (reason) {
      const problem = this.#cutBy(reason);
      if (problem === undefined) throw reason;
      return problem;
    }
  }

  #collected<Sink>({ sink, attempt, bytes }: Copy<Sink>, broken?: Problem): Collected<Sink> {
    return { sink, response: attempt.response, end: this.#finish(attempt, bytes, broken) };
  }

  #finish(attempt: OpenAttempt, bytes: number, broken: Problem | undefined): DocumentEnd {
    const list = new ProblemList();
    for (const problem of attempt.problems()) {
      // Client and inflate have the same budget, and may both report that it was not enough.
      if (problem.code !== 'too-large' || !list.kept.some(({ code }) => code === 'too-large'))
        list.addProblem(problem);
    }
    const truncated = isTruncated(list.kept) || broken !== undefined;
    if (broken !== undefined) list.addProblem({ ...broken, offset: bytes });
    this.end = { truncated, problems: list.kept, failure: this.#failure };
    return this.end;
  }
}

function brokeOff({ error, attempts }: GaveUp): Problem {
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  return {
    code: 'connection-broke',
    message: `The rest of the document could not be read (${error.message}), after ${count}.`,
  };
}

interface Copy<Sink> {
  readonly attempt: OpenAttempt;
  readonly sink: Sink;
  readonly bytes: number;
  readonly broken: { readonly error: unknown } | undefined;
}

async function copyOf<Sink extends DocumentSink>(
  attempt: OpenAttempt,
  openSink: (response: ResponseFacts) => Sink,
): Promise<Copy<Sink>> {
  const sink = openSink(attempt.response);
  try {
    for (let bytes = 0; ; ) {
      let chunk: Uint8Array | undefined;
      try {
        chunk = await attempt.body.read();
      } catch (error) {
        return { attempt, sink, bytes, broken: { error } };
      }
      if (chunk === undefined) return { attempt, sink, bytes, broken: undefined };
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

const CHANGED: Problem = {
  code: 'changed-on-retry',
  message:
    'The connection broke, and a further attempt gave another document; truncated where the first one broke.',
};

/** What was read of a document so far, and how much of it the current attempt has to repeat. */
class Continuation {
  bytes = 0;
  #checksum = 0;
  #toRepeat = 0;
  #repeatedChecksum = 0;

  restart(): void {
    this.#toRepeat = this.bytes;
    this.#repeatedChecksum = 0;
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
    this.bytes += fresh.length;
    return fresh;
  }
}
