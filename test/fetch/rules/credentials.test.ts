/** §15: wrong credentials are sent once, and what else is not worth five attempts. */
import { describe, expect, test } from 'vitest';
import { startRawServer } from '../../server/raw-server.ts';
import type { Site } from '../../server/scripted-server.ts';
import { failed, fetched, fetching, readAll, serving } from '../../support/fetching.ts';

const site = (origin: string): string => origin.replace('//', '//user:wrong@');

describe('§15 wrong credentials', () => {
  const closed: Site = { '*': { status: 401 } };

  test('are not sent again after the first 401', async () => {
    const server = await serving(closed);
    const fetcher = fetching(site(server.origin));
    for (const path of ['/robots.txt', '/sitemap.xml', '/sitemaps/a.xml']) {
      expect(failed(await fetcher.fetch(server.origin + path))).toMatchObject({
        code: 'http-status',
        status: 401,
      });
    }
    expect(server.paths()).toEqual(['/robots.txt']);
    const last = failed(await fetcher.fetch(`${server.origin}/b.xml`));
    expect(last.reason).toBe(
      `${server.origin}/b.xml: not requested, since ${server.origin}/robots.txt refused the credentials (401).`,
    );
  });

  test.each(['/', '/admin/'])(
    'are not sent by requests below %s that were waiting either',
    async (folder) => {
      const server = await serving({ '*': { status: 401, delayMs: 50 } });
      const fetcher = fetching(site(server.origin));
      const urls = Array.from({ length: 40 }, (_, at) => server.origin + folder + at);
      await Promise.all(urls.map((url) => fetcher.fetch(url)));
      expect(server.requests).toHaveLength(4);
    },
  );

  test('in an Authorization header are the same', async () => {
    const server = await serving(closed);
    const fetcher = fetching(server.origin, { headers: { Authorization: 'Bearer x' } });
    for (const path of ['/a', '/b']) failed(await fetcher.fetch(server.origin + path));
    expect(server.requests).toHaveLength(1);
  });

  test('for one folder do not end the others', async () => {
    const server = await serving({ '/admin/x.xml': { status: 401 }, '*': 'fine' });
    const fetcher = fetching(site(server.origin));
    failed(await fetcher.fetch(`${server.origin}/admin/x.xml`));
    await readAll(await fetcher.fetch(`${server.origin}/sitemap.xml`));
    failed(await fetcher.fetch(`${server.origin}/admin/deeper/y.xml`));
    expect(server.paths()).toEqual(['/admin/x.xml', '/sitemap.xml']);
  });

  test('are not wrong where they gave a document before; robots.txt does not count', async () => {
    const server = await serving({ '/a': 'fine', '/robots.txt': 'fine', '*': { status: 401 } });
    const fetcher = fetching(site(server.origin));
    await readAll(await fetcher.fetch(`${server.origin}/a`));
    for (const path of ['/b', '/c']) failed(await fetcher.fetch(server.origin + path));
    expect(server.paths()).toEqual(['/a', '/b', '/c']);
    const other = fetching(site(server.origin));
    await readAll(await other.fetch(`${server.origin}/robots.txt`));
    for (const path of ['/b', '/c']) failed(await other.fetch(server.origin + path));
    expect(server.paths().slice(3)).toEqual(['/robots.txt', '/b']);
  });

  test('that were not sent end nothing: other paths may be public', async () => {
    const server = await serving({ '/a': { status: 401 }, '*': 'fine' });
    const fetcher = fetching(server.origin);
    failed(await fetcher.fetch(`${server.origin}/a`));
    await readAll(await fetcher.fetch(`${server.origin}/b`));
  });

  test('of another call are another matter', async () => {
    const server = await serving(closed);
    for (let call = 0; call < 2; call++)
      failed(await fetching(site(server.origin)).fetch(`${server.origin}/a`));
    expect(server.requests).toHaveLength(2);
  });

  test('for a proxy are sent to it once', async () => {
    const server = await serving({ '*': 'fine' });
    let asked = 0;
    const proxy = await startRawServer((socket) => {
      asked++;
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    });
    const options = { proxy: proxy.origin.replace('//', '//user:wrong@'), allowPrivateNetworks: true };
    const fetcher = fetching(server.origin, options);
    for (const path of ['/a', '/b', '/c']) {
      expect(failed(await fetcher.fetch(server.origin + path))).toMatchObject({ code: 'proxy', status: 407 });
    }
    expect(asked).toBe(1);
    await proxy.close();
  });
});

describe('§15 http to a port that speaks HTTPS', () => {
  test.each([
    ['nginx', '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>'],
    ['Apache', '<p>Reason: You’re speaking plain HTTP to an SSL-enabled server port.<br />'],
    ['Go and Caddy', 'Client sent an HTTP request to an HTTPS server.\n'],
    ['Tomcat', 'Bad Request\r\nThis combination of host and port requires TLS.\r\n'],
  ])('as %s says it has one attempt, and the reason says so', async (_server, body) => {
    const server = await serving({ '*': { status: 400, body } });
    const outcome = failed(await fetched(server, '/a'));
    expect(outcome).toMatchObject({ code: 'http-status', status: 400 });
    expect(outcome.reason).toContain('speaks HTTPS');
    expect(server.requests).toHaveLength(1);
  });

  test('as a TLS alert says it has one attempt, and the reason says so', async () => {
    const alert = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46]);
    const server = await startRawServer((socket) => socket.end(alert));
    const outcome = failed(await fetched(server, '/a'));
    expect(outcome.code).toBe('bad-response');
    expect(outcome.reason).toContain('speaks HTTPS');
    expect(server.connections).toBe(1);
    await server.close();
  });

  test('is not what any other 400 is', async () => {
    const server = await serving({ '*': { status: 400, body: 'Bad Request' } });
    const outcome = failed(await fetched(server, '/a'));
    expect(outcome.reason).not.toContain('HTTPS');
    expect(server.requests).toHaveLength(5);
  });
});
