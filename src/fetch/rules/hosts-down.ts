/**
 * Hosts that are down for the rest of the call: an index of 50,000 sitemaps on a dead host must not cost
 * 50,000 times five connect timeouts.
 *
 * A host goes down when one URL used up its tries on it without ever connecting. Refusing and not resolving
 * are quick and use up the tries at once, so there a host that has answered before in this call is spared: a
 * restart, or a hiccup of the resolver, should cost what was asked meanwhile and no more.
 *
 * @packageDocumentation
 */

import { FetchError } from '../failure.ts';
import type { Concern } from './exchange.ts';

/** What one document learned about the hosts that it needed. */
export interface HostWatch {
  reached(origin: string): void;
  missed(origin: string, error: FetchError): void;
  /** The document's tries are used up. */
  gaveUp(): void;
}

export class HostsDown {
  readonly #down = new Map<string, string>();
  readonly #everReached = new Set<string>();

  /** Why a host is down, if it is. */
  reason(origin: string): string | undefined {
    return this.#down.get(origin);
  }

  /** Begins to watch one document. */
  watch(): HostWatch {
    const reachedNow = new Set<string>();
    let last: { origin: string; error: FetchError } | undefined;
    return {
      reached: (origin) => {
        last = undefined;
        reachedNow.add(origin);
        this.#everReached.add(origin);
      },
      missed: (origin, error) => {
        last = { origin, error };
      },
      gaveUp: () => {
        if (last === undefined || reachedNow.has(last.origin)) return;
        const { origin, error } = last;
        if (error.code !== 'timeout' && this.#everReached.has(origin)) return;
        this.#down.set(origin, error.message);
      },
    };
  }
}

/** Refuses hosts that are down, and watches which can be reached. */
export const withHostsDown =
  (hostsDown: HostsDown): Concern =>
  (next) =>
  async (url, scope) => {
    const why = hostsDown.reason(url.origin);
    if (why !== undefined) {
      throw new FetchError('host-down', `${url.host} was down before in this call: ${why}`);
    }
    try {
      const reply = await next(url, scope);
      scope.hosts.reached(url.origin);
      return reply;
    } catch (error) {
      if (error instanceof FetchError && error.code !== 'private-network') {
        if (error.connected) scope.hosts.reached(url.origin);
        else scope.hosts.missed(url.origin, error);
      }
      throw error;
    }
  };
