/** Specification §15, with real proxies: squid, tinyproxy and microsocks, each where it is installed. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { type SitemapOptions, sitemapTreeForHomepage } from '../../src/index.ts';
import { closedPort } from '../server/raw-server.ts';
import { testCertificate } from '../server/scripted-server.ts';
import { index, robots, urlset } from '../support/documents.ts';
import { failed, fetching, readAll, serving } from '../support/fetching.ts';
import { withMoreTime } from '../support/more-time.ts';
import { BLOCKED, PROXIES } from '../support/real-proxies.ts';
import { describeWith, type RealServer } from '../support/real-servers.ts';
import { sized } from '../support/tier.ts';

const ca = testCertificate().cert;
const CHILDREN = sized({ fast: 16, full: 40 });

/** A site as servers send it: every content coding, chunked and not, redirects. */
async function startSite(tls: boolean) {
  const server = await serving({}, { tls });
  // Names are the proxy's to resolve; localhost is one that every proxy knows.
  const origin = `${tls ? 'https' : 'http'}://localhost:${server.port}`;
  const pages = (n: number): string => urlset(`https://example.org/${n}`);
  const codings: Record<string, (text: string) => Uint8Array> = {
    identity: (text) => Buffer.from(text),
    gzip: (text) => gzipSync(text),
    deflate: (text) => deflateSync(text),
    br: (text) => brotliCompressSync(text),
  };
  Object.assign(server.site, {
    '/robots.txt': robots(`${origin}/index.xml`),
    '/index.xml': index(...Array.from({ length: CHILDREN }, (_, n) => `${origin}/${n}.xml`)),
  });
  for (let n = 0; n < CHILDREN; n++) {
    const [coding, pack] = Object.entries(codings)[n % 4]!;
    server.site[`/${n}-moved.xml`] = {
      body: pack(pages(n)),
      headers: { 'content-encoding': coding, 'content-type': 'text/xml' },
      chunked: n % 8 < 4,
    };
    server.site[`/${n}.xml`] =
      n % 3 === 0 ? { redirect: `/${n}-moved.xml` } : server.site[`/${n}-moved.xml`]!;
  }
  return { server, origin };
}

async function pagesThrough(proxy: string, origin: string, more: SitemapOptions = {}): Promise<string[]> {
  const tree = await sitemapTreeForHomepage(origin, { proxy, ca, useKnownPaths: false, retries: 0, ...more });
  const urls = [...tree.allPages()].map(({ url }) => url);
  tree.close();
  return urls;
}

const everyPage = Array.from({ length: CHILDREN }, (_, n) => `https://example.org/${n}`);

const ends: (() => void | Promise<void>)[] = [];
const atEnd = (end: () => void | Promise<void>): number => ends.push(end);
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

type Program = keyof typeof PROXIES;
const running = new Map<string, Promise<RealServer>>();

/** A proxy, which all tests of this file share: squid takes a second to start, and another one to end. */
function proxyOf(program: Program, { withPassword = false } = {}): Promise<RealServer> {
  const name = `${program}, with a password: ${withPassword}`;
  const proxy = running.get(name) ?? PROXIES[program].start({ withPassword, atEnd });
  running.set(name, proxy);
  return proxy;
}

