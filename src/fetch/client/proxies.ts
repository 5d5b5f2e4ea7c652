/**
 * Which proxy, if any, a URL goes through: the `proxy` option, else the environment as curl reads it, with names in
 * lower or upper case. And when a failure is the proxy's and not the site's (code `proxy`), so that users look for the
 * fault in the right place: it refuses by its own rules, wants other credentials, does not speak the protocol of its
 * URL, or hangs up.
 */
import { BlockList, isIP } from 'node:net';
import { proxyUrl } from '../../options/network-values.ts';
import { clip, LONGEST_QUOTE } from '../../text/wording.ts';
import { hostOf, portOf, unbracketed } from '../../url.ts';
import { FetchError, fetchErrorOf } from '../fetch-failure.ts';
import type { HttpHead } from './http-request.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for a URL, or `undefined` for a direct connection. Throws where the environment's is not a proxy. */
export type ProxyFor = (url: URL) => URL | undefined;

/**
 * @param proxy - the option: a URL for everything, `false` for none, `undefined` for the environment's
 */
export function proxyChooser(proxy: string | URL | false | undefined, environment: Environment): ProxyFor {
  if (proxy === false) return () => undefined;
  if (proxy !== undefined) {
    const fixed = new URL(String(proxy));
    return () => fixed;
  }
  const variable = (name: string): Variable | undefined => {
    const setName = [name, name.toUpperCase()].find((each) => environment[each]);
    return setName === undefined ? undefined : { name: setName, value: environment[setName] ?? '' };
  };
  const all = variable('all_proxy');
  const http = variable('http_proxy') ?? all;
  const https = variable('https_proxy') ?? all;
  if (http === undefined && https === undefined) return () => undefined;
  const isExempt = exemptions(variable('no_proxy')?.value ?? '');
  return (url) => (isExempt(url) ? undefined : proxyOf(url.protocol === 'https:' ? https : http));
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** `proxy.example:3128` without a scheme is common, and means http. */
function proxyOf(variable: Variable | undefined): URL | undefined {
  if (variable === undefined) return undefined;
  const { name, value } = variable;
  const url = proxyUrl(value.includes('://') ? value : `http://${value}`);
  if (url !== undefined) return url;
  // Users who set a proxy may not want a direct connection. The value is not repeated: it may hold a password.
  throw new FetchError(
    'proxy',
    `the environment variable ${name} is not the URL of a proxy (http:, https:, socks5: or socks5h:)`,
  );
}

/**
 * NO_PROXY: names with their subdomains, a leading `.` or `*.` allowed, `host:port`, ranges of addresses (`10.0.0.0/8`,
 * `fd00::/8`), or `*` for everything. A range is compared with addresses in URLs only: names are not resolved for it.
 */
function exemptions(noProxy: string): (url: URL) => boolean {
  const entries = noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((part) => part !== '');
  const ranges = rangesIn(entries);
  const hosts = entries
    .filter((part) => !part.includes('/'))
    .map((entry) => {
      const [, host = entry, port] = /^(\[.*\]|[^:]+):(\d+)$/.exec(entry) ?? [];
      return { host: unbracketed(host.replace(/^\*?\./, '')), port };
    });
  return (url) => {
    const host = hostOf(url);
    const port = String(portOf(url));
    const family = isIP(host);
    if (family !== 0 && ranges.check(host, family === 4 ? 'ipv4' : 'ipv6')) return true;
    return hosts.some(
      (entry) =>
        entry.host === '*' ||
        ((entry.port === undefined || entry.port === port) &&
          (host === entry.host || host.endsWith(`.${entry.host}`))),
    );
  };
}

/** What is written like a range and is not one is ignored, as curl does. */
function rangesIn(parts: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const part of parts) {
    const [, network = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(part) ?? [];
    const address = unbracketed(network);
    const family = isIP(address);
    if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) continue;
    ranges.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  }
  return ranges;
}

/** The proxy did not accept the user and the password of its URL, or wants some: no other request would succeed. */
export class WrongCredentials extends FetchError {
  constructor(message: string, status?: number) {
    super('proxy', message, status === undefined ? {} : { status });
  }
}

