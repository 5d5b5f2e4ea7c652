/**
 * The border between our rules and the transport: a function with the shape of `fetch`.
 *
 * Above it are redirects, timeouts, retries, politeness and headers, around a whole document, so that every rule holds
 * at every hop with every client. Below it are connections, TLS, proxies, content decoding and, in the default client,
 * the guard on real addresses. The global `fetch` fits as it is, as does any wrapped one: `webClient: fetch`.
 */

import type { Problem } from '../../problems/problem-list.ts';
import { abortSignalOf, type StopSignal } from '../../runtime/abort.ts';
import { type Body, bodyFrom, cancelQuietly, iteratedBody } from '../body.ts';
import { FetchError } from '../fetch-failure.ts';

/** What a {@link WebClient} is asked to do. Assignable to `fetch`'s `RequestInit`. */
export interface WebRequest {
  readonly method: 'GET';
  /** A redirect is a response like any other: we follow it, not the client. */
  readonly redirect: 'manual';
  readonly headers: Record<string, string>;
  /** Aborted when the response, or the rest of its body, is no longer needed or took too long. */
  readonly signal: AbortSignal;
}

/** The part of a WHATWG `ReadableStream` that is needed. */
export interface ReadableStreamLike {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<unknown>;
  };
}

/** What a {@link WebClient} returns. A WHATWG `Response` fits as it is. */
export interface WebResponse {
  readonly status: number;
  readonly statusText?: string;
  /** The URL that responded; `''` or absent means the request's. */
  readonly url?: string;
  /**
   * Its headers. Where they can be iterated over, as WHATWG `Headers` can, an archive keeps them all; otherwise it
   * keeps the well-known ones that `get` returns.
   */
  readonly headers: {
    get(name: string): string | null;
    [Symbol.iterator]?(): Iterator<readonly [name: string, value: string]>;
  };
  /** The body's bytes, content-decoded, at the reader's pace. A chunk must not be changed after it was handed over. */
  readonly body: AsyncIterable<Uint8Array> | ReadableStreamLike | null;
  /** Problems of the content coding; final once the body has been read. Optional: `fetch` has none. */
  readonly problems?: readonly Problem[];
  /** Whether it was recorded earlier: another request would give the same, so nothing is retried or waited for. */
  readonly isRecorded?: boolean;
}

/**
 * Requests one URL, once, without following redirects.
 *
 * @example
 * ```ts
 * await sitemapTreeForHomepage('https://example.org/', { webClient: fetch });
 * ```
 */
export type WebClient = (url: string, request: WebRequest) => Promise<WebResponse>;

/** What the default client is asked to do: it only listens to the signal. */
export interface StoppableRequest extends Omit<WebRequest, 'signal'> {
  readonly signal: StopSignal;
}

export type StoppableClient = (url: string, request: StoppableRequest) => Promise<WebResponse>;

export const stoppable =
  (client: WebClient): StoppableClient =>
  (url, { method, redirect, headers, signal }) =>
    client(url, { method, redirect, headers, signal: abortSignalOf(signal) });

/**
 * What a client returned, checked: a custom client is a caller's own code, and what is wrong with one of its responses
 * must fail that document (code `web-client`), and not the whole call. Nothing of the response is touched after this
 * without being guarded.
 */
export interface CheckedResponse {
  readonly status: number;
  readonly statusText: string;
  /** The URL that responded, as the client gives it. */
  readonly url: string;
  /** Never throws. */
  header(name: string): string | null;
  /** All headers that the client reports, in order. Never throws. */
  headers(): Iterable<readonly [name: string, value: string]>;
  readonly body: Body;
  /** Never throws. */
  problems(): readonly Problem[];
  readonly isRecorded: boolean;
}

/** The headers that are needed: read at once, while it can still be said that they cannot be read. */
const NEEDED: readonly string[] = [
  ...['content-range', 'content-type', 'etag', 'last-modified', 'link', 'location', 'retry-after'],
];

