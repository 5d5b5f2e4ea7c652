/**
 * What a client returned, checked: a custom client is a caller's own code, and what is wrong with one of its responses
 * must fail that document (code `web-client`), and not the whole call. Nothing of the response is touched after this
 * without being guarded.
 *
 * @packageDocumentation
 */
import type { Problem } from '../../problems/problem-list.ts';
import { type Body, bodyOf } from '../body.ts';
import { FetchError } from '../failure.ts';
import type { WebResponse } from './web-client.ts';

/** A response whose parts are what they say. */
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
}

/** The headers that are needed: read at once, while it can still be said that they cannot be read. */
const NEEDED = [
  ...['content-range', 'content-type', 'etag', 'last-modified', 'link', 'location', 'retry-after'],
] as const;

/** @throws FetchError with code `web-client`; and whatever a getter of the response throws */
export function checkedResponse(response: WebResponse): CheckedResponse {
  if (!isObject(response)) throw malformed('something that is not a response');
  const { status, headers, body, statusText, url } = response;
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
  const needed = new Map(NEEDED.map((name) => [name as string, headerOf(response, name)]));
  return {
    status,
    statusText: typeof statusText === 'string' ? statusText : '',
    url: typeof url === 'string' ? url : '',
    header(name) {
      const lower = name.toLowerCase();
      return needed.has(lower) ? (needed.get(lower) ?? null) : quietly(() => headerOf(response, name), null);
    },
    headers: () => quietly(() => [...headersOf(response)], []),
    body: readable(bodyOf(response)),
    problems: () => quietly(() => problemsOf(response), []),
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

function headerOf({ headers }: WebResponse, name: string): string | null {
  const value: unknown = headers.get(name);
  if (typeof value === 'string') return value;
  // A Map would be an honest way to have headers.
  if (value === null || value === undefined) return null;
  throw malformed(`a header "${name}" that is not a text`);
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

function readable(body: Body): Body {
  return { read: async () => chunkOf(await body.read()), cancel: () => body.cancel() };
}

/** A chunk, which may be of another realm. */
function chunkOf(chunk: unknown): Uint8Array | undefined {
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
