/** What the default client does beyond the contract of all clients: kept connections, and bodies that break. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { NodeHttpClient, type SiteClient } from '../../../src/fetch/client/http-client.ts';
import { NetworkGuard } from '../../../src/fetch/client/network-guard.ts';
import { bodyOf } from '../../../src/fetch/client/web-client.ts';
import type { WebResponse } from '../../../src/options/web-seam.ts';
import { type RawServer, startRawServer } from '../../server/raw-server.ts';

function makeClient(): Pick<SiteClient, 'request' | 'close'> {
  const guard = new NetworkGuard({ site: new URL('http://127.0.0.1'), allowPrivateNetworks: true });
  const client = new NodeHttpClient({
    connectTimeoutMs: 60_000,
    verifyTls: true,
    proxy: false,
  });
  onTestFinished(() => client.close());
  const siteClient = client.forSite({ isOwn: () => true, cookies: false, guard, maxSitemapBytes: 1e9 });
  return {
    request: (url, request) => siteClient.request(url, request),
    close: () => client.close(),
  };
}

async function responding(onRequest: (socket: Socket, connection: number) => void): Promise<RawServer> {
  const server = await startRawServer((socket, _head, connection) => onRequest(socket, connection));
  onTestFinished(() => server.close());
  return server;
}

function get(
  client: Pick<SiteClient, 'request' | 'close'>,
  url: string,
  signal = new AbortController().signal,
): Promise<WebResponse> {
  return client.request(url, { method: 'GET', redirect: 'manual', headers: {}, signal });
}

/** The text of a body, and the error that it ends with. */
async function readToTheEnd(response: WebResponse): Promise<{ text: string; error?: unknown }> {
  const body = bodyOf(response);
  let text = '';
  try {
    for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
      text += Buffer.from(chunk).toString();
    }
    return { text };
  } catch (error) {
    return { text, error };
  }
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK';

test('a request is sent again at once where the server closes a kept connection', async () => {
  const server = await responding((socket, connection) => {
    socket.write(OK);
    if (connection === 0) socket.once('data', () => socket.resetAndDestroy());
  });
  const client = makeClient();
  for (let i = 0; i < 2; i++) {
    expect(await readToTheEnd(await get(client, server.origin))).toEqual({ text: 'OK' });
    await sleep(10);
  }
  expect(server.connections).toBe(2);
});

test('a request is sent again where the end of an earlier response is taken for its response', async () => {
  const server = await responding((socket, connection) => {
    socket.write(OK);
    // The first response is longer than it declares; the rest of it is late.
    if (connection === 0) socket.once('data', () => socket.write('\n<!-- cached -->'));
  });
  const client = makeClient();
  for (let i = 0; i < 2; i++) {
    expect(await readToTheEnd(await get(client, server.origin))).toEqual({ text: 'OK' });
    await sleep(10);
  }
  expect(server.connections).toBe(2);
});

// Read at once, and by a slow reader.
test.each([0, 30])(
  'a response that is longer than it declares is read to its declared end',
  async (waitMs) => {
    const server = await responding((socket) => socket.write(`${OK}\n<!-- cached -->`));
    const response = await get(makeClient(), server.origin);
    await sleep(waitMs);
    expect(await readToTheEnd(response)).toEqual({ text: 'OK' });
  },
);

test('a request is sent again once, whatever else is kept', async () => {
  const server = await responding((socket) => {
    socket.write(OK);
    socket.once('data', () => socket.resetAndDestroy());
  });
  const client = makeClient();
  // Six at once make six connections, which are kept.
  await Promise.all(Array.from({ length: 6 }, async () => readToTheEnd(await get(client, server.origin))));
  await sleep(10);
  expect(await readToTheEnd(await get(client, server.origin))).toEqual({ text: 'OK' });
  expect(server.connections).toBe(7);
  await expect.poll(() => server.openSockets).toBe(1);
});

test('a request is not sent again where a new connection breaks', async () => {
  const server = await responding((socket) => socket.resetAndDestroy());
  await expect(get(makeClient(), server.origin)).rejects.toThrow();
  expect(server.connections).toBe(1);
});

