/** Specification §15: what is wrong with a response of a custom client fails that sitemap, not the call. */
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { sitemapTreeForHomepage, streamPages, type WebClient } from '../../../src/index.ts';
import { index, urlset } from '../../support/documents.ts';

const SITE = 'https://example.org';
const GOOD = `${SITE}/good.xml`;
const BAD = `${SITE}/bad.xml`;
const sitemap = urlset(`${SITE}/from-bad`);

const headers = new Headers({ 'content-type': 'text/xml' });
const ok = { status: 200, headers };
const bytes = new TextEncoder().encode(sitemap);

/** A client for a site of two sitemaps, one of which gets this response. */
function clientWith(make: () => unknown): WebClient {
  return async (url) => {
    if (url === BAD) return make() as Response;
    if (url === `${SITE}/robots.txt`) return new Response(`Sitemap: ${SITE}/index.xml`);
    if (url === `${SITE}/index.xml`) return new Response(index(BAD, GOOD));
    return url === GOOD ? new Response(urlset(`${SITE}/page`)) : new Response('', { status: 404 });
  };
}

function locked(): ReadableStream {
  const stream = new Response(sitemap).body!;
  stream.getReader();
  return stream;
}

async function used(): Promise<Response> {
  const response = new Response(sitemap);
  await response.text();
  return response;
}

const throwing = (): never => {
  throw new Error('no such luck');
};
const yielding = (...chunks: unknown[]) =>
  (async function* () {
    yield* chunks;
  })();
const reading = (read: unknown) => ({ getReader: () => ({ read, cancel: throwing }) });
const iterating = (next: unknown) => ({ [Symbol.asyncIterator]: () => ({ next, return: throwing }) });

const MALFORMED: Record<string, () => unknown> = {
  'a response that is undefined': () => undefined,
  'a response that is null': () => null,
  'a response that is a text': () => sitemap,
  'a response that is a number': () => 200,
  'a response that is an array': () => [],
  'a response that is empty': () => ({}),
  'a status that is a text': () => ({ ...ok, status: '200', body: null }),
  'a status that is not a number': () => ({ ...ok, status: Number.NaN, body: null }),
  'a status with a fraction': () => ({ ...ok, status: 200.5, body: null }),
  'a status of 0': () => ({ ...ok, status: 0, body: null }),
  'a status of 1e9': () => ({ ...ok, status: 1e9, body: null }),
  'a status that throws': () => Object.defineProperty({ headers, body: null }, 'status', { get: throwing }),
  'Response.error()': () => Response.error(),
  'headers that are missing': () => ({ status: 200, body: bytes }),
  'headers that are null': () => ({ status: 200, headers: null, body: null }),
  'headers that are an object': () => ({ status: 200, headers: { 'content-type': 'text/xml' }, body: null }),
  'headers that are an array': () => ({ status: 200, headers: [['a', 'b']], body: null }),
  'headers whose get throws': () => ({ status: 200, headers: { get: throwing }, body: yielding(bytes) }),
  'headers whose get returns a number': () => ({
    status: 200,
    headers: { get: () => 5 },
    body: yielding(bytes),
  }),
  'headers whose get returns a promise': () => ({
    ...ok,
    headers: { get: async () => 'text/xml' },
    body: yielding(bytes),
  }),
  'a redirect whose location throws': () => ({
    status: 302,
    headers: { get: (name: string) => (name === 'location' ? throwing() : null) },
    body: null,
  }),
  'a body that is a text': () => ({ ...ok, body: sitemap }),
  'a body that is an array': () => ({ ...ok, body: [bytes] }),
  'a body that is bytes': () => ({ ...ok, body: bytes }),
  'a body that is a number': () => ({ ...ok, body: 5 }),
  'a body that is true': () => ({ ...ok, body: true }),
  'a body that is an empty object': () => ({ ...ok, body: {} }),
  'a body that is a function': () => ({ ...ok, body: () => yielding(bytes) }),
  'a body that throws': () => Object.defineProperty({ ...ok }, 'body', { get: throwing }),
  'a stream that is locked': () => ({ ...ok, body: locked() }),
  'a response that was read already': used,
  'a getReader that is not a function': () => ({ ...ok, body: { getReader: true } }),
  'a getReader that throws': () => ({ ...ok, body: { getReader: throwing } }),
  'a getReader that returns nothing': () => ({ ...ok, body: { getReader: () => undefined } }),
  'a reader without read': () => ({ ...ok, body: reading(undefined) }),
  'a reader that throws': () => ({ ...ok, body: reading(throwing) }),
  'a reader that rejects with nothing': () => ({ ...ok, body: reading(() => Promise.reject(undefined)) }),
  'a reader that gives nothing': () => ({ ...ok, body: reading(async () => undefined) }),
  'a reader that gives a text': () => ({ ...ok, body: reading(async () => ({ done: false, value: 'x' })) }),
  'an iterable that throws': () => ({ ...ok, body: { [Symbol.asyncIterator]: throwing } }),
  'an iterable without an iterator': () => ({ ...ok, body: { [Symbol.asyncIterator]: () => undefined } }),
  'an iterator without next': () => ({ ...ok, body: iterating(undefined) }),
  'an iterator that gives nothing': () => ({ ...ok, body: iterating(async () => undefined) }),
  'chunks that are texts': () => ({ ...ok, body: yielding(sitemap) }),
  'chunks that are numbers': () => ({ ...ok, body: yielding(1, 2, 3) }),
  'chunks that are null': () => ({ ...ok, body: yielding(null) }),
  'chunks that are arrays': () => ({ ...ok, body: yielding([60, 61]) }),
  'chunks that are a DataView': () => ({ ...ok, body: yielding(new DataView(bytes.buffer)) }),
  'a client that throws': throwing,
  'a client that throws nothing': () => {
    throw undefined;
  },
  'a client that throws a symbol': () => {
    throw Symbol('x');
  },
  'a client that throws an object without a prototype': () => {
    throw Object.create(null);
  },
};

