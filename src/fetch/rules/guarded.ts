/** The network guard at every hop: addresses that need no look-up, and where the site itself redirects to. */
import type { NetworkGuard } from '../client/network-guard.ts';
import type { Concern } from './exchange.ts';
import { isRedirect, redirectTarget } from './redirects.ts';

/** Refuses literal addresses that may not be connected to, before anything else is done for them. */
export const withGuard =
  (guard: NetworkGuard): Concern =>
  (next) =>
  async (url, scope) => {
    guard.checkLiteral(url);
    const response = await next(url, scope);
    if (isRedirect(response.status)) {
      const target = redirectTarget(response.header('location'), response.url);
      if (typeof target !== 'string') guard.redirected(response.url, target);
    }
    return response;
  };
