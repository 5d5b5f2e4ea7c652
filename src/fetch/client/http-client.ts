/**
 * The default client, on `node:http`: keep-alive, proxies, guarded connections, streaming content decoding. Its
 * connections are shared by all sites; each site has its own {@link WebClient}, with its own guard and byte budget. It
 * has no timeout but the one for connecting, no retries and no redirects: those live above the client, around a whole
 * document.
 *
 * @packageDocumentation
 */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { onAbort } from '../../abort.ts';
import { isSocks } from '../../options/proxy.ts';
import { ProblemList } from '../../problems/problem-list.ts';
import { basicAuthorization } from '../../url.ts';
import { iterate } from '../body.ts';
import { ACCEPT_ENCODING, contentDecoder } from '../decode/content-decoding.ts';
import { FetchError, unasked } from '../failure.ts';
import { Connections, type PooledRequest } from './connections.ts';
import { createConnector } from './connector.ts';
import type { NetworkGuard } from './network-guard.ts';
import { type Environment, proxyChooser } from './proxy.ts';
import { ResponseBody } from './response-body.ts';
import type { WebClient, WebRequest, WebResponse } from './web-client.ts';

export interface HttpClientOptions {
  readonly connectTimeoutMs: number;
  readonly verifyTls: boolean;
  readonly proxy: string | URL | false | undefined;
  /** @default process.env */
  readonly environment?: Environment | undefined;
}

/** What a site decides for itself. */
export interface HttpClientSite {
  readonly guard: NetworkGuard;
  /** Bytes of a body after each stage of content decoding. */
  readonly maxSitemapBytes: number;
}

export interface HttpClient {
  forSite(site: HttpClientSite): SiteClient;
  /** Ends everything at once: no socket of this client outlives it. */
  close(): void;
}

/** The client of one site. */
export interface SiteClient {
  readonly request: WebClient;
  /**
   * Closes the connections that only this site may use, and gives up those that it is opening. Requests are ended by
   * their signals.
   */
  close(): void;
}

const MAX_HEADER_BYTES = 64 * 1024;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const proxyFor = proxyChooser(options.proxy, options.environment ?? process.env);
  const connector = createConnector({ ...options, proxyFor });
  const sites = new Connections();
  const proxies = new Connections();

  const forSite = ({ guard, maxSitemapBytes }: HttpClientSite): SiteClient => {
    const { toSite, toProxy, giveUp } = connector.forSite(guard);

    const send = (url: URL, { method, signal, headers }: WebRequest): Promise<ResponseHead> => {
      const common = { method, maxHeaderSize: MAX_HEADER_BYTES };
      const sent = { host: url.host, ...withAcceptEncoding(headers) };
      const proxy = proxyFor(url);
      // An http URL goes to an http proxy by its absolute form: many proxies tunnel to port 443 only.
      if (isForwarded(url, proxy)) {
        guard.checkLiteral(url);
        const authorization = basicAuthorization(proxy);
        const forwarded = {
          ...common,
          ...{ agent: proxies, connect: toProxy, origin: proxy.origin, sharedBy: 'everyone' as const },
          path: `${url.origin}${url.pathname}${url.search}`,
          headers: authorization === undefined ? sent : { ...sent, 'proxy-authorization': authorization },
        };
        return responseTo(forwarded, signal);
      }
      const direct = {
        ...common,
        ...{ agent: sites, connect: toSite, origin: url.origin, sharedBy: guard.shares(url) },
        path: `${url.pathname}${url.search}`,
        headers: sent,
      };
      return responseTo(direct, signal);
    };

    return {
      async request(url, request) {
        const target = new URL(url);
        const head = await send(target, request);
        // A site may respond with 407, too: without a proxy, or through a tunnel, the response is its own.
        if (head.status === 407 && isForwarded(target, proxyFor(target))) {
          await head.body.cancel();
          throw new FetchError('proxy', 'the proxy wants other credentials (407)', { status: 407 });
        }
        return webResponse(head, maxSitemapBytes);
      },
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

/** A server may send informational responses before the real one; more than this many are a fault. */
const MOST_INFORMATIONAL = 32;

interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were received. */
  readonly rawHeaders: readonly string[];
  readonly body: ResponseBody;
}

/**
 * Sends a request; resolves when the head of its response has arrived.
 *
 * @param isRepeated - whether it was sent before, on a kept connection that the server had closed
 */
function responseTo(options: PooledRequest, signal: AbortSignal, isRepeated = false): Promise<ResponseHead> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let body: ResponseBody | undefined;
    let informational = 0;
    const request = httpRequest(options);
    const stopListening = onAbort(signal, (reason) => {
      reject(reason);
      body?.abort(reason);
      request.destroy();
    });
    request
      .on('information', () => {
        if (++informational > MOST_INFORMATIONAL) request.destroy(unasked());
      })
      .on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(unasked());
      })
      .on('response', (message) => {
        body = new ResponseBody(message);
        const { statusCode: status = 0, statusMessage: statusText = '', headers, rawHeaders } = message;
        if (status >= 100) return resolve({ status, statusText, headers, rawHeaders, body });
        message.destroy();
        reject(new FetchError('bad-response', 'the response is not HTTP (its status does not exist)'));
      })
      .on('error', (error) => {
        if (body !== undefined) return body.break(error);
        const isStale = request.reusedSocket && isBroken(error) && !isRepeated && !signal.aborted;
        if (!isStale) return reject(error);
        // The server closed a kept connection just as it was used, which says nothing about the site.
        options.agent.closeUnused(options);
        resolve(responseTo(options, signal, true));
      })
      .on('close', stopListening)
      .end();
  });
}

function isBroken(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function withAcceptEncoding(headers: Record<string, string>): Record<string, string> {
  const given = Object.keys(headers).some((name) => name.toLowerCase() === 'accept-encoding');
  return given ? headers : { ...headers, 'accept-encoding': ACCEPT_ENCODING };
}

function webResponse(head: ResponseHead, maxBytes: number): WebResponse {
  const { status, statusText, headers, rawHeaders, body } = head;
  const problems = new ProblemList();
  const header = (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  };
  const decode = contentDecoder(header('content-encoding'), { maxBytes, problems });
  return {
    status,
    statusText,
    headers: { get: header, [Symbol.iterator]: () => pairsOf(rawHeaders) },
    body: iterate(decode(body)),
    get problems() {
      return problems.kept;
    },
  };
}

function* pairsOf(rawHeaders: readonly string[]): Generator<readonly [string, string], void, undefined> {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) yield [rawHeaders[at]!, rawHeaders[at + 1]!];
}
