/**
 * How the default client opens connections: through the network guard, within the connect timeout, through a
 * proxy where there is one, and with every socket on record, so that none outlives a call that has ended.
 *
 * @packageDocumentation
 */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { hostOf, portOf } from '../../url.ts';
import { FetchError } from '../failure.ts';
import type { HostAddress, NetworkGuard } from './network-guard.ts';
import type { ProxyFor } from './proxy.ts';
import { tunnelThrough } from './tunnel.ts';

export interface ConnectorOptions {
  readonly guard: NetworkGuard;
  readonly connectTimeoutMs: number;
  readonly verifyTls: boolean;
  readonly proxyFor: ProxyFor;
}

/** Opens a connection to an origin. */
export type Connect = (origin: URL) => Promise<Socket>;

export interface Connector {
  /** Connects to a site, through its proxy if it has one. */
  readonly toSite: Connect;
  /** Connects to a proxy itself, whose address was the caller's choice and is not guarded. */
  readonly toProxy: Connect;
  /** Destroys every socket, open or opening. */
  destroy(): void;
}

const SOCKS_PORT = 1080;

// With several addresses Node goes to the next one after this long. Its default of 250 ms gives up on honest
// hosts across an ocean whose other family is unreachable.
const ADDRESS_ATTEMPT_MS = 1_000;

export function createConnector(options: ConnectorOptions): Connector {
  const sockets = new Set<Socket>();
  const attempts = new Set<Attempt>();
  let destroyed = false;

  const connecting =
    (open: (url: URL, attempt: Attempt) => Promise<Socket>): Connect =>
    async (url) => {
      const attempt = new Attempt((socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        if (destroyed) socket.destroy();
      });
      attempts.add(attempt);
      const timer = setTimeout(
        () => attempt.fail(tookTooLong(url, options.connectTimeoutMs)),
        options.connectTimeoutMs,
      );
      try {
        return await Promise.race([open(url, attempt), attempt.failed]);
      } catch (error) {
        attempt.fail(error);
        throw error;
      } finally {
        attempts.delete(attempt);
        clearTimeout(timer);
      }
    };

  const openProxy = async (proxy: URL, attempt: Attempt): Promise<Socket> => {
    const host = hostOf(proxy);
    const port = Number(proxy.port) || (proxy.protocol.startsWith('socks') ? SOCKS_PORT : portOf(proxy));
    try {
      const socket = await attempt.tcp({ host, port });
      return proxy.protocol === 'https:' ? await attempt.tls(socket, host, options.verifyTls) : socket;
    } catch (cause) {
      // Told apart from the site's own refusal, which would send a user looking in the wrong place.
      throw new FetchError('proxy', `no connection to the proxy ${proxy.host}`, { connected: false, cause });
    }
  };

  const openSite = async (url: URL, attempt: Attempt): Promise<Socket> => {
    const host = hostOf(url);
    const port = portOf(url);
    const proxy = options.proxyFor(url);
    let socket: Socket;
    if (proxy === undefined) {
      socket = await attempt.tcp({ host, port, addresses: await options.guard.lookup(url) });
    } else {
      // Behind a proxy only literals can be checked: names are the proxy's to resolve.
      options.guard.checkLiteral(url);
      socket = await openProxy(proxy, attempt);
      await tunnelThrough(proxy)(socket, { host, port });
    }
    return url.protocol === 'https:' ? attempt.tls(socket, host, options.verifyTls) : socket;
  };

  return {
    toSite: connecting(openSite),
    toProxy: connecting(openProxy),
    destroy() {
      destroyed = true;
      // Also those that have no socket yet, since they wait for a name.
      for (const attempt of attempts) attempt.fail(new FetchError('reset', 'the connection was given up'));
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** One attempt to connect: the sockets that it opened are its own until it succeeds. */
class Attempt {
  /** Rejects when the attempt is given up from outside. */
  readonly failed: Promise<never>;
  readonly #sockets: Socket[] = [];
  readonly #opened: (socket: Socket) => void;
  #reject: (error: unknown) => void = () => {};
  #over = false;

  constructor(opened: (socket: Socket) => void) {
    this.#opened = opened;
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.failed.catch(() => {});
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
      // Stays for good: an error between here and the request's own listener must not be uncaught.
      socket.on('error', reject);
      socket.once('close', () =>
        reject(new FetchError('reset', 'the connection broke', { retryable: true })),
      );
    });
  }
}

/** A resolver that knows one answer: what the guard has seen is what is connected to. */
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
