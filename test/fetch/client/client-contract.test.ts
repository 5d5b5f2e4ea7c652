/** One contract for every client (ARCHITECTURE, the web client): the default one, the global fetch, a wrapped one. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NodeHttpClient } from '../../../src/fetch/client/http-client.ts';
import { NetworkGuard } from '../../../src/fetch/client/network-guard.ts';
import { bodyOf } from '../../../src/fetch/client/web-client.ts';
import { fetchErrorOf } from '../../../src/fetch/fetch-failure.ts';
import type { SitemapOptions } from '../../../src/options/options.ts';
import type { WebClient, WebResponse } from '../../../src/options/web-seam.ts';
import { closedPort, startRawServer } from '../../server/raw-server.ts';
import { fetching, readAll, serving } from '../../support/fetching.ts';

// `webClient: fetch` type-checks: these lines are the test.
const asOption: SitemapOptions = { webClient: fetch };
const wrapped: WebClient = async (url, request) => {
  const response = await fetch(url, request);
  return { status: response.status, headers: response.headers, body: response.body };
};

function defaultClient(): WebClient {
  const guard = new NetworkGuard({ site: new URL('http://127.0.0.1'), allowPrivateNetworks: true });
  const client = new NodeHttpClient({
    connectTimeoutMs: 60_000,
    verifyTls: true,
    proxy: false,
  });
  onTestFinished(() => client.close());
  const siteClient = client.forSite({ isOwn: () => true, cookies: false, guard, maxSitemapBytes: 1e9 });
  return (url, request) => siteClient.request(url, request);
}

const CLIENTS: Record<string, () => WebClient> = {
  'the default client': defaultClient,
  'the global fetch': () => asOption.webClient!,
  'a wrapped fetch': () => wrapped,
};

const text = '<urlset>'.padEnd(200_000, 'x');

async function get(
  client: WebClient,
  url: string,
  headers: Record<string, string> = {},
): Promise<WebResponse> {
  return client(url, { method: 'GET', redirect: 'manual', headers, signal: new AbortController().signal });
}

async function textOf(response: WebResponse): Promise<string> {
  const body = bodyOf(response);
  const chunks: Uint8Array[] = [];
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe.each(Object.entries(CLIENTS))('%s', (_name, make) => {
  test('gives status, headers and body', async () => {
    const server = await serving({
      '/a?b=1': { status: 201, headers: { 'content-type': 'text/xml; charset=utf-8' }, body: text },
    });
    const response = await get(make(), `${server.origin}/a?b=1`, { 'x-own': 'yes' });
    expect(response.status).toBe(201);
    expect(response.headers.get('Content-Type')).toBe('text/xml; charset=utf-8');
    expect(response.headers.get('nothing')).toBeNull();
    expect(response.url || `${server.origin}/a?b=1`).toBe(`${server.origin}/a?b=1`);
    expect(await textOf(response)).toBe(text);
    expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/a?b=1', headers: { 'x-own': 'yes' } });
  });

  test.each([301, 302, 303, 307, 308])('gives a %i as it is and does not follow it', async (status) => {
    const server = await serving({ '/old': { status, redirect: '/new' } });
    const response = await get(make(), `${server.origin}/old`);
    expect(response.status).toBe(status);
    expect(response.headers.get('location')).toBe('/new');
    expect(server.paths()).toEqual(['/old']);
    await bodyOf(response).cancel();
  });

  test.each([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
  ])('decodes the content encoding %s', async (encoding, body) => {
    const server = await serving({ '/': { headers: { 'content-encoding': encoding }, body } });
    expect(await textOf(await get(make(), `${server.origin}/`))).toBe(text);
    expect(server.requests[0]?.headers['accept-encoding']).toMatch(/gzip/);
  });

  test.each([
    ['a length', {}],
    ['no length', { chunked: true }],
  ])('reports a body that is truncated, with %s', async (_what, how) => {
    const server = await serving({ '/': { body: text, truncateAfter: 1000, ...how } });
    const response = await get(make(), `${server.origin}/`);
    await expect(
      textOf(response).catch((error) => Promise.reject(fetchErrorOf(error))),
    ).rejects.toMatchObject({
      code: 'reset',
      retryable: true,
    });
  });

  test('reports a refused connection', async () => {
    const error = await get(make(), `http://127.0.0.1:${await closedPort()}/`).catch(fetchErrorOf);
    expect(error).toMatchObject({ code: 'refused', retryable: false, connected: false });
  });

  test('reports a name that does not resolve', async () => {
    const error = await get(make(), 'http://does-not-exist.invalid/').catch(fetchErrorOf);
    expect(error).toMatchObject({ code: 'unresolved', retryable: false, connected: false });
  });

  test('reports a server that hangs up', async () => {
    const server = await serving({ '/': { hangUp: true } });
    const error = await get(make(), `${server.origin}/`).catch(fetchErrorOf);
    expect(error).toMatchObject({ code: 'reset', retryable: true, connected: true });
  });

  test('reports a response that is not HTTP', async () => {
    const server = await startRawServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    onTestFinished(() => server.close());
    const error = await get(make(), `${server.origin}/`).catch(fetchErrorOf);
    expect(error).toMatchObject({ code: 'bad-response', retryable: false });
  });

  test('reports a certificate that is not valid', async () => {
    const server = await serving({ '/': 'secret' }, { tls: true });
    const error = await get(make(), `${server.origin}/`).catch(fetchErrorOf);
    expect(error).toMatchObject({ code: 'tls', retryable: false });
  });

  test.each([
    ['an error', new Error('enough')],
    ['a text', 'enough'],
    ['a symbol', Symbol('enough')],
  ])('heeds its signal before the response and inside the body: %s', async (_what, reason) => {
    const server = await serving({ '/never': { silent: true }, '/half': { body: text, stallAfter: 1000 } });
    const client = make();
    for (const path of ['/never', '/half']) {
      const controller = new AbortController();
      const request = { method: 'GET', redirect: 'manual', headers: {}, signal: controller.signal } as const;
      setTimeout(() => controller.abort(reason), 30);
      await expect(client(server.origin + path, request).then(textOf)).rejects.toBe(reason);
    }
  });

  test('uses connections again', async () => {
    const server = await serving({ '/': text });
    const client = make();
    for (let i = 0; i < 10; i++) await textOf(await get(client, `${server.origin}/`));
    // One, or two: a request in the very tick in which a body ends does not find its connection free yet.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  test('closes the connection of a body that is cancelled, read or unread', async () => {
    const asked: Promise<unknown>[] = [];
    const server = await startRawServer((socket) => {
      // Only connections that got a request: the fetch of Node 20 opens another one in advance.
      asked.push(new Promise((resolve) => socket.once('close', resolve)));
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text.slice(0, 100_000)}`);
    });
    onTestFinished(() => server.close());
    const client = make();
    const unread = bodyOf(await get(client, `${server.origin}/`));
    await unread.cancel();
    const read = bodyOf(await get(client, `${server.origin}/`));
    await read.read();
    await read.cancel();
    expect(asked).toHaveLength(2);
    await Promise.all(asked);
  });

  test('carries a whole document, redirect and retry included', async () => {
    const server = await serving({
      '/old': { redirect: '/new' },
      '/new': { script: [{ status: 503 }, { body: text, truncateAfter: 5000 }, { body: text, gzip: true }] },
    });
    const webClient = make();
    const outcome = await fetching(server.origin, { webClient }).fetch(`${server.origin}/old`);
    const { text: got, end } = await readAll(outcome);
    expect(got).toBe(text);
    expect(end).toEqual({ truncated: false, problems: [] });
    expect(outcome).toMatchObject({ url: `${server.origin}/new`, redirected: true });
  });
});
