/**
 * Tunnels through a proxy, over a socket that is already connected to it: HTTP CONNECT (RFC 9110 §9.3.6) and
 * SOCKS5 (RFC 1928, with RFC 1929's user and password).
 */
import { once } from 'node:events';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { isSocks } from '../../options/network-values.ts';
import { basicAuthorization, credentialsOf, ipv6Words } from '../../url.ts';
import { FetchError } from '../fetch-failure.ts';
import { hungUp, isAboutCredentials, refusedBy, WrongCredentials, wrongCredentials } from './proxies.ts';

interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * Asks the proxy behind `socket` for a tunnel; what the socket carries afterwards is the target's.
 *
 * @param greeted - called when the proxy has shown that it speaks the protocol: from then on it waits for the target
 */
type Tunnel = (socket: Duplex, target: Target, greeted: () => void) => Promise<void>;

const refusal = (message: string): FetchError => new FetchError('proxy', message);

/** A longer response of a proxy is a fault. */
const LONGEST_HEAD = 16 * 1024;

export function tunnelThrough(proxy: URL): Tunnel {
  return isSocks(proxy) ? socks5(proxy) : connect(proxy);
}

function connect(proxy: URL): Tunnel {
  return async (socket, { host, port }, greeted) => {
    // Its first byte comes after the target's.
    greeted();
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    const authorization = basicAuthorization(proxy);
    socket.write(
      `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n` +
        `${authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`}\r\n`,
    );
    const read = readerOf(socket, 'HTTP');
    let head = '';
    while (!head.endsWith('\r\n\r\n')) {
      if (head.length > LONGEST_HEAD) throw refusal('the response of the proxy is too long');
      head += (await read(1)).toString('latin1');
      if (!HTTP_START.startsWith(head.slice(0, HTTP_START.length))) {
        throw refusal('the proxy does not speak HTTP');
      }
    }
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
    if (Number.isNaN(status)) throw refusal('the proxy does not speak HTTP');
    if (isAboutCredentials(status)) throw wrongCredentials(status);
    if (status < 200 || status > 299) throw refusedBy(status, squidError(head));
  };
}

const HTTP_START = 'HTTP/1.';

function squidError(head: string): string {
  return /^x-squid-error: (\S+)/im.exec(head)?.[1] ?? '';
}

const SOCKS_ERRORS: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'not allowed by its rules',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'time to live expired',
  7: 'command not supported',
  8: 'address type not supported',
};

function socks5(proxy: URL): Tunnel {
  const credentials = credentialsOf(proxy);
  return async (socket, { host, port }, greeted) => {
    const read = readerOf(socket, 'SOCKS5');
    socket.write(Buffer.from(credentials !== undefined ? [5, 2, 0, 2] : [5, 1, 0]));
    const [version, method] = await read(2);
    if (version !== 5) throw refusal('the proxy does not speak SOCKS5');
    greeted();
    if (method === 2 && credentials !== undefined) {
      const { user, password } = credentials;
      socket.write(Buffer.concat([Buffer.from([1]), prefixed(user), prefixed(password)]));
      if ((await read(2))[1] !== 0)
        throw new WrongCredentials('the proxy does not accept the credentials in its URL');
    } else if (method !== 0) {
      throw new WrongCredentials('the proxy needs credentials: add user:password@ to its URL');
    }

    socket.write(
      Buffer.concat([Buffer.from([5, 1, 0]), address(host), Buffer.from([port >> 8, port & 255])]),
    );
    const [, result = 1, , type = 0] = await read(4);
    if (result !== 0) throw refusal(`the proxy cannot connect: ${SOCKS_ERRORS[result] ?? `code ${result}`}`);
    const bound = type === 1 ? 4 : type === 4 ? 16 : (await read(1))[0]!;
    await read(bound + 2);
  };
}

/** The target as a SOCKS address. Names go to the proxy unresolved: its network may be another than ours. */
function address(host: string): Buffer {
  const family = isIP(host);
  if (family === 4) return Buffer.from([1, ...host.split('.').map(Number)]);
  if (family === 0) return Buffer.concat([Buffer.from([3]), prefixed(host)]);
  return Buffer.from([4, ...(ipv6Words(host) ?? []).flatMap((word) => [word >> 8, word & 255])]);
}

function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw refusal('a name is too long for SOCKS5');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** Reads exactly `count` bytes; what follows stays in the socket for its next reader. */
function readerOf(socket: Duplex, protocol: 'HTTP' | 'SOCKS5'): (count: number) => Promise<Buffer> {
  return async (count) => {
    const chunks: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      if (socket.destroyed) throw hungUp(protocol);
      // All that is there, and not only a whole response: a stream with bytes in it says at once that it is readable,
      // so that waiting for the rest would be a loop that lets no timer run.
      const bytes: Buffer | null = socket.read(Math.min(missing, socket.readableLength || 1));
      if (bytes !== null) {
        chunks.push(bytes);
        missing -= bytes.length;
        continue;
      }
      if (socket.readableEnded) throw hungUp(protocol);
      const listeners = new AbortController();
      try {
        const { signal } = listeners;
        await Promise.race(['readable', 'end', 'close'].map((event) => once(socket, event, { signal })));
      } catch (cause) {
        throw hungUp(protocol, cause);
      } finally {
        // Removes the listeners of the other events.
        listeners.abort();
      }
    }
    return Buffer.concat(chunks);
  };
}
