/** Specification §2, "At most 10 redirects, followed by us": where they lead and where they must not. */
import { describe, expect, test } from 'vitest';
import type { FetchResult } from '../../../src/fetch/fetch-document.ts';
import { redirectTarget } from '../../../src/fetch/rules/redirects.ts';
import type { WebClient } from '../../../src/options/web-seam.ts';
import type { Site } from '../../server/scripted-server.ts';
import { failed, fetched, fetching, opened, readAll, serving } from '../../support/fetching.ts';

const chain = (length: number): Site =>
  Object.fromEntries([
    ...Array.from({ length }, (_, i) => [`/hop-${i}`, { redirect: `/hop-${i + 1}` }]),
    [`/hop-${length}`, 'arrived'],
  ]);

/** A client of a caller that redirects some URLs, and responds to the others. */
function redirecting(targets: Readonly<Record<string, string>>, requested: string[]): WebClient {
  return async (url) => {
    requested.push(url);
    const location = targets[url];
    if (location === undefined) return new Response('arrived');
    return new Response(null, { status: 302, headers: { location } });
  };
}

/** What an archive gets of a failure. */
const responsesOf = (outcome: FetchResult): string[] =>
  failed(outcome).responses.map(({ status, url }) => `${status} ${new URL(url).pathname}`);

