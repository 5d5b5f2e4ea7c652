/**
 * Redirects, followed by us and not by the client, so that every rule holds at every hop: the guard, the headers, the
 * host's slots and pauses.
 */

import type { HostMap } from '../../options/host-map.ts';
import { clip, LONGEST_QUOTE } from '../../text/wording.ts';
import { asRequested, parsedUrl } from '../../url.ts';
import { drain } from '../body.ts';
import type { NetworkGuard } from '../client/network-guard.ts';
import { FetchError, orFetchError, type ResponseHead } from '../fetch-failure.ts';
import type { Concern, DocumentScope, Exchange, HttpResponse } from './exchange.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A URL that redirects to one that the caller has read already, and that was not requested again. */
export interface SameAs {
  readonly type: 'same-as';
  readonly url: string;
  /** The redirects that led there, in order. */
  readonly hops: readonly ResponseHead[];
}

/**
 * Follows redirects; the result is the response of the last hop, or that it need not be requested.
 *
 * @param visitKey - the key of a visit to a URL: with a new cookie, a redirect back to a URL is not a circle
 */
export const followingRedirects =
  (maxRedirects: number, visitKey: (url: URL) => string) =>
  (next: Exchange) =>
  async (url: URL, scope: DocumentScope): Promise<HttpResponse | SameAs> => {
    const visits = new Set([visitKey(url)]);
    const hops: ResponseHead[] = [];
    for (let hop = url; ; ) {
      const response = await orFetchError(next(hop, scope));
      if (response instanceof FetchError) throw response.with({ url: hop.href, responses: hops });
      const { head, body } = response;
      const { status } = head;
      if (!REDIRECTS.has(status)) {
        if (hops.length > 0) head.hops = hops;
        return response;
      }
      await drain(body);
      hops.push(head);
      const target = redirectTarget(head.header('location'), head.url);
      if (typeof target === 'string') {
        throw new FetchError('redirects', target, { status, url: hop.href, responses: hops });
      }
      if (visits.has(visitKey(target))) {
        const message = `redirects in a circle, back to ${clip(target.href, LONGEST_QUOTE)}`;
        throw new FetchError('redirects', message, { status, responses: hops });
      }
      if (visits.size > maxRedirects) {
        throw new FetchError('redirects', `more than ${maxRedirects} redirects`, { status, responses: hops });
      }
      if (await scope.isRead(target)) return { type: 'same-as', url: target.href, hops };
      visits.add(visitKey(target));
      hop = target;
    }
  };

/**
 * The network guard at every hop: literal addresses that may not be connected to are refused before anything else is
 * done for them, and the guard learns where the site itself redirects to.
 */
export const withGuard =
  (guard: NetworkGuard, hosts?: HostMap): Concern =>
  (next) =>
  async (url, scope) => {
    guard.checkLiteral(url);
    const response = await next(url, scope);
    const { head } = response;
    if (REDIRECTS.has(head.status)) {
      const target = redirectTarget(head.header('location'), head.url);
      const here = (to: URL): URL => hosts?.here(to) ?? to;
      if (typeof target !== 'string') guard.redirected(here(new URL(head.url)), here(target));
    }
    return response;
  };

/** The target of a Location header, or what is wrong with it. */
export function redirectTarget(location: string | null, from: string): URL | string {
  if (location === null || location.trim() === '') return 'redirects without a target';
  const text = fromUtf8(location.trim());
  const url = parsedUrl(text, from);
  if (url === undefined) return 'redirects to something that is not a URL';
  const target = asRequested(url);
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    return `redirects to ${target.protocol} which is not http or https`;
  }
  return target;
}

/** HTTP clients read headers as Latin-1; servers that write `/é` unescaped write UTF-8. */
function fromUtf8(text: string): string {
  if (!/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(text)) return text;
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes('\ufffd') ? text : decoded;
}
