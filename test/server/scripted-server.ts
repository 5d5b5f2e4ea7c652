/**
 * A real HTTP server on loopback whose site is a table: path → response. It can be slow and broken in all the ways that
 * servers are, records every request, and counts its sockets.
 *
 *     const server = await startServer({
 *       '/robots.txt': ['/sitemap.xml', '/index.xml'],
 *       '/sitemap.xml': { body: xml, gzip: true },
 *       '/index.xml': ['/old.xml', '/new.xml', '/flaky.xml'],
 *       '/old.xml': { redirect: '/sitemap.xml' },
 *       '/new.xml': { pages: ['/1', ['/2', '2024-05-06']] },
 *       '/flaky.xml': { script: [{ status: 503 }, { body: xml, truncateAfter: 100 }, { body: xml }] },
 *     });
 *
 * A list of paths is a document that lists them: a robots.txt, or an index at any other path. A key may name a host,
 * `'//other.test/robots.txt'`, for several sites behind one address: the Host header decides. `'*'` is for all other
 * paths; without it they are a 404.
 */

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { TLSSocket, type TlsOptions as TlsServerOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { index, type Listed, robots, urlset } from '../support/documents.ts';

/** One response. Everything is optional; an empty object is `200` with no body. */
export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A list of paths is a robots.txt or an index of them. */
  readonly body?: string | Uint8Array | readonly Listed[];
  /** The body is a `<urlset>` of these paths. */
  readonly pages?: readonly Listed[];
  /** Compress the body, as a file would be: no Content-Encoding. */
  readonly gzip?: boolean;
  /** A redirect to here, 302 unless `status` says otherwise. */
  readonly redirect?: string;
  /** Before the headers. */
  readonly delayMs?: number;
  /** Declare the whole length, send this many bytes, close properly. */
  readonly truncateAfter?: number;
  /** Send this many bytes, then reset the connection. */
  readonly resetAfter?: number;
  /** Send this many bytes, then nothing more, and keep the connection open. */
  readonly stallAfter?: number;
  /** Send this many bytes, then the rest once the promise resolves. */
  readonly holdAfter?: { readonly bytes: number; readonly until: Promise<unknown> };
  /** Send this many bytes at a time, with a pause between. */
  readonly trickle?: { readonly bytes: number; readonly everyMs: number };
  /** Send the body without a length, chunked. */
  readonly chunked?: boolean;
  /** Never respond. */
  readonly silent?: boolean;
  /** Close the connection without a response. */
  readonly hangUp?: boolean;
  /** The first response for the first request, and so on; the last one repeats. */
  readonly script?: readonly ScriptedResponse[];
}

type Content = ScriptedResponse | string | readonly Listed[];
type Entry = Content | ((request: RecordedRequest) => Content | Promise<Content>);
export type Site = Record<string, Entry>;

interface RecordedRequest {
  readonly method: string;
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Milliseconds since the server started. */
  readonly at: number;
  /** The same number for requests over one connection. */
  readonly connection: number;
  /** The name in the client's certificate, where there is one. */
  readonly clientName: string | undefined;
}

export interface ScriptedServer extends AsyncDisposable {
  /** `http://127.0.0.1:12345` */
  readonly origin: string;
  readonly port: number;
  /** The table; may be changed while the server runs. */
  readonly site: Site;
  readonly requests: readonly RecordedRequest[];
  /** The paths requested, in order. */
  paths(): string[];
  readonly openSockets: number;
  /** Connections ever accepted. */
  readonly connections: number;
  /** Bytes of bodies handed to the sockets so far. */
  readonly bytesSent: number;
  /**
   * Resolves once no socket is open, and rejects after many turns of the event loop. That is for a client in this process
   * or one that has ended: its sockets are closed in a few turns, however long they take on a busy machine.
   */
  allSocketsClosed(): Promise<void>;
  /** Resolves once nothing was sent in many turns of the event loop: what the client does not read has filled all buffers. */
  hasStoppedSending(): Promise<void>;
  close(): Promise<void>;
}

export interface ServerOptions {
  /** @default 127.0.0.1 */
  readonly address?: string;
  readonly port?: number;
  readonly tls?: boolean;
  /** Ask for a client certificate: any, or none would do, unless it is required. With `tls` only. */
  readonly clientCertificate?: 'optional' | 'required';
}