describe('§2 redirects', () => {
  test.each([301, 302, 303, 307, 308])('%i is followed', async (status) => {
    const server = await serving({ '/old': { status, redirect: '/new' }, '/new': 'arrived' });
    const outcome = opened(await fetched(server, '/old'));
    expect((await readAll(outcome)).text).toBe('arrived');
    expect(outcome).toMatchObject({
      url: `${server.origin}/new`,
      redirected: true,
    });
    expect(server.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  test.each([300, 304, 305, 306])('%i is not followed', async (status) => {
    const server = await serving({ '/old': { status, redirect: '/new' }, '/new': 'arrived' });
    expect(failed(await fetched(server, '/old'))).toMatchObject({ code: 'http-status', status });
    expect(server.paths()).toEqual(['/old']);
  });

  test('a relative Location is resolved against the hop that sent it', async () => {
    const server = await serving({
      '/a': { redirect: '/deep/b' },
      '/deep/b': { redirect: 'c' },
      '/deep/c': 'arrived',
    });
    expect((await readAll(await fetched(server, '/a'))).text).toBe('arrived');
  });

  test.each([
    [10, undefined, 'arrived'],
    [11, undefined, undefined],
    [3, 3, 'arrived'],
    [4, 3, undefined],
    [1, 0, undefined],
    [0, 0, 'arrived'],
  ])('%i of them with maxRedirects %j', async (length, maxRedirects, text) => {
    const server = await serving(chain(length));
    const outcome = await fetching(server.origin, { maxRedirects }).fetch(`${server.origin}/hop-0`);
    if (text !== undefined) return expect((await readAll(outcome)).text).toBe(text);
    expect(failed(outcome)).toMatchObject({ code: 'redirects', status: 302 });
    expect(server.requests).toHaveLength((maxRedirects ?? 10) + 1);
    expect(responsesOf(outcome)).toEqual(server.paths().map((path) => `302 ${path}`));
  });

  test.each([
    ['to itself', { '/a': { redirect: '/a' } }],
    ['in a circle', { '/a': { redirect: '/b' }, '/b': { redirect: '/c' }, '/c': { redirect: '/a' } }],
    ['to itself with a fragment', { '/a': { redirect: '/a#top' } }],
  ])('one that leads %s is refused', async (_what, site) => {
    const server = await serving(site);
    const failure = failed(await fetched(server, '/a'));
    expect(failure.code).toBe('redirects');
    expect(failure.reason).toContain(`redirects in a circle, back to ${server.origin}/a`);
    expect(failure.status).toBe(302);
    expect(responsesOf(failure)).toEqual(server.paths().map((path) => `302 ${path}`));
  });

  test('a redirect to what the caller has read is not followed', async () => {
    const server = await serving({ '/a': { redirect: '/b' }, '/b': { redirect: '/c' }, '/c': 'arrived' });
    const isRead = async (url: URL): Promise<boolean> => url.pathname === '/c';
    const outcome = await fetched(server, '/a', { isRead });
    expect(outcome).toMatchObject({
      type: 'same-as',
      url: `${server.origin}/c`,
      hops: [
        { url: `${server.origin}/a`, status: 302 },
        { url: `${server.origin}/b`, status: 302 },
      ],
    });
    expect(server.paths()).toEqual(['/a', '/b']);
    // Asked for by its own name, it is fetched.
    expect((await readAll(await fetched(server, '/c', { isRead }))).text).toBe('arrived');
  });

  test.each([
    ['without Location', { status: 302 }, 'without a target'],
    ['with an empty Location', { status: 301, headers: { location: '' } }, 'without a target'],
    ['to file:', { redirect: 'file:///etc/passwd' }, 'file:'],
    ['to ftp:', { redirect: 'ftp://example.org/' }, 'ftp:'],
    ['to data:', { redirect: 'data:text/xml,<urlset/>' }, 'data:'],
    ['to javascript:', { redirect: 'javascript:alert(1)' }, 'javascript:'],
    ['to something that is not a URL', { redirect: 'http://[' }, 'not a URL'],
  ])('one %s is refused and not retried', async (_what, response, says) => {
    const server = await serving({ '/a': response });
    const failure = failed(await fetched(server, '/a'));
    expect(failure.code).toBe('redirects');
    expect(failure.status).toBeGreaterThan(300);
    expect(failure.reason).toContain(says);
    expect(server.requests).toHaveLength(1);
  });

  test('the last hop decides about retries, which start at the first', async () => {
    const server = await serving({
      '/old': { redirect: '/new' },
      '/new': { script: [{ status: 503 }, { body: 'arrived' }] },
    });
    expect((await readAll(await fetched(server, '/old'))).text).toBe('arrived');
    expect(server.paths()).toEqual(['/old', '/new', '/old', '/new']);
  });

  test.each([
    ['a status', { status: 404 }, 'the server responded with 404 Not Found', ['404 /c']],
    ['a connection that breaks', { hangUp: true }, 'the connection broke', []],
    ['a body that breaks at once', { body: 'x', truncateAfter: 0 }, 'the connection broke', []],
    ['a redirect without a target', { status: 302 }, 'redirects without a target', ['302 /c']],
  ])(
    '§15 a failure behind one by %s names both URLs, and has all responses',
    async (_what, last, says, own) => {
      const server = await serving({ '/a': { redirect: '/b' }, '/b': { redirect: '/c' }, '/c': last });
      const failure = failed(await fetching(server.origin, { retries: 0 }).fetch(`${server.origin}/a`));
      expect(failure.reason).toBe(`${server.origin}/a redirects to ${server.origin}/c: ${says}.`);
      expect(failure.error).toMatchObject({ url: `${server.origin}/a`, message: failure.reason });
      expect(responsesOf(failure)).toEqual(['302 /a', '302 /b', ...own]);
    },
  );

  test('§15 a failure behind one to a host that does not resolve names that host', async () => {
    const resolve = async (name: string): Promise<{ address: string; family: number }[]> => {
      if (name === 'site.test') return [{ address: '127.0.0.1', family: 4 }];
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    const server = await serving({ '/a': { redirect: 'http://gone.test/b' } });
    const url = `http://site.test:${server.port}/a`;
    const failure = failed(await fetching(url, {}, { resolve }).fetch(url));
    expect(failure.reason).toBe(`${url} redirects to http://gone.test/b: the host name does not resolve.`);
  });

  test('§9 each hop is asked for its address before a client of the caller requests it', async () => {
    const requested: string[] = [];
    const webClient = redirecting({ 'http://site.test/a': 'http://10.0.0.1/b' }, requested);
    const failure = failed(await fetching('http://site.test/', { webClient }).fetch('http://site.test/a'));
    expect(failure.code).toBe('private-network');
    expect(requested).toEqual(['http://site.test/a']);
  });

  test('§9 a private site may lead from http to https at its own host, at one port', async () => {
    const site = 'http://127.0.0.1:8080/';
    const requested: string[] = [];
    const targets = {
      [`${site}a`]: 'https://127.0.0.1:8443/a',
      'https://127.0.0.1:8443/b': 'https://127.0.0.1:9443/b',
    };
    const fetcher = fetching(site, { webClient: redirecting(targets, requested) });
    expect((await readAll(await fetcher.fetch(`${site}a`))).text).toBe('arrived');
    expect(failed(await fetcher.fetch('https://127.0.0.1:8443/b')).code).toBe('private-network');
    expect(requested).toEqual([`${site}a`, 'https://127.0.0.1:8443/a', 'https://127.0.0.1:8443/b']);
  });

  test('one back to itself with a new cookie is not a circle, and one without is', async () => {
    const welcome = { redirect: '/a', headers: { 'set-cookie': 'seen=1' } };
    const server = await serving({ '/a': { script: [welcome, { body: 'arrived' }] } });
    const fetcher = fetching(server.origin, { cookies: true });
    expect((await readAll(await fetcher.fetch(`${server.origin}/a`))).text).toBe('arrived');
    const again = await serving({ '/a': welcome });
    const other = fetching(again.origin, { cookies: true });
    expect(failed(await other.fetch(`${again.origin}/a`)).reason).toContain('circle');
    expect(again.requests).toHaveLength(2);
  });

  test('a message does not repeat all of a long URL', async () => {
    const long = `/${'x'.repeat(5000)}`;
    const server = await serving({ '/a': { redirect: long }, [long]: { redirect: long } });
    const { reason } = failed(await fetched(server, '/a'));
    expect(reason).toContain(`in a circle, back to ${server.origin}/xxx`);
    expect(reason.length).toBeLessThan(1000);
  });

  test('a hop with a short body keeps its connection, which the next request uses', async () => {
    const server = await serving({ '/old': { redirect: '/new', body: 'Moved.' }, '/new': 'arrived' });
    expect((await readAll(await fetched(server, '/old'))).text).toBe('arrived');
    expect([server.requests.length, server.connections]).toEqual([2, 1]);
  });

  test('a hop with a long body costs only its connection', async () => {
    const server = await serving({
      '/old': { redirect: '/new', body: 'x'.repeat(5_000_000) },
      '/stuck': { redirect: '/new', body: 'x'.repeat(100), stallAfter: 10 },
      '/new': 'arrived',
    });
    const fetcher = fetching(server.origin);
    for (const path of ['/old', '/stuck']) {
      expect((await readAll(await fetcher.fetch(server.origin + path))).text).toBe('arrived');
    }
  });

  test.each([
    ['/b', 'http://example.org/b'],
    ['b?c=1#d', 'http://example.org/dir/b?c=1'],
    ['//other.org/b', 'http://other.org/b'],
    ['?q', 'http://example.org/dir/a?q'],
    ['https://example.org/b', 'https://example.org/b'],
    ['  /b  ', 'http://example.org/b'],
    ['http://user:secret@example.org/b', 'http://example.org/b'],
    [Buffer.from('/café').toString('latin1'), 'http://example.org/caf%C3%A9'],
    ['/caf\u00e9', 'http://example.org/caf%C3%A9'],
    ['/\u03bb', 'http://example.org/%CE%BB'],
    ['/\u00e9\u03bb', 'http://example.org/%C3%A9%CE%BB'],
    [Buffer.from('/\u00e9/\u03bb').toString('latin1'), 'http://example.org/%C3%A9/%CE%BB'],
    ['HTTPS://EXAMPLE.org:443/B', 'https://example.org/B'],
    ['https://example.org:8443/b', 'https://example.org:8443/b'],
    ['http://[::1]:8080/b', 'http://[::1]:8080/b'],
    ['http://example.org./b', 'http://example.org./b'],
    ['\\\\other.org\\b', 'http://other.org/b'],
    ['../b', 'http://example.org/b'],
    ['#top', 'http://example.org/dir/a'],
    ['http://example.org', 'http://example.org/'],
    ['/b#c#d?e', 'http://example.org/b'],
    [null, 'redirects without a target'],
    ['', 'redirects without a target'],
    [' \t', 'redirects without a target'],
    ['http://', 'redirects to something that is not a URL'],
    ['mailto:a@example.org', 'redirects to mailto: which is not http or https'],
    ['ws://example.org/', 'redirects to ws: which is not http or https'],
  ])('Location %j leads to %s', (location, target) => {
    expect(String(redirectTarget(location, 'http://example.org/dir/a'))).toBe(target);
  });
});