export class ProxyHistory {
  readonly #worked = new Set<string>();
  readonly #refusals = new Map<string, WrongCredentials>();

  /** Throws where the proxy has refused the credentials before: sent again and again, they may lock the account. */
  check(proxy: URL): void {
    const refusal = this.#refusals.get(proxy.href);
    if (refusal !== undefined) throw new WrongCredentials(refusal.message, refusal.status);
  }

  worked(proxy: URL): void {
    this.#worked.add(proxy.href);
  }

  /** Whether it has worked before: then a connection that breaks is worth another attempt. */
  hasWorked(proxy: URL): boolean {
    return this.#worked.has(proxy.href);
  }

  noteFailure(proxy: URL, error: unknown): unknown {
    if (error instanceof WrongCredentials) this.#refusals.set(proxy.href, error);
    const isPassing = error instanceof FetchError && error.code === 'proxy' && error.retryable;
    if (!isPassing || this.hasWorked(proxy)) return error;
    // A proxy that has never worked has the wrong address, or speaks another protocol: a retry would not help.
    return error.with({ retryable: false });
  }
}

/** The statuses of proxies that want other credentials: 407, and 401 from tinyproxy. */
export function isAboutCredentials(status: number): boolean {
  return status === 407 || status === 401;
}

export function wrongCredentials(status: number): WrongCredentials {
  return new WrongCredentials(
    `the proxy does not accept the credentials in its URL, or needs some (${status})`,
    status,
  );
}

/** For a proxy that closes the connection without a response. */
export function hungUp(protocol: 'HTTP' | 'SOCKS5', cause?: unknown): FetchError {
  const message = `the proxy closed the connection without a response; it may not speak ${protocol}`;
  return new FetchError('proxy', message, { retryable: true, connected: false, cause });
}

/** The statuses with which a gateway says that it could not reach the site. */
const UNREACHED: ReadonlySet<number> = new Set([500, 502, 503, 504]);

export function refusedBy(status: number, words = ''): FetchError {
  const why = words === '' ? `${status}` : `${status} ${clip(words, LONGEST_QUOTE)}`;
  if (UNREACHED.has(status)) {
    const message = `the proxy could not reach the site (${why})`;
    return new FetchError('proxy', message, { status, retryable: true, connected: false });
  }
  return new FetchError('proxy', `the proxy refused by its rules (${why})`, { status });
}

/** The failure of a response that the proxy made itself; undefined where the response is the site's. */
function failureByProxy({ status, headers }: HttpHead): FetchError | undefined {
  // A site would not know that there is a proxy.
  if (status === 407) return wrongCredentials(status);
  if (status < 400) return undefined;
  const squid = headers['x-squid-error'];
  if (typeof squid === 'string') return refusedBy(status, squid.replace(/ 0$/, ''));
  // Both put their own name there only in responses that they made themselves.
  if (!/^(?:tinyproxy|squid)\b/i.test(String(headers['server'] ?? ''))) return undefined;
  return isAboutCredentials(status) ? wrongCredentials(status) : refusedBy(status);
}

/**
 * The response to a request that an http proxy forwards; throws where the proxy itself failed, or made the response.
 */
export async function forwardedResponse(
  responding: Promise<HttpHead>,
  proxy: URL,
  history: ProxyHistory,
): Promise<HttpHead> {
  let head: HttpHead;
  try {
    head = await responding;
  } catch (error) {
    throw history.noteFailure(proxy, error instanceof Error ? beforeResponse(error) : error);
  }
  const failure = failureByProxy(head);
  if (failure === undefined) {
    history.worked(proxy);
    return head;
  }
  await head.body.cancel();
  throw history.noteFailure(proxy, failure);
}

/** An error before a proxy responded is a failure of the proxy. */
function beforeResponse(error: Error): Error {
  const { code } = fetchErrorOf(error);
  if (code === 'reset') return hungUp('HTTP', error);
  if (code !== 'bad-response') return error;
  return new FetchError('proxy', `the proxy does not speak HTTP (${error.message})`, { cause: error });
}