for (const program of Object.keys(PROXIES) as Program[]) {
  const { scheme } = PROXIES[program];
  describeWith(program, `through ${program}`, () => {
    const urlOf = ({ port }: { port: number }, user = ''): string => `${scheme}://${user}127.0.0.1:${port}`;

    test.each([
      ['http', false],
      ['https', true],
    ])('a site over %s is read completely', async (_what, tls) => {
      const { server, origin } = await startSite(tls);
      const proxy = await proxyOf(program);
      expect(await pagesThrough(urlOf(proxy), origin)).toEqual(everyPage);
      expect(server.requests.length).toBeGreaterThan(CHILDREN);
    });

    test.each([
      ['http', false],
      ['https', true],
    ])('with a password, over %s', async (_what, tls) => {
      const { server, origin } = await startSite(tls);
      const proxy = await proxyOf(program, { withPassword: true });
      expect(await pagesThrough(urlOf(proxy, 'user:right@'), origin)).toEqual(everyPage);
      const before = server.requests.length;
      for (const user of ['user:wrong@', '']) {
        const site = `${origin}/index.xml`;
        const fetcher = fetching(site, { proxy: urlOf(proxy, user), ca });
        const failure = failed(await fetcher.fetch(site));
        expect(failure.code).toBe('proxy');
        expect(failure.reason).toMatch(/the proxy (?:does not accept the|needs) credentials/);
        expect(fetcher.clock.slept).toEqual([]);
      }
      expect(server.requests.length).toBe(before);
    });

    test('a site that is not there is a failure of the proxy, and is not retried', async () => {
      const proxy = await proxyOf(program);
      const port = await closedPort();
      for (const site of [`http://localhost:${port}/`, `https://localhost:${port}/`]) {
        const fetcher = fetching(site, { proxy: urlOf(proxy) });
        const failure = failed(await fetcher.fetch(site));
        expect([site, failure.code]).toEqual([site, 'proxy']);
        expect(failure.reason).toMatch(/the proxy c(?:ould not reach the site|annot connect)/);
        expect(fetcher.clock.slept).toEqual([]);
      }
    });

    test('a status of the site itself is the site’s', async () => {
      const server = await serving({
        '/403': { status: 403 },
        '/404': { status: 404 },
        '/407': { status: 407 },
      });
      const proxy = await proxyOf(program);
      const origin = `http://localhost:${server.port}`;
      const fetcher = fetching(origin, { proxy: urlOf(proxy) });
      for (const status of [403, 404]) {
        const failure = failed(await fetcher.fetch(`${origin}/${status}`));
        expect(failure).toMatchObject({ code: 'http-status', status });
      }
    });

    test('a body that breaks is retried', async () => {
      const body = urlset('https://example.org/1'.padEnd(5000, 'x'));
      const server = await serving({ '/s.xml': { script: [{ body, truncateAfter: 100 }, { body }] } });
      const proxy = await proxyOf(program);
      const site = `http://localhost:${server.port}/s.xml`;
      expect((await readAll(await fetching(site, { proxy: urlOf(proxy) }).fetch(site))).text).toBe(body);
    });

    test('a URL of another protocol says so', async () => {
      const proxy = await proxyOf(program);
      await withMoreTime([300, 10_000], async (connectTimeoutMs) => {
        const others = scheme === 'http' ? ['socks5', 'https'] : ['http', 'https'];
        for (const other of others) {
          for (const site of ['http://site.test/', 'https://site.test/']) {
            const url = `${other}://127.0.0.1:${proxy.port}`;
            const fetcher = fetching(site, { proxy: url, connectTimeoutMs });
            const failure = failed(await fetcher.fetch(site));
            expect([url, site, failure.code]).toEqual([url, site, 'proxy']);
            expect(failure.reason).toMatch(/speak|no connection to the proxy/);
            expect(fetcher.clock.slept).toEqual([]);
          }
        }
      });
    });
  });
}

for (const program of ['squid', 'tinyproxy'] as const) {
  describeWith(program, `the rules of ${program}`, () => {
    test.each(['http', 'https'])(
      'refuse a site over %s: the failure is the proxy’s, at once',
      async (scheme) => {
        const proxy = await proxyOf(program);
        const site = `${scheme}://${BLOCKED}/`;
        const fetcher = fetching(site, { proxy: `http://127.0.0.1:${proxy.port}` });
        const failure = failed(await fetcher.fetch(site));
        expect(failure).toMatchObject({ code: 'proxy', status: 403 });
        expect(failure.reason).toContain('the proxy refused by its rules (403');
        expect(fetcher.clock.slept).toEqual([]);
      },
    );
  });
}
