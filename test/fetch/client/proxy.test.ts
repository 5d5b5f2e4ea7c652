/** Specification §8 and §9: proxies of the environment and explicit ones, http and socks5. */
import { execFile } from 'node:child_process';
import { connect, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { proxyChooser } from '../../../src/fetch/client/proxies.ts';
import { startHttpProxy, startSocksProxy, type TestProxy } from '../../server/proxies.ts';
import { closedPort, startRawServer } from '../../server/raw-server.ts';
import { testCertificate } from '../../server/scripted-server.ts';
import { BINARY } from '../../support/cli-binary.ts';
import { failed, fetched, fetching, readAll, serving } from '../../support/fetching.ts';
import { withMoreTime } from '../../support/more-time.ts';

const KINDS = { http: startHttpProxy, socks5: startSocksProxy } as const;

async function proxying(kind: keyof typeof KINDS, credentials?: string): Promise<TestProxy> {
  const proxy = await KINDS[kind](credentials === undefined ? {} : { credentials });
  onTestFinished(() => proxy.close());
  return proxy;
}

const withUser = (url: string, user: string): string => url.replace('//', `//${user}@`);

describe.each(['http', 'socks5'] as const)('%s proxy', (kind) => {
  test('carries http, and resolves names itself', async () => {
    const server = await serving({ '/a?b': 'hello' });
    const proxy = await proxying(kind);
    const site = `http://site.test:${server.port}`;
    const { text } = await readAll(await fetching(site, { proxy: proxy.url }).fetch(`${site}/a?b`));
    expect(text).toBe('hello');
    expect(server.requests[0]).toMatchObject({ path: '/a?b', host: `site.test:${server.port}` });
    expect(proxy.asked).toEqual([kind === 'http' ? `GET ${site}/a?b` : `SOCKS site.test:${server.port}`]);
  });

  test('carries https end to end', async () => {
    const server = await serving({ '/': 'secret' }, { tls: true });
    const proxy = await proxying(kind);
    const site = `https://site.test:${server.port}/`;
    const { text } = await readAll(await fetching(site, { proxy: proxy.url, verifyTls: false }).fetch(site));
    expect(text).toBe('secret');
    expect(proxy.asked).toEqual([`${kind === 'http' ? 'CONNECT' : 'SOCKS'} site.test:${server.port}`]);
  });

  test('checks certificates behind it', async () => {
    const server = await serving({ '/': 'secret' }, { tls: true });
    const proxy = await proxying(kind);
    const site = `https://site.test:${server.port}/`;
    expect(failed(await fetching(site, { proxy: proxy.url }).fetch(site)).code).toBe('tls');
  });

  test.each([
    ['http', 'user:p@ss', 'user:p%40ss'],
    ['https', 'user:p@ss', 'user:p%40ss'],
    ['https', 'jörg:päss', 'j%C3%B6rg:p%C3%A4ss'],
  ])('gets its user and password, and the %s site does not: %s', async (scheme, credentials, inUrl) => {
    const server = await serving({ '/': 'hello' }, { tls: scheme === 'https' });
    const proxy = await proxying(kind, credentials);
    const site = `${scheme}://site.test:${server.port}/`;
    const options = { proxy: withUser(proxy.url, inUrl), verifyTls: false };
    expect((await readAll(await fetching(site, options).fetch(site))).text).toBe('hello');
    expect(proxy.credentials).toEqual([credentials]);
    if (scheme === 'https' || kind === 'socks5') {
      expect(JSON.stringify(server.requests[0]?.headers)).not.toContain('proxy-authorization');
    }
  });

  test.each(['http', 'https'])(
    'that wants other credentials is a failure of the proxy, for %s',
    async (scheme) => {
      const server = await serving({ '/': 'hello' }, { tls: scheme === 'https' });
      const proxy = await proxying(kind, 'user:right');
      const site = `${scheme}://site.test:${server.port}/`;
      const options = { proxy: withUser(proxy.url, 'user:wrong') };
      const failure = failed(await fetching(site, options).fetch(site));
      expect(failure.code).toBe('proxy');
      expect(JSON.stringify(failure)).not.toContain('wrong');
      expect(server.connections).toBe(0);
    },
  );

  test.each(['http', 'https'])(
    'wrong credentials are sent once, whatever is requested, for %s',
    async (scheme) => {
      const proxy = await proxying(kind, 'user:right');
      const site = `${scheme}://site.test/`;
      const fetcher = fetching(site, { proxy: withUser(proxy.url, 'user:wrong') });
      for (const url of [`${site}robots.txt`, `${site}sitemap.xml`, `${scheme}://other.test/`]) {
        const { code, reason } = failed(await fetcher.fetch(url));
        expect([code, reason]).toEqual(['proxy', expect.stringContaining('credentials')]);
      }
      expect(proxy.credentials).toEqual(['user:wrong']);
    },
  );

  test('one that has worked is requested again where it hangs up', async () => {
    const server = await serving({ '*': 'hello' });
    const proxy = await proxying(kind);
    const site = `http://site.test:${server.port}/`;
    const fetcher = fetching(site, { proxy: proxy.url, retries: 2 });
    await readAll(await fetcher.fetch(site));
    await proxy.close();
    const failure = failed(await fetcher.fetch(site));
    expect(failure.code).toBe('proxy');
    expect(fetcher.clock.slept).toHaveLength(2);
  });

  test('its own address is exempt from the guard; literals behind it are not', async () => {
    const inside = await serving({ '*': 'secret' });
    const proxy = await proxying(kind);
    const fetcher = fetching('http://site.test/', { proxy: proxy.url });
    for (const host of ['127.0.0.1', 'localhost', '0x7f000001', '[::ffff:127.0.0.1]', '169.254.169.254']) {
      expect(failed(await fetcher.fetch(`http://${host}:${inside.port}/`)).code).toBe('private-network');
      expect(failed(await fetcher.fetch(`https://${host}:${inside.port}/`)).code).toBe('private-network');
    }
    expect(proxy.asked).toEqual([]);
  });

  // Behind CONNECT the site may be slow; SOCKS5 begins with the proxy alone.
  const silence = { http: 'timeout', socks5: 'proxy' }[kind];
  test(`that does not respond is a failure with code ${silence}, and its socket is closed`, async () => {
    const silent = await startRawServer(() => {});
    onTestFinished(() => silent.close());
    const proxy = `${kind}://127.0.0.1:${silent.port}`;
    // Where the connection to the proxy takes as long, that is what was late.
    await withMoreTime([40, 400, 4000], async (connectTimeoutMs) => {
      const fetcher = fetching('https://site.test/', { proxy, connectTimeoutMs, retries: 0 });
      expect(failed(await fetcher.fetch('https://site.test/')).code).toBe(silence);
    });
    await expect.poll(() => silent.openSockets).toBe(0);
  });

  test('that hangs up, or does not speak the protocol, is a failure of the proxy', async () => {
    const silence = `without a response; it may not speak ${kind === 'http' ? 'HTTP' : 'SOCKS5'}`;
    const rude: readonly [string, (socket: Socket) => void][] = [
      [silence, (socket) => socket.end()],
      [silence, (socket) => socket.resetAndDestroy()],
      ['', (socket) => socket.end('nonsense\r\n\r\n')],
    ];
    for (const [says, respond] of rude) {
      const server = await startRawServer(respond);
      onTestFinished(() => server.close());
      const fetcher = fetching('https://site.test/', { proxy: `${kind}://127.0.0.1:${server.port}` });
      const failure = failed(await fetcher.fetch('https://site.test/'));
      expect([failure.code, failure.reason]).toEqual(['proxy', expect.stringContaining(says)]);
    }
  });

  test('that is not there is a failure of the proxy, not of the site', async () => {
    const proxy = `${kind}://127.0.0.1:${await closedPort()}`;
    const failure = failed(await fetching('https://site.test/', { proxy }).fetch('https://site.test/'));
    expect(failure.code).toBe('proxy');
    expect(failure.reason).toContain('no connection to the proxy 127.0.0.1');
  });

  test('that cannot reach the site is a failure of the proxy', async () => {
    const proxy = await proxying(kind);
    const fetcher = fetching('https://site.test:1/', { proxy: proxy.url });
    const failure = failed(await fetcher.fetch('https://site.test:1/'));
    expect(failure.code).toBe('proxy');
  });
});

describe('a proxy that is reached over TLS', () => {
  /** The http proxy of the other tests, behind TLS. */
  async function proxyingOverTls(): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
    const inner = await proxying('http');
    const sockets = new Set<Socket>();
    const server = createTlsServer(testCertificate(), (socket) => {
      const onward = connect(Number(new URL(inner.url).port), '127.0.0.1');
      for (const each of [socket, onward]) sockets.add(each.on('error', () => {}));
      socket.pipe(onward).pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return { url: `https://127.0.0.1:${port}`, asked: inner.asked };
  }

  test.each(['http', 'https'])('carries %s, where its certificate is trusted', async (scheme) => {
    const server = await serving({ '/': 'hello' }, { tls: scheme === 'https' });
    const proxy = await proxyingOverTls();
    const site = `${scheme}://site.test:${server.port}/`;
    const options = { proxy: proxy.url, ca: testCertificate().cert };
    expect((await readAll(await fetching(site, options).fetch(site))).text).toBe('hello');
    expect(proxy.asked).toHaveLength(1);
  });

  test.each(['http', 'https'])(
    'is a failure of the proxy where it is not trusted, for %s',
    async (scheme) => {
      const proxy = await proxyingOverTls();
      const site = `${scheme}://site.test/`;
      const fetcher = fetching(site, { proxy: proxy.url });
      const failure = failed(await fetcher.fetch(site));
      expect(failure).toMatchObject({ code: 'proxy', option: 'ca' });
      expect(failure.reason).toMatch(
        /no connection to the proxy 127\.0\.0\.1:\d+: TLS failed: .*; to trust it, use the/,
      );
      expect(fetcher.clock.slept).toEqual([]);
      expect(proxy.asked).toEqual([]);
    },
  );
});

test('what an http proxy responds itself is not read to its end, and its connection is closed', async () => {
  const head = 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 1000\r\n\r\n';
  const proxy = await startRawServer((socket) => socket.write(`${head}the rest`));
  onTestFinished(() => proxy.close());
  const fetcher = fetching('http://site.test/', { proxy: `http://127.0.0.1:${proxy.port}` });
  expect(failed(await fetcher.fetch('http://site.test/')).code).toBe('proxy');
  await expect.poll(() => proxy.openSockets, { timeout: 2000 }).toBe(0);
});

test('the environment’s proxy is used unless an option says otherwise', async () => {
  const server = await serving({ '/': 'hello' });
  const proxy = await proxying('http');
  const environment = { HTTP_PROXY: proxy.url };
  const site = `http://127.0.0.1:${server.port}/`;
  await readAll(await fetching(site, {}, { environment }).fetch(site));
  expect(proxy.asked).toHaveLength(1);
  await readAll(await fetching(site, { proxy: false }, { environment }).fetch(site));
  await readAll(
    await fetching(site, {}, { environment: { ...environment, no_proxy: '127.0.0.1' } }).fetch(site),
  );
  expect(proxy.asked).toHaveLength(1);
});

describe('which proxy the environment means', () => {
  const p = 'http://proxy.test:3128';
  test.each([
    [{ HTTP_PROXY: p }, 'http://a.test/', p],
    [{ http_proxy: p }, 'http://a.test/', p],
    [{ HTTP_PROXY: p }, 'https://a.test/', undefined],
    [{ HTTPS_PROXY: p }, 'https://a.test/', p],
    [{ https_proxy: p }, 'https://a.test/', p],
    [{ https_proxy: 'http://lower.test', HTTPS_PROXY: p }, 'https://a.test/', 'http://lower.test'],
    [{ ALL_PROXY: 'socks5://s.test' }, 'https://a.test/', 'socks5://s.test'],
    [{ HTTP_PROXY: 'proxy.test:3128' }, 'http://a.test/', p],
    [{ HTTP_PROXY: '' }, 'http://a.test/', undefined],
    [{ ALL_PROXY: 'socks://s.test:1080/' }, 'http://a.test/', 'socks://s.test:1080/'],
    [{ HTTP_PROXY: 'http://[', HTTPS_PROXY: p }, 'https://a.test/', p],
    [{ HTTP_PROXY: 'http://[', NO_PROXY: 'a.test' }, 'http://a.test/', undefined],
    [{ HTTP_PROXY: p, NO_PROXY: '*' }, 'http://a.test/', undefined],
    [{ HTTP_PROXY: p, NO_PROXY: 'b.test,*' }, 'http://a.test:8080/', undefined],
    [{ HTTP_PROXY: p, NO_PROXY: 'b.test\n a.test' }, 'http://a.test/', undefined],
    [{ HTTP_PROXY: p, NO_PROXY: 'b.test a.test' }, 'http://a.test/', undefined],
    [{ HTTP_PROXY: p, NO_PROXY: 'a.test', no_proxy: 'b.test' }, 'http://a.test/', p],
    [{ HTTP_PROXY: p, NO_PROXY: 'a.test', no_proxy: '' }, 'http://a.test/', undefined],
    [{ HTTP_PROXY: p, NO_PROXY: ',' }, 'http://a.test/', p],
    [{ HTTP_PROXY: p, NO_PROXY: 'test' }, 'http://a.test/', undefined],
    [{ HTTPS_PROXY: p, NO_PROXY: 'a.test:443' }, 'https://a.test/', undefined],
    [{ HTTPS_PROXY: p, NO_PROXY: 'a.test:80' }, 'https://a.test/', p],
    [{ HTTP_PROXY: p, NO_PROXY: '.a.test:80' }, 'http://www.a.test/', undefined],
    [{ HTTP_PROXY: p, NO_PROXY: '[::1]' }, 'http://[::1]:8080/', undefined],
    [{ HTTP_PROXY: p, NO_PROXY: '[::1]:81' }, 'http://[::1]/', p],
    [{ HTTP_PROXY: p, NO_PROXY: '10.0.0.1/32,fd00::1/128' }, 'http://10.0.0.1/', undefined],
    [{ HTTP_PROXY: p, NO_PROXY: '10.0.0.1/32,fd00::1/128' }, 'http://[fd00::1]/', undefined],
    [{ HTTP_PROXY: p, NO_PROXY: 'fd00::1/129' }, 'http://[fd00::1]/', p],
    [{ HTTP_PROXY: '', http_proxy: p }, 'http://a.test/', p],
    [{ HTTP_PROXY: p, http_proxy: '' }, 'http://a.test/', p],
    [{ HTTP_PROXY: p, ALL_PROXY: 'http://all.test' }, 'http://a.test/', p],
    [{ HTTP_PROXY: p, ALL_PROXY: 'http://all.test' }, 'https://a.test/', 'http://all.test'],
    [{ HTTPS_PROXY: p, all_proxy: 'http://all.test' }, 'https://a.test/', p],
    [{ HTTPS_PROXY: p, all_proxy: 'http://all.test' }, 'http://a.test/', 'http://all.test'],
    [{ all_proxy: 'http://lower.test', ALL_PROXY: p }, 'http://a.test/', 'http://lower.test'],
    [{ HTTP_PROXY: p, NO_PROXY: 'b.test, a.test' }, 'http://a.test/', undefined],
    [{ HTTP_PROXY: p, no_proxy: '.a.test' }, 'http://www.a.test/', undefined],
    [{ HTTP_PROXY: p, no_proxy: '*.a.test' }, 'http://www.a.test/', undefined],
    [{ HTTP_PROXY: p, no_proxy: 'a.test' }, 'http://nota.test/', p],
    [{ HTTP_PROXY: p, no_proxy: 'A.TEST:8080' }, 'http://a.test:8080/', undefined],
    [{ HTTP_PROXY: p, no_proxy: 'a.test:8080' }, 'http://a.test/', p],
    [{ HTTP_PROXY: p, no_proxy: 'a.test:80' }, 'http://a.test/', undefined],
    [{ HTTP_PROXY: p, no_proxy: '::1,127.0.0.1' }, 'http://[::1]/', undefined],
    [{ HTTP_PROXY: p, no_proxy: '[::1]:80' }, 'http://[::1]/', undefined],
    [{ HTTP_PROXY: p, no_proxy: '10.0.0.0/8' }, 'http://10.255.1.2/', undefined],
    [{ HTTP_PROXY: p, no_proxy: '10.0.0.0/8' }, 'http://11.0.0.1/', p],
    [{ HTTP_PROXY: p, no_proxy: '10.0.0.0/8' }, 'http://a.test/', p],
    [{ HTTP_PROXY: p, no_proxy: '10.0.0.0/8' }, 'http://0xa.1/', undefined],
    [{ HTTP_PROXY: p, no_proxy: 'a.test,192.168.4.0/22' }, 'http://192.168.7.255:8080/', undefined],
    [{ HTTP_PROXY: p, no_proxy: 'a.test,192.168.4.0/22' }, 'http://192.168.8.0/', p],
    [{ HTTP_PROXY: p, no_proxy: '192.168.1.77/24' }, 'http://192.168.1.1/', undefined],
    [{ HTTP_PROXY: p, no_proxy: '127.0.0.1/32' }, 'http://127.0.0.2/', p],
    [{ HTTP_PROXY: p, no_proxy: '0.0.0.0/0' }, 'http://8.8.8.8/', undefined],
    [{ HTTP_PROXY: p, no_proxy: '0.0.0.0/0' }, 'http://a.test/', p],
    [{ HTTP_PROXY: p, no_proxy: '0.0.0.0/0' }, 'http://[::1]/', p],
    [{ HTTP_PROXY: p, no_proxy: 'fd00::/8' }, 'http://[fd12:3456::1]/', undefined],
    [{ HTTP_PROXY: p, no_proxy: '[fd00::]/8' }, 'http://[fd12:3456::1]/', undefined],
    [{ HTTP_PROXY: p, no_proxy: 'fd00::/8' }, 'http://[fe80::1]/', p],
    [{ HTTP_PROXY: p, no_proxy: '10.0.0.0/33' }, 'http://10.0.0.1/', p],
    [{ HTTP_PROXY: p, no_proxy: '10.0.0.0/' }, 'http://10.0.0.1/', p],
    [{ HTTP_PROXY: p, no_proxy: '10.0.0.0/x' }, 'http://10.0.0.1/', p],
    [{ HTTP_PROXY: p, no_proxy: 'a.test/8' }, 'http://a.test/', p],
  ])('%j: %s goes to %s', (environment, url, proxy) => {
    expect(proxyChooser(undefined, environment)(new URL(url))?.href).toBe(
      proxy === undefined ? undefined : new URL(proxy).href,
    );
  });
});

describe('what a proxy responds', () => {
  const reasonOf = async (url: string, proxy: string) => {
    const { code, status, option, reason } = failed(await fetching(url, { proxy, retries: 0 }).fetch(url));
    expect(option).toBeUndefined();
    return { code, status, says: reason.replace(/^.*?: /, '') };
  };
  const responding = async (head: string): Promise<string> => {
    const server = await startRawServer((socket) => socket.end(`${head}\r\nContent-Length: 0\r\n\r\n`));
    onTestFinished(() => server.close());
    return `http://127.0.0.1:${server.port}`;
  };
  const CREDENTIALS = (status: number) =>
    `the proxy does not accept the credentials in its URL, or needs some (${status}).`;

  test.each([
    ['407 x', 407, CREDENTIALS(407)],
    ['401 x\r\nServer: tinyproxy/1.11', 401, CREDENTIALS(401)],
    ['403 x\r\nServer: tinyproxy/1.11', 403, 'the proxy refused by its rules (403).'],
    ['500 x\r\nServer: Tinyproxy/1.11', 500, 'the proxy could not reach the site (500).'],
    ['502 x\r\nserver: squid', 502, 'the proxy could not reach the site (502).'],
    ['504 x\r\nServer: squid/6', 504, 'the proxy could not reach the site (504).'],
    ['501 x\r\nServer: squid/6', 501, 'the proxy refused by its rules (501).'],
    [
      '503 x\r\nX-Squid-Error: ERR_CONNECT_FAIL 111',
      503,
      'the proxy could not reach the site (503 ERR_CONNECT_FAIL 111).',
    ],
    ['403 x\r\nX-Squid-Error: ERR_DENIED 0', 403, 'the proxy refused by its rules (403 ERR_DENIED).'],
    ['400 x\r\nX-Squid-Error: ERR_URL 0', 400, 'the proxy refused by its rules (400 ERR_URL).'],
  ])('itself, to an http request: %j', async (head, status, says) => {
    const proxy = await responding(`HTTP/1.1 ${head}`);
    expect(await reasonOf('http://site.test/', proxy)).toEqual({ code: 'proxy', status, says });
  });

  test.each(['401 x', '403 x\r\nServer: nginx', '502 x\r\nServer: a-squid', '404 x\r\nServer: squids'])(
    'for the site, to an http request: %j',
    async (head) => {
      const proxy = await responding(`HTTP/1.1 ${head}`);
      const { code, status } = await reasonOf('http://site.test/', proxy);
      expect([code, status]).toEqual(['http-status', Number(head.slice(0, 3))]);
    },
  );

  test.each([
    ['HTTP/1.1 407 x', 407, CREDENTIALS(407)],
    ['HTTP/1.0 401 x', 401, CREDENTIALS(401)],
    ['HTTP/1.1 403 Forbidden', 403, 'the proxy refused by its rules (403).'],
    [
      'HTTP/1.1 403 x\r\nX-Squid-Error: ERR_DENIED 0',
      403,
      'the proxy refused by its rules (403 ERR_DENIED).',
    ],
    ['HTTP/1.1 503 x\r\nx-squid-error: ERR_DNS 0', 503, 'the proxy could not reach the site (503 ERR_DNS).'],
    ['HTTP/1.1 302 x', 302, 'the proxy refused by its rules (302).'],
    ['HTTP/1.1 199 x', 199, 'the proxy refused by its rules (199).'],
    ['HTTP/1.2 200 x', undefined, 'the proxy does not speak HTTP.'],
    ['HTTP/1.1 20 x', undefined, 'the proxy does not speak HTTP.'],
    ['SSH-2.0-x', undefined, 'the proxy does not speak HTTP.'],
    [`HTTP/1.1 200 ${'x'.repeat(17_000)}`, undefined, 'the response of the proxy is too long.'],
  ])('to CONNECT: %j', async (head, status, says) => {
    const proxy = await responding(head);
    expect(await reasonOf('https://site.test/', proxy)).toEqual({ code: 'proxy', status, says });
  });

  test.each<readonly [readonly number[], string]>([
    [[4, 0], 'the proxy does not speak SOCKS5.'],
    [[5, 0xff], 'the proxy needs credentials: add user:password@ to its URL.'],
    [[5, 2], 'the proxy needs credentials: add user:password@ to its URL.'],
    [[5, 1], 'the proxy needs credentials: add user:password@ to its URL.'],
    ...[
      'general failure',
      'not allowed by its rules',
      'network unreachable',
      'host unreachable',
      'connection refused',
      'time to live expired',
      'command not supported',
      'address type not supported',
      'code 9',
    ].map((words, at) => [[5, 0, 5, at + 1, 0, 1], `the proxy cannot connect: ${words}.`] as const),
  ])('to SOCKS5: %j', async (bytes, says) => {
    const server = await startRawServer((socket) => socket.write(Buffer.from(bytes)));
    onTestFinished(() => server.close());
    const proxy = `socks5://127.0.0.1:${server.port}`;
    expect(await reasonOf('http://site.test/', proxy)).toEqual({ code: 'proxy', status: undefined, says });
  });
});

describe('a variable of the environment that is not a proxy is named, and nothing is fetched without it', () => {
  test.each([
    ['HTTP_PROXY', 'http://['],
    ['http_proxy', 'http://user:secret@'],
    ['HTTP_PROXY', 'ftp://user:secret@proxy.test'],
    ['ALL_PROXY', 'socks4://user:secret@proxy.test'],
    ['all_proxy', 'user:secret@proxy.test:port'],
  ])('%s=%s', async (name, value) => {
    const server = await serving({ '/': 'hello' });
    const site = `${server.origin}/`;
    const failure = failed(await fetching(site, {}, { environment: { [name]: value } }).fetch(site));
    expect(failure.code).toBe('proxy');
    expect(failure.reason).toContain(`the environment variable ${name} is not the URL of a proxy`);
    expect(JSON.stringify(failure)).not.toContain('secret');
    expect(server.connections).toBe(0);
  });
});

describe('a site that responds with 407 itself is not a failure of the proxy', () => {
  test('without a proxy', async () => {
    const server = await serving({ '/': { status: 407 } });
    const failure = failed(await fetched(server, '/'));
    expect(failure).toMatchObject({ code: 'http-status', status: 407 });
    expect(failure.reason).toContain('the server responded with 407');
  });

  test.each([
    ['http', 'https'],
    ['socks5', 'https'],
    ['socks5', 'http'],
  ] as const)('behind the tunnel of an %s proxy, for %s', async (kind, scheme) => {
    const server = await serving({ '/': { status: 407 } }, { tls: scheme === 'https' });
    const proxy = await proxying(kind);
    const site = `${scheme}://site.test:${server.port}/`;
    const fetcher = fetching(site, { proxy: proxy.url, verifyTls: false });
    expect(failed(await fetcher.fetch(site))).toMatchObject({ code: 'http-status', status: 407 });
  });
});

test.each([
  ['socks5://127.0.0.1', 1080],
  ['http://127.0.0.1', 80],
  ['https://127.0.0.1', 443],
])('the proxy %s has the port %i', async (proxy, port) => {
  using connecting = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket) {
    return this.destroy(new Error('refused'));
  });
  const fetcher = fetching('http://site.test/', { proxy, retries: 0 });
  expect(failed(await fetcher.fetch('http://site.test/')).code).toBe('proxy');
  expect(connecting.mock.calls.flat(2)).toContainEqual(expect.objectContaining({ port }));
});

