/** What a 304 means: the document is the one that was read before, if that was asked. */
import { conditionalHeaders, type Validators, validatorsOf } from './conditional.ts';
import type { ResponseHead } from './exchange.ts';

/** A document that is the same as when it was read before: the server responded with 304. */
export interface Unchanged {
  readonly type: 'unchanged';
  /** The URL that responded, after redirects. */
  readonly url: string;
  /** What to send the next time: the validators of this response, else those that were sent. */
  readonly validators: Validators;
  /** When it was requested, in milliseconds since the epoch. */
  readonly requestedAt: number;
  /** The redirects that led there, in order. */
  readonly hops: readonly ResponseHead[];
}

/** A response with status 304. */
interface NotModified {
  readonly url: URL;
  readonly requestedAt: number;
  readonly hops: readonly ResponseHead[];
  header(name: string): string | null;
}

/** What a 304 means; absent where it was not asked for. */
export function unchangedBy(response: NotModified, sent: Validators | undefined): Unchanged | undefined {
  const { url, requestedAt, hops } = response;
  const header = (name: string): string | null => response.header(name);
  if (sent === undefined || Object.keys(conditionalHeaders(url, sent)).length === 0) return undefined;
  const { etag = sent.etag, lastModified = sent.lastModified } = validatorsOf(url.href, header);
  const validators = { url: url.href, etag, lastModified };
  return { type: 'unchanged', url: url.href, validators, requestedAt, hops };
}
