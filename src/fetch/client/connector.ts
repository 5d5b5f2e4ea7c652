/**
 * How the default client opens connections: through the network guard, within the connect timeout, through a proxy
 * where there is one, and within lifetimes, so that no socket outlives the client or the site that asked for it.
 */

import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as tls from 'node:tls';
import { isSocks, pemText } from '../../options/network-values.ts';
import type { Pem } from '../../options/options.ts';
import type { ResolvedOptions } from '../../options/resolve.ts';
import { onAbort, Stop, unlessAborted } from '../../runtime/abort.ts';
import { systemClock } from '../../runtime/time.ts';
import { hostOf, portOf } from '../../url.ts';
import { causes, clientFailure, FetchError, fetchErrorOf } from '../fetch-failure.ts';
import type { Connect } from './http-request.ts';
import type { HostAddress, NetworkGuard } from './network-guard.ts';
import type { ProxyFor, ProxyHistory } from './proxies.ts';
import { tunnelThrough } from './tunnel.ts';

interface ConnectorOptions {
  readonly connectTimeoutMs: number;
  readonly tlsFor: TlsFor;
  readonly proxyFor: ProxyFor;
  readonly proxies: ProxyHistory;
  /** Closes connections that are not in use, since the process has no more files. */
  readonly freeFiles: () => void;
}

interface Connector {
  forSite(site: ConnectorSite): SiteConnector;
  destroy(): void;
}

interface ConnectorSite {
  readonly guard: NetworkGuard;
  /** Whether a URL is the homepage's own, and may get what is meant for it. */
  readonly isOwn: (url: URL) => boolean;
}

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
  const lifetime = new Stop();
  const givenUp = (): FetchError => new FetchError('reset', 'the connection was given up');
  const keep = (socket: Socket): void => {
    socket.once(
      'close',
      onAbort(lifetime, () => socket.destroy()),
    );
  };
  return {
    forSite(site) {
      const lifetimeOfSite = new Stop();
      const unlink = onAbort(lifetime, (reason) => lifetimeOfSite.abort(reason));
      const connecting =
        (open: (url: URL, attempt: ConnectAttempt) => Promise<Socket>): Connect =>
        async (url) => {
          const attempt = new ConnectAttempt(keep);
          // Also one that has no socket yet, since it waits for a name.
          const unlinkAttempt = onAbort(lifetimeOfSite, (reason) => attempt.abort(reason));
          try {
            const pendingSocket = withFiles(attempt, options.freeFiles, () => open(url, attempt));
            return await attempt.within(options.connectTimeoutMs, url, pendingSocket);
          } finally {
            unlinkAttempt();
          }
        };
      return {
        toSite: connecting((url, attempt) => openSite(url, attempt, site, options)),
        toProxy: connecting((proxy, attempt) => openProxy(proxy, attempt, options)),
        giveUp() {
          unlink();
          lifetimeOfSite.abort(givenUp());
        },
      };
    },
    destroy: () => lifetime.abort(givenUp()),
  };
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
    throw proxies.noteFailure(proxy, error);
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
      if (!isOutOfFiles(error) || attempt.aborted) throw error;
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

// With several addresses Node goes to the next one after this long. Its default of 250 ms gives up on distant hosts
// whose other address family is unreachable.
const ADDRESS_ATTEMPT_MS = 1_000;

/** One attempt to connect. Where it is aborted, from outside or by a failure of its own, its sockets are closed. */
class ConnectAttempt extends Stop {
  readonly #onOpened: (socket: Socket) => void;
  /** The failure when the time is over, where it is not the site that took too long. */
  tooLate: ((ms: number) => FetchError) | undefined;

  constructor(onOpened: (socket: Socket) => void) {
    super();
    this.#onOpened = onOpened;
  }

  /** Waits for the connection, but not longer than `ms`. */
  async within(ms: number, url: URL, opening: Promise<Socket>): Promise<Socket> {
    const lateSite = (): FetchError => tookTooLong(url, ms);
    const timer = systemClock.deadline(ms, () => this.abort((this.tooLate ?? lateSite)(ms)));
    try {
      return await unlessAborted(opening, this);
    } catch (error) {
      this.abort(error);
      throw error;
    } finally {
      timer.cancel();
    }
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

  async tls(over: Socket, host: string, settings: TlsSettings): Promise<Socket> {
    // Server names are names: RFC 6066 forbids addresses there.
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = tls.connect({
      socket: over,
      host,
      ...servername,
      ...settings,
      ALPNProtocols: ['http/1.1'],
    });
    return this.#once(socket, 'secureConnect');
  }

  #once(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket> {
    this.#onOpened(socket);
    onAbort(this, () => socket.destroy());
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

/** A resolver with a fixed result: only addresses that the guard has checked are connected to. */
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

export type TlsOptions = Pick<ResolvedOptions, 'verifyTls'> &
  Partial<Pick<ResolvedOptions, 'ca' | 'cert' | 'key'>>;

type TlsSettings = Pick<tls.ConnectionOptions, 'rejectUnauthorized' | 'secureContext'>;

/** The settings for a host: whether or not it is the homepage's own. */
type TlsFor = (host: { readonly isOwn: boolean }) => TlsSettings;

/**
 * How the default client speaks TLS. The authorities of the option `ca` are trusted everywhere, besides those of Node.
 * The client certificate is shown to the homepage's own host only: another server of a sitemap could ask for it, and
 * learn who is asking.
 */
export function tlsSettings({ verifyTls, ca, cert, key }: TlsOptions): TlsFor {
  const trusted = ca === undefined ? undefined : [ca].flat();
  const hasOwn = cert !== undefined && key !== undefined;
  // Made once, when they are needed: reading Node's own authorities takes some milliseconds.
  const forOthers = once(() => secureContext(trusted, {}));
  const forOwn = once(() => secureContext(trusted, hasOwn ? { cert: pemText(cert), key: pemText(key) } : {}));
  return ({ isOwn }) => {
    if (isOwn && hasOwn) return { rejectUnauthorized: verifyTls, secureContext: forOwn() };
    if (trusted === undefined) return { rejectUnauthorized: verifyTls };
    return { rejectUnauthorized: verifyTls, secureContext: forOthers() };
  };
}

function secureContext(
  trusted: readonly Pem[] | undefined,
  identity: { readonly cert?: string; readonly key?: string },
): tls.SecureContext {
  if (trusted === undefined) return tls.createSecureContext(identity);
  return tls.createSecureContext({ ...identity, ca: [...trustedByNode(), ...trusted.map(pemText)] });
}

/** The authorities that Node trusts: from Node 22.15 on, also those of NODE_EXTRA_CA_CERTS. */
function trustedByNode(): readonly string[] {
  const list: unknown = 'getCACertificates' in tls ? tls.getCACertificates : undefined;
  return typeof list === 'function' ? list() : tls.rootCertificates;
}

function once<T>(make: () => T): () => T {
  let cache: { readonly value: T } | undefined;
  return () => {
    cache ??= { value: make() };
    return cache.value;
  };
}