describe('a malformed response of a custom client', () => {
  test.each(Object.entries(MALFORMED))('%s: a tree', async (_what, make) => {
    const options = { webClient: clientWith(make), useKnownPaths: false, retries: 0 };
    const tree = await sitemapTreeForHomepage(SITE, options);
    const found = [...tree.allSitemaps()].map((each) => [each.url, each.kind === 'invalid' ? each.code : '']);
    expect(found).toContainEqual([BAD, 'web-client']);
    expect(found).toContainEqual([GOOD, '']);
    expect([...tree.allPages()].map(({ url }) => url)).toEqual([`${SITE}/page`]);
    tree.close();
  });

  test.each(Object.entries(MALFORMED))('%s: a stream', async (_what, make) => {
    const failed: string[] = [];
    const stream = streamPages(SITE, {
      webClient: clientWith(make),
      useKnownPaths: false,
      retries: 0,
      onProgress: (event) => {
        if (event.type === 'failed') failed.push(`${event.url} ${event.code}`);
      },
    });
    const pages: string[] = [];
    for await (const { page } of stream) pages.push(page.url);
    expect(pages).toEqual([`${SITE}/page`]);
    expect(failed).toEqual([`${BAD} web-client`]);
  });
});

describe('what is not needed may be wrong', () => {
  const good = (more: object) => ({ ...ok, body: yielding(bytes), ...more });
  test.each<[string, () => unknown]>([
    ['a status text that is a number', () => good({ statusText: 5 })],
    ['a URL that is a number', () => good({ url: 5 })],
    ['a URL that is not one', () => good({ url: 'nonsense' })],
    ['problems that are a text', () => good({ problems: 'many' })],
    ['problems that are null', () => good({ problems: [null, 5, {}] })],
    ['headers that are a Map', () => good({ headers: new Map([['content-type', 'text/xml']]) })],
    ['chunks of another realm', () => good({ body: yielding(new (otherRealm())(bytes)) })],
    ['chunks of another realm that are a part of a buffer', () => good({ body: yielding(partOfBuffer()) })],
    ['a cancel that throws', () => good({ body: reading(onceThenEnd()) })],
  ])('%s', async (_what, make) => {
    const options = { webClient: clientWith(make), useKnownPaths: false, retries: 0 };
    const tree = await sitemapTreeForHomepage(SITE, options);
    expect([...tree.allPages()].map(({ url }) => url)).toEqual([`${SITE}/from-bad`, `${SITE}/page`]);
    tree.close();
  });

  test('the status text of a failure', async () => {
    const options = { useKnownPaths: false, retries: 0 };
    const response = { status: 404, statusText: 5, headers, body: null };
    const tree = await sitemapTreeForHomepage(SITE, { ...options, webClient: clientWith(() => response) });
    expect([...tree.allSitemaps()].map((each) => (each.kind === 'invalid' ? each.code : ''))).toContain(
      'http-status',
    );
    tree.close();
  });
});

function onceThenEnd(): () => Promise<object> {
  const chunks = [bytes];
  return async () => {
    const value = chunks.pop();
    return { done: value === undefined, value };
  };
}

function otherRealm(): typeof Uint8Array {
  return runInNewContext('Uint8Array');
}

/** The document, of another realm, behind another one in its buffer. */
function partOfBuffer(): Uint8Array {
  const other = Buffer.from(urlset(`${SITE}/not-of-this-document`));
  return new (otherRealm())(Buffer.concat([other, bytes])).subarray(other.length);
}