test.each([
  ['an IPv4 address', '192.0.2.7', '192.0.2.7'],
  ['an IPv6 address', '[2001:db8::7]', '20010db8000000000000000000000007'],
])('a SOCKS5 proxy is asked for %s in the form that it has for that', async (_, host, asked) => {
  const server = await serving({ '/': 'hello' });
  const proxy = await proxying('socks5');
  const site = `http://${host}:${server.port}/`;
  const fetcher = fetching(site, { proxy: proxy.url, connectTimeoutMs: 5000, retries: 0 });
  expect((await readAll(await fetcher.fetch(site))).text).toBe('hello');
  expect(proxy.asked).toEqual([`SOCKS ${asked}:${server.port}`]);
});

describe('a SOCKS5 proxy that names the address which it connects from', () => {
  test.each([
    ['an IPv4 address', [1, 127, 0, 0, 1]],
    ['a name', [3, 9, ...Buffer.from('localhost')]],
    ['an IPv6 address', [4, ...Array.from({ length: 15 }, () => 0), 1]],
  ])('as %s', async (_what, bound) => {
    const server = await serving({ '/': 'hello' });
    const proxy = await startSocksProxy({ bound });
    onTestFinished(() => proxy.close());
    const site = `http://site.test:${server.port}/`;
    // Where more bytes are waited for than come, the failure says so.
    const options = { proxy: proxy.url, connectTimeoutMs: 5000, retries: 0 };
    expect((await readAll(await fetching(site, options).fetch(site))).text).toBe('hello');
  });
});

