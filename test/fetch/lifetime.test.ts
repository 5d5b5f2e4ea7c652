/** Specification §5 and §8, "stopping early closes every connection": no socket, timer or promise outlives its call. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/runtime/time.ts';
import { startRawServer } from '../server/raw-server.ts';
import { collectAll, failed, fetching, memorySink, opened, readAll, serving } from '../support/fetching.ts';

const text = 'https://example.org/page\n'.repeat(400_000);

const rejections: unknown[] = [];
const note = (reason: unknown): void => {
  rejections.push(reason);
};
beforeAll(() => {
  process.on('unhandledRejection', note);
});
afterAll(async () => {
  await delay(50);
  process.off('unhandledRejection', note);
  expect(rejections).toEqual([]);
});

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
    const document = opened(await fetching(server.origin).fetch(`${server.origin}/s.txt`));
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

  test.each([
    ['before the response', { silent: true }],
    ['inside the body', { body: text, stallAfter: 100_000 }],
    ['while backing off', { status: 503 }],
    ['while its host is paused', { status: 503, headers: { 'retry-after': '100' } }],
  ])('after an abort %s, which rejects with its reason', async (_when, response) => {
    const server = await serving({ '/s.txt': response });
    const controller = new AbortController();
    const fetcher = fetching(server.origin, { signal: controller.signal }, real);
    const reason = new Error('enough');
    const reading = fetcher.fetch(`${server.origin}/s.txt`).then(collectAll);
    const refused = expect(reading).rejects.toBe(reason);
    await expect.poll(() => server.requests.length).toBe(1);
    await delay(30);
    controller.abort(reason);
    await refused;
    await fetcher.close();
    await server.allSocketsClosed();
  });

  test('after a signal that was aborted before', async () => {
    const server = await serving({ '/s.txt': text });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(fetching(server.origin, { signal }).fetch(`${server.origin}/s.txt`)).rejects.toThrow(
      'enough',
    );
    await expect(fetching(server.origin).fetch(`${server.origin}/s.txt`, { signal })).rejects.toThrow(
      'enough',
    );
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

describe('backpressure', () => {
  test('a consumer that stops reading stalls the server', async () => {
    const body = Buffer.alloc(200_000_000, 'https://example.org/\n');
    const server = await serving({ '/s.txt': { body, chunked: true } });
    const document = opened(await fetching(server.origin).fetch(`${server.origin}/s.txt`));
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
    const document = opened(await fetching(server.origin).fetch(`${server.origin}/s.txt`));
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

describe('the process exits by itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'usp-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const bundle = join(folder, 'fetch.mjs');
  beforeAll(async () => {
    const at = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
    await build({
      stdin: {
        contents: `export { createNetwork } from ${at('../../src/fetch/network.ts')};
          export { resolveOptions } from ${at('../../src/options/resolve.ts')};`,
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: bundle,
    });
  });

  test.each([
    [
      'when everything was read',
      'for await (const chunk of document.bytes()) total += chunk.length;',
      '/s.txt',
    ],
    [
      'after a break',
      'for await (const chunk of document.bytes()) { total += chunk.length; break; }',
      '/s.txt',
    ],
    [
      'after a stall that was broken off',
      'for await (const chunk of document.bytes()) { total += chunk.length; break; }',
      '/stall',
    ],
    ['after a retry was given up', 'total = document.type === "failed" ? 1 : 0;', '/gone'],
  ])(
    '%s',
    async (_when, use, path) => {
      const server = await serving({
        '/s.txt': text,
        '/stall': { body: text, stallAfter: 1000 },
        '/gone': { status: 404 },
      });
      const script = `
      import { createNetwork, resolveOptions } from ${JSON.stringify(pathToFileURL(bundle).href)};
      const options = resolveOptions({ proxy: false }, 'tree');
      const network = createNetwork(options);
      const fetcher = network.forSite(new URL('${server.origin}'), options);
      const document = await fetcher.fetch('${server.origin}${path}');
      let total = 0;
      ${use}
      await network.close();
      process.stdout.write(String(total > 0));`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
      let output = '';
      child.stdout.on('data', (data) => {
        output += data;
      });
      child.stderr.on('data', (data) => {
        output += data;
      });
      const code = await new Promise((resolve) => child.once('exit', resolve));
      expect([code, output]).toEqual([0, 'true']);
    },
    20_000,
  );
});
