/**
 * One URL → a document, the news that it is another URL's or has not changed, or why there is none, by the rules of
 * docs/specification.md §2, §8, §9 and §15. This file only composes; each rule has a file of its own. From the outside
 * in, each around the next:
 *
 *     attempts              rules/retry.ts        a whole document is requested again, also when its body breaks
 *       attempt             attempt.ts            status, first bytes, decode/inflate.ts with the byte budget
 *         redirects         rules/redirects.ts    every hop goes through all of the following
 *           hosts           options/host-map.ts   public URLs are requested where mapHosts says
 *           guard           rules/redirects.ts    private IP literals are refused; host names once they are resolved
 *             down          rules/host-rules.ts   requests to hosts that are known to be down fail at once
 *               slot        rules/host-rules.ts   waits for its turn, at the pace of the host; held until the body ends
 *                 timeouts  rules/timeouts.ts     begin when the turn has come
 *                   headers rules/headers.ts      decided for each hop
 *                   client  client/web-client.ts  http-client.ts, or the caller's own
 *
 * What a host is to all calls is the subject of host.ts, what it is to one call that of host-of-call.ts. network.ts makes
 * what many sites share: the client and the hosts. How a consumer that has already used the first half of a document
 * continues after a retry is the subject of document.ts.
 */

import type { HostMap } from '../options/host-map.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { SitemapException, withoutStack } from '../problems/errors.ts';
import { onAbort, Stop, type StopSignal } from '../runtime/abort.ts';
import type { Clock } from '../runtime/time.ts';
import { asRequested, parsedUrl } from '../url.ts';
import { type AttemptContext, type AttemptResult, openAttempt, type Unchanged } from './attempt.ts';
import type { NetworkGuard } from './client/network-guard.ts';
import type { StoppableClient } from './client/web-client.ts';
import { type CutBy, OpenDocument } from './document.ts';
import { FetchError, type FetchFailure, failureOf } from './fetch-failure.ts';
import {
  around,
  askClient,
  type DocumentScope,
  type Exchange,
  type RequestedDocument,
} from './rules/exchange.ts';
import { conditionalHeaders, headersFor } from './rules/headers.ts';
import { HostOfCall } from './rules/host-of-call.ts';
import { type AddressOf, gaveUp, isPace, withHostsDown, withPace } from './rules/host-rules.ts';
import type { Politeness } from './rules/politeness.ts';
import { followingRedirects, type SameAs, withGuard } from './rules/redirects.ts';
import { type Attempts, attempts } from './rules/retry.ts';
import { withTimeouts } from './rules/timeouts.ts';

export interface FetchDocumentOptions extends Partial<RequestedDocument> {
  /** Ends this document alone; its reason is thrown. */
  readonly signal?: StopSignal | undefined;
  /** Called with the signal's reason if the document was arriving. @default the reason is thrown */
  readonly cutBy?: CutBy | undefined;
  /** Called once, when the first request has its slot and is about to start. */
  readonly onStart?: (() => void) | undefined;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called with the number of decoded bytes of each chunk as it arrives, those of retries included. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

export interface RetryEvent {
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  readonly reason: string;
}

export type FetchResult = OpenDocument | SameAs | Unchanged | FetchFailure;

export interface DocumentFetcher {
  /**
   * Resolves once the first bytes are there or it is clear that none will come. An open document must be read to its
   * end or closed. Rejects only if the call or this document is aborted or closed, or a headers function throws.
   */
  fetch(url: string | URL, options?: FetchDocumentOptions): Promise<FetchResult>;
  close(): Promise<void>;
}

interface FetcherDependencies {
  readonly client: StoppableClient;
  /** The key of a visit to a URL: a redirect to a key that this document was redirected to before is a circle. */
  readonly visitKey: (url: URL) => string;
  readonly guard: NetworkGuard;
  /** Where public URLs are requested, and how what comes back is read. */
  readonly hosts?: HostMap | undefined;
  readonly politeness: Politeness;
  readonly addressOf: AddressOf;
  readonly clock: Clock;
  readonly random: () => number;
}

/** An undeclared document costs at most this many retries. */
const UNDECLARED_RETRIES = 1;

/** Fetches the documents of one call. */
export class SiteFetcher implements DocumentFetcher {
  readonly #options: ResolvedOptions;
  readonly #dependencies: FetcherDependencies;
  readonly #hosts = new Map<string, HostOfCall>();
  /** One request, with everything that is around it. */
  readonly #request: AttemptContext['request'];
  readonly #lifetime = new Stop();
  readonly #unlinkCaller: () => void;

  /**
   * @param site - the homepage, or the one sitemap that the call is about; with its userinfo, if it has one
   */
  constructor(site: URL, options: ResolvedOptions, dependencies: FetcherDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#request = requesting(site, options, dependencies);
    this.#unlinkCaller = onAbort(options.signal, (reason) => this.#lifetime.abort(reason));
  }

