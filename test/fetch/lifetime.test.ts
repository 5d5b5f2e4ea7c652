/**
 * Specification §5 and §8, "stopping early closes every connection": no socket, timer or promise outlives its call. Aborts
 * are in test/crawl/abort.test.ts, and that a process ends by itself is in test/stream.test.ts.
 */
import { randomBytes } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/runtime/time.ts';
import { startRawServer } from '../server/raw-server.ts';
import { failed, fetched, fetching, memorySink, opened, readAll, serving } from '../support/fetching.ts';
import { expectNoRejections } from '../support/rejections.ts';

const text = 'https://example.org/page\n'.repeat(400_000);

expectNoRejections();

const real = { clock: systemClock };

describe('all sockets are closed', () => {
  test('after an early break', async () => {
    // More than a kernel holds. It cannot be compressed, so nothing tries to.
    const noise = gzipSync(randomBytes(6_000_000), { level: 0 });
    const server = await serving({ '/s.txt': { body: noise }, '/t.txt': text });
    for (const path of ['/s.txt', '/t.txt']) {
      const document = opened(await fetching(server.origin).fetch(server.origin + path));
      for await (const _ of document.bytes()) break;
      await server.allSocketsClosed();
      expect(document.end).toBeUndefined();
    }
  });

  test('after a document is closed, unread', async () => {
    const server = await serving({ '/s.txt': text });
    const document = opened(await fetched(server, '/s.txt'));
    await document.close();
    await document.close();
    await server.allSocketsClosed();
  });

  test('after a document is closed while its next byte is waited for', async () => {
    const server = await serving({ '/s.txt': { body: text, stallAfter: 100_000 } });
    const document = opened(await fetching(server.origin, {}, real).fetch(`${server.origin}/s.txt`));
    const reading = readAll(document);
    const refused = expect(reading).rejects.toMatchObject({ code: 'closed' });
    await delay(30);
    await document.close();
    await refused;
    await server.allSocketsClosed();
    expect(server.requests).toHaveLength(1);
  });

  test('after a signal that was aborted before', async () => {
    const server = await serving({ '/s.txt': text });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(fetching(server.origin, { signal }).fetch(`${server.origin}/s.txt`)).rejects.toThrow(
      'enough',
    );
    await expect(fetched(server, '/s.txt', { signal })).rejects.toThrow('enough');
    expect(server.connections).toBe(0);
  });

  test('after the network is closed, with documents open, waiting and connecting', async () => {
    const server = await serving({ '*': { body: text, stallAfter: 1000 } });
    const silent = await startRawServer(() => {});
    onTestFinished(() => silent.close());
    const fetcher = fetching(server.origin, { perHostConcurrency: 2, allowPrivateNetworks: true }, real);
    const outcomes = [
      ...['/1', '/2', '/3', '/4'].map((path) => fetcher.fetch(server.origin + path).then(readAll)),
      fetcher.fetch(`https://127.0.0.1:${silent.port}/`),
    ].map((outcome) =>
      outcome.then(
        () => 'finished',
        (error) => error.code,
      ),
    );
    await expect.poll(() => [server.requests.length, silent.openSockets]).toEqual([2, 1]);
    await fetcher.close();
    expect(await Promise.all(outcomes)).toEqual(['closed', 'closed', 'closed', 'closed', 'closed']);
    await server.allSocketsClosed();
    await expect.poll(() => silent.openSockets).toBe(0);
  });

  test('once the network is closed, keep-alive connections too', async () => {
    const server = await serving({ '*': 'x' });
    const fetcher = fetching(server.origin);
    await Promise.all(
      ['/1', '/2', '/3'].map(async (path) => readAll(await fetcher.fetch(server.origin + path))),
    );
    expect(server.openSockets).toBeGreaterThan(0);
    await fetcher.close();
    await server.allSocketsClosed();
  });

  test('after failures, except those that are kept alive', async () => {
    const server = await serving({
      '/x': { status: 404, body: 'x'.repeat(1e6) },
      '/y': { status: 404, body: 'short' },
    });
    const fetcher = fetching(server.origin);
    failed(await fetcher.fetch(`${server.origin}/x`));
    failed(await fetcher.fetch(`${server.origin}/y`));
    failed(await fetcher.fetch(`${server.origin}/y`));
    expect(server.openSockets).toBeLessThanOrEqual(1);
  });
});

test('a signal that outlives its calls has no listener of theirs', async () => {
  const server = await serving({ '/s.txt': text, '/gone': { status: 404 }, '/old': { redirect: '/s.txt' } });
  const { signal } = new AbortController();
  for (const path of ['/s.txt', '/gone', '/old']) {
    const fetcher = fetching(server.origin, { signal });
    const outcome = await fetcher.fetch(server.origin + path);
    if (path === '/old') await opened(outcome).close();
    await fetcher.close();
    expect(getEventListeners(signal, 'abort'), path).toEqual([]);
  }
});

describe('backpressure', () => {
  test('a consumer that stops reading stalls the server', async () => {
    const body = Buffer.alloc(200_000_000, 'https://example.org/\n');
    const server = await serving({ '/s.txt': { body, chunked: true } });
    const document = opened(await fetched(server, '/s.txt'));
    const bytes = document.bytes();
    await bytes.next();
    await server.hasStoppedSending();
    const before = { sent: server.bytesSent, memory: process.memoryUsage().arrayBuffers };
    expect(before.sent).toBeLessThan(50_000_000);
    await delay(200);
    expect(server.bytesSent).toBe(before.sent);
    expect(process.memoryUsage().arrayBuffers - before.memory).toBeLessThan(10_000_000);
    await bytes.return?.();
    await server.allSocketsClosed();
  });

  test('a slow sink slows the download', async () => {
    const server = await serving({ '/s.txt': { body: Buffer.alloc(5_000_000, 'x') } });
    const document = opened(await fetched(server, '/s.txt'));
    let writing = 0;
    let bytes = 0;
    await document.collect(() => ({
      ...memorySink(),
      async write(chunk) {
        bytes += chunk.length;
        expect(++writing).toBe(1);
        await delay(1);
        writing--;
      },
    }));
    expect(bytes).toBe(5_000_000);
  });
});
