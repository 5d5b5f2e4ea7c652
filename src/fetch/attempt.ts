/**
 * One attempt to open a document: what its status means, and the way of its bytes up to the first decoded ones.
 *
 * @packageDocumentation
 */
import type { Logger } from '../options/options.ts';
import { ProblemList } from '../problems/problem-list.ts';
import { counted, drain, withFirstChunk } from './body.ts';
import { inflate } from './decode/inflate.ts';
import type { Opened } from './document.ts';
import { clipped, FetchError, orFetchError, SPEAKS_HTTPS } from './failure.ts';
import type { Clock } from './rules/clock.ts';
import { partOf } from './rules/content-range.ts';
import { charsetOf } from './rules/content-type.ts';
import type { DocumentScope, HttpResponse } from './rules/exchange.ts';
import { unchangedBy } from './rules/not-modified.ts';
import type { FinalResponse, SameAs } from './rules/redirects.ts';
import { isPassingStatus, retryAfterMs } from './rules/retry-timing.ts';

export interface AttemptParts {
  /** Requests the URL, over all its redirects. */
  readonly request: (url: URL, scope: DocumentScope) => Promise<FinalResponse | SameAs>;
  readonly maxSitemapBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with the number of decoded bytes as they arrive. */
  readonly onBytes: (count: number) => void;
}

/** Requests a document up to its first decoded bytes. @throws FetchError */
export async function openAttempt(url: URL, scope: DocumentScope, parts: AttemptParts): Promise<Opened> {
  const response = await parts.request(url, scope);
  if ('type' in response) return response;
  const { status } = response;
  const header = (name: string): string | null => response.header(name);
  parts.logger.debug(`${status} ${response.url.href}`);
  if (status < 200 || status > 299) {
    const opening = await drain(response.body);
    const unchanged = status === 304 ? unchangedBy(response, scope.validators) : undefined;
    if (unchanged !== undefined) return unchanged;
    if (status === 400 && isMeantForHttps(response.url, opening)) {
      throw new FetchError('http-status', `${SPEAKS_HTTPS} (400)`, { status, url: response.url.href });
    }
    throw statusError(response, parts.clock.now());
  }
  const problems = new ProblemList();
  const part = status === 206 ? partOf(header('content-range')) : undefined;
  if (part !== undefined) {
    problems.add('partial-content', `The server sent a part that was not asked for (${part}).`);
  }
  const decoded = inflate({ maxBytes: parts.maxSitemapBytes, problems })(response.body);
  // A body that breaks before its first byte is a failed attempt, not an empty document.
  const body = await orFetchError(withFirstChunk(counted(parts.onBytes)(decoded)));
  if (body instanceof FetchError) throw body.with({ url: response.url.href });
  return {
    type: 'attempt',
    url: response.url.href,
    status,
    statusText: response.statusText,
    requestedAt: response.requestedAt,
    headers: () => response.headers(),
    hops: response.hops,
    charset: charsetOf(header('content-type')),
    header,
    body,
    problems: () => [...response.problems(), ...problems.kept],
  };
}

function statusError(response: HttpResponse, now: number): FetchError {
  const { status } = response;
  const text = response.statusText === '' ? '' : ` ${clipped(response.statusText)}`;
  return new FetchError('http-status', `the server responded with ${status}${text}`, {
    status,
    retryable: isPassingStatus(status),
    retryAfterMs: retryAfterMs(response.header('retry-after'), now),
    url: response.url.href,
  });
}

/** How nginx, Apache, Go's servers (Caddy) and Tomcat say that a port speaks HTTPS. */
const MEANT_FOR_HTTPS: readonly RegExp[] = [
  /plain HTTP request was sent to HTTPS port/i,
  /speaking plain HTTP to an SSL-enabled server port/i,
  /HTTP request to an HTTPS server/i,
  /host and port requires TLS/i,
];

function isMeantForHttps({ protocol }: URL, opening: Uint8Array): boolean {
  if (protocol !== 'http:') return false;
  const text = Buffer.from(opening).toString('latin1');
  return MEANT_FOR_HTTPS.some((words) => words.test(text));
}
