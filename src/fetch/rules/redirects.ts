/**
 * Redirects, followed by us and not by the client, so that every rule holds at every hop: the guard, the
 * headers, the host's slots and pauses.
 *
 * @packageDocumentation
 */

import { asRequested } from '../../url.ts';
import { drain } from '../body.ts';
import { clipped, FetchError } from '../failure.ts';
import type { Exchange } from './exchange.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Follows redirects; the reply is that of the last hop. */
export const followingRedirects =
  (maxRedirects: number) =>
  (next: Exchange): Exchange =>
  async (url, scope) => {
    const seen = new Set([url.href]);
    for (let hop = url; ; ) {
      const reply = await next(hop, scope);
      if (!REDIRECTS.has(reply.status)) return reply;
      await drain(reply.body);
      const target = redirectTarget(reply.header('location'), reply.url);
      if (typeof target === 'string') throw redirectError(target, reply.status);
      if (seen.has(target.href)) {
        throw redirectError(`redirects in a circle, back to ${clipped(target.href)}`, reply.status);
      }
      if (seen.size > maxRedirects) throw redirectError(`more than ${maxRedirects} redirects`, reply.status);
      if (scope.isRead(target)) {
        throw redirectError(
          `redirects to ${clipped(target.href)}, which was read before`,
          reply.status,
          target.href,
        );
      }
      seen.add(target.href);
      hop = target;
    }
  };

function redirectError(message: string, status: number, leadsTo?: string): FetchError {
  return new FetchError('redirects', message, { status, ...(leadsTo === undefined ? {} : { leadsTo }) });
}

/** Where a Location leads, or what is wrong with it. */
export function redirectTarget(location: string | null, from: URL): URL | string {
  if (location === null || location.trim() === '') return 'redirects without saying where to';
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
