/**
 * The connections that the default client keeps, on Node's own pool: opened by our connector, and used again by
 * requests to the same origin that have the same right to it (network-guard.ts).
 *
 * @packageDocumentation
 */
import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connect } from './connect-attempt.ts';
import type { SharedBy } from './network-guard.ts';

/** An unused connection is closed after this time, before most servers do it in the middle of a request. */
const KEPT_MS = 4_000;

/** How many unused connections are kept, over all hosts: a crawl may ask thousands of hosts in a few seconds. */
const MOST_KEPT = 64;

/** A request with what its connection needs. */
export interface PooledRequest extends ClientRequestArgs {
  readonly agent: Connections;
  readonly origin: string;
  readonly sharedBy: SharedBy;
  /** Opens a connection, where none is kept that may be used. */
  readonly connect: Connect;
}

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

  /** Closes the unused connections to an origin. */
  closeUnused(request: PooledRequest): void {
    for (const socket of this.freeSockets[this.getName(request)] ?? []) socket.destroy();
  }

  /** Closes all unused connections. */
  closeAllUnused(): void {
    for (const sockets of Object.values(this.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  /** Closes the unused connections that only one site may use. */
  closeUnusedOf(site: SharedBy): void {
    for (const [name, sockets] of Object.entries(this.freeSockets)) {
      if (!name.endsWith(` ${site}`)) continue;
      for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

function hangUp(this: Duplex): void {
  this.destroy();
}
