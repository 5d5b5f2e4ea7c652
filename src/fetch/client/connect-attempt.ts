/**
 * One attempt to open a connection: TCP, TLS, its time limit, and the sockets that it owns until it succeeds.
 *
 * @packageDocumentation
 */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { startTimer } from '../../runtime/event-loop.ts';
import { FetchError } from '../failure.ts';
import type { HostAddress } from './network-guard.ts';
import type { TlsSettings } from './tls-settings.ts';

// With several addresses Node goes to the next one after this long. Its default of 250 ms gives up on distant hosts
// whose other address family is unreachable.
const ADDRESS_ATTEMPT_MS = 1_000;

/** Opens a connection to an origin. */
export type Connect = (origin: URL) => Promise<Socket>;

/** One attempt to connect: it owns the sockets that it opened until it succeeds. */
export class ConnectAttempt {
  /** Rejects when the attempt is given up from outside. */
  readonly #failed: Promise<never>;
  readonly #sockets: Socket[] = [];
  readonly #opened: (socket: Socket) => void;
  #reject: (error: unknown) => void = () => {};
  #over = false;
  /** The failure when the time is over, where it is not the site that took too long. */
  tooLate: ((ms: number) => FetchError) | undefined;

  constructor(opened: (socket: Socket) => void) {
    this.#opened = opened;
    this.#failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.#failed.catch(() => {});
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Waits for the connection, but not longer than `ms`; a failure closes all its sockets. */
  async within(ms: number, url: URL, opening: Promise<Socket>): Promise<Socket> {
    const lateSite = (): FetchError => tookTooLong(url, ms);
    const stopTimer = startTimer(ms, () => this.fail((this.tooLate ?? lateSite)(ms)));
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

  async tls(over: Socket, host: string, settings: TlsSettings): Promise<Socket> {
    // Server names are names: RFC 6066 forbids addresses there.
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = connectTls({
      socket: over,
      host,
      ...servername,
      ...settings,
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

/** For a host that does not accept a connection in time. */
export function tookTooLong(url: URL, ms: number): FetchError {
  return new FetchError('timeout', `connecting to ${url.host} took longer than ${ms / 1000} s`, {
    retryable: true,
    connected: false,
  });
}
