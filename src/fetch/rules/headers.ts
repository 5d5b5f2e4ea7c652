/**
 * Which host gets which headers (Specification §9). A sitemap may list, and redirect to, every host of the world: what
 * a caller sends to its own site (cookies, tokens) must not go there.
 *
 * User-Agent and Accept go everywhere. All others go only to the homepage's host, its http→https upgrade and its `www.`
 * twin included, and never back from https to http. A function of the URL decides for itself.
 */

import { HEADERS_ACCEPTED, isHeaders, plainHeaders } from '../../options/option-table.ts';
import type { ResolvedOptions } from '../../options/resolve.ts';
import { SitemapException } from '../../problems/errors.ts';
import { ignorable } from '../../runtime/time.ts';
import { basicAuthorization, documentKey, isSameSite } from '../../url.ts';

const ACCEPT =
  'application/xml, text/xml, application/rss+xml, application/atom+xml, text/plain;q=0.9, */*;q=0.8';
const FOR_EVERYONE: ReadonlySet<string> = new Set(['user-agent', 'accept']);

interface HeaderRules extends Pick<ResolvedOptions, 'userAgent' | 'headers' | 'logger'> {
  /** The homepage, or the sitemap that the call is about; its userinfo becomes Basic authentication. */
  readonly site: URL;
  /** Whether a URL is on a host that counts as the site. */
  readonly isHere?: ((url: URL) => boolean) | undefined;
}

/** The headers for each URL; names are lower-case. Throws what a headers function throws. */
export function headersFor(rules: HeaderRules): (url: URL) => Record<string, string> {
  const { site, userAgent, headers, logger, isHere = () => false } = rules;
  const everywhere = { 'user-agent': userAgent, accept: ACCEPT };
  const authorization = basicAuthorization(site);
  const credentials = authorization === undefined ? {} : { authorization };
  const withheldFrom = new Set<string>();

  return (url) => {
    const isDowngrade = site.protocol === 'https:' && url.protocol === 'http:';
    const atHome = isSameSite(site, url) || (isHere(url) && !isDowngrade);
    if (typeof headers === 'function') {
      const result = plainHeaders(headers(url.href));
      if (result !== undefined && !isHeaders(result)) {
        if (result instanceof Promise) ignorable(result);
        throw new SitemapException(`What the "headers" function returns must be ${HEADERS_ACCEPTED}.`, {
          code: 'bad-option',
          url: url.href,
        });
      }
      return { ...everywhere, ...(atHome ? credentials : {}), ...lowerCased(result ?? {}) };
    }
    const siteHeaders = { ...credentials, ...lowerCased(headers) };
    if (atHome) return { ...everywhere, ...siteHeaders };
    const publicHeaders = Object.entries(siteHeaders).filter(([name]) => FOR_EVERYONE.has(name));
    if (publicHeaders.length < Object.keys(siteHeaders).length && !withheldFrom.has(url.host)) {
      withheldFrom.add(url.host);
      logger.info(`Headers for ${site.host} are withheld from ${url.host}.`);
    }
    return { ...everywhere, ...Object.fromEntries(publicHeaders) };
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * What a response said about its version of a document, for conditional requests (RFC 9110 §13). They are sent to the
 * exact URL that sent them and nowhere else, neither before a redirect nor behind one.
 */
export interface Validators {
  readonly url: string;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export function validatorsOf(response: {
  readonly url: string;
  header(name: string): string | null;
}): Validators {
  return {
    url: response.url,
    etag: response.header('etag') ?? undefined,
    lastModified: response.header('last-modified') ?? undefined,
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
