/** A TCP server for responses that no HTTP server sends: the test writes what each connection sends. */
import { createServer, type Socket } from 'node:net';
import { startListening } from './listening.ts';

export interface RawServer extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  readonly connections: number;
  readonly openSockets: number;
  close(): Promise<void>;
}

/** @param onRequest - called once a connection has sent something; `head` is what it sent first */
export async function startRawServer(
  onRequest: (socket: Socket, head: string, connection: number) => void,
  address = '127.0.0.1',
): Promise<RawServer> {
  let connections = 0;
  const server = createServer((socket) => {
    const connection = connections++;
    socket.once('data', (data) => onRequest(socket, data.toString('latin1'), connection));
  });
  const { port, sockets, close } = await startListening(server, address);
  return {
    origin: `http://${address}:${port}`,
    port,
    get connections() {
      return connections;
    },
    get openSockets() {
      return sockets.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * A port of loopback without a server, from below those that systems hand out: no server that another test starts
 * meanwhile gets it.
 */
export async function closedPort(): Promise<number> {
  const port = 10_000 + Math.floor(Math.random() * 20_000);
  return (await isFree(port)) ? port : closedPort();
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
