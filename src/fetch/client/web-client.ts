/**
 * The border between our rules and the transport: a function with the shape of `fetch`.
 *
 * Above it are redirects, timeouts, retries, politeness and headers, around a whole document, so that every rule holds
 * at every hop with every client. Below it are connections, TLS, proxies, content decoding and, in the default client,
 * the guard on real addresses. The global `fetch` fits as it is, as does any wrapped one: `webClient: fetch`.
 */

import type { HostMap } from '../../options/host-map.ts';
import type { WebClient, WebRequest, WebResponse } from '../../options/web-seam.ts';
import type { Problem } from '../../problems/problem-list.ts';
import { abortSignalOf, type StopSignal } from '../../runtime/abort.ts';
import { asRequested, parsedUrl } from '../../url.ts';
import { type Body, bodyFrom, bodyOfReads } from '../body.ts';
import { FetchError, type ResponseHead } from '../fetch-failure.ts';

/** The request that the default client gets. It only listens to the signal, so a {@link Stop} is enough. */
export interface StoppableRequest extends Omit<WebRequest, 'signal'> {
  readonly signal: StopSignal;
}

export type StoppableClient = (url: string, request: StoppableRequest) => Promise<WebResponse>;

export const stoppable =
  (client: WebClient): StoppableClient =>
  (url, { method, redirect, headers, signal }) =>
    client(url, { method, redirect, headers, signal: abortSignalOf(signal) });

/** The headers that are needed. They are read at once, so that a client whose headers throw fails its document only. */
const NEEDED: readonly string[] = [
  'content-range',
  'content-type',
  'etag',
  'last-modified',
  'link',
  'location',
  'retry-after',
];

const NO_HOPS: readonly ResponseHead[] = Object.freeze([]);

/**
 * What a client returned, checked: a custom client is a caller's own code, and what is wrong with one of its responses
 * must fail that document (code `web-client`), and not the whole call. None of its methods throws.
 */
export class ResponseFacts implements ResponseHead {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly requestedAt: number;
  /** Whether the request had an Authorization header. */
  readonly hadCredentials: boolean;
  readonly isRecorded: boolean;
  /** The redirects that led to it, in order. */
  hops: readonly ResponseHead[] = NO_HOPS;
  readonly #response: WebResponse;
  readonly #hosts: HostMap | undefined;
  readonly #needed: ReadonlyMap<string, string | null>;

  /** @throws FetchError with code `web-client`; and whatever a getter of the response throws */
  constructor(
    response: WebResponse,
    request: {
      readonly url: URL;
      readonly requestedAt: number;
      readonly hadCredentials: boolean;
      /** Replaces the addresses in its URL and its headers by public ones. */
      readonly hosts?: HostMap | undefined;
    },
  ) {
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
    this.#hosts = request.hosts;
    const responding = respondingUrl(url, request.url);
    this.url = this.#hosts?.public(new URL(responding)).href ?? responding;
    this.status = status;
    this.statusText = typeof statusText === 'string' ? statusText : '';
    this.requestedAt = request.requestedAt;
    this.hadCredentials = request.hadCredentials;
    this.isRecorded = isRecorded === true;
    this.#response = response;
    this.#needed = new Map(NEEDED.map((name) => [name, headerOf(response, name)]));
  }

  header(name: string): string | null {
    const needed = this.#needed.get(name.toLowerCase());
    const value = needed === undefined ? quietly(() => headerOf(this.#response, name), null) : needed;
    return value === null ? null : (this.#hosts?.text(value) ?? value);
  }

  headers(): Iterable<readonly [name: string, value: string]> {
    const all = quietly(() => [...headersOf(this.#response)], []);
    return this.#hosts === undefined ? all : all.map(([name, value]) => [name, this.#hosts!.text(value)]);
  }

  get charset(): string | undefined {
    return charsetOf(this.header('content-type'));
  }

  /** Problems of the content coding; final once the body has been read. */
  problems(): readonly Problem[] {
    return quietly(() => problemsOf(this.#response), []);
  }
}

/** A client that followed redirects in spite of `manual` reports the URL where it ended. */
function respondingUrl(url: unknown, requested: URL): string {
  const responding = typeof url === 'string' && url !== '' ? parsedUrl(url) : undefined;
  return responding === undefined ? requested.href : asRequested(responding).href;
}

/** The charset parameter of a Content-Type header, in lower case; quotes and extra spaces are allowed. */
export function charsetOf(contentType: string | null): string | undefined {
  const charset = /;\s*charset\s*=\s*("[^"]*"|'[^']*'|[^\s;,]+)/i.exec(contentType ?? '')?.[1];
  return (
    charset
      ?.replace(/^["']|["']$/g, '')
      .trim()
      .toLowerCase() || undefined
  );
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
  if ('getReader' in body) {
    const reader = body.getReader();
    return bodyOfReads(
      () => reader.read(),
      () => reader.cancel(),
    );
  }
  return bodyFrom(body);
}

function headerOf({ headers }: WebResponse, name: string): string | null {
  const value: unknown = headers.get(name);
  if (typeof value === 'string') return value;
  // A Map has `get` too, and returns undefined for what is missing.
  if (value === null || value === undefined) return null;
  throw malformed(`a header "${name}" that is not a text`);
}

/** What is asked for where a client's headers cannot be iterated over. */
const WELL_KNOWN_HEADERS: readonly string[] = [
  'age',
  'cache-control',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'server',
  'transfer-encoding',
  'vary',
  'via',
  'x-robots-tag',
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
