/**
 * What many sites share: the client with its connections, and the hosts with their pace. One network serves any number
 * of sites, one after the other or at once; each site has its own {@link DocumentFetcher}, with its own headers,
 * credentials, guard, limits and lifetime.
 *
 * What is shared is bounded: unused connections and hosts that are down by number and time, the pace of a host by the
 * time until it may be asked again. A site that is closed leaves nothing else behind.
 */

import { isIP } from 'node:net';
import { hostMapOf } from '../options/host-map.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { type Clock, systemClock } from '../runtime/time.ts';
import { hostOf, isSameSite } from '../url.ts';
import { type HttpClient, NodeHttpClient } from './client/http-client.ts';
import { NetworkGuard, type NetworkGuardOptions, resolveBySystem } from './client/network-guard.ts';
import { type Environment, type ProxyFor, proxyChooser } from './client/proxies.ts';
import { stoppable } from './client/web-client.ts';
import { type DocumentFetcher, SiteFetcher } from './fetch-document.ts';
import { FetchError } from './fetch-failure.ts';
import type { AddressOf } from './rules/host-rules.ts';
import { mostPerAddress, Politeness } from './rules/politeness.ts';

export interface FetchInternals extends Pick<NetworkGuardOptions, 'resolve' | 'isPublic'> {
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly environment?: Environment | undefined;
  /** Whether the site itself may not be private either: its URL comes from a stranger. @default false */
  readonly isSiteGuarded?: boolean | undefined;
}

/** No request is of this site, so a guard for it permits public addresses only. */
const NOWHERE = new URL('https://none.invalid/');

export interface Network {
  /**
   * Fetches the documents of one call about `site`: the homepage or sitemap, with its userinfo, if it has one. The
   * client and the pace of hosts are the network's; all other options are those of the call.
   */
  forSite(site: URL, options: ResolvedOptions): DocumentFetcher;
  /**
   * Whether the guard refuses a site itself, found by a look-up and without a request. Behind a proxy or with a custom
   * client only literal addresses can be refused.
   */
  refuses(site: URL): Promise<boolean>;
  /** Ends everything that is open for any site; no socket outlives it. */
  close(): Promise<void>;
}

/**
 * @param options - used are those of the client (`webClient`, `proxy`, `verifyTls`, `ca`, `cert`, `key`,
 *   `connectTimeoutMs`) and of the pace (`concurrency`, `perHostConcurrency`, `waitMs`, `randomWait`)
 */
export function createNetwork(options: ResolvedOptions, internals: FetchInternals = {}): Network {
  const { clock = systemClock, random = Math.random, environment } = internals;
  const client = clientFor(options, environment);
  const politeness = new Politeness(options, clock, random);
  const addressOf = addressBook(options, internals, clock);
  const open = new Set<DocumentFetcher>();

  return {
    forSite(publicSite, siteOptions) {
      const hosts = hostMapOf(siteOptions);
      const site = hosts?.here(publicSite) ?? publicSite;
      const { allowPrivateNetworks, cookies, maxSitemapBytes } = siteOptions;
      const guarded = internals.isSiteGuarded === true ? NOWHERE : site;
      const isHere = (url: URL): boolean => hosts?.isHere(url) === true;
      const guard = new NetworkGuard({ site: guarded, allowPrivateNetworks, isHere, ...internals });
      const isOwn = (url: URL): boolean => isSameSite(site, url) || isHere(url);
      const siteClient = client.forSite({ isOwn, guard, cookies, maxSitemapBytes });
      const siteFetcher = new SiteFetcher(site, siteOptions, {
        client: (url, request) => siteClient.request(url, request),
        visitKey: (url) => siteClient.visitKey(hosts?.here(url) ?? url),
        hosts,
        guard,
        politeness,
        addressOf,
        clock,
        random,
      });
      const fetcher: DocumentFetcher = {
        fetch: (url, document) => siteFetcher.fetch(url, document),
        async close() {
          open.delete(fetcher);
          await siteFetcher.close();
          siteClient.close();
        },
      };
      open.add(fetcher);
      return fetcher;
    },
    async refuses(site) {
      const { allowPrivateNetworks, webClient, proxy } = options;
      const isGuarded = internals.isSiteGuarded === true && !allowPrivateNetworks;
      const guard = new NetworkGuard({ site: NOWHERE, allowPrivateNetworks: !isGuarded, ...internals });
      const isElsewhere =
        webClient !== undefined || isProxied(proxyChooser(proxy, environment ?? process.env), site);
      try {
        if (isElsewhere) guard.checkLiteral(site);
        else await guard.lookup(site);
        return false;
      } catch (error) {
        // A name that does not resolve is reported when it is connected to.
        return error instanceof FetchError && error.code === 'private-network';
      }
    },
    async close() {
      await Promise.all([...open].map((fetcher) => fetcher.close()));
      client.close();
    },
  };
}

/** The fetcher of a call that has a network for itself: closing the fetcher closes the network. */
export function fetcherWithOwnNetwork(site: URL, options: ResolvedOptions): DocumentFetcher {
  const network = createNetwork(options);
  return { ...network.forSite(site, options), close: () => network.close() };
}

/** The default client, or the caller's own, which every site uses as it is. */
function clientFor(options: ResolvedOptions, environment: Environment | undefined): HttpClient {
  const { webClient } = options;
  if (webClient === undefined) return new NodeHttpClient({ ...options, environment });
  const site = { request: stoppable(webClient), visitKey: ({ href }: URL) => href, close() {} };
  return { forSite: () => site, close() {} };
}

const CACHED_MS = 60_000;
const MOST_CACHED = 10_000;

/**
 * The address of a host before it is connected to, so that all hosts of one address can share a limit. An extra look-up
 * for each host, made only where it matters: with few requests in total there are never too many to one address, and
 * behind a proxy or a custom client names are not ours to resolve. The network guard looks up names for itself.
 */
function addressBook(options: ResolvedOptions, internals: FetchInternals, clock: Clock): AddressOf {
  const { concurrency, proxy, webClient } = options;
  if (concurrency <= mostPerAddress(options) || webClient !== undefined) return async () => undefined;
  const { resolve = resolveBySystem, environment = process.env } = internals;
  const proxyFor = proxyChooser(proxy, environment);
  const cache = new Map<string, { readonly address: Promise<string | undefined>; readonly until: number }>();

  return async (url) => {
    const name = hostOf(url);
    if (isProxied(proxyFor, url)) return undefined;
    if (isIP(name) !== 0) return name;
    const entry = cache.get(name);
    if (entry !== undefined && entry.until > clock.now()) return entry.address;
    cache.delete(name);
    const [oldest] = cache.keys();
    if (cache.size >= MOST_CACHED && oldest !== undefined) cache.delete(oldest);
    // A name that does not resolve is reported when it is connected to.
    const address = resolve(name).then(
      ([first]) => first?.address,
      () => undefined,
    );
    cache.set(name, { address, until: clock.now() + CACHED_MS });
    return address;
  };
}

function isProxied(proxyFor: ProxyFor, url: URL): boolean {
  try {
    return proxyFor(url) !== undefined;
  } catch {
    // The environment's proxy is not a URL: the request will fail, and say so.
    return true;
  }
}
