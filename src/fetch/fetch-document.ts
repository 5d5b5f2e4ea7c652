/**
 * One URL → a document or why not, with every rule of BEHAVIOUR §2, §8 and §9. This file only composes; each
 * rule has a file of its own. From the outside in:
 *
 *     tries            retry.ts           a whole document at a time, also when its body breaks
 *       attempt        (here)             status, first bytes, inflate.ts with the byte budget
 *         redirects    redirects.ts       every hop goes through all of the following
 *           literals   network-guard.ts   addresses that need no look-up are refused before anything else
 *           down       hosts-down.ts      hosts known to be down cost nothing
 *           slot       politeness.ts      waits for its turn; held until the body ends
 *           timeouts   timeouts.ts        begin when the turn has come
 *           headers    headers.ts         decided for each hop
 *             client   web-client.ts      the seam: http-client.ts, or the caller's own
 *
 * How a consumer that has already used the first half of a document lives with a retry is document.ts's subject.
 *
 * @packageDocumentation
 */
import { setMaxListeners } from 'node:events';
import { SitemapException } from '../errors.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { ProblemList } from '../problems/problem-list.ts';
import { asRequested } from '../url.ts';
import { bodyFrom, chunksOf, counted, drain, withFirstChunk } from './body.ts';
import { createHttpClient } from './client/http-client.ts';
import { NetworkGuard, type NetworkGuardOptions } from './client/network-guard.ts';
import type { Environment } from './client/proxy.ts';
import { inflate } from './decode/inflate.ts';
import { OpenDocument, type OpenedTry } from './document.ts';
import { clipped, FetchError, type FetchFailure, failureOf } from './failure.ts';
import { type Clock, systemClock } from './rules/clock.ts';
import { partOf } from './rules/content-range.ts';
import { charsetOf } from './rules/content-type.ts';
import { askClient, type Concern, type DocumentScope, type Exchange, type Reply } from './rules/exchange.ts';
import { headersFor } from './rules/headers.ts';
import { HostsDown, withHostsDown } from './rules/hosts-down.ts';
import { Politeness, withPoliteness } from './rules/politeness.ts';
import { followingRedirects } from './rules/redirects.ts';
import { Tries } from './rules/retry.ts';
import { isPassingStatus, retryAfterMs } from './rules/retry-timing.ts';
import { WireTime, withTimeouts } from './rules/timeouts.ts';

/** What tests hand in instead of the world. */
export interface FetchInternals extends Pick<NetworkGuardOptions, 'resolve' | 'isPublic'> {
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly environment?: Environment | undefined;
}

