/**
 * How the default client opens connections: through the network guard, within the connect timeout, through a proxy
 * where there is one, and with a list of all sockets, so that none outlives the client or the site that asked for it.
 *
 * @packageDocumentation
 */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isSocks } from '../../options/proxy.ts';
import { startTimer } from '../../timer.ts';
import { hostOf, portOf } from '../../url.ts';
import { FetchError } from '../failure.ts';
import type { HostAddress, NetworkGuard } from './network-guard.ts';
import type { ProxyFor } from './proxy.ts';
import { tunnelThrough } from './tunnel.ts';

export interface ConnectorOptions {
  readonly connectTimeoutMs: number;
  readonly verifyTls: boolean;
  readonly proxyFor: ProxyFor;
}

/** Opens a connection to an origin. */
export type Connect = (origin: URL) => Promise<Socket>;

export interface Connector {
  forSite(guard: NetworkGuard): SiteConnector;
  /** Destroys every socket, open or opening. */
  destroy(): void;
}

/** Opens connections for one site, under its guard. */
interface SiteConnector {
  /** Connects to a site, through its proxy if it has one. */
  readonly toSite: Connect;
  /** Connects to a proxy itself, whose address was the caller's choice and is not guarded. */
  readonly toProxy: Connect;
  /** Gives up the connections that are still opening. */
  giveUp(): void;
}

const SOCKS_PORT = 1080;

// With several addresses Node goes to the next one after this long. Its default of 250 ms gives up on distant hosts
// whose other address family is unreachable.
const ADDRESS_ATTEMPT_MS = 1_000;

export function createConnector(options: ConnectorOptions): Connector {
  const sockets = new Set<Socket>();
  const attempts = new Set<ConnectAttempt>();
  let isDestroyed = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (isDestroyed) socket.destroy();
  };
  return {
    forSite(guard) {
      const own = new Set<ConnectAttempt>();
      const connecting =
        (open: (url: URL, attempt: ConnectAttempt) => Promise<Socket>): Connect =>
        async (url) => {
          const attempt = new ConnectAttempt(keep);
          attempts.add(attempt);
          own.add(attempt);
          try {
            return await attempt.within(options.connectTimeoutMs, url, open(url, attempt));
          } finally {
            attempts.delete(attempt);
            own.delete(attempt);
          }
        };
      return {
        toSite: connecting((url, attempt) => openSite(url, attempt, guard, options)),
        toProxy: connecting((proxy, attempt) => openProxy(proxy, attempt, options)),
        giveUp: () => giveUp(own),
      };
    },
    destroy() {
      isDestroyed = true;
      // Also those that have no socket yet, since they wait for a name.
      giveUp(attempts);
      for (const socket of sockets) socket.destroy();
    },
  };
}

function giveUp(attempts: Iterable<ConnectAttempt>): void {
  for (const attempt of attempts) attempt.fail(new FetchError('reset', 'the connection was given up'));
}

async function openProxy(
  proxy: URL,
  attempt: ConnectAttempt,
  { verifyTls }: ConnectorOptions,
): Promise<Socket> {
  const host = hostOf(proxy);
  const port = Number(proxy.port) || (isSocks(proxy) ? SOCKS_PORT : portOf(proxy));
  try {
    const socket = await attempt.tcp({ host, port });
    return proxy.protocol === 'https:' ? await attempt.tls(socket, host, verifyTls) : socket;
  } catch (cause) {
    // Not the site's own refusal: users would look for the fault in the wrong place.
    throw new FetchError('proxy', `no connection to the proxy ${proxy.host}`, { connected: false, cause });
  }
}

async function openSite(
  url: URL,
  attempt: ConnectAttempt,
  guard: NetworkGuard,
  options: ConnectorOptions,
): Promise<Socket> {
  const host = hostOf(url);
  const port = portOf(url);
  const proxy = options.proxyFor(url);
  let socket: Socket;
  if (proxy === undefined) {
    socket = await attempt.tcp({ host, port, addresses: await guard.lookup(url) });
  } else {
    // Behind a proxy only literals can be checked: the proxy resolves names.
    guard.checkLiteral(url);
    socket = await openProxy(proxy, attempt, options);
    await tunnelThrough(proxy)(socket, { host, port });
  }
  return url.protocol === 'https:' ? attempt.tls(socket, host, options.verifyTls) : socket;
}

/** One attempt to connect: it owns the sockets that it opened until it succeeds. */
class ConnectAttempt {
  /** Rejects when the attempt is given up from outside. */
  readonly #failed: Promise<never>;
  readonly #sockets: Socket[] = [];
  readonly #opened: (socket: Socket) => void;
  #reject: (error: unknown) => void = () => {};
  #over = false;

  constructor(opened: (socket: Socket) => void) {
    this.#opened = opened;
    this.#failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.#failed.catch(() => {});
  }

  /** Waits for the connection, but not longer than `ms`; a failure closes all its sockets. */
  async within(ms: number, url: URL, opening: Promise<Socket>): Promise<Socket> {
    const stopTimer = startTimer(ms, () => this.fail(tookTooLong(url, ms)));
    try {
      return await Promise.race([opening, this.#failed]);
    } catch (error) {
      this.fail(error);
      throw error;
    } finally {
      stopTimer();
    }
  }

  fail(error: unknown): void {
    this.#over = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#reject(error);
  }

  async tcp(to: { host: string; port: number; addresses?: readonly HostAddress[] }): Promise<Socket> {
    const socket = connectTcp({
      host: to.host,
      port: to.port,
      noDelay: true,
      keepAlive: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
      ...(to.addresses === undefined ? {} : { lookup: fixedLookup(to.addresses) }),
    });
    return this.#once(socket, 'connect');
  }

  async tls(over: Socket, host: string, rejectUnauthorized: boolean): Promise<Socket> {
    // Server names are names: RFC 6066 forbids addresses there.
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = connectTls({
      socket: over,
      host,
      ...servername,
      rejectUnauthorized,
      ALPNProtocols: ['http/1.1'],
    });
    return this.#once(socket, 'secureConnect');
  }

  #once(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket> {
    this.#sockets.push(socket);
    this.#opened(socket);
    if (this.#over) socket.destroy();
    return new Promise((resolve, reject) => {
      socket.once(event, () => resolve(socket));
      // Never removed: an error before the request has its own listener must not be uncaught.
      socket.on('error', reject);
      socket.once('close', () =>
        reject(new FetchError('reset', 'the connection broke', { retryable: true })),
      );
    });
  }
}

/** A resolver with one result: only what the guard has seen is connected to. */
function fixedLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (first === undefined) callback(Object.assign(new Error('no addresses'), { code: 'ENOTFOUND' }), '', 0);
    else if (options.all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function tookTooLong(url: URL, ms: number): FetchError {
  return new FetchError('timeout', `connecting to ${url.host} took longer than ${ms / 1000} s`, {
    retryable: true,
    connected: false,
  });
}
