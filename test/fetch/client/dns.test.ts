/**
 * Specification §9 with a real resolver: several addresses, names that change their address, redirects and proxies. The
 * tests have loopback only, so a part of it is the public internet: 127.0.1.x.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { isPublicAddress } from '../../../src/url.ts';
import { type DnsServer, type Names, startDnsServer } from '../../server/dns-server.ts';
import { startHttpProxy, startSocksProxy } from '../../server/proxies.ts';
import { failed, fetching, readAll, serving, servingOutsideAndInside } from '../../support/fetching.ts';

const PUBLIC = '127.0.1.1';
const OTHER = '127.0.1.2';
const isPublic = (address: string): boolean => address.startsWith('127.0.1.') || isPublicAddress(address);

async function resolving(names: Names): Promise<{ dns: DnsServer; internals: object }> {
  const dns = await startDnsServer(names);
  onTestFinished(() => dns.close());
  return { dns, internals: { isPublic, resolve: (name: string) => dns.resolve(name) } };
}

test('a name is looked up, for both families, and connected to', async () => {
  const outside = await serving({ '/': 'public' }, { address: PUBLIC });
  const { dns, internals } = await resolving({ 'site.test': [PUBLIC] });
  const site = `http://site.test:${outside.port}/`;
  expect((await readAll(await fetching(site, {}, internals).fetch(site))).text).toBe('public');
  expect([...dns.questions].sort()).toEqual(['A site.test', 'AAAA site.test']);
});

test('a name without an address does not resolve', async () => {
  const { internals } = await resolving({ 'empty.test': [] });
  for (const name of ['empty.test', 'missing.test']) {
    const site = `http://${name}/`;
    expect(failed(await fetching(site, {}, internals).fetch(site)).code).toBe('unresolved');
  }
});

describe('§9 a name with several addresses', () => {
  test.each<[string, readonly string[]]>([
    ['the private one first', ['127.0.0.1', PUBLIC]],
    ['the public one first', [PUBLIC, '127.0.0.1']],
    ['with one of IPv6', ['::1', 'fd00::1', PUBLIC]],
    ['with IPv4 inside IPv6', ['::ffff:127.0.0.1', '64:ff9b::7f00:1', PUBLIC]],
  ])('%s: only the public one is connected to', async (_what, addresses) => {
    const { outside, inside } = await servingOutsideAndInside(PUBLIC);
    const { internals } = await resolving({ 'site.test': [OTHER], 'mixed.test': addresses });
    const fetcher = fetching('http://site.test/', {}, internals);
    const url = `http://mixed.test:${outside.port}/`;
    expect((await readAll(await fetcher.fetch(url))).text).toBe('public');
    expect(inside.connections).toBe(0);
  });

  test.each<[string, readonly string[]]>([
    ['the first of two', [OTHER, PUBLIC]],
    ['the first two of three', [OTHER, '127.0.1.3', PUBLIC]],
    ['the second of two', [PUBLIC, OTHER]],
  ])('%s does not respond: the next one is connected to', async (_what, addresses) => {
    const outside = await serving({ '*': 'public' }, { address: PUBLIC });
    const { internals } = await resolving({ 'site.test': addresses });
    const site = `http://site.test:${outside.port}/`;
    expect((await readAll(await fetching(site, {}, internals).fetch(site))).text).toBe('public');
  });

  test('all private: refused before a byte is sent', async () => {
    const inside = await serving({ '*': 'secret' });
    const { internals } = await resolving({
      'site.test': [OTHER],
      'in.test': ['127.0.0.1', '10.0.0.1', '::1'],
    });
    const fetcher = fetching('http://site.test/', {}, internals);
    expect(failed(await fetcher.fetch(`http://in.test:${inside.port}/`)).code).toBe('private-network');
    expect(inside.connections).toBe(0);
  });

  test('the homepage itself with a public and a private one is public', async () => {
    const { outside, inside } = await servingOutsideAndInside(PUBLIC);
    const { dns, internals } = await resolving({ 'site.test': ['127.0.0.1', PUBLIC] });
    const site = `http://site.test:${outside.port}/`;
    const fetcher = fetching(site, {}, internals);
    expect((await readAll(await fetcher.fetch(site))).text).toBe('public');
    dns.names['site.test'] = ['127.0.0.1'];
    await outside.close();
    expect(failed(await fetcher.fetch(`${site}s.xml`)).code).toMatch(/^(?:private-network|reset)$/);
    expect(inside.connections).toBe(0);
  });
});

describe('§9 a name that changes its address between two questions', () => {
  test('a public one for the check and a private one for the connection', async () => {
    const { outside, inside } = await servingOutsideAndInside(PUBLIC);
    let asked = 0;
    // Both families are asked for at once: the first pair is the public one.
    const { internals } = await resolving({
      'site.test': [OTHER],
      'rebound.test': () => (asked++ < 2 ? [PUBLIC] : ['127.0.0.1']),
    });
    const fetcher = fetching('http://site.test/', {}, internals);
    const url = `http://rebound.test:${outside.port}/`;
    expect((await readAll(await fetcher.fetch(url))).text).toBe('public');
    await outside.close();
    for (let i = 0; i < 3; i++) {
      expect(failed(await fetcher.fetch(`${url}${i}`)).code).toMatch(/^(?:private-network|reset)$/);
    }
    expect(asked).toBeGreaterThan(2);
    expect(inside.connections).toBe(0);
  });

  test('a redirect of the name to itself, which is private by then', async () => {
    const inside = await serving({ '*': 'secret' });
    let asked = 0;
    const outside = await serving(
      { '*': { redirect: `http://rebound.test:${inside.port}/` } },
      { address: PUBLIC },
    );
    const { internals } = await resolving({ 'rebound.test': () => (asked++ < 2 ? [PUBLIC] : ['127.0.0.1']) });
    const site = `http://rebound.test:${outside.port}/`;
    expect(failed(await fetching(site, {}, internals).fetch(site)).code).toBe('private-network');
    expect(inside.connections).toBe(0);
  });
});

describe('§9 behind a proxy', () => {
  test.each([
    ['http', startHttpProxy],
    ['socks5', startSocksProxy],
  ])('%s: names are not looked up here, and literals are refused', async (_kind, start) => {
    const server = await serving({ '*': 'hello' });
    const proxy = await start();
    onTestFinished(() => proxy.close());
    const { dns, internals } = await resolving({ 'site.test': ['10.0.0.1'] });
    const site = `http://site.test:${server.port}/`;
    const fetcher = fetching(site, { proxy: proxy.url }, internals);
    expect((await readAll(await fetcher.fetch(site))).text).toBe('hello');
    expect(failed(await fetcher.fetch(`http://127.0.0.1:${server.port}/`)).code).toBe('private-network');
    expect(dns.questions).toEqual([]);
    expect(proxy.asked).toHaveLength(1);
  });
});
