/**
 * Redirects, followed by us and not by the client, so that every rule holds at every hop: the guard, the headers, the
 * host's slots and pauses.
 *
 * @packageDocumentation
 */
import { asRequested } from '../../url.ts';
import { drain } from '../body.ts';
import { clipped, FetchError, orFetchError } from '../failure.ts';
import type { DocumentScope, Exchange, HttpResponse } from './exchange.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A URL that redirects to one that the caller has read already; that one was not requested again. */
export interface SameAs {
  readonly type: 'same-as';
  readonly url: string;
}

/** Follows redirects; the result is the response of the last hop, or that it need not be requested. */
export const followingRedirects =
  (maxRedirects: number) =>
  (next: Exchange) =>
  async (url: URL, scope: DocumentScope): Promise<HttpResponse | SameAs> => {
    const seen = new Set([url.href]);
    for (let hop = url; ; ) {
      const response = await orFetchError(next(hop, scope));
      if (response instanceof FetchError) throw response.with({ url: hop.href });
      const { status } = response;
      if (!REDIRECTS.has(status)) return response;
      await drain(response.body);
      const target = redirectTarget(response.header('location'), response.url);
      if (typeof target === 'string') {
        throw new FetchError('redirects', target, { status, url: hop.href });
      }
      if (seen.has(target.href)) {
        const message = `redirects in a circle, back to ${clipped(target.href)}`;
        throw new FetchError('redirects', message, { status });
      }
      if (seen.size > maxRedirects) {
        throw new FetchError('redirects', `more than ${maxRedirects} redirects`, { status });
      }
      if (scope.isRead(target)) return { type: 'same-as', url: target.href };
      seen.add(target.href);
      hop = target;
    }
  };

/** The target of a Location header, or what is wrong with it. */
export function redirectTarget(location: string | null, from: URL): URL | string {
  if (location === null || location.trim() === '') return 'redirects without a target';
  const text = fromUtf8(location.trim());
  if (!URL.canParse(text, from.href)) return 'redirects to something that is not a URL';
  const target = asRequested(new URL(text, from));
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
