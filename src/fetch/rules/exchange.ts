/**
 * One request and its response, as the concerns above the client pass it along: each concern is `(next) => next`, one
 * file, one rule, and fetch-document.ts puts them in order.
 *
 * An exchange rejects with a {@link FetchError} when the network (or the client) failed, and with anything else only
 * when the call itself is over: it was aborted, or a user's callback threw.
 *
 * @packageDocumentation
 */
import type { Problem } from '../../problems/problem-list.ts';
import { asRequested } from '../../url.ts';
import { type Body, bodyOf } from '../body.ts';
import type { WebClient, WebResponse } from '../client/web-client.ts';
import { FetchError, fetchErrorOf } from '../failure.ts';
import type { Validators } from './conditional.ts';
import type { DocumentLimits } from './host-limits.ts';

/** How much time on the wire one document has left. */
export interface WireTime {
  readonly limitMs: number;
  readonly leftMs: number;
  spend(ms: number): void;
}

/** Notes what one document learned about the hosts that it needed. */
export interface HostWatch {
  /** Why a host is known to be down, if it is. */
  reason(origin: string): string | undefined;
  /** Whether the host has responded in this call. */
  hasResponded(origin: string): boolean;
  reached(origin: string): void;
  missed(origin: string, error: FetchError): void;
  /** The document's attempts are used up. */
  gaveUp(): void;
}

/** Why a document waits for its host. */
export interface HostWait {
  readonly host: string;
  readonly waitMs: number;
  readonly reason: string;
}

/** What all requests for one document share, over redirects and retries. */
export interface DocumentScope {
  /** Aborts the document; its reason is thrown as it is. */
  readonly signal: AbortSignal;
  readonly time: WireTime;
  readonly hosts: HostWatch;
  readonly limits: DocumentLimits;
  /** Called when a response made all requests to its host wait. */
  readonly onWait: (wait: HostWait) => void;
  /** Called when a request has its slot and is about to start. */
  readonly onTurn: () => void;
  /** Whether the document is declared; undeclared ones wait behind all declared ones of their host. */
  readonly isDeclared: () => boolean;
  /** Whether a redirect to this URL need not be followed, since the caller has what is there. */
  readonly isRead: (url: URL) => boolean;
  /** What makes the request to one URL conditional. */
  readonly validators: Validators | undefined;
}

/** The head of a response, as an archive keeps it. */
export interface ResponseHead {
  /** The URL that responded. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  /** When it was requested, in milliseconds since the epoch. */
  readonly requestedAt: number;
  /** All headers that the client reports, in order. */
  headers(): Iterable<readonly [name: string, value: string]>;
}

/** A response whose headers have arrived. */
export interface HttpResponse extends Omit<ResponseHead, 'url'> {
  /** The URL that responded. */
  readonly url: URL;
  header(name: string): string | null;
  /** Whether the request had an Authorization header. */
  readonly hadCredentials: boolean;
  /** Must be read to its end or cancelled. */
  readonly body: Body;
  /** Problems of the content coding; final once the body has been read. */
  problems(): readonly Problem[];
}

export type Exchange = (url: URL, scope: DocumentScope) => Promise<HttpResponse>;
export type Concern = (next: Exchange) => Exchange;

/** Puts concerns around an exchange, the first one outermost. */
export const inOrder =
  (...concerns: readonly Concern[]): Concern =>
  (innermost) =>
    concerns.reduceRight((next, concern) => concern(next), innermost);

/** The innermost exchange: asks the client, and turns all that can go wrong into one kind of error. */
export function askClient(
  client: WebClient,
  headersFor: (url: URL, scope: DocumentScope) => Record<string, string>,
): Exchange {
  return async (url, scope) => {
    const { signal } = scope;
    signal.throwIfAborted();
    const headers = headersFor(url, scope);
    const requestedAt = Date.now();
    const failed = (error: unknown): unknown => (signal.aborted ? signal.reason : fetchErrorOf(error));
    let response: WebResponse;
    try {
      response = await client(url.href, { method: 'GET', redirect: 'manual', headers, signal });
    } catch (error) {
      throw failed(error);
    }
    if (!Number.isInteger(response?.status) || typeof response.headers?.get !== 'function') {
      throw new FetchError('web-client', 'the web client returned something that is not a response');
    }
    const body = bodyOf(response);
    return {
      url: respondingUrl(response, url),
      status: response.status,
      statusText: response.statusText ?? '',
      requestedAt,
      header: (name) => response.headers.get(name),
      hadCredentials: headers['authorization'] !== undefined,
      headers: () => headersOf(response),
      body: {
        async read() {
          try {
            return await body.read();
          } catch (error) {
            throw failed(error);
          }
        },
        cancel: () => body.cancel(),
      },
      problems: () => response.problems ?? [],
    };
  };
}

/** What is asked for where a client's headers cannot be iterated over. */
const WELL_KNOWN_HEADERS: readonly string[] = [
  ...[
    'age',
    'cache-control',
    'content-encoding',
    'content-language',
    'content-length',
    'content-type',
    'date',
  ],
  ...['etag', 'expires', 'last-modified', 'link', 'location', 'retry-after', 'server', 'transfer-encoding'],
  ...['vary', 'via', 'x-robots-tag'],
];

function* headersOf({ headers }: WebResponse): Generator<readonly [string, string], void, undefined> {
  const all = headers[Symbol.iterator]?.();
  if (all !== undefined) {
    yield* { [Symbol.iterator]: () => all };
    return;
  }
  for (const name of WELL_KNOWN_HEADERS) {
    const value = headers.get(name);
    if (value !== null) yield [name, value];
  }
}

/** A client that followed redirects in spite of `manual` reports the URL where it ended. */
function respondingUrl(response: WebResponse, requested: URL): URL {
  return response.url && URL.canParse(response.url) ? asRequested(new URL(response.url)) : requested;
}
