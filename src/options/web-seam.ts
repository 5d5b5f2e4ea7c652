/** The shape of `fetch`, as the option `webClient` takes it. */
import type { ReadableStreamLike } from '../parse/given-input.ts';
import type { Problem } from '../problems/problem-list.ts';

/** The second argument of a {@link WebClient}. Assignable to `fetch`'s `RequestInit`. */
export interface WebRequest {
  readonly method: 'GET';
  /** A redirect is a response like any other: we follow it, not the client. */
  readonly redirect: 'manual';
  readonly headers: Record<string, string>;
  /** Aborted when the response, or the rest of its body, is no longer needed or took too long. */
  readonly signal: AbortSignal;
}

/** What a {@link WebClient} returns. A WHATWG `Response` fits as it is. */
export interface WebResponse {
  readonly status: number;
  readonly statusText?: string;
  /** The URL that responded; `''` or absent means the request's. */
  readonly url?: string;
  /**
   * Its headers. If they are iterable, as WHATWG `Headers` are, an archive keeps all of them; otherwise it keeps the
   * well-known ones that `get` returns.
   */
  readonly headers: {
    get(name: string): string | null;
    [Symbol.iterator]?(): Iterator<readonly [name: string, value: string]>;
  };
  /** The body's bytes, content-decoded, at the reader's pace. A chunk must not be changed after it was handed over. */
  readonly body: AsyncIterable<Uint8Array> | ReadableStreamLike | null;
  /** Problems of the content coding; final once the body has been read. Optional: `fetch` has none. */
  readonly problems?: readonly Problem[];
  /**
   * Whether it was recorded earlier. Another request would return the same response, so there are no retries and no
   * pauses.
   */
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
