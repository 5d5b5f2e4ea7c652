/**
 * What one call knows of the hosts that it requests: which are down, and how much it accepts from each before it gives
 * up (§15): refusals for going too fast, pauses, a `Retry-After` that is too long, and credentials that are wrong.
 *
 * An index of 50,000 sitemaps on a dead host must not cost 50,000 times five connect timeouts. A host is down for the
 * rest of a call when one URL used up its attempts on it without ever connecting. A refused connection or an unknown
 * name uses up the attempts at once, so a host that has responded before in the same call is not called down for it,
 * and is retried like a 502: a restart, or a short fault of the resolver, costs nothing. All calls of a network share
 * what they found, for a few minutes: what is down for one site is down for the next.
 */

import { Stop } from '../../runtime/abort.ts';
import type { Clock } from '../../runtime/time.ts';
import { FetchError } from '../fetch-failure.ts';
import { isRefusal, LONGEST_RETRY_AFTER_MS } from './retry.ts';

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

/** A document may be refused this often for the pace of its host, without using up its attempts. */
const MOST_REFUSALS = 20;
/** A host may pause a call for this long in all. */
const MOST_PAUSED_MS = 600_000;
/** This many documents in a row with a `Retry-After` that is too long end their host. */
const MOST_TOO_LONG = 3;

class HostState {
  /** Responses that show that the host is at work. */
  successes = 0;
  pausedMs = 0;
  /** Documents in a row that ended with a `Retry-After` that is too long. */
  tooLong = 0;
  /** Whether the credentials gave a document. */
  hasAccepted = false;
  /** What is not requested any more: everything below a path, with the reason. */
  readonly ended: { readonly folder: string; readonly error: FetchError }[] = [];
  /** Aborted where that is everything. */
  readonly over: Stop = new Stop();
}

interface ResponseSigns {
  readonly status: number;
  /** Its `Retry-After`, where its status is one that often goes away. */
  readonly retryAfterMs: number | undefined;
  readonly hadCredentials: boolean;
}

export class HostsOfCall {
  readonly clock: Clock;
  /** How long one document may be refused for the pace of its host. */
  readonly refusalsMs: number;
  readonly #shared: HostsDown;
  readonly #hosts = new Map<string, HostState>();
  /** Origins, with the reason: another port of the same host may respond. */
  readonly #down = new Map<string, string>();
  readonly #reached = new Set<string>();

  constructor(shared: HostsDown, clock: Clock, refusalsMs: number) {
    this.#shared = shared;
    this.clock = clock;
    this.refusalsMs = refusalsMs;
  }

  host(name: string): HostState {
    const known = this.#hosts.get(name) ?? new HostState();
    this.#hosts.set(name, known);
    return known;
  }

  /** Why an origin is known to be down, if it is. What other calls found counts, unless this one knows better. */
  whyDown(origin: string): string | undefined {
    return this.#down.get(origin) ?? (this.hasReached(origin) ? undefined : this.#shared.reason(origin));
  }

  hasReached(origin: string): boolean {
    return this.#reached.has(origin);
  }

  reached(origin: string): void {
    this.#reached.add(origin);
  }

  isDown(origin: string, reason: string): void {
    this.#down.set(origin, reason);
    this.#shared.add(origin, reason);
  }
}

/** What one document adds: which hosts it reached, and how often it was refused. */
export class HostsOfDocument {
  readonly call: HostsOfCall;
  readonly #reached = new Set<string>();
  #missed: { readonly origin: string; readonly error: FetchError } | undefined;
  /** How many successes each host had when the document last asked for a slot, or was refused. */
  readonly #successes = new Map<string, number>();
  #refusals = 0;
  #refusedSince: number | undefined;

  constructor(call: HostsOfCall) {
    this.call = call;
  }

  reached({ origin }: URL): void {
    this.#missed = undefined;
    this.#reached.add(origin);
    this.call.reached(origin);
  }

