/**
 * Hosts that are down: an index of 50,000 sitemaps on a dead host must not cost 50,000 times five connect timeouts.
 *
 * A host is down for the rest of a call when one URL used up its attempts on it without ever connecting. A refused
 * connection or an unknown name uses up the attempts at once, so a host that has responded before in the same call is
 * not called down for it, and is retried like a 502: a restart, or a short fault of the resolver, costs nothing.
 *
 * All calls of a network share what they found, for a few minutes: what is down for one site is down for the next.
 */

import type { Clock } from '../../runtime/time.ts';
import { FetchError } from '../fetch-failure.ts';
import type { Concern, HostWatch } from './exchange.ts';

/** How long another call believes that a host is down. */
const SHARED_MS = 5 * 60_000;
/** How many hosts are remembered for other calls; the oldest are forgotten first. */
const MOST_SHARED = 1_000;

/** The hosts that are down for a network, whichever call found out. */
export class HostsDown {
  readonly #clock: Clock;
  readonly #down = new Map<string, { readonly reason: string; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#down.size;
  }

  reason(origin: string): string | undefined {
    const found = this.#down.get(origin);
    if (found === undefined || found.until > this.#clock.now()) return found?.reason;
    this.#down.delete(origin);
    return undefined;
  }

  add(origin: string, reason: string): void {
    this.#down.delete(origin);
    this.#down.set(origin, { reason, until: this.#clock.now() + SHARED_MS });
    if (this.#down.size <= MOST_SHARED) return;
    const [oldest] = this.#down.keys();
    this.#down.delete(oldest!);
  }
}

export class HostsOfCall {
  readonly #shared: HostsDown;
  readonly #down = new Map<string, string>();
  readonly #everReached = new Set<string>();

  constructor(shared: HostsDown) {
    this.#shared = shared;
  }

  watch(): HostWatch {
    const reachedNow = new Set<string>();
    let last: { origin: string; error: FetchError } | undefined;
    return {
      reason: (origin) => this.#down.get(origin) ?? this.#sharedReason(origin),
      hasResponded: (origin) => this.#everReached.has(origin),
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
        this.#shared.add(origin, error.message);
      },
    };
  }

  /** What other calls found, unless this one knows better. */
  #sharedReason(origin: string): string | undefined {
    return this.#everReached.has(origin) ? undefined : this.#shared.reason(origin);
  }
}

/** What a host that responds otherwise does while it restarts, or while its resolver fails. */
const PASSING: ReadonlySet<string> = new Set(['refused', 'unreachable', 'unresolved']);

/** Refuses hosts that are down, and watches which can be reached. */
export const withHostsDown: Concern = (next) => async (url, scope) => {
  const { hosts } = scope;
  const reason = hosts.reason(url.origin);
  if (reason !== undefined) {
    throw new FetchError('host-down', `${url.host} could not be reached before: ${reason}`);
  }
  try {
    const response = await next(url, scope);
    hosts.reached(url.origin);
    return response;
  } catch (error) {
    if (error instanceof FetchError && error.code !== 'private-network') {
      if (error.connected) hosts.reached(url.origin);
      else hosts.missed(url.origin, error);
      if (PASSING.has(error.code) && hosts.hasResponded(url.origin)) throw error.with({ retryable: true });
    }
    throw error;
  }
};
