/** A real Redis on loopback, in memory only; ended when the test ends. */
import { createServer, connect as netConnect, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { startListening } from '../server/listening.ts';
import { type RealServer, startRealServer } from './real-servers.ts';

export interface RedisServer extends RealServer {
  /** `redis://127.0.0.1:12345` */
  readonly url: string;
  /** A connection of the test's own. */
  client(database?: number): Redis;
}

export function startRedis(...more: readonly string[]): Promise<RedisServer> {
  return startProgram('redis-server', more);
}

export function startValkey(): Promise<RedisServer> {
  return startProgram('valkey-server', []);
}

async function startProgram(
  program: 'redis-server' | 'valkey-server',
  more: readonly string[],
): Promise<RedisServer> {
  const server = await startRealServer({
    program,
    configure: ({ folder, port }) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
      ...['--save', '', '--appendonly', 'no', ...more],
    ],
  });
  const url = `redis://127.0.0.1:${server.port}`;
  return {
    ...server,
    url,
    client(database = 0) {
      const client = new Redis(url, { db: database, maxRetriesPerRequest: null });
      client.on('error', () => {});
      onTestFinished(() => client.disconnect());
      return client;
    },
  };
}

/** A network between a client and a server that can be interrupted: nothing is refused, nothing arrives. */
export interface Network {
  readonly port: number;
  interrupt(): void;
  restore(): void;
  /** Cuts all connections after this number of bytes that clients send. */
  cutAfter(bytes: number): void;
  /** Cuts all connections; new ones lead to another port, as after a failover. */
  moveTo(port: number): void;
}

export async function networkTo(firstPort: number): Promise<Network> {
  const sockets = new Set<Socket>();
  let isUp = true;
  let port = firstPort;
  let untilCut = Number.POSITIVE_INFINITY;
  const cut = (): void => {
    untilCut = Number.POSITIVE_INFINITY;
    for (const socket of sockets) socket.destroy();
  };
  const pause = (socket: Socket): void => {
    socket.pause();
  };
  const server = createServer((near) => {
    const far = netConnect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => {
        const sent = data.subarray(0, from === near ? untilCut : data.length);
        if (from === near) untilCut -= sent.length;
        if (sent.length === data.length) to.write(sent);
        else to.end(sent, cut);
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (!isUp) pause(from);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    port: address.port,
    interrupt() {
      isUp = false;
      for (const socket of sockets) pause(socket);
    },
    restore() {
      isUp = true;
      for (const socket of sockets) socket.resume();
    },
    cutAfter(bytes) {
      untilCut = bytes;
    },
    moveTo(other) {
      port = other;
      cut();
    },
  };
}

/** A server that is not Redis, or an old one: it sends what `reply` says to every command. */
export async function listening(reply: (command: string) => string): Promise<{ readonly port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      // A chunk may have several commands.
      for (const command of data.toString().split(/(?=^\*\d)/m)) socket.write(reply(command));
    });
  });
  const { port, close } = await startListening(server);
  onTestFinished(close);
  return { port };
}

/** A Redis of a version that is refused. */
export function oldRedis(): Promise<{ readonly port: number }> {
  return redisOfVersion('5.0.14');
}

/** A Redis that says its version, and nothing else. */
export function redisOfVersion(version: string): Promise<{ readonly port: number }> {
  const info = `# Server\r\nredis_version:${version}\r\n`;
  return listening((command) => (/info/i.test(command) ? `$${info.length}\r\n${info}\r\n` : '+OK\r\n'));
}
