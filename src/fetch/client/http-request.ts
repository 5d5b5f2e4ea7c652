/**
 * One request of `node:http`: the head of its response, the body of it at the reader's pace, and the connections that
 * are kept for further requests.
 */
import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onAbort, type StopSignal } from '../../runtime/abort.ts';
import type { Body } from '../body.ts';
import { FetchError, unasked } from '../fetch-failure.ts';
import type { SharedBy } from './network-guard.ts';

/** A server may send informational responses before the real one; more than this many are a fault. */
const MOST_INFORMATIONAL = 32;

export interface HttpHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values, one after the other, as they were received. */
  readonly rawHeaders: readonly string[];
  readonly body: ResponseBody;
}

/**
 * Sends a request; resolves when the head of its response has arrived.
 *
 * @param isRepeated - whether it was sent before, on a kept connection that could not be used any more
 */
export function responseTo(
  options: PooledRequest,
  signal: StopSignal,
  isRepeated = false,
): Promise<HttpHead> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let body: ResponseBody | undefined;
    let informational = 0;
    const request = httpRequest(options);
    const stopListening = onAbort(signal, (reason) => {
      reject(reason);
      body?.abort(reason);
      request.destroy();
    });
    request
      .on('information', () => {
        if (++informational > MOST_INFORMATIONAL) request.destroy(unasked());
      })
      .on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(unasked());
      })
      .on('response', (message) => {
        body = new ResponseBody(message);
        const { statusCode: status = 0, statusMessage: statusText = '', headers, rawHeaders } = message;
        if (status >= 100) return resolve({ status, statusText, headers, rawHeaders, body });
        message.destroy();
        reject(new FetchError('bad-response', 'the response is not HTTP (its status does not exist)'));
      })
      .on('error', (error) => {
        if (body !== undefined) return body.break(error);
        const isStale = request.reusedSocket && isOfConnection(error) && !isRepeated && !signal.aborted;
        if (!isStale) return reject(error);
        const { agent } = options;
        agent.closeUnused((name) => name === agent.getName(options));
        resolve(responseTo(options, signal, true));
      })
      .on('close', stopListening)
      .end();
  });
}

/**
 * Whether the error may come from what a kept connection was used for before: the server closed it just as it was used
 * again, or an earlier response is longer than it declares, and its end is taken for the next one.
 */
function isOfConnection(error: Error): boolean {
  return 'code' in error && /^(?:ECONNRESET|EPIPE|HPE_.*)$/.test(String(error.code));
}

/**
 * Node's own iterator throws as soon as a connection breaks, and drops what was not read yet. Here everything that
 * arrived is handed over, and then the error.
 */
class ResponseBody implements Body {
  readonly #message: IncomingMessage;
  /** Whether the rest is dropped. */
  #isUnwanted = false;
  #isOver = false;
  #failure: { readonly reason: unknown } | undefined;
  /**
   * The reads that wait for something to arrive. Their resolvers as they are: with a function in between, kept in a
   * field, every response that had ended stayed alive until V8 collected the whole heap, 4 kB of it each.
   */
  readonly #waiting: (() => void)[] = [];

  constructor(message: IncomingMessage) {
    this.#message = message;
    message
      .on('readable', () => this.#wakeAll())
      .on('end', () => this.#finish())
      .on('error', (reason) => this.#finish({ reason }))
      .on('close', () => this.#onClose());
  }

  /** Ends the body with an error, which comes after what has arrived; does nothing where all of it has arrived. */
  break(error: Error): void {
    if (!this.#message.complete) this.#message.destroy(error);
  }

  /** Ends the body at once. The reason may be any value. */
  abort(reason: unknown): void {
    this.#isUnwanted = true;
    this.#finish({ reason });
    this.#message.destroy();
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      // A message that was destroyed is read too: there may be something left.
      const chunk: Uint8Array | null = this.#isUnwanted ? null : this.#message.read();
      if (chunk !== null) return chunk;
      if (this.#failure !== undefined) throw this.#failure.reason;
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Closes the connection, unless all of the body was read; then it is kept for the next request. */
  async cancel(): Promise<void> {
    this.#isUnwanted = true;
    this.#finish();
    this.#message.destroy();
  }

  // An error takes its stack: not one for each response that has ended well.
  #onClose(): void {
    if (!this.#isOver) this.#finish({ reason: new Error('The response was closed.') });
  }

  #finish(failure?: { readonly reason: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

const KEPT_MS = 4_000;

/** How many unused connections are kept, over all hosts: a crawl may ask thousands of hosts in a few seconds. */
const MOST_KEPT = 64;

export type Connect = (origin: URL) => Promise<Socket>;

interface PooledRequest extends ClientRequestArgs {
  readonly agent: Connections;
  readonly origin: string;
  readonly sharedBy: SharedBy;
  /** Opens a connection, where none is kept that may be used. */
  readonly connect: Connect;
}

/**
 * The connections that the default client keeps, on Node's own pool: opened by our connector, and used again by
 * requests to the same origin that have the same right to it (network-guard.ts).
 */
export class Connections extends Agent {
  /** In the order in which they became unused. */
  readonly #kept = new Set<Duplex>();

  constructor() {
    super({ keepAlive: true, timeout: KEPT_MS });
  }

  override getName({ origin, sharedBy }: PooledRequest): string {
    return `${origin} ${sharedBy}`;
  }

  // Node takes the socket also where the request was aborted meanwhile: it keeps it for others, or closes it.
  override createConnection(
    { origin, connect }: PooledRequest,
    opened: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    connect(new URL(origin)).then((socket) => opened(null, socket), opened);
  }

  override keepSocketAlive(socket: Duplex): unknown {
    // Bytes that arrive on an unused connection were not asked for: Node 20 would read them without end.
    socket.once('data', hangUp);
    this.#kept.add(socket);
    if (this.#kept.size > MOST_KEPT) {
      const [oldest] = this.#kept;
      this.#kept.delete(oldest!);
      oldest!.destroy();
    }
    // Node's types do not say so, but the result is whether the socket is kept.
    return super.keepSocketAlive(socket);
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.removeListener('data', hangUp);
    this.#kept.delete(socket);
    super.reuseSocket(socket, request);
  }

  /** Closes unused connections: all of them, or those whose name passes. */
  closeUnused(isMeant: (name: string) => boolean = () => true): void {
    for (const [name, sockets = []] of Object.entries(this.freeSockets)) {
      if (isMeant(name)) for (const socket of sockets) socket.destroy();
    }
  }

  closeUnusedOf(site: SharedBy): void {
    this.closeUnused((name) => name.endsWith(` ${site}`));
  }
}

function hangUp(this: Duplex): void {
  this.destroy();
}
