/**
 * How the default client opens connections: through the network guard, within the connect timeout, through a proxy
 * where there is one, and with a list of all sockets, so that none outlives the client or the site that asked for it.
 *
 * @packageDocumentation
 */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSocks } from '../../options/proxy.ts';
import { hostOf, portOf } from '../../url.ts';
import { causes, FetchError, fetchErrorOf } from '../failure.ts';
import { clientFailure } from './client-failure.ts';
import { type Connect, ConnectAttempt, tookTooLong } from './connect-attempt.ts';
import type { NetworkGuard } from './network-guard.ts';
import type { ProxyFor } from './proxy.ts';
import type { ProxyHistory } from './proxy-failure.ts';
import type { TlsFor } from './tls-settings.ts';
import { tunnelThrough } from './tunnel.ts';

export interface ConnectorOptions {
  readonly connectTimeoutMs: number;
  readonly tlsFor: TlsFor;
  readonly proxyFor: ProxyFor;
  readonly proxies: ProxyHistory;
  /** Closes connections that are not in use, since the process has no more files. */
  readonly freeFiles: () => void;
}

export interface Connector {
  forSite(site: ConnectorSite): SiteConnector;
  /** Destroys every socket, open or opening. */
  destroy(): void;
}

interface ConnectorSite {
  readonly guard: NetworkGuard;
  /** Whether a URL is the homepage's own, and may get what is meant for it. */
  readonly isOwn: (url: URL) => boolean;
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
    forSite(site) {
      const own = new Set<ConnectAttempt>();
      const connecting =
        (open: (url: URL, attempt: ConnectAttempt) => Promise<Socket>): Connect =>
        async (url) => {
          const attempt = new ConnectAttempt(keep);
          attempts.add(attempt);
          own.add(attempt);
          try {
            const opening = withFiles(attempt, options.freeFiles, () => open(url, attempt));
            return await attempt.within(options.connectTimeoutMs, url, opening);
          } finally {
            attempts.delete(attempt);
            own.delete(attempt);
          }
        };
      return {
        toSite: connecting((url, attempt) => openSite(url, attempt, site, options)),
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
  { tlsFor, proxies }: ConnectorOptions,
): Promise<Socket> {
  const host = hostOf(proxy);
  const port = Number(proxy.port) || (isSocks(proxy) ? SOCKS_PORT : portOf(proxy));
  attempt.tooLate = (ms) => proxyTooLate(proxy, ms, proxies);
  try {
    const socket = await attempt.tcp({ host, port });
    // The client certificate is for the site.
    return proxy.protocol === 'https:' ? await attempt.tls(socket, host, tlsFor({ isOwn: false })) : socket;
  } catch (cause) {
    if (isOutOfFiles(cause)) throw cause;
    // Not the site's own refusal: users would look for the fault in the wrong place.
    const { message, option } = clientFailure(cause);
    throw new FetchError('proxy', `no connection to the proxy ${proxy.host}: ${message}`, {
      connected: false,
      retryable: proxies.hasWorked(proxy),
      ...(option === undefined ? {} : { option }),
      cause,
    });
  }
}

async function openTunnel(
  proxy: URL,
  url: URL,
  attempt: ConnectAttempt,
  options: ConnectorOptions,
): Promise<Socket> {
  const { proxies } = options;
  proxies.check(proxy);
  const socket = await openProxy(proxy, attempt, options);
  try {
    await tunnelThrough(proxy)(socket, { host: hostOf(url), port: portOf(url) }, () => {
      attempt.tooLate = (ms) => tookTooLong(url, ms);
    });
  } catch (error) {
    throw proxies.noted(proxy, error);
  }
  proxies.worked(proxy);
  return socket;
}

async function openSite(
  url: URL,
  attempt: ConnectAttempt,
  { guard, isOwn }: ConnectorSite,
  options: ConnectorOptions,
): Promise<Socket> {
  const host = hostOf(url);
  const proxy = options.proxyFor(url);
  let socket: Socket;
  if (proxy === undefined) {
    socket = await attempt.tcp({ host, port: portOf(url), addresses: await guard.lookup(url) });
  } else {
    // Behind a proxy only literals can be checked: the proxy resolves names.
    guard.checkLiteral(url);
    socket = await openTunnel(proxy, url, attempt, options);
  }
  if (url.protocol !== 'https:') return socket;
  return attempt.tls(socket, host, options.tlsFor({ isOwn: isOwn(url) }));
}

/** How long a connection waits for other files of the process to be closed. */
const FILES_MS = 50;

/** Opens a connection; where the process has no more files, again and again until the attempt is over. */
async function withFiles(
  attempt: ConnectAttempt,
  freeFiles: () => void,
  open: () => Promise<Socket>,
): Promise<Socket> {
  for (;;) {
    attempt.tooLate = undefined;
    try {
      return await open();
    } catch (error) {
      if (!isOutOfFiles(error) || attempt.isOver) throw error;
    }
    attempt.tooLate = outOfFiles;
    freeFiles();
    await sleep(FILES_MS);
  }
}

function isOutOfFiles(thrown: unknown): boolean {
  for (const error of causes(thrown)) {
    if ('code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')) return true;
  }
  return false;
}

function proxyTooLate(proxy: URL, ms: number, proxies: ProxyHistory): FetchError {
  const protocol = isSocks(proxy) ? 'SOCKS5' : proxy.protocol === 'https:' ? 'TLS' : undefined;
  const perhaps = protocol === undefined ? '' : `; it may not speak ${protocol}`;
  const message = `the proxy ${proxy.host} did not respond within ${ms / 1000} s${perhaps}`;
  return new FetchError('proxy', message, { retryable: proxies.hasWorked(proxy), connected: false });
}

function outOfFiles(): FetchError {
  return fetchErrorOf(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
}
