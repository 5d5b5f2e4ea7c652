/** Proxies on loopback: HTTP (absolute form and CONNECT) and SOCKS5. Every target is reached at 127.0.0.1. */
import { createServer, request as httpRequest } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { kept, startListening } from './listening.ts';

export interface TestProxy extends AsyncDisposable {
  readonly url: string;
  /** What it was asked for: `GET http://…`, `CONNECT host:port`, `SOCKS host:port`. */
  readonly asked: string[];
  /** Credentials that it was given, in plain. */
  readonly credentials: string[];
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** `user:password` to insist on. */
  readonly credentials?: string;
  /** Of SOCKS5: the address in its response, with its type in front. @default 0.0.0.0 */
  readonly bound?: readonly number[];
}

export async function startHttpProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const credentials: string[] = [];
  const isWelcome = (header: string | undefined): boolean => {
    const plain = Buffer.from((header ?? '').replace(/^Basic /, ''), 'base64').toString();
    if (plain !== '') credentials.push(plain);
    return options.credentials === undefined || plain === options.credentials;
  };
  const server = createServer((incoming, response) => {
    asked.push(`GET ${incoming.url}`);
    if (!isWelcome(incoming.headers['proxy-authorization'])) {
      response.writeHead(407).end();
      return;
    }
    const target = new URL(incoming.url ?? '');
    const onward = httpRequest(
      {
        host: '127.0.0.1',
        port: target.port,
        path: target.pathname + target.search,
        headers: incoming.headers,
      },
      (received) => {
        response.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    onward.end();
  });
  server.on('connect', (incoming, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    if (!isWelcome(incoming.headers['proxy-authorization'])) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const onward = kept(sockets, connect(Number(incoming.url?.split(':').at(-1)), '127.0.0.1'));
    onward.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.once('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  const { port, sockets, close } = await startListening(server);
  const url = `http://127.0.0.1:${port}`;
  return { url, asked, credentials, close, [Symbol.asyncDispose]: close };
}

export async function startSocksProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const credentials: string[] = [];
  const server = createTcpServer((socket) => {
    serveSocks(socket, options, { asked, credentials, sockets }).catch(() => socket.destroy());
  });
  const { port, sockets, close } = await startListening(server);
  const url = `socks5://127.0.0.1:${port}`;
  return { url, asked, credentials, close, [Symbol.asyncDispose]: close };
}

async function serveSocks(
  socket: Socket,
  options: ProxyOptions,
  log: { asked: string[]; credentials: string[]; sockets: Set<Socket> },
): Promise<void> {
  const read = async (count: number): Promise<Buffer> => {
    let taken = Buffer.alloc(0);
    while (taken.length < count) {
      // All that is there: a stream that keeps bytes is readable at once, and waiting for more would be a loop.
      const bytes: Buffer | null = socket.read(Math.min(count - taken.length, socket.readableLength || 1));
      if (bytes === null) await new Promise((resolve) => socket.once('readable', resolve));
      else taken = Buffer.concat([taken, bytes]);
    }
    return taken;
  };
  const [, methods = 0] = await read(2);
  await read(methods);
  if (options.credentials === undefined) {
    socket.write(Buffer.from([5, 0]));
  } else {
    socket.write(Buffer.from([5, 2]));
    await read(1);
    const user = await read((await read(1))[0]!);
    const password = await read((await read(1))[0]!);
    log.credentials.push(`${user}:${password}`);
    const welcome = `${user}:${password}` === options.credentials;
    socket.write(Buffer.from([1, welcome ? 0 : 1]));
    if (!welcome) return;
  }
  const [, , , type] = await read(4);
  const host =
    type === 1
      ? (await read(4)).join('.')
      : type === 4
        ? (await read(16)).toString('hex')
        : String(await read((await read(1))[0]!));
  const port = (await read(2)).readUInt16BE();
  log.asked.push(`SOCKS ${host}:${port}`);
  const onward = kept(log.sockets, connect(port, '127.0.0.1'));
  onward.once('connect', () => {
    socket.write(Buffer.from([5, 0, 0, ...(options.bound ?? [1, 0, 0, 0, 0]), 0, 0]));
    onward.pipe(socket).pipe(onward);
  });
  onward.once('error', () => socket.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])));
}