  missed({ origin }: URL, error: FetchError): void {
    this.#missed = { origin, error };
  }

  /** The document's attempts are used up. */
  gaveUp(): void {
    if (this.#missed === undefined || this.#reached.has(this.#missed.origin)) return;
    const { origin, error } = this.#missed;
    if (error.code === 'timeout' || !this.call.hasReached(origin)) this.call.isDown(origin, error.message);
  }

  /** Throws where a URL is not requested any more in this call. */
  check({ host, pathname }: URL): void {
    const { ended } = this.call.host(host);
    const found = ended.find(({ folder }) => pathname.startsWith(folder));
    if (found !== undefined) throw found.error;
  }

  /** Aborted, with the error, where nothing of the host is requested any more. */
  ended({ host }: URL): Stop {
    return this.call.host(host).over;
  }

  /** The document is about to ask for a slot of a host. */
  waits({ host }: URL): void {
    if (!this.#successes.has(host)) this.#successes.set(host, this.call.host(host).successes);
  }

  /** A response arrived; it may end the host for all documents of the call. */
  responded(url: URL, { status, retryAfterMs, hadCredentials }: ResponseSigns): void {
    const host = this.call.host(url.host);
    if (retryAfterMs !== undefined && retryAfterMs > LONGEST_RETRY_AFTER_MS) {
      if (++host.tooLong < MOST_TOO_LONG) return;
      const seconds = Math.round(retryAfterMs / 1000);
      const message = `not requested, since ${url.host} asks to come back in ${seconds} s`;
      endHost(host, '/', new FetchError('rate-limited', message, { status }));
      return;
    }
    if (hadCredentials && (status === 401 || status === 407) && !host.hasAccepted) {
      const message = `not requested, since ${url.href} refused the credentials (${status})`;
      endHost(host, folderOf(url), new FetchError('http-status', message, { status }));
      return;
    }
    if (status < 500 && !isRefusal(status)) {
      host.successes++;
      host.tooLong = 0;
    }
    // robots.txt is often public where the rest is not.
    if (hadCredentials && status < 300 && url.pathname !== '/robots.txt') host.hasAccepted = true;
  }

  /** A request failed; that may end the host for all documents of the call. */
  failed(url: URL, error: FetchError): void {
    if (error.code !== 'proxy' || error.status !== 407) return;
    const message = `not requested, since ${error.message}`;
    endHost(this.call.host(url.host), '/', error.with({ message, cause: undefined }));
  }

  mayPause({ host }: URL, ms: number): boolean {
    return this.call.host(host).pausedMs + ms <= MOST_PAUSED_MS;
  }

  paused({ host }: URL, ms: number): void {
    this.call.host(host).pausedMs += ms;
  }

  /**
   * Whether an error is a refusal for going too fast, which the document need not pay for: the host has responded well
   * to others since the document asked last.
   */
  isPace({ status, url, retryAfterMs = 0 }: FetchError): boolean {
    if (status === undefined || url === undefined || !isRefusal(status)) return false;
    const { host } = new URL(url);
    const { successes, pausedMs } = this.call.host(host);
    const isAtWork = successes > (this.#successes.get(host) ?? successes);
    this.#successes.set(host, successes);
    const now = this.call.clock.now();
    this.#refusedSince ??= now;
    if (!isAtWork || pausedMs + retryAfterMs > MOST_PAUSED_MS) return false;
    return ++this.#refusals <= MOST_REFUSALS && now - this.#refusedSince <= this.call.refusalsMs;
  }
}

function endHost(host: HostState, folder: string, error: FetchError): void {
  host.ended.push({ folder, error });
  if (folder === '/') host.over.abort(error);
}

/** The paths that a refusal of credentials is about: those beside it and below (RFC 7617 §2.2). */
function folderOf({ pathname }: URL): string {
  return pathname.slice(0, pathname.lastIndexOf('/') + 1);
}
