/** Specification §15: which unused connections are kept, over all hosts. */
import type { ClientRequest } from 'node:http';
import { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Connections } from '../../../src/fetch/client/http-request.ts';

test('of unused connections the 64 that were used last are kept, and none that is in use is closed', () => {
  const connections = new Connections();
  const sockets = Array.from({ length: 73 }, () => new Socket());
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    connections.destroy();
  });
  const keep = (from: number, to: number): void => {
    for (const socket of sockets.slice(from, to)) connections.keepSocketAlive(socket);
  };
  const closed = (): number[] => [...sockets.keys()].filter((at) => sockets[at]?.destroyed);
  keep(0, 64);
  expect(closed()).toEqual([]);
  keep(64, 67);
  expect(closed()).toEqual([0, 1, 2]);
  // One that is used again is not the oldest any more, neither while it is in use nor when it is kept again.
  connections.reuseSocket(sockets[3]!, {} as ClientRequest);
  keep(67, 69);
  expect(closed()).toEqual([0, 1, 2, 4]);
  keep(3, 4);
  keep(69, 73);
  expect(closed()).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9]);
});
