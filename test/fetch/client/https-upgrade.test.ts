/** Specification §15: an upgrade of the homepage's own host from http to https is still the homepage. */
import { describe, expect, test } from 'vitest';
import { NetworkGuard } from '../../../src/fetch/client/network-guard.ts';
import { testCertificate } from '../../server/scripted-server.ts';
import { failed, fetching, readAll, serving } from '../../support/fetching.ts';

const ca = testCertificate().cert;

describe('§15 a private homepage that redirects from http to https', () => {
  test.each(['localhost', '127.0.0.1'])('%s, at another port, is read', async (host) => {
    const secure = await serving({ '*': 'secure' }, { tls: true });
    const plain = await serving({ '*': { redirect: `https://${host}:${secure.port}/s.xml` } });
    const site = `http://${host}:${plain.port}/`;
    const fetcher = fetching(site, { ca });
    expect((await readAll(await fetcher.fetch(`${site}robots.txt`))).text).toBe('secure');
    // From then on it is the site: what robots.txt declares is there.
    expect((await readAll(await fetcher.fetch(`https://${host}:${secure.port}/t.xml`))).text).toBe('secure');
  });

  test('a port that the site only lists is refused; the redirect makes the difference', async () => {
    const secure = await serving({ '*': 'secret' }, { tls: true });
    const plain = await serving({ '*': 'home' });
    const site = `http://localhost:${plain.port}/`;
    const fetcher = fetching(site, { ca });
    await readAll(await fetcher.fetch(site));
    const failure = failed(await fetcher.fetch(`https://localhost:${secure.port}/`));
    expect(failure.code).toBe('private-network');
    expect(secure.connections).toBe(0);
  });

  test.each<[string, (port: number) => string]>([
    ['to another host', (port) => `https://127.0.0.1:${port}/`],
    ['to another port over http', (port) => `http://localhost:${port}/`],
  ])('a redirect %s is refused', async (_what, target) => {
    const inside = await serving({ '*': 'secret' }, { tls: true });
    const plain = await serving({ '*': { redirect: target(inside.port) } });
    const site = `http://localhost:${plain.port}/`;
    expect(failed(await fetching(site, { ca }).fetch(site)).code).toBe('private-network');
    expect(inside.connections).toBe(0);
  });

  test('only the first port counts', async () => {
    const first = await serving({ '*': 'first' }, { tls: true });
    const second = await serving({ '*': 'second' }, { tls: true });
    const plain = await serving({
      '/a': { redirect: `https://localhost:${first.port}/` },
      '/b': { redirect: `https://localhost:${second.port}/` },
    });
    const site = `http://localhost:${plain.port}`;
    const fetcher = fetching(site, { ca });
    expect((await readAll(await fetcher.fetch(`${site}/a`))).text).toBe('first');
    expect(failed(await fetcher.fetch(`${site}/b`)).code).toBe('private-network');
    expect(second.connections).toBe(0);
  });

  test('a redirect of another host to https does not open anything', async () => {
    const inside = await serving({ '*': 'secret' }, { tls: true });
    const other = await serving({ '*': { redirect: `https://localhost:${inside.port}/` } });
    const site = await serving({ '*': 'home' });
    const isPublic = (address: string): boolean => address === '127.0.1.1';
    const resolve = async (name: string) => [
      { address: name === 'other.test' ? '127.0.1.1' : '127.0.0.1', family: 4 },
    ];
    const outside = await serving(other.site, { address: '127.0.1.1' });
    const fetcher = fetching(`http://localhost:${site.port}/`, { ca }, { isPublic, resolve });
    const failure = failed(await fetcher.fetch(`http://other.test:${outside.port}/`));
    expect(failure.code).toBe('private-network');
    expect(inside.connections).toBe(0);
  });
});

describe('§15 the guard treats the homepage as headers do', () => {
  const guardOf = (site: string): NetworkGuard =>
    new NetworkGuard({
      site: new URL(site),
      allowPrivateNetworks: false,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });

  test.each([
    ['http://dev.test/', 'https://dev.test/', true],
    ['http://dev.test/', 'https://dev.test:443/x', true],
    ['http://dev.test/', 'http://www.dev.test/', true],
    ['https://www.dev.test/', 'https://dev.test/', true],
    ['http://localhost/', 'https://localhost/', true],
    ['http://dev.test/', 'https://dev.test:8443/', false],
    ['http://dev.test:8080/', 'https://dev.test/', false],
    ['http://dev.test:8080/', 'https://dev.test:8443/', false],
    ['https://dev.test/', 'http://dev.test/', false],
    ['http://dev.test/', 'https://api.dev.test/', false],
  ])('of %s, %s may be private: %j', async (site, url, isAllowed) => {
    const guard = guardOf(site);
    await guard.lookup(new URL(site));
    const looking = guard.lookup(new URL(url)).then(
      () => true,
      () => false,
    );
    expect(await looking).toBe(isAllowed);
    expect(guard.shares(new URL(url)) === guard.ownConnections).toBe(isAllowed);
  });
});
