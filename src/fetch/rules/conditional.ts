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