/** @throws FetchError with code `web-client`; and whatever a getter of the response throws */
export function checkedResponse(response: WebResponse): CheckedResponse {
  if (!isObject(response)) throw malformed('something that is not a response');
  const { status, headers, body, statusText, url, isRecorded } = response;
  if (!Number.isInteger(status) || status < 100 || status > 999) {
    throw malformed('a response without a valid status');
  }
  if (!isObject(headers) || typeof headers.get !== 'function') {
    throw malformed('a response without headers that have a method "get"');
  }
  if (!isReadable(body)) {
    throw malformed('a body that is neither a stream, nor an async iterable of Uint8Array, nor null');
  }
  if (Reflect.get(response, 'bodyUsed') === true) throw malformed('a response whose body was read already');
  const needed = new Map(NEEDED.map((name) => [name, headerOf(response, name)]));
  return {
    status,
    statusText: typeof statusText === 'string' ? statusText : '',
    url: typeof url === 'string' ? url : '',
    header(name) {
      const lower = name.toLowerCase();
      return needed.has(lower) ? (needed.get(lower) ?? null) : quietly(() => headerOf(response, name), null);
    },
    headers: () => quietly(() => [...headersOf(response)], []),
    body: bodyOf(response),
    problems: () => quietly(() => problemsOf(response), []),
    isRecorded: isRecorded === true,
  };
}

const malformed = (what: string): FetchError =>
  new FetchError('web-client', `the web client returned ${what}`);

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isReadable(body: unknown): boolean {
  if (body === null || body === undefined) return true;
  if (!isObject(body)) return false;
  return 'getReader' in body ? typeof body.getReader === 'function' : Symbol.asyncIterator in body;
}

const EMPTY: Body = { read: async () => undefined, cancel: async () => {} };

/** The body of a client's response, in any of the shapes that a client may use. */
export function bodyOf({ body }: WebResponse): Body {
  if (body === null || body === undefined) return EMPTY;
  const own = iteratedBody(body);
  if (own !== undefined) return own;
  if ('getReader' in body) {
    const reader = body.getReader();
    return {
      read: async () => {
        const { done, value } = await reader.read();
        return done ? undefined : value;
      },
      cancel: () => cancelQuietly(() => reader.cancel()),
    };
  }
  return bodyFrom(body);
}

function headerOf({ headers }: WebResponse, name: string): string | null {
  const value: unknown = headers.get(name);
  if (typeof value === 'string') return value;
  // A Map would be an honest way to have headers.
  if (value === null || value === undefined) return null;
  throw malformed(`a header "${name}" that is not a text`);
}

/** What is asked for where a client's headers cannot be iterated over. */
const WELL_KNOWN_HEADERS: readonly string[] = [
  ...['age', 'cache-control', 'content-encoding', 'content-language', 'content-length', 'content-type'],
  ...[
    'date',
    'etag',
    'expires',
    'last-modified',
    'link',
    'location',
    'retry-after',
    'server',
    'transfer-encoding',
  ],
  ...['vary', 'via', 'x-robots-tag'],
];

function* headersOf({ headers }: WebResponse): Generator<readonly [string, string], void, undefined> {
  const all = headers[Symbol.iterator]?.();
  if (all !== undefined) {
    for (const [name, value] of { [Symbol.iterator]: () => all }) {
      if (typeof name === 'string' && typeof value === 'string') yield [name, value];
    }
    return;
  }
  for (const name of WELL_KNOWN_HEADERS) {
    const value: unknown = headers.get(name);
    if (typeof value === 'string') yield [name, value];
  }
}

function problemsOf({ problems }: WebResponse): readonly Problem[] {
  if (!Array.isArray(problems)) return [];
  return problems.filter(
    (each: unknown) =>
      isObject(each) &&
      'code' in each &&
      'message' in each &&
      typeof each.code === 'string' &&
      typeof each.message === 'string',
  );
}

/** A chunk of its body, which may be of another realm. @throws FetchError with code `web-client` */
export function checkedChunk(chunk: unknown): Uint8Array | undefined {
  if (chunk === undefined || chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk) && Object.prototype.toString.call(chunk) === '[object Uint8Array]') {
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  throw malformed('a body with chunks that are not of Uint8Array');
}

function quietly<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
