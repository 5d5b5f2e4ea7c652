/**
 * The default {@link WebClient}, on `node:http`: keep-alive, proxies, guarded connections, streaming content
 * decoding. No timeouts but the one for connecting, no retries, no redirects: those live above the seam, around
 * a whole document.
 *
 * @packageDocumentation
 */
import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  request as httpRequest,
  type IncomingHttpHeaders,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { ProblemList } from '../../problems/problem-list.ts';
import { basicAuthorization } from '../../url.ts';
import { ACCEPT_ENCODING, decodeContent } from '../decode/content-decoding.ts';
import { FetchError, unasked } from '../failure.ts';
import { type Connect, createConnector } from './connector.ts';
import type { NetworkGuard } from './network-guard.ts';
import { type Environment, proxyChooser } from './proxy.ts';
import { AnswerBody } from './response-body.ts';
import type { WebClient, WebRequest, WebResponse } from './web-client.ts';

export interface HttpClientOptions {
  readonly guard: NetworkGuard;
  readonly connectTimeoutMs: number;
  readonly verifyTls: boolean;
  readonly proxy: string | URL | false | undefined;
  /** Bytes of a body after each stage of content decoding. */
  readonly maxSitemapBytes: number;
  /** @default process.env */
  readonly environment?: Environment | undefined;
}

export interface HttpClient {
  readonly request: WebClient;
  /** Ends everything at once: no socket of this client outlives it. */
  close(): void;
}

const MAX_HEADER_BYTES = 64 * 1024;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const proxyFor = proxyChooser(options.proxy, options.environment ?? process.env);
  const connector = createConnector({ ...options, proxyFor });
  const sites = new Connections(connector.toSite);
  const proxies = new Connections(connector.toProxy);

  const send = (url: URL, { method, signal, headers }: WebRequest): Promise<Answer> => {
    const common = { method, maxHeaderSize: MAX_HEADER_BYTES };
    const sent = { host: url.host, ...withAcceptEncoding(headers) };
    const proxy = proxyFor(url);
    // An http URL goes to an http proxy by its absolute form: many proxies tunnel to port 443 only.
    if (isForwarded(url, proxy)) {
      options.guard.checkLiteral(url);
      const authorization = basicAuthorization(proxy);
      const forwarded = {
        ...common,
        agent: proxies,
        origin: proxy.origin,
        path: `${url.origin}${url.pathname}${url.search}`,
        headers: authorization === undefined ? sent : { ...sent, 'proxy-authorization': authorization },
      };
      return answerTo(forwarded, signal);
    }
    const { origin, pathname, search } = url;
    return answerTo({ ...common, agent: sites, origin, path: `${pathname}${search}`, headers: sent }, signal);
  };

  return {
    async request(url, request) {
      const target = new URL(url);
      const answer = await send(target, request);
      // A site may say 407, too: without a proxy, or through a tunnel, it is its own answer.
      if (answer.status === 407 && isForwarded(target, proxyFor(target))) {
        await answer.body.return();
        throw new FetchError('proxy', 'the proxy wants other credentials (407)', { status: 407 });
      }
      return webResponse(answer, options.maxSitemapBytes);
    },
    close() {
      sites.destroy();
      proxies.destroy();
      connector.destroy();
    },
  };
}

/** Whether the proxy itself sends the request, and is the first to answer; else it only opens a tunnel. */
function isForwarded(url: URL, proxy: URL | undefined): proxy is URL {
  return proxy !== undefined && url.protocol === 'http:' && !proxy.protocol.startsWith('socks');
}

/** A connection that nobody used for so long is closed, before most servers do it in the middle of a request. */
const KEPT_MS = 4_000;

interface ToOrigin extends ClientRequestArgs {
  readonly agent: Connections;
  readonly origin: string;
}

/** Node's pool of connections: opened by our connector, and shared by what has one origin. */
class Connections extends Agent {
  readonly #connect: Connect;

  constructor(connect: Connect) {
    super({ keepAlive: true, timeout: KEPT_MS });
    this.#connect = connect;
  }

  override getName(request: ToOrigin): string {
    return request.origin;
  }

  // Node takes the socket also where the request was aborted meanwhile: it keeps it for others, or closes it.
  override createConnection(
    { origin }: ToOrigin,
    opened: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    this.#connect(new URL(origin)).then((socket) => opened(null, socket), opened);
  }

  // What comes unasked on a connection that is only kept ends it: Node 20 would go on reading for ever.
  override keepSocketAlive(socket: Duplex): unknown {
    socket.once('data', hangUp);
    // Whether it is kept, though Node's types do not say so.
    return super.keepSocketAlive(socket);
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.removeListener('data', hangUp);
    super.reuseSocket(socket, request);
  }

  /** Closes the connections to an origin that nobody uses. */
  forgetKept(origin: string): void {
    for (const socket of this.freeSockets[origin] ?? []) socket.destroy();
  }
}

function hangUp(this: Duplex): void {
  this.destroy();
}

/** A server may announce its answer; more often than this is no announcement. */
const MOST_ANNOUNCEMENTS = 32;

interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: AnswerBody;
}

/**
 * Sends a request; resolves when the head of its answer is there.
 *
 * @param isRepeated - whether it was sent before, on a connection that was no good
 */
function answerTo(options: ToOrigin, signal: AbortSignal, isRepeated = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let body: AnswerBody | undefined;
    let announcements = 0;
    const request = httpRequest(options);
    const onAbort = (): void => {
      reject(signal.reason);
      body?.abort(signal.reason);
      request.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    request
      .on('information', () => {
        if (++announcements > MOST_ANNOUNCEMENTS) request.destroy(unasked());
      })
      .on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(unasked());
      })
      .on('response', (response) => {
        body = new AnswerBody(response);
        const { statusCode: status = 0, statusMessage: statusText = '', headers } = response;
        if (status >= 100) return resolve({ status, statusText, headers, body });
        response.destroy();
        reject(new FetchError('bad-response', 'the answer is not HTTP (there is no such status)'));
      })
      .on('error', (error) => {
        if (body !== undefined) return body.break(error);
        const isStale = request.reusedSocket && isBroken(error) && !isRepeated && !signal.aborted;
        if (!isStale) return reject(error);
        // The server closed a kept connection as we took it up, which says nothing about the site; a new one will tell.
        options.agent.forgetKept(options.origin);
        resolve(answerTo(options, signal, true));
      })
      .on('close', () => signal.removeEventListener('abort', onAbort))
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

function webResponse({ status, statusText, headers, body }: Answer, maxBytes: number): WebResponse {
  const problems = new ProblemList();
  const header = (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  };
  const decoded = decodeContent(body, header('content-encoding'), { maxBytes }, problems);
  return {
    status,
    statusText,
    headers: { get: header },
    body: {
      [Symbol.asyncIterator]() {
        const iterator = decoded[Symbol.asyncIterator]();
        return {
          next: () => iterator.next(),
          // A decoder that was never started cannot pass on its return: the body itself must go too.
          async return() {
            await body.return();
            await iterator.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    },
    get problems() {
      return problems.kept;
    },
  };
}
