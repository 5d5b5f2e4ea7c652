/**
 * The default client, on `node:http`: keep-alive, proxies, guarded connections, streaming content decoding. Its
 * connections are shared by all sites; each site has its own {@link WebClient}, with its own guard and byte budget. It
 * has no timeout but the one for connecting, no retries and no redirects: those live above the client, around a whole
 * document.
 */
import { isSocks } from '../../options/network-values.ts';
import type { ResolvedOptions } from '../../options/resolve.ts';
import type { WebResponse } from '../../options/web-seam.ts';
import { type Problem, ProblemList } from '../../problems/problem-list.ts';
import { basicAuthorization, isSameSite } from '../../url.ts';
import { iterate } from '../body.ts';
import { ACCEPT_ENCODING, contentDecoder } from '../decode/content-decoding.ts';
import { clientFailure } from '../fetch-failure.ts';
import { createConnector, type TlsOptions, tlsSettings } from './connector.ts';
import { CookieJar } from './cookies.ts';
import { Connections, type HttpHead, responseTo } from './http-request.ts';
import type { NetworkGuard } from './network-guard.ts';
import { type Environment, forwardedResponse, ProxyHistory, proxyChooser } from './proxies.ts';
import type { StoppableClient, StoppableRequest } from './web-client.ts';

interface HttpClientOptions extends TlsOptions, Pick<ResolvedOptions, 'connectTimeoutMs' | 'proxy'> {
  /** @default process.env */
  readonly environment?: Environment | undefined;
}

interface HttpClientSite {
  readonly site: URL;
  readonly guard: NetworkGuard;
  readonly cookies: boolean;
  /** Bytes of a body after each stage of content decoding. */
  readonly maxSitemapBytes: number;
}

export interface HttpClient {
  forSite(site: HttpClientSite): SiteClient;
  /** Ends everything at once: no socket of this client outlives it. */
  close(): void;
}

export interface SiteClient {
  readonly request: StoppableClient;
  /** What a visit of a URL is known by: two with the same key would get the same response. */
  visitKey(url: URL): string;
  /**
   * Closes the connections that only this site may use, and gives up those that it is opening. Requests are ended by
   * their signals.
   */
  close(): void;
}

const MOST_HEADER_BYTES = 64 * 1024;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const proxyFor = proxyChooser(options.proxy, options.environment ?? process.env);
  const proxyHistory = new ProxyHistory();
  const sites = new Connections();
  const proxies = new Connections();
  const connector = createConnector({
    connectTimeoutMs: options.connectTimeoutMs,
    tlsFor: tlsSettings(options),
    proxyFor,
    proxies: proxyHistory,
    freeFiles() {
      sites.closeUnused();
      proxies.closeUnused();
    },
  });

  const forSite = ({ site, guard, cookies, maxSitemapBytes }: HttpClientSite): SiteClient => {
    const isOwn = (url: URL): boolean => isSameSite(site, url);
    const { toSite, toProxy, giveUp } = connector.forSite({ guard, isOwn });
    const jar = cookies ? new CookieJar() : undefined;

    const send = async (url: URL, { method, signal, headers }: StoppableRequest): Promise<HttpHead> => {
      const sent = headersOf(url, headers, jar);
      const proxy = proxyFor(url);
      const path = `${url.pathname}${url.search}`;
      const maxHeaderSize = MOST_HEADER_BYTES;
      // Field by field, here and below: see "Objects that are made for each document" in docs/memory.md.
      if (!isForwarded(url, proxy)) {
        // A connection on which the client certificate was shown is the site's own.
        const sharedBy = options.cert !== undefined && isOwn(url) ? guard.ownConnections : guard.shares(url);
        const { origin } = url;
        return responseTo(
          { method, maxHeaderSize, agent: sites, connect: toSite, origin, sharedBy, path, headers: sent },
          signal,
        );
      }
      // An http URL goes to an http proxy by its absolute form: many proxies tunnel to port 443 only.
      guard.checkLiteral(url);
      proxyHistory.check(proxy);
      const authorization = basicAuthorization(proxy);
      if (authorization !== undefined) sent['proxy-authorization'] = authorization;
      const forwarded = {
        method,
        maxHeaderSize,
        agent: proxies,
        connect: toProxy,
        origin: proxy.origin,
        sharedBy: 'everyone' as const,
        path: `${url.origin}${path}`,
        headers: sent,
      };
      return forwardedResponse(responseTo(forwarded, signal), proxy, proxyHistory);
    };

    return {
      async request(url, request) {
        const target = new URL(url);
        try {
          const head = await send(target, request);
          jar?.store(target, head.headers['set-cookie'] ?? []);
          return new DecodedResponse(head, maxSitemapBytes);
        } catch (error) {
          throw request.signal.aborted ? request.signal.reason : clientFailure(error);
        }
      },
      visitKey: (url) => (jar === undefined ? url.href : `${url.href} ${jar.changes}`),
      close() {
        giveUp();
        sites.closeUnusedOf(guard.ownConnections);
      },
    };
  };

  return {
    forSite,
    close() {
      sites.destroy();
      proxies.destroy();
      connector.destroy();
    },
  };
}

/** Whether the proxy itself sends the request, and is the first to respond; otherwise it only opens a tunnel. */
function isForwarded(url: URL, proxy: URL | undefined): proxy is URL {
  return proxy !== undefined && url.protocol === 'http:' && !isSocks(proxy);
}

/** What is sent: the caller's headers, whose names are lower-case, and ours. */
function headersOf(
  url: URL,
  headers: Record<string, string>,
  jar: CookieJar | undefined,
): Record<string, string> {
  const sent: Record<string, string> = { host: url.host };
  for (const name of Object.keys(headers)) sent[name] = headers[name]!;
  sent['accept-encoding'] ??= ACCEPT_ENCODING;
  const cookie = jar?.headerFor(url, headers['cookie']);
  if (cookie !== undefined) sent['cookie'] = cookie;
  return sent;
}

class DecodedResponse implements WebResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: WebResponse['headers'];
  readonly body: AsyncIterable<Uint8Array>;
  readonly #problems = new ProblemList();

  constructor({ status, statusText, headers, rawHeaders, body }: HttpHead, maxBytes: number) {
    const get = (name: string): string | null => {
      const value = headers[name.toLowerCase()];
      return typeof value === 'string' ? value : null;
    };
    this.status = status;
    this.statusText = statusText;
    this.headers = { get, [Symbol.iterator]: () => pairsOf(rawHeaders) };
    this.body = iterate(
      contentDecoder(get('content-encoding'), { maxBytes, problems: this.#problems })(body),
    );
  }

  get problems(): readonly Problem[] {
    return this.#problems.kept;
  }
}

function* pairsOf(rawHeaders: readonly string[]): Generator<readonly [string, string], void, undefined> {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) yield [rawHeaders[at]!, rawHeaders[at + 1]!];
}
