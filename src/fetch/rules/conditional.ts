/**
 * Conditional requests (RFC 9110 §13): a document that was read before is asked for with the validators that came with
 * it, and a 304 means that it is still the same.
 *
 * Validators are sent to the exact URL that sent them and nowhere else, neither before a redirect nor behind one.
 *
 * @packageDocumentation
 */
import { documentKey } from '../../url.ts';

/** What a response said about its version of a document. */
export interface Validators {
  /** The URL that responded, after redirects. */
  readonly url: string;
  /** Its `ETag` header. */
  readonly etag?: string | undefined;
  /** Its `Last-Modified` header. */
  readonly lastModified?: string | undefined;
}

/** A document that is the same as when it was read before: the server responded with 304. */
export interface Unchanged {
  readonly type: 'unchanged';
  /** The URL that responded, after redirects. */
  readonly url: string;
  /** What to send the next time: the validators of this response, else those that were sent. */
  readonly validators: Validators;
}

type Header = (name: string) => string | null;

/** The validators of a response. */
export function validatorsOf(url: string, header: Header): Validators {
  return {
    url,
    etag: header('etag') ?? undefined,
    lastModified: header('last-modified') ?? undefined,
  };
}

/** The headers that make the request for `url` a conditional one; none where no validator belongs to it. */
export function conditionalHeaders(url: URL, validators: Validators | undefined): Record<string, string> {
  if (validators === undefined || documentKey(validators.url) !== url.href) return {};
  const { etag, lastModified } = validators;
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}

/** What a 304 means; absent where it was not asked for. */
export function unchangedBy(url: URL, header: Header, sent: Validators | undefined): Unchanged | undefined {
  if (sent === undefined || Object.keys(conditionalHeaders(url, sent)).length === 0) return undefined;
  const { etag = sent.etag, lastModified = sent.lastModified } = validatorsOf(url.href, header);
  return { type: 'unchanged', url: url.href, validators: { url: url.href, etag, lastModified } };
}