  async fetch(requested: string | URL, document: FetchDocumentOptions = {}): Promise<FetchResult> {
    const url = requestable(requested);
    if (typeof url === 'string') {
      return failureOf(url, new FetchError('bad-url', 'not an http or https URL'));
    }
    const { signal, close } = lifetimeOf(url, [this.#lifetime, document.signal]);
    const allAttempts = this.#attemptsAt(url, signal, document);
    try {
      const first = await allAttempts.next();
      // Done without a document: none of the attempts gave one.
      const result = first.done
        ? failureOf(url.href, first.value.error, first.value)
        : first.value.type === 'attempt'
          ? new OpenDocument(url.href, first.value, allAttempts, close, document.cutBy)
          : first.value;
      if (result.type === 'failed') this.#options.logger.debug(result.reason);
      if (result.type !== 'document') close();
      return result;
    } catch (error) {
      close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#unlinkCaller();
    this.#lifetime.abort(
      withoutStack(() => new SitemapException('The fetcher was closed.', { code: 'closed' })),
    );
  }

  #attemptsAt(url: URL, signal: StopSignal, document: FetchDocumentOptions): Attempts<AttemptResult> {
    const { logger, maxSitemapBytes, retries, sitemapTimeoutMs } = this.#options;
    const { clock, random, politeness, hosts } = this.#dependencies;
    const { onBytes = () => {}, onRetry } = document;
    const context = { request: this.#request, maxSitemapBytes, clock, logger, onBytes, hosts };
    // Errors name the public URL.
    const requested = ({ url: at }: FetchError): URL | undefined =>
      at === undefined ? undefined : (hosts?.here(new URL(at)) ?? new URL(at));
    let scope = this.#scopeOf(signal, document);
    const open = async (): Promise<AttemptResult> => {
      const result = await openAttempt(url, scope, context);
      // Once it has opened, it is not the earlier version: should it break, the retry must not be conditional.
      scope = { ...scope, validators: undefined };
      return result;
    };
    return attempts(open, {
      retries: () => (scope.isDeclared() ? retries : Math.min(retries, UNDECLARED_RETRIES)),
      isPace: (error) => isPace(error, requested(error), scope),
      refusalsMs: sitemapTimeoutMs,
      clock,
      random,
      signal,
      onRetry(attempt, error, waitMs) {
        logger.info(`${url.href}: ${error.message}; next attempt in ${(waitMs / 1000).toFixed(1)} s.`);
        onRetry?.({ attempt, waitMs, reason: error.message });
      },
      onGaveUp: (error) => gaveUp(error, requested(error), scope, politeness),
    });
  }

  #scopeOf(signal: StopSignal, document: FetchDocumentOptions): DocumentScope {
    const { logger, sitemapTimeoutMs } = this.#options;
    const { isDeclared = () => true, isRead = () => false, validators, onStart, onWait } = document;
    return {
      signal,
      isDeclared,
      isRead,
      validators,
      onTurn: once(onStart),
      time: { limitMs: sitemapTimeoutMs, spentMs: 0 },
      hostOf: (each) => this.#hostOf(each),
      reached: new Set(),
      successes: new Map(),
      onWait({ host, waitMs, reason }) {
        logger.info(`${host} waits for ${(waitMs / 1000).toFixed(1)} s: ${reason}.`);
        onWait?.({ host, waitMs, reason });
      },
    };
  }

  #hostOf({ host: name }: URL): HostOfCall {
    const host = this.#hosts.get(name) ?? new HostOfCall();
    this.#hosts.set(name, host);
    return host;
  }
}

/** The client, with the rules of this file's header around it, up to the redirects. */
function requesting(
  site: URL,
  options: ResolvedOptions,
  { client, visitKey, guard, politeness, addressOf, clock, hosts }: FetcherDependencies,
): AttemptContext['request'] {
  const isHere = hosts && ((url: URL) => hosts.isHere(url));
  const siteHeaders = headersFor({ site, ...options, isHere });
  const headersOf: Parameters<typeof askClient>[1] = (url, { validators }) => ({
    ...siteHeaders(url),
    ...conditionalHeaders(hosts?.public(url) ?? url, validators),
  });
  const ask = askClient(client, headersOf, hosts);
  const rules = around(
    withGuard(guard, hosts),
    withHostsDown(politeness),
    withPace(politeness, addressOf, clock),
    withTimeouts(options.idleTimeoutMs, clock),
  );
  const request = rules(ask);
  // Above this, all URLs are public ones: those of redirects too.
  const requestHere: Exchange = (url, scope) => request(hosts?.here(url) ?? url, scope);
  return followingRedirects(options.maxRedirects, visitKey)(requestHere);
}

/** The URL that is requested; or, for what is not a URL, the text that names it in messages. */
function requestable(requested: string | URL): URL | string {
  const parsed = parsedUrl(String(requested));
  if (parsed === undefined) return String(requested);
  const url = asRequested(parsed);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : url.href;
}

/** A signal for one document, which aborts with any of the signals; `close` ends everything that is done for it. */
function lifetimeOf(
  url: URL,
  signals: readonly (StopSignal | undefined)[],
): { readonly signal: StopSignal; readonly close: () => void } {
  const lifetime = new Stop();
  const unlink = signals.map((each) => onAbort(each, (reason) => lifetime.abort(reason)));
  const close = (): void => {
    for (const each of unlink) each();
    lifetime.abort(
      withoutStack(() => new SitemapException(`${url.href} was closed.`, { code: 'closed', url: url.href })),
    );
  };
  return { signal: lifetime, close };
}

function once(callback: (() => void) | undefined): () => void {
  let next = callback;
  return () => {
    next?.();
    next = undefined;
  };
}