describe('a SOCKS5 proxy whose answers come byte by byte', () => {
  /** In a process of its own, which is ended from outside: a loop that waits for the rest lets no timer of its own run. */
  const listed = async (proxy: string, site: string, seconds = 3): Promise<string> => {
    const argv = [
      BINARY,
      'ls',
      '--sitemap',
      site,
      '-f',
      'pages',
      '--proxy',
      proxy,
      '--retries',
      '0',
      '--timeout',
      String(seconds),
    ];
    const run = promisify(execFile)(process.execPath, argv, { timeout: 110_000, killSignal: 'SIGKILL' });
    return run.then(
      ({ stdout }) => stdout.trim(),
      ({ code, stderr }) => `exit ${code}: ${stderr}`,
    );
  };

  test('is used as any other', async () => {
    const server = await serving({ '/a.txt': 'https://example.org/\n' });
    const proxy = await proxying('socks5');
    const inPieces = await startRawServer((socket, head) => {
      socket.setNoDelay();
      const behind = connect(Number(new URL(proxy.url).port), '127.0.0.1');
      behind.on('error', () => {});
      behind.write(Buffer.from(head, 'latin1'));
      socket.on('data', (bytes) => behind.write(bytes));
      let sent = Promise.resolve();
      behind.on('data', (bytes: Buffer) => {
        for (const byte of bytes) {
          sent = sent.then(() => delay(2)).then(() => void socket.write(Buffer.from([byte])));
        }
      });
      behind.on('end', () => void sent.then(() => socket.end()));
    });
    onTestFinished(() => inPieces.close());
    const site = `http://127.0.0.1:${server.port}/a.txt`;
    expect(await listed(`socks5://127.0.0.1:${inPieces.port}`, site, 100)).toBe('https://example.org/');
  });

  test('ends at the limit of time where the rest of an answer never comes', async () => {
    const silent = await startRawServer((socket) => void socket.write(Buffer.from([5])));
    onTestFinished(() => silent.close());
    const told = await listed(`socks5://127.0.0.1:${silent.port}`, 'http://127.0.0.1:1/a.txt');
    expect(told).toMatch(/^exit [36]: /);
  });
});
