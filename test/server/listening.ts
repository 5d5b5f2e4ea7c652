/** What servers of this folder share: where they listen, and how all of their connections are closed. */
import type { AddressInfo, Server, Socket } from 'node:net';

export interface Listening {
  readonly port: number;
  /** The connections that are open. */
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

/** Starts a server of any protocol on a free port. */
export async function startListening(server: Server, address = '127.0.0.1'): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => kept(sockets, socket));
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A connection that is closed with the others. */
export function kept(sockets: Set<Socket>, socket: Socket): Socket {
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => sockets.delete(socket));
  return socket;
}
