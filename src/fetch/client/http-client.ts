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
import { basicAuthorization } from '../../url.ts';
import { iterate } from '../body.ts';
import { ACCEPT_ENCODING, contentDecoder } from '../decode/content-decoding.ts';
import { clientFailure } from '../fetch-failure.ts';
import { createConnector, type TlsOptions, tlsSettings } from './connector.ts';
import { CookieJar } from './cookies.ts';
import { Connections, type HttpHead, responseTo } from './http-request.ts';
import type { NetworkGuard } from './network-guard.ts';
import { type Environment, forwardedResponse, type ProxyFor, ProxyHistory, proxyChooser } from './proxies.ts';
import type { StoppableRequest } from './web-client.ts';

interface HttpClientOptions extends TlsOptions, Pick<ResolvedOptions, 'connectTimeoutMs' | 'proxy'> {
  /** @default process.env */
  readonly environment?: Environment | undefined;
}

interface HttpClientSite {
  /** Whether a URL is on the site's own host: the client certificate is shown there. */
  readonly isOwn: (url: URL) => boolean;
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
  request(url: string, request: StoppableRequest): Promise<WebResponse>;
  /** The key of a visit to a URL: two visits with the same key would get the same response. */
  visitKey(url: URL): string;
  /**
   * Closes the connections that only this site may use, and gives up those that it is opening. Requests are ended by
   * their signals.
   */
  close(): void;
}

const MOST_HEADER_BYTES = 64 * 1024;

export class NodeHttpClient implements HttpClient {
  readonly #options: HttpClientOptions;
  readonly #network: ClientNetwork;

  constructor(options: HttpClientOptions) {
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
    this.#options = options;
    this.#network = { proxyFor, proxyHistory, sites, proxies, connector };
  }

  forSite(site: HttpClientSite): SiteClient {
    return new NodeSiteClient(site, this.#network, { hasCertificate: this.#options.cert !== undefined });
  }

  close(): void {
    const { sites, proxies, connector } = this.#network;
    sites.destroy();
    proxies.destroy();
    connector.destroy();
  }
}

/** What the sites of one client share. */
interface ClientNetwork {
  readonly proxyFor: ProxyFor;
  readonly proxyHistory: ProxyHistory;
  /** Connections to sites, through tunnels too. */
  readonly sites: Connections;
  /** Connections to proxies that send requests themselves. */
  readonly proxies: Connections;
  readonly connector: ReturnType<typeof createConnector>;
}

class NodeSiteClient implements SiteClient {
  readonly #site: HttpClientSite;
  readonly #network: ClientNetwork;
  readonly #connections: ReturnType<ClientNetwork['connector']['forSite']>;
  readonly #jar: CookieJar | undefined;
  /** Whether a client certificate is shown to the site. */
  readonly #hasCertificate: boolean;

  constructor(
    site: HttpClientSite,
    network: ClientNetwork,
    { hasCertificate }: { readonly hasCertificate: boolean },
  ) {
    this.#site = site;
    this.#network = network;
    this.#connections = network.connector.forSite({ guard: site.guard, isOwn: site.isOwn });
    this.#jar = site.cookies ? new CookieJar() : undefined;
    this.#hasCertificate = hasCertificate;
  }

  async request(url: string, request: StoppableRequest): Promise<WebResponse> {
    const target = new URL(url);
    try {
      const head = await this.#send(target, request);
      this.#jar?.store(target, head.headers['set-cookie'] ?? []);
      return new DecodedResponse(head, this.#site.maxSitemapBytes);
    } catch (error) {
      throw request.signal.aborted ? request.signal.reason : clientFailure(error);
    }
  }

  visitKey(url: URL): string {
    return this.#jar === undefined ? url.href : `${url.href} ${this.#jar.changes}`;
  }

  close(): void {
    this.#connections.giveUp();
    this.#network.sites.closeUnusedOf(this.#site.guard.ownConnections);
  }

  async #send(url: URL, { method, signal, headers }: StoppableRequest): Promise<HttpHead> {
    const { proxyFor, proxyHistory, sites, proxies } = this.#network;
    const { guard } = this.#site;
    const requestHeaders = headersOf(url, headers, this.#jar);
    const proxy = proxyFor(url);
    const path = `${url.pathname}${url.search}`;
    const maxHeaderSize = MOST_HEADER_BYTES;
    // Field by field, here and below: see "Objects that are made for each document" in docs/memory.md.
    if (!isForwarded(url, proxy)) {
      // A connection on which the client certificate was shown is the site's own.
      const isShown = this.#hasCertificate && this.#site.isOwn(url);
      const sharedBy = isShown ? guard.ownConnections : guard.shares(url);
      const { origin } = url;
      const connect = this.#connections.toSite;
      return responseTo(
        { method, maxHeaderSize, agent: sites, connect, origin, sharedBy, path, headers: requestHeaders },
        signal,
      );
    }
    // An http URL goes to an http proxy by its absolute form: many proxies tunnel to port 443 only.
    guard.checkLiteral(url);
    proxyHistory.check(proxy);
    const authorization = basicAuthorization(proxy);
    if (authorization !== undefined) requestHeaders['proxy-authorization'] = authorization;
    const forwarded = {
      method,
      maxHeaderSize,
      agent: proxies,
      connect: this.#connections.toProxy,
      origin: proxy.origin,
      sharedBy: 'everyone' as const,
      path: `${url.origin}${path}`,
      headers: requestHeaders,
    };
    return forwardedResponse(responseTo(forwarded, signal), proxy, proxyHistory);
  }
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
  const requestHeaders: Record<string, string> = { host: url.host };
  for (const name of Object.keys(headers)) requestHeaders[name] = headers[name]!;
  requestHeaders['accept-encoding'] ??= ACCEPT_ENCODING;
  const cookie = jar?.headerFor(url, headers['cookie']);
  if (cookie !== undefined) requestHeaders['cookie'] = cookie;
  return requestHeaders;
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
