/** Specification §8, `webClient`: a whole call through the global `fetch`, and through a wrapped one. */
import { describe, expect, test } from 'vitest';
import { type SitemapOptions, sitemapTreeForHomepage, streamPages, type WebClient } from '../../src/index.ts';
import type { Site } from '../server/scripted-server.ts';
import { outline, siteOf, timesAsked, treeOf } from '../support/crawled-site.ts';
import { index, robots, urlset } from '../support/documents.ts';

const site: Site = {
  '/robots.txt': ['/index.xml'],
  '/index.xml': ['/a.xml', '/b.xml.gz', '/old.xml', '/gone.xml'],
  '/a.xml': { body: urlset('https://example.org/1'), headers: { 'content-type': 'text/plain' } },
  '/b.xml.gz': { body: urlset('https://example.org/2', 'https://example.org/3'), gzip: true },
  '/old.xml': { redirect: '/new.xml' },
  '/new.xml': urlset('https://example.org/4'),
  '/sitemap.xml': { redirect: '/index.xml' },
};

const wrapped: WebClient = async (url, request) => {
  const response = await fetch(url, request);
  return { status: response.status, headers: response.headers, body: response.body };
};

const clients: readonly [string, SitemapOptions][] = [
  ['the default client', { proxy: false }],
  ['webClient: fetch', { webClient: fetch }],
  ['a wrapped fetch', { webClient: wrapped }],
];

describe.each(clients)('%s', (_name, client) => {
  test('gives the tree', async () => {
    const server = await siteOf(site);
    const tree = await treeOf(server, { ...client, retries: 0 });
    expect(outline(tree, server)).toEqual([
      'robots-txt /robots.txt',
      '  index-xml /index.xml',
      '    pages-xml /a.xml 1',
      '    pages-xml /b.xml.gz 2',
      '    pages-xml /new.xml (/old.xml) 1',
      '    invalid /gone.xml http-status',
    ]);
  });

  test('gives the stream', async () => {
    const server = await siteOf(site);
    const urls: string[] = [];
    for await (const { page } of streamPages(server.origin, { ...client, retries: 0 })) urls.push(page.url);
    expect(urls.sort()).toEqual([1, 2, 3, 4].map((n) => `https://example.org/${n}`));
  });
});

test.each(['proxy', 'verifyTls', 'allowPrivateNetworks', 'connectTimeoutMs'])(
  'webClient together with %s throws, before anything is fetched',
  async (name) => {
    const value = { proxy: false, verifyTls: true, allowPrivateNetworks: true, connectTimeoutMs: 1 }[name];
    let calls = 0;
    const webClient: WebClient = async () => {
      calls++;
      return new Response('');
    };
    await expect(
      sitemapTreeForHomepage('https://example.org', { webClient, [name]: value }),
    ).rejects.toMatchObject({
      code: 'bad-option',
      message: expect.stringContaining(name),
    });
    expect(calls).toBe(0);
  },
);

describe('a client that responds from memory, and never waits', () => {
  const children = Array.from({ length: 6_000 }, (_, at) => `https://a.example/${at}.xml`);
  const documents = new Map([
    ['/robots.txt', robots('https://a.example/index.xml')],
    ['/index.xml', index(...children)],
  ]);
  const options: SitemapOptions = {
    useKnownPaths: false,
    webClient: async (url) => {
      const { pathname } = new URL(url);
      return new Response(documents.get(pathname) ?? urlset(`https://a.example/page${pathname}`));
    },
  };
  const tree = (more: SitemapOptions) => sitemapTreeForHomepage('https://a.example', { ...options, ...more });

  test('does not delay the end of maxTimeMs until everything was read', async () => {
    const site = await tree({ maxTimeMs: 100 });
    expect([site.stopped?.limit, site.outcome]).toEqual(['maxTimeMs', 'partial']);
    site.close();
  });

  test('does not delay a signal', async () => {
    await expect(tree({ signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

test('a client that throws is a failure of the URL, not of the call', async () => {
  const tree = await sitemapTreeForHomepage('https://example.org', {
    retries: 0,
    webClient: async () => {
      throw new Error('no such luck');
    },
  });
  expect(tree).toMatchObject({ subSitemaps: [], complete: false });
  expect(tree.problems[0]!.message).toContain('no such luck');
  tree.close();
});

test('a fetch that cannot decode a response says so, and does not try again', async () => {
  const body = urlset('https://example.org/1');
  const server = await siteOf({
    '/robots.txt': ['/a.xml'],
    '/a.xml': { body, headers: { 'content-encoding': 'gzip' } },
  });
  const { code, reason } = await treeOf(server, { webClient: fetch, useKnownPaths: false });
  expect(code).toBe('bad-response');
  expect(reason).toContain('not in the content encoding that it declares');
  expect(timesAsked(server, '/a.xml')).toBe(1);
});

test('the cause of a fetch that failed is named', async () => {
  // A port that a fetch refuses to connect to.
  const server = await siteOf({
    '/robots.txt': ['/a.xml'],
    '/a.xml': { redirect: 'https://example.org:1/b.xml' },
  });
  const { reason } = await treeOf(server, { webClient: fetch, useKnownPaths: false });
  expect(reason).toContain('the web client failed: fetch failed: bad port');
});

test('a cause without words is not named', async () => {
  const webClient = () =>
    Promise.reject(new Error('no luck', { cause: new AggregateError([new Error('rain')]) }));
  const { reason } = await treeOf({ origin: 'http://a.example' }, { webClient, useKnownPaths: false });
  expect(reason).toContain('the web client failed: no luck: rain');
});

test('a host name that is too long does not resolve', async () => {
  const tree = await treeOf({ origin: `http://${'a'.repeat(300)}.example` });
  expect(tree).toMatchObject({ outcome: 'failed', code: 'unresolved' });
});

describe('§5 the outcome where a web client never reached the site is failed', () => {
  const response = (status: number): WebClient => {
    return () => Promise.resolve(new Response(null, { status }));
  };
  const broken = (value: unknown): WebClient => (() => Promise.resolve(value)) as unknown as WebClient;
  test.each<[string, WebClient, string]>([
    ['it throws', () => Promise.reject(new Error('not stubbed')), 'web-client'],
    ['it returns nothing', broken(undefined), 'web-client'],
    ['it returns an object that is not a response', broken({ ok: true }), 'web-client'],
    ['every response is a redirect without a target', response(301), 'redirects'],
    ['every response has the status 418', response(418), 'http-status'],
  ])('%s', async (_, webClient, code) => {
    const tree = await treeOf({ origin: 'https://a.example' }, { webClient, useKnownPaths: true });
    expect(tree).toMatchObject({ outcome: 'failed', code });
  });

  test('and none where one response is 404', async () => {
    const webClient: WebClient = (url) =>
      Promise.resolve(new Response(null, { status: url.endsWith('/sitemap.xml') ? 404 : 418 }));
    const tree = await treeOf({ origin: 'https://a.example' }, { webClient, useKnownPaths: true });
    expect(tree.outcome).toBe('none');
  });
});