test('a response on a kept connection may take longer than a connection is kept', async () => {
  const server = await responding((socket) => {
    socket.write(OK);
    socket.once('data', () => setTimeout(() => socket.write(OK), 4_500));
  });
  const client = makeClient();
  await readToTheEnd(await get(client, server.origin));
  await sleep(10);
  expect(await readToTheEnd(await get(client, server.origin))).toEqual({ text: 'OK' });
  expect(server.connections).toBe(1);
});

test('a kept connection is closed where something arrives that was not asked for', async () => {
  const server = await responding((socket) => {
    socket.write(OK);
    setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong'), 50);
  });
  const client = makeClient();
  await readToTheEnd(await get(client, server.origin));
  await expect.poll(() => server.openSockets).toBe(0);
  expect(await readToTheEnd(await get(client, server.origin))).toEqual({ text: 'OK' });
});

test.each<[string, string, (socket: Socket) => void]>([
  ['an invalid chunk size', 'HPE_INVALID_CHUNK_SIZE', (socket) => socket.end('ZZ\r\n')],
  ['a connection that ends', 'ECONNRESET', (socket) => socket.end()],
])('everything that arrived before %s is handed over, to a slow reader too', async (_what, code, end) => {
  const server = await responding((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    setTimeout(() => {
      socket.write('6\r\n world\r\n');
      end(socket);
    }, 20);
  });
  const response = await get(makeClient(), server.origin);
  await sleep(100);
  expect(await readToTheEnd(response)).toEqual({
    text: 'hello world',
    error: expect.objectContaining({ code }),
  });
});

test('some informational responses are skipped, and endless ones are a failure', async () => {
  const informational = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
  const server = await responding((socket, connection) => {
    socket.write(informational.repeat(connection === 0 ? 3 : 1000));
    if (connection === 0) socket.end(OK);
  });
  const client = makeClient();
  expect(await readToTheEnd(await get(client, server.origin))).toEqual({ text: 'OK' });
  await expect(get(client, server.origin)).rejects.toThrow('does not belong to the request');
});

test.each(['000', '099'])(
  'the status %s does not exist: the response is refused, and its connection closed',
  async (status) => {
    const server = await responding((socket) => {
      socket.write(`HTTP/1.1 ${status} What\r\nContent-Length: 9\r\n\r\nOK`);
    });
    await expect(get(makeClient(), server.origin)).rejects.toThrow('its status does not exist');
    await expect.poll(() => server.openSockets).toBe(0);
  },
);

test('an abort without a reason ends a request, too', async () => {
  const server = await responding((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nOK');
  });
  const client = makeClient();
  const unwanted = new AbortController();
  const response = await get(client, server.origin, unwanted.signal);
  setTimeout(() => unwanted.abort(null), 20);
  expect(await readToTheEnd(response)).toEqual({ text: 'OK', error: null });
  await expect(get(client, server.origin, unwanted.signal)).rejects.toBeNull();
});

test('all reads that wait for a body end when it is cancelled', async () => {
  const server = await responding((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nOK');
  });
  const { body } = await get(makeClient(), server.origin);
  if (body === null || !(Symbol.asyncIterator in body)) throw new TypeError('It can be iterated.');
  const iterator = body[Symbol.asyncIterator]();
  expect(await iterator.next()).toMatchObject({ done: false });
  const waiting = [iterator.next(), iterator.next()];
  await iterator.return?.();
  expect(await Promise.all(waiting)).toEqual([{ done: true }, { done: true }]);
  expect(await iterator.next()).toMatchObject({ done: true });
});

test('closing the client ends what is open', async () => {
  const server = await responding((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nOK');
  });
  const client = makeClient();
  const response = await get(client, server.origin);
  client.close();
  expect(await readToTheEnd(response)).toMatchObject({ error: expect.any(Error) });
  await expect.poll(() => server.openSockets).toBe(0);
  await expect(get(client, server.origin)).rejects.toThrow();
});
