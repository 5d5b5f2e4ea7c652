/** Servers with one fault each: scripted where Node's HTTP server can do it, raw sockets where it cannot. */
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { startRawServer } from '../server/raw-server.ts';
import { type ScriptedResponse, type Site, startServer } from '../server/scripted-server.ts';
import { index, urlset } from './documents.ts';

/** The sitemap with the fault, on a server that counts its sockets. */
export interface FaultyServer {
  readonly url: string;
  readonly openSockets: number;
  close(): Promise<void>;
}

/** A server that sends exactly these bytes on each connection, and then closes it. */
export const sends = (...pieces: readonly (string | Uint8Array)[]): (() => Promise<FaultyServer>) =>
  raw((socket) => socket.end(Buffer.concat(pieces.map((piece) => Buffer.from(piece)))));

export const raw =
  (act: (socket: Socket, head: string, connection: number) => void, scheme = 'http') =>
  async (): Promise<FaultyServer> => {
    const server = await startRawServer(act);
    return faultOf(server, `${scheme}://127.0.0.1:${server.port}`);
  };

const faultOf = (server: Pick<FaultyServer, 'openSockets' | 'close'>, origin: string): FaultyServer => ({
  url: `${origin}/fault.xml`,
  get openSockets() {
    return server.openSockets;
  },
  close: server.close,
});

/** A scripted server. */
export const responds =
  (response: ScriptedResponse | string | ((index: string) => ScriptedResponse), more: Site = {}) =>
  async (indexUrl: string): Promise<FaultyServer> => {
    const server = await startServer({
      '/fault.xml': typeof response === 'function' ? response(indexUrl) : response,
      ...more,
    });
    return faultOf(server, server.origin);
  };

/** An index on a server of its own, whose children have the fault. */
export const children =
  (site: Readonly<Record<string, ScriptedResponse>>) => async (): Promise<FaultyServer> => {
    const server = await startServer({ ...site });
    server.site['/fault.xml'] = index(...Object.keys(site).map((path) => server.origin + path));
    return faultOf(server, server.origin);
  };

/** A URL without a server. */
export const noServer = (url: string | (() => Promise<string>)) => async (): Promise<FaultyServer> => ({
  url: typeof url === 'string' ? url : await url(),
  openSockets: 0,
  close: async () => {},
});

export const ok = (length: number | string, ...more: readonly string[]): string =>
  ['HTTP/1.1 200 OK', `Content-Length: ${length}`, ...more, '', ''].join('\r\n');

/** Calls `each` for every request of a connection, as a server with keep-alive does. */
function requests(socket: Socket, first: string, each: (path: string, number: number) => void): void {
  let number = 0;
  const next = (head: string): void => each(head.split(' ')[1] ?? '', number++);
  next(first);
  socket.on('data', (data) => next(data.toString('latin1')));
}

export function chunked(text: string, ...more: readonly string[]): string {
  const head = ['HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', ...more, '', ''].join('\r\n');
  return `${head}${text.length.toString(16)}\r\n${text}\r\n`;
}

export function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
}

export function chain(length: number, last: ScriptedResponse): Site {
  const hops = Array.from({ length: length - 1 }, (_, at) => [`/${at + 1}`, { redirect: `/${at + 2}` }]);
  return { ...Object.fromEntries(hops), [`/${length}`]: last };
}

/** Sends `bytes` characters every 20 ms until the connection closes. */
export function trickle(socket: Socket, text: string, bytes = 1): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(text.slice(at, at + bytes));
    at += bytes;
    if (at >= text.length) clearInterval(timer);
  }, 20);
  socket.once('close', () => clearInterval(timer));
}

export function thenReset(socket: Socket, text: string): void {
  socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 20));
}

/** The most bytes of a document in these tests, and the default. */
export const MOST_BYTES = 1_000_000;
export const DEFAULT_MOST_BYTES: number = 100 * 1024 * 1024;
const ENDLESS_START = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';

// Few pages and much white space: the limit is reached soon, without a million lines of output.
function* endlessPages(): Generator<string> {
  for (let at = 0; ; at++)
    yield `<url><loc>https://example.org/endless/${String(at).padStart(7, '0')}</loc></url>`.padEnd(10_000);
}

/** How many pages of an endless body fit. */
export function endlessPageCount(bytes: number): number {
  const [page = ''] = endlessPages();
  // The white space of the last page does not fit, but the page does.
  return Math.ceil((bytes - ENDLESS_START.length) / page.length);
}

export function endless(socket: Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\n\r\n${ENDLESS_START}`);
  const pages = endlessPages();
  const more = (): void => {
    while (!socket.destroyed) {
      const piece = Array.from({ length: 20 }, () => pages.next().value ?? '').join('');
      if (!socket.write(piece)) return;
    }
  };
  socket.on('drain', more);
  more();
}

interface KeptAlive {
  readonly socket: Socket;
  /** Counts the requests of a connection, from 0. */
  readonly number: number;
  /** Sends a good response. */
  readonly respond: () => void;
}

/** An index of eight sitemaps of one page each, over connections with keep-alive. */
export function keepAlive(act: (request: KeptAlive) => void): () => Promise<FaultyServer> {
  return raw((socket, head) => {
    const origin = `http://${/^host: (\S+)/im.exec(head)?.[1]}`;
    requests(socket, head, (path, number) => {
      const paths = Array.from({ length: 8 }, (_, at) => `${origin}/${at}.xml`);
      const body = path === '/fault.xml' ? index(...paths) : urlset(`https://example.org${path}`);
      act({ socket, number, respond: () => socket.write(ok(body.length, 'Connection: keep-alive') + body) });
    });
  });
}

/** A server that listens and never accepts, with its queue filled: a further connection gets no response at all. */
export async function fullQueue(): Promise<FaultyServer> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     });`,
    { eval: true },
  );
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  // The kernel accepts a few more than the backlog says. Once the first is connected, 64 of them have filled the queue.
  const fillers = Array.from({ length: 64 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await new Promise<void>((resolve) => {
    for (const filler of fillers) filler.once('connect', () => resolve());
  });
  return {
    url: `http://127.0.0.1:${port}/fault.xml`,
    openSockets: 0,
    async close() {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}