export async function startServer(site: Site, options: ServerOptions = {}): Promise<ScriptedServer> {
  const started = performance.now();
  const address = options.address ?? '127.0.0.1';
  const requests: RecordedRequest[] = [];
  const served = new Map<string, number>();
  const sockets = new Map<Socket, number>();
  let connections = 0;
  let bytesSent = 0;
  let port = 0;

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request: RecordedRequest = {
      method: incoming.method ?? '',
      host: incoming.headers.host ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      at: performance.now() - started,
      connection: sockets.get(incoming.socket) ?? -1,
      clientName: clientNameOf(incoming.socket),
    };
    requests.push(request);
    const key = [`//${request.host.replace(/:\d+$/, '')}${request.path}`, request.path, '*'].find((name) =>
      Object.hasOwn(site, name),
    );
    const entry: Entry = key === undefined ? { status: 404, body: 'not here' } : site[key]!;
    const content = typeof entry === 'function' ? await entry(request) : entry;
    let scripted: ScriptedResponse =
      typeof content === 'string' || isList(content) ? { body: content } : content;
    if (scripted.script !== undefined) {
      const turn = served.get(key!) ?? 0;
      served.set(key!, turn + 1);
      scripted = scripted.script[Math.min(turn, scripted.script.length - 1)] ?? {};
    }
    const body = Buffer.from(bodyOf(scripted, request));
    await respond(scripted, body, incoming, response, (count) => {
      bytesSent += count;
    });
  };

  const bodyOf = (
    { body = '', pages }: ScriptedResponse,
    { host, path }: RecordedRequest,
  ): string | Uint8Array => {
    const own = `${options.tls ? 'https' : 'http'}://${host}`;
    const listed = (paths: readonly Listed[]): Listed[] =>
      paths.map((each) => (typeof each === 'string' ? own + each : [own + each[0], each[1]]));
    if (pages !== undefined) return urlset(...listed(pages));
    if (!isList(body)) return body;
    return path === '/robots.txt' ? robots(...body.map((each) => own + each)) : index(...listed(body));
  };

  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    // A client that goes away in the middle is what many tests are about.
    handle(incoming, response).catch(() => response.destroy());
  };
  const server: Server = options.tls
    ? createTlsServer(tlsOptions(options), listener)
    : createServer(listener);
  server.keepAliveTimeout = 60_000;
  server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.set(socket, connections++);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, address, resolve);
  });
  port = (server.address() as AddressInfo).port;

  const close = async (): Promise<void> => {
    for (const socket of sockets.keys()) socket.destroy();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    origin: `${options.tls ? 'https' : 'http'}://${address.includes(':') ? `[${address}]` : address}:${port}`,
    port,
    site,
    requests,
    paths: () => requests.map(({ path }) => path),
    get openSockets() {
      return sockets.size;
    },
    get connections() {
      return connections;
    },
    get bytesSent() {
      return bytesSent;
    },
    async allSocketsClosed() {
      // Less than the four seconds that a client keeps an idle connection.
      for (let turn = 0; sockets.size > 0; turn++) {
        if (turn === 400) throw new Error(`${sockets.size} sockets are still open`);
        await delay(5);
      }
    },
    async hasStoppedSending() {
      for (let [turns, before] = [0, -1]; turns < 30; turns++) {
        if (bytesSent !== before) [turns, before] = [0, bytesSent];
        await delay(10);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function tlsOptions({ clientCertificate }: ServerOptions): TlsServerOptions {
  const own = testCertificate();
  if (clientCertificate === undefined) return own;
  return {
    ...own,
    ca: own.cert,
    requestCert: true,
    rejectUnauthorized: clientCertificate === 'required',
  };
}

/** The certificate of every TLS server here: self-signed, for localhost, *.test and 127.0.0.1. */
export function testCertificate(): { readonly key: Buffer; readonly cert: Buffer } {
  const read = (name: string): Buffer => readFileSync(new URL(`./tls/${name}`, import.meta.url));
  return { key: read('key.pem'), cert: read('cert.pem') };
}

function clientNameOf(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { subject } = socket.getPeerCertificate();
  return subject === undefined ? undefined : String(subject.CN);
}

function isList(value: unknown): value is readonly Listed[] {
  return Array.isArray(value);
}

async function respond(
  scripted: ScriptedResponse,
  plain: Buffer,
  incoming: IncomingMessage,
  response: ServerResponse,
  sending: (count: number) => void,
): Promise<void> {
  if (scripted.delayMs !== undefined) await delay(scripted.delayMs);
  if (scripted.silent) return;
  const { socket } = incoming;
  if (scripted.hangUp) {
    socket.destroy();
    return;
  }
  const body = scripted.gzip ? gzipSync(plain) : plain;
  response.statusCode = scripted.status ?? (scripted.redirect === undefined ? 200 : 302);
  // As servers write it: UTF-8, whatever the standard says.
  if (scripted.redirect !== undefined) {
    response.setHeader('location', Buffer.from(scripted.redirect).toString('latin1'));
  }
  for (const [name, value] of Object.entries(scripted.headers ?? {})) response.setHeader(name, value);
  if (!scripted.chunked && !response.hasHeader('content-length'))
    response.setHeader('content-length', body.length);

  const limit = scripted.truncateAfter ?? scripted.resetAfter ?? scripted.stallAfter;
  const sent = limit === undefined ? body : body.subarray(0, limit);
  const step = scripted.trickle?.bytes ?? 64 * 1024;
  // Only where nothing else would send them: alone, Node writes them as UTF-8, and twice so what is UTF-8 already.
  if (sent.length === 0 && limit !== undefined) response.flushHeaders();
  const { holdAfter } = scripted;
  let isHeld = holdAfter !== undefined;
  for (let at = 0; at < sent.length && !socket.destroyed; ) {
    if (isHeld && at >= holdAfter!.bytes) {
      await holdAfter!.until;
      isHeld = false;
    }
    const piece = sent.subarray(at, isHeld ? Math.min(at + step, holdAfter!.bytes) : at + step);
    at += piece.length;
    const flowing = response.write(piece);
    sending(piece.length);
    if (scripted.trickle !== undefined) await delay(scripted.trickle.everyMs);
    else if (!flowing) await drained(response);
  }
  if (limit === undefined) response.end();
  else if (scripted.stallAfter === undefined) {
    // Let what was written reach the client before the connection goes.
    await delay(20);
    if (scripted.resetAfter !== undefined) socket.resetAndDestroy();
    else socket.destroy();
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
