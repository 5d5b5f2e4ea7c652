/**
 * The default {@link WebClient}, on undici's `request`: keep-alive, proxies, guarded connections, streaming
 * content decoding. No timeouts but the one for connecting, no retries, no redirects: those live above the
 * seam, around a whole document.
 *
 * @packageDocumentation
 */
import type { Agent, Dispatcher } from 'undici';
import { ProblemList } from '../problem.ts';
import { type Connector, createConnector } from './connector.ts';
import { ACCEPT_ENCODING, decodeContent } from './content-decoding.ts';
import { FetchError } from './failure.ts';
import type { NetworkGuard } from './network-guard.ts';
import { type Environment, proxyAuthorization, proxyChooser } from './proxy.ts';
import type { WebClient, WebRequest, WebResponse } from './web-client.ts';

export interface UndiciClientOptions {
  readonly guard: NetworkGuard;
  readonly connectTimeoutMs: number;
  readonly verifyTls: boolean;
  readonly proxy: string | URL | false | undefined;
  /** Bytes of a body after each stage of content decoding. */
  readonly maxSitemapBytes: number;
  /** @default process.env */
  readonly environment?: Environment | undefined;
}

export interface UndiciClient {
  /** Loads undici, which the first request would do: before any timeout runs. */
  load(): Promise<unknown>;
  readonly request: WebClient;
  /** Ends everything at once: no socket of this client outlives it. */
  close(): Promise<void>;
}

const AGENT_OPTIONS: Agent.Options = {
  pipelining: 1,
  // Our own timeouts, above the seam, see consumers' pauses; these would not.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 64 * 1024,
};

interface Agents {
  readonly sites: Agent;
  readonly proxies: Agent;
}

// undici takes longer to load than all of ours together: whoever fetches nothing, or by a client of his own, goes without.
async function createAgents(connector: Connector): Promise<Agents> {
  // It is CommonJS, of which a bundler may have the default export alone.
  const { default: undici } = await import('undici');
  return {
    sites: new undici.Agent({ ...AGENT_OPTIONS, connect: connector.toSite }),
    proxies: new undici.Agent({ ...AGENT_OPTIONS, connect: connector.toProxy }),
  };
}

export function createUndiciClient(options: UndiciClientOptions): UndiciClient {
  const proxyFor = proxyChooser(options.proxy, options.environment ?? process.env);
  const connector = createConnector({ ...options, proxyFor });
  let loading: Promise<Agents> | undefined;
  const load = (): Promise<Agents> => {
    loading ??= createAgents(connector);
    return loading;
  };

  const dispatch = async (url: URL, request: WebRequest): Promise<Dispatcher.ResponseData> => {
    const { sites, proxies } = await load();
    const headers = withAcceptEncoding(request.headers);
    const common = { method: request.method, signal: request.signal };
    const proxy = proxyFor(url);
    // An http URL goes to an http proxy by its absolute form: many proxies tunnel to port 443 only.
    if (isForwarded(url, proxy)) {
      options.guard.checkLiteral(url);
      const authorization = proxyAuthorization(proxy);
      return proxies.request({
        ...common,
        origin: proxy.origin,
        path: `${url.origin}${url.pathname}${url.search}`,
        headers: {
          ...headers,
          host: url.host,
          ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
        },
      });
    }
    return sites.request({ ...common, origin: url.origin, path: `${url.pathname}${url.search}`, headers });
  };

  return {
    load,
    async request(url, request) {
      const target = new URL(url);
      const response = await dispatch(target, request).catch((error: unknown) => {
        throw beforeTheAnswer(error);
      });
      // A site may say 407, too: without a proxy, or through a tunnel, it is its own answer.
      if (response.statusCode === 407 && isForwarded(target, proxyFor(target))) {
        response.body.on('error', () => {}).destroy();
        throw new FetchError('proxy', 'the proxy wants other credentials (407)', { status: 407 });
      }
      return webResponse(response, options.maxSitemapBytes);
    },
    async close() {
      const agents = await loading;
      await Promise.all([agents?.sites.destroy(), agents?.proxies.destroy()]);
      connector.destroy();
    },
  };
}

/** Whether the proxy itself sends the request, and is the first to answer; else it only opens a tunnel. */
function isForwarded(url: URL, proxy: URL | undefined): proxy is URL {
  return proxy !== undefined && url.protocol === 'http:' && !proxy.protocol.startsWith('socks');
}

/** undici's word for what is wrong with the head of an answer, where it is none that anybody understands. */
function beforeTheAnswer(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // It takes a status below 100 for a mistake of its own.
  if (code === 'ERR_ASSERTION') {
    return new FetchError('bad-response', 'the answer is not HTTP (there is no such status)', {
      cause: error,
    });
  }
  // Of a head with a Content-Length that it cannot read on it says that the body is too short. It may have broken off.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return new FetchError(
      'bad-response',
      'the answer’s headers make no sense (Content-Length stands there twice, or with Transfer-Encoding) or break off',
      { retryable: true, cause: error },
    );
  }
  return error;
}

function withAcceptEncoding(headers: Record<string, string>): Record<string, string> {
  const given = Object.keys(headers).some((name) => name.toLowerCase() === 'accept-encoding');
  return given ? headers : { ...headers, 'accept-encoding': ACCEPT_ENCODING };
}

function webResponse(response: Dispatcher.ResponseData, maxBytes: number): WebResponse {
  const problems = new ProblemList();
  const header = (name: string): string | null => {
    const value = response.headers[name.toLowerCase()];
    // A header that may stand only once and stands twice: the first counts, as in browsers' Location.
    if (Array.isArray(value))
      return (name.toLowerCase() === 'content-encoding' ? value.join(', ') : value[0]) ?? null;
    return value ?? null;
  };
  // A body that is cancelled before it is read emits an error that nobody waits for.
  const raw = response.body.on('error', () => {});
  const decoded = decodeContent(raw, header('content-encoding'), { maxBytes }, problems);
  return {
    status: response.statusCode,
    statusText: response.statusText,
    headers: { get: header },
    body: {
      [Symbol.asyncIterator]() {
        const iterator = decoded[Symbol.asyncIterator]();
        return {
          next: () => iterator.next(),
          // A decoder that was never started cannot pass on its return: the body itself must go too.
          async return() {
            raw.destroy();
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