interface FetchDocumentOptions {
  /** Ends this document alone; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether nobody declared it. A guess waits behind all that was declared of its host, and is tried twice at most: a
   * wrong one must cost next to nothing. @default false
   */
  readonly isGuess?: boolean | undefined;
  /**
   * Whether the caller has what is at a URL. A redirect to there is not followed: it gives {@link SameAs}.
   * @default nothing
   */
  readonly isRead?: ((url: URL) => boolean) | undefined;
  /** Told once, when the first request has its slot and is about to start. */
  readonly onStart?: (() => void) | undefined;
  /** Told before each pause for a retry. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Told of decoded bytes as they arrive, those of retries included. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

interface RetryEvent {
  /** The number of the try that failed, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  readonly reason: string;
}

/** A URL that redirects to one that the caller has read already; that one was not requested again. */
export interface SameAs {
  readonly type: 'same-as';
  readonly url: string;
}

/** What became of a URL. */
export type Fetched = OpenDocument | SameAs | FetchFailure;

/** Fetches the documents of one call, which share connections, slots, the guard and what is known of hosts. */
export interface DocumentFetcher {
  /**
   * Resolves once the first bytes are there or it is clear that none will come. An open document must be read
   * to its end or closed. Rejects only when the call is over: aborted, closed, or by a headers function's error.
   */
  fetch(url: string | URL, options?: FetchDocumentOptions): Promise<Fetched>;
  /** Ends everything that is open; no socket outlives it. */
  close(): Promise<void>;
}

/**
 * @param site - the homepage, or the one sitemap that the call is about; with its userinfo, if it has any
 */
export function createDocumentFetcher(
  site: URL,
  options: ResolvedOptions,
  internals: FetchInternals = {},
): DocumentFetcher {
  const { logger, idleTimeoutMs, maxRedirects, maxSitemapBytes, retries, sitemapTimeoutMs } = options;
  const clock = internals.clock ?? systemClock;
  const random = internals.random ?? Math.random;
  const guard = new NetworkGuard({ site, allowPrivateNetworks: options.allowPrivateNetworks, ...internals });
  const hostsDown = new HostsDown();
  const politeness = new Politeness(options, clock, random);
  const ownClient =
    options.webClient === undefined
      ? createHttpClient({ guard, ...options, environment: internals.environment })
      : undefined;
  const client = ownClient?.request ?? options.webClient!;

  const exchange = followingRedirects(maxRedirects)(
    inOrder(
      withGuardedLiterals(guard),
      withHostsDown(hostsDown),
      withPoliteness(politeness, clock),
      withTimeouts(idleTimeoutMs, clock),
    )(askClient(client, headersFor({ site, ...options }))),
  );

  const attempt = async (
    url: URL,
    scope: DocumentScope,
    onBytes: (count: number) => void,
  ): Promise<OpenedTry> => {
    const reply = await exchange(url, scope);
    logger.debug(`${reply.status} ${reply.url.href}`);
    if (reply.status < 200 || reply.status > 299) {
      await drain(reply.body);
      throw statusError(reply, clock.now());
    }
    const problems = new ProblemList();
    const part = reply.status === 206 ? partOf(reply.header('content-range')) : undefined;
    if (part !== undefined) {
      problems.add('partial-content', `The server sent a part that nobody asked for (${part}).`);
    }
    const inflated = inflate(chunksOf(reply.body), { maxBytes: maxSitemapBytes }, problems);
    return {
      url: reply.url.href,
      status: reply.status,
      charset: charsetOf(reply.header('content-type')),
      header: (name) => reply.header(name),
      // A body that breaks before its first byte is a failed try, not an empty document.
      body: await withFirstChunk(counted(bodyFrom(inflated), onBytes)),
      problems: () => [...reply.problems(), ...problems.kept],
    };
  };

  const lifetime = new AbortController();
  // One listener a document in flight is no leak.
  setMaxListeners(0, lifetime.signal);
  const unlinkCaller = link(options.signal, lifetime);

  return {
    async fetch(
      declared,
      { signal, isGuess = false, isRead = () => false, onStart, onRetry, onBytes = () => {} } = {},
    ) {
      const url = requestable(declared);
      if (typeof url === 'string')
        return failureOf(url, new FetchError('bad-url', 'not an http or https URL'));
      const own = new AbortController();
      setMaxListeners(0, own.signal);
      if (signal !== undefined) setMaxListeners(0, signal);
      const unlink = [link(lifetime.signal, own), link(signal, own)];
      const closed = (): void => {
        for (const each of unlink) each();
        own.abort(new SitemapException(`${url.href} was closed.`, { code: 'closed', url: url.href }));
      };
      const scope: DocumentScope = {
        signal: own.signal,
        time: new WireTime(sitemapTimeoutMs),
        hosts: hostsDown.watch(),
        onTurn: once(onStart),
        isPatient: isGuess,
        isRead,
      };
      const tries = new Tries(() => attempt(url, scope, onBytes), {
        retries: isGuess ? Math.min(retries, 1) : retries,
        clock,
        random,
        signal: own.signal,
        onRetry({ attempt: number, waitMs, error }) {
          logger.info(`${url.href}: ${error.message}; next try in ${(waitMs / 1000).toFixed(1)} s.`);
          onRetry?.({ attempt: number, waitMs, reason: error.message });
        },
        onGaveUp: () => scope.hosts.gaveUp(),
      });
      try {
        return new OpenDocument(url.href, await tries.first(), tries, closed);
      } catch (error) {
        closed();
        if (!(error instanceof FetchError)) throw error;
        if (error.leadsTo !== undefined) return { type: 'same-as', url: error.leadsTo };
        const failure = failureOf(url.href, error, tries.failed);
        logger.debug(failure.reason);
        return failure;
      }
    },
    async close() {
      unlinkCaller();
      lifetime.abort(new SitemapException('The fetcher was closed.', { code: 'closed' }));
      ownClient?.close();
    },
  };
}

const inOrder =
  (...concerns: readonly Concern[]): Concern =>
  (innermost) =>
    concerns.reduceRight((next, concern) => concern(next), innermost);

const withGuardedLiterals =
  (guard: NetworkGuard): Concern =>
  (next: Exchange) =>
  async (url, scope) => {
    guard.checkLiteral(url);
    return next(url, scope);
  };

/** What is requested for a declared URL; or, where it cannot be, how to name it. */
function requestable(declared: string | URL): URL | string {
  if (!URL.canParse(String(declared))) return String(declared);
  const url = asRequested(new URL(String(declared)));
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : url.href;
}

function statusError(reply: Reply, now: number): FetchError {
  const { status } = reply;
  const text = reply.statusText === '' ? '' : ` ${clipped(reply.statusText)}`;
  return new FetchError('http-status', `the server answered ${status}${text}`, {
    status,
    retryable: isPassingStatus(status),
    retryAfterMs: retryAfterMs(reply.header('retry-after'), now),
  });
}

function once(told: (() => void) | undefined): () => void {
  let isTold = false;
  return () => {
    if (!isTold) told?.();
    isTold = true;
  };
}

/** Passes an abort on; returns the function that stops doing so. */
function link(from: AbortSignal | undefined, to: AbortController): () => void {
  if (from === undefined) return () => {};
  const onAbort = (): void => to.abort(from.reason);
  if (from.aborted) onAbort();
  else from.addEventListener('abort', onAbort, { once: true });
  return () => from.removeEventListener('abort', onAbort);
}
