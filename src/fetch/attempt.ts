/** One attempt to open a document: what its status means, and the way of its bytes up to the first decoded ones. */
import type { HostMap } from '../options/host-map.ts';
import type { Logger } from '../options/options.ts';
import { type Problem, ProblemList } from '../problems/problem-list.ts';
import type { Clock } from '../runtime/time.ts';
import { clip, LONGEST_QUOTE } from '../text/wording.ts';
import { type Body, drain, withByteCount, withPublicHosts } from './body.ts';
import type { ResponseFacts } from './client/web-client.ts';
import { ByteReader } from './decode/byte-reader.ts';
import { inflate } from './decode/inflate.ts';
import { FetchError, type ResponseHead, SPEAKS_HTTPS } from './fetch-failure.ts';
import type { DocumentScope, HttpResponse } from './rules/exchange.ts';
import { conditionalHeaders, type Validators, validatorsOf } from './rules/headers.ts';
import type { SameAs } from './rules/redirects.ts';
import { isPassingStatus, retryAfterMs } from './rules/retry.ts';

export interface OpenAttempt {
  readonly type: 'attempt';
  readonly response: ResponseFacts;
  /** Decoded and inflated, under the byte budget. */
  readonly body: Body;
  /** The problems so far; final once the body has been read. */
  problems(): readonly Problem[];
}

/** A document that is the same as when it was read before: the server responded with 304. */
export interface Unchanged {
  readonly type: 'unchanged';
  readonly url: string;
  /**
   * Whether the 304 is about the document that was asked about. One server of several may respond with the tag of
   * another version: then the document has to be requested again, without conditions.
   */
  readonly isBelieved: boolean;
  readonly requestedAt: number;
  readonly hops: readonly ResponseHead[];
}

export type AttemptResult = OpenAttempt | SameAs | Unchanged;

export interface AttemptContext {
  readonly request: (url: URL, scope: DocumentScope) => Promise<HttpResponse | SameAs>;
  readonly maxSitemapBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with the number of decoded bytes as they arrive. */
  readonly onBytes: (count: number) => void;
  /** Replaces the addresses in the document by public ones. */
  readonly hosts?: HostMap | undefined;
}

export async function openAttempt(
  url: URL,
  scope: DocumentScope,
  context: AttemptContext,
): Promise<AttemptResult> {
  const responded = await context.request(url, scope);
  if ('type' in responded) return responded;
  const { head: response, body: received } = responded;
  const { status } = response;
  try {
    context.logger.debug(`${status} ${response.url}`);
  } catch (error) {
    await received.cancel();
    throw error;
  }
  if (status < 200 || status > 299) {
    const firstChunk = await drain(received);
    const unchanged = status === 304 ? unchangedBy(response, scope.validators) : undefined;
    if (unchanged !== undefined) return unchanged;
    throw statusError(response, firstChunk, context.clock.now());
  }
  const problems = new ProblemList();
  const part = status === 206 ? partOf(response.header('content-range')) : undefined;
  if (part !== undefined) {
    problems.add(
      'partial-content',
      `The server sent only a part of the document, although all of it was requested (${part}).`,
    );
  }
  const inflated = inflate({ maxBytes: context.maxSitemapBytes, problems })(received);
  const decoded = context.hosts === undefined ? inflated : withPublicHosts(context.hosts)(inflated);
  // A body that breaks before its first byte is a failed attempt, not an empty document.
  const body = new ByteReader(withByteCount(context.onBytes)(decoded));
  try {
    await body.peek(1);
  } catch (error) {
    await body.cancel();
    throw error instanceof FetchError ? error.with({ url: response.url, responses: response.hops }) : error;
  }
  return {
    type: 'attempt',
    response,
    body,
    problems: () => [...response.problems(), ...problems.kept],
  };
}

/** What a 304 means; absent where it was not asked for. */
function unchangedBy(response: ResponseFacts, sent: Validators | undefined): Unchanged | undefined {
  const { url, requestedAt, hops } = response;
  if (sent === undefined || Object.keys(conditionalHeaders(new URL(url), sent)).length === 0)
    return undefined;
  const isBelieved = isSameVersion(validatorsOf(response), sent);
  return { type: 'unchanged', url, isBelieved, requestedAt, hops };
}

function isSameVersion(received: Validators, sent: Validators): boolean {
  if (received.etag !== undefined) return sent.etag !== undefined && weak(received.etag) === weak(sent.etag);
  if (sent.etag !== undefined || received.lastModified === undefined) return true;
  return received.lastModified === sent.lastModified;
}

// nginx that compresses sends `W/"x"` with the 200, and `"x"` with the 304.
function weak(etag: string): string {
  return etag.trim().replace(/^W\//, '');
}

/**
 * What is missing from a 206 that was not asked for (RFC 9110 §14.4), in words; caches and broken range filters send
 * them. Absent where it is the whole document, or the header does not say.
 */
function partOf(contentRange: string | null): string | undefined {
  const [, first, last, size] =
    /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15})\s*$/i.exec(contentRange ?? '') ?? [];
  if (first === undefined || last === undefined || size === undefined) return undefined;
  const isWhole = Number(first) === 0 && Number(last) + 1 >= Number(size);
  return isWhole ? undefined : `bytes ${first} to ${last} of ${size}`;
}

function statusError(response: ResponseFacts, firstChunk: Uint8Array, now: number): FetchError {
  const { status, statusText, url, hops, isRecorded } = response;
  const responses = [...hops, response];
  if (status === 400 && isMeantForHttps(url, firstChunk)) {
    return new FetchError('http-status', `${SPEAKS_HTTPS} (400)`, { status, url, responses });
  }
  const text = statusText === '' ? '' : ` ${clip(statusText, LONGEST_QUOTE)}`;
  return new FetchError('http-status', `the server responded with ${status}${text}`, {
    status,
    retryable: isPassingStatus(status) && !isRecorded,
    retryAfterMs: isRecorded ? undefined : retryAfterMs(response.header('retry-after'), now),
    url,
    responses,
  });
}

/** How nginx, Apache, Go's servers (Caddy) and Tomcat say that a port speaks HTTPS. */
const MEANT_FOR_HTTPS: readonly RegExp[] = [
  /plain HTTP request was sent to HTTPS port/i,
  /speaking plain HTTP to an SSL-enabled server port/i,
  /HTTP request to an HTTPS server/i,
  /host and port requires TLS/i,
];

function isMeantForHttps(url: string, firstChunk: Uint8Array): boolean {
  if (!url.startsWith('http:')) return false;
  const text = Buffer.from(firstChunk).toString('latin1');
  return MEANT_FOR_HTTPS.some((words) => words.test(text));
}
