/**
 * What a host is to one call: which of its origins can be reached, and how much the call accepts from it before it gives
 * up (§15): pauses, a `Retry-After` that is too long, and credentials that are wrong.
 *
 * An index of 50,000 sitemaps on a dead host must not cost 50,000 times five connect timeouts. So an origin is down for
 * the rest of a call when one URL used up its attempts on it without ever connecting. A refused connection or an
 * unknown name uses up the attempts at once, so an origin that has responded before in the same call is not called down
 * for it, and is retried like a 502: a restart, or a short fault of the resolver, costs nothing.
 */

import { Stop, type StopSignal } from '../../runtime/abort.ts';
import { FetchError } from '../fetch-failure.ts';
import { isRefusal, LONGEST_RETRY_AFTER_MS } from './retry.ts';

/** A host may pause a call for this long in all. */
const MOST_PAUSED_MS = 600_000;
/** This many documents in a row with a `Retry-After` that is too long end their host. */
const MOST_TOO_LONG = 3;

interface ResponseSigns {
  readonly status: number;
  /** Its `Retry-After`, where its status is one that often goes away. */
  readonly retryAfterMs: number | undefined;
  readonly hadCredentials: boolean;
}

export class HostOfCall {
  /** Origins that a connection was made to. */
  readonly reached: Set<string> = new Set();
  /** Origins, with the reason: the host may be down for http, and respond to https. */
  readonly down: Map<string, string> = new Map();
  #successes = 0;
  #pausedMs = 0;
  /** Documents in a row that ended with a `Retry-After` that is too long. */
  #tooLong = 0;
  /** Whether the credentials gave a document. */
  #hasAccepted = false;
  /** What is not requested any more: everything below a path, with the reason. */
  readonly #ended: { readonly folder: string; readonly error: FetchError }[] = [];
  readonly #over = new Stop();

  /** How many responses have shown that the host is at work. */
  get successes(): number {
    return this.#successes;
  }

  /** Aborted, with the error, where nothing of the host is requested any more. */
  get over(): StopSignal {
    return this.#over;
  }

  /** Throws where a URL is not requested any more in this call. */
  check({ pathname }: URL): void {
    const end = this.#ended.find(({ folder }) => pathname.startsWith(folder));
    if (end !== undefined) throw end.error;
  }

  /** A response arrived; it may end the host for all documents of the call. */
  responded(url: URL, { status, retryAfterMs, hadCredentials }: ResponseSigns): void {
    if (retryAfterMs !== undefined && retryAfterMs > LONGEST_RETRY_AFTER_MS) {
      if (++this.#tooLong < MOST_TOO_LONG) return;
      const seconds = Math.round(retryAfterMs / 1000);
      const message = `not requested, since ${url.host} asks to come back in ${seconds} s`;
      this.#end('/', new FetchError('rate-limited', message, { status }));
      return;
    }
    if (hadCredentials && (status === 401 || status === 407) && !this.#hasAccepted) {
      const message = `not requested, since ${url.href} refused the credentials (${status})`;
      this.#end(folderOf(url), new FetchError('http-status', message, { status }));
      return;
    }
    if (status < 500 && !isRefusal(status)) {
      this.#successes++;
      this.#tooLong = 0;
    }
    // robots.txt is often public where the rest is not.
    if (hadCredentials && status < 300 && url.pathname !== '/robots.txt') this.#hasAccepted = true;
  }

  /** A request failed; that may end the host for all documents of the call. */
  failed(error: FetchError): void {
    if (error.code !== 'proxy' || error.status !== 407) return;
    this.#end('/', error.with({ message: `not requested, since ${error.message}`, cause: undefined }));
  }

  mayPause(ms: number): boolean {
    return this.#pausedMs + ms <= MOST_PAUSED_MS;
  }

  paused(ms: number): void {
    this.#pausedMs += ms;
  }

  #end(folder: string, error: FetchError): void {
    this.#ended.push({ folder, error });
    if (folder === '/') this.#over.abort(error);
  }
}

/** The paths that a refusal of credentials is about: those beside it and below (RFC 7617 §2.2). */
function folderOf({ pathname }: URL): string {
  return pathname.slice(0, pathname.lastIndexOf('/') + 1);
}
