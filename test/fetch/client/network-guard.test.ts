/** Specification §9: which addresses may be connected to. Names with several addresses are in dns.test.ts. */
import { describe, expect, test } from 'vitest';
import { NetworkGuard } from '../../../src/fetch/client/network-guard.ts';
import { isPublicAddress } from '../../../src/url.ts';
import { failed, fetching, readAll, serving } from '../../support/fetching.ts';

/** The tests have loopback only, so a part of it is the public internet: 127.0.1.x. */
const PUBLIC = '127.0.1.1';
const isPublic = (address: string): boolean => address.startsWith('127.0.1.') || isPublicAddress(address);
const internet = (names: Record<string, string | readonly string[]>) => ({
  isPublic,
  resolve: async (name: string) => {
    const found = names[name];
    if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return [found].flat().map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  },
});

describe('§9 a public homepage cannot lead to private addresses', () => {
  const literals = [
    ...[
      '127.0.0.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '0x7f.1',
      '0',
      '127.0.0.1.',
      '①②⑦.⓪.⓪.①',
    ],
    ...[
      'localhost',
      'LOCALHOST',
      'sub.localhost',
      'localhost.',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
    ],
    ...[
      '10.0.0.1',
      '192.168.0.1',
      '172.16.5.5',
      '169.254.169.254',
      '100.64.0.1',
      '224.0.0.1',
      '[fe80::1]',
      '[fd00::1]',
    ],
    ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]'],
  ];

  test.each(literals)('a child at %s is refused before a byte is sent', async (host) => {
    const inside = await serving({ '*': 'secret' });
    const outcome = await fetching('http://site.test/', {}, internet({ 'site.test': PUBLIC })).fetch(
      `http://${host}:${inside.port}/`,
    );
    expect(failed(outcome)).toMatchObject({ code: 'private-network', status: undefined });
    expect(failed(outcome).reason).toContain('allowPrivateNetworks');
    expect(inside.connections).toBe(0);
  });

  test.each(['127.0.0.1', '0x7f.1', 'localhost', '[::1]', '10.0.0.1'])(
    'a redirect to %s is refused before a byte is sent',
    async (host) => {
      const inside = await serving({ '*': 'secret' });
      const outside = await serving(
        { '/s.xml': { redirect: `http://${host}:${inside.port}/` } },
        { address: PUBLIC },
      );
      const site = `http://site.test:${outside.port}`;
      const outcome = await fetching(site, {}, internet({ 'site.test': PUBLIC })).fetch(`${site}/s.xml`);
      expect(failed(outcome)).toMatchObject({ code: 'private-network' });
      expect(outside.requests).toHaveLength(1);
      expect(inside.connections).toBe(0);
    },
  );

  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    'fe80::1',
  ])('a name that resolves to %s is refused before a byte is sent', async (address) => {
    const inside = await serving({ '*': 'secret' });
    const names = internet({ 'site.test': PUBLIC, 'rebound.test': address });
    const outcome = await fetching('http://site.test/', {}, names).fetch(
      `http://rebound.test:${inside.port}/`,
    );
    expect(failed(outcome)).toMatchObject({ code: 'private-network' });
    expect(failed(outcome).reason).toContain('rebound.test');
    expect(inside.connections).toBe(0);
  });

  test('a host with a private address is not called down', async () => {
    const fetcher = fetching('http://site.test/', {}, internet({ 'in.test': '10.0.0.1' }));
    for (let i = 0; i < 2; i++) {
      expect(failed(await fetcher.fetch('http://in.test/')).code).toBe('private-network');
    }
    expect(fetcher.clock.slept).toEqual([]);
  });

  test('allowPrivateNetworks lifts it', async () => {
    const inside = await serving({ '/': 'inside' });
    const fetcher = fetching(
      'http://site.test/',
      { allowPrivateNetworks: true },
      internet({ 'in.test': '127.0.0.1' }),
    );
    expect((await readAll(await fetcher.fetch(`http://in.test:${inside.port}/`))).text).toBe('inside');
    expect((await readAll(await fetcher.fetch(`${inside.origin}/`))).text).toBe('inside');
  });
});

describe('§9 a site that is private itself', () => {
  test.each(['127.0.0.1', 'localhost', 'dev.test'])(
    '%s may be read, at its own host and port',
    async (host) => {
      const server = await serving({ '/': 'home' });
      const site = `http://${host}:${server.port}/`;
      const fetcher = fetching(site, {}, internet({ localhost: '127.0.0.1', 'dev.test': '127.0.0.1' }));
      expect((await readAll(await fetcher.fetch(site))).text).toBe('home');
      expect((await readAll(await fetcher.fetch(site))).text).toBe('home');
    },
  );
});

describe('§9 behind a custom client only literals can be checked', () => {
  test('they are', async () => {
    const inside = await serving({ '*': 'secret' });
    const fetcher = fetching('https://example.org/', { webClient: fetch });
    for (const host of ['127.0.0.1', 'localhost', '0x7f000001', '[::1]']) {
      expect(failed(await fetcher.fetch(`http://${host}:${inside.port}/`)).code).toBe('private-network');
    }
    expect(inside.connections).toBe(0);
  });
});

test('§9 only http and https', async () => {
  const fetcher = fetching('https://example.org/');
  for (const url of ['file:///etc/passwd', 'ftp://example.org/', 'data:,x', 'nonsense', '', 'http://']) {
    expect(failed(await fetcher.fetch(url)).code).toBe('bad-url');
  }
});

test('the guard passes on an empty result of the resolver as a name that does not resolve', async () => {
  const guard = new NetworkGuard({
    site: new URL('http://a.test'),
    allowPrivateNetworks: false,
    resolve: async () => [],
  });
  expect(await guard.lookup(new URL('http://b.test'))).toEqual([]);
});

test.each([
  ['http://localhost/', 'https://localhost/', true],
  ['http://localhost:8080/', 'http://www.localhost:8080/', true],
  ['https://localhost/', 'http://localhost/', false],
  ['http://localhost:8080/', 'https://localhost:8443/', false],
])('a private site at %s may lead to %s: %s', (site, to, isAllowed) => {
  const guard = new NetworkGuard({ site: new URL(site), allowPrivateNetworks: false });
  guard.checkLiteral(new URL(site));
  if (isAllowed) expect(() => guard.checkLiteral(new URL(to))).not.toThrow();
  else expect(() => guard.checkLiteral(new URL(to))).toThrow('is not a public address');
});
