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

test.each([
  ['http://10.0.0.1/', '10.0.0.1 is not a public address; the option "allowPrivateNetworks" permits it'],
  ['http://127.1:8080/', '127.0.0.1 is not'],
  ['http://[::1]/', '[::1] (::1) is not'],
  ['http://localhost/', 'localhost (127.0.0.1) is not'],
  ['http://a.localhost./', 'a.localhost. (127.0.0.1) is not'],
  ['http://notlocalhost/', undefined],
  ['http://localhost.test/', undefined],
  ['http://in.test/', undefined],
  ['http://8.8.8.8/', undefined],
])('§9 what is said of the host of %s without a look-up: %j', (url, says) => {
  const guard = new NetworkGuard({ site: new URL('http://a.test'), allowPrivateNetworks: false });
  if (says === undefined) return guard.checkLiteral(new URL(url));
  const error = expect.objectContaining({
    ...{ code: 'private-network', connected: false, retryable: false, option: 'allowPrivateNetworks' },
    message: expect.stringContaining(says),
  });
  expect(() => guard.checkLiteral(new URL(url))).toThrow(error);
});

test('§9 of the addresses of a name only the public ones are used, and the first private one is named', async () => {
  const names = { 'both.test': ['10.0.0.1', '127.0.1.7', '127.0.1.8'], 'in.test': ['10.0.0.1', '10.0.0.2'] };
  const options = { site: new URL('http://a.test'), ...internet(names) };
  const guard = new NetworkGuard({ ...options, allowPrivateNetworks: false });
  const addresses = async (url: string) => (await guard.lookup(new URL(url))).map(({ address }) => address);
  expect(await addresses('http://both.test/')).toEqual(['127.0.1.7', '127.0.1.8']);
  await expect(addresses('http://in.test/')).rejects.toThrow('in.test (10.0.0.1) is not');
  const open = new NetworkGuard({ ...options, allowPrivateNetworks: true });
  expect(await open.lookup(new URL('http://both.test/'))).toHaveLength(3);
  expect(await guard.lookup(new URL('http://[2606:4700::1]/'))).toEqual([
    { address: '2606:4700::1', family: 6 },
  ]);
});

test('§9 a site is private only where all of its addresses are, and that is decided once', async () => {
  const names: Record<string, string[]> = {
    'site.test': ['10.0.0.1', '127.0.1.7'],
    'dev.test': ['10.0.0.1'],
  };
  const guardOf = (site: string) =>
    new NetworkGuard({ site: new URL(site), allowPrivateNetworks: false, ...internet(names) });
  const site = guardOf('http://site.test/');
  expect(await site.lookup(new URL('http://site.test/'))).toHaveLength(1);
  const dev = guardOf('http://dev.test/');
  expect(await dev.lookup(new URL('http://dev.test/'))).toHaveLength(1);
  Object.assign(names, {
    'site.test': ['10.0.0.1'],
    'www.dev.test': ['10.0.0.9'],
    'x.dev.test': ['10.0.0.9'],
  });
  await expect(site.lookup(new URL('http://site.test/'))).rejects.toThrow('not a public address');
  expect(await dev.lookup(new URL('https://www.dev.test/'))).toHaveLength(1);
  await expect(dev.lookup(new URL('http://x.dev.test/'))).rejects.toThrow('not a public address');
  await expect(dev.lookup(new URL('http://dev.test:81/'))).rejects.toThrow('not a public address');
});

test('§9 who may use a connection again', () => {
  const options = { site: new URL('http://a.test'), isHere: ({ hostname }: URL) => hostname === 'here.test' };
  const [guard, other] = [1, 2].map(() => new NetworkGuard({ ...options, allowPrivateNetworks: false }));
  const sharing = ['http://a.test/', 'https://www.a.test/', 'http://here.test/', 'http://b.test/'].map(
    (url) => guard!.shares(new URL(url)),
  );
  const { ownConnections } = guard!;
  expect(sharing).toEqual([ownConnections, ownConnections, ownConnections, 'everyone']);
  expect(other!.ownConnections).not.toBe(ownConnections);
  const open = new NetworkGuard({ ...options, allowPrivateNetworks: true });
  expect(open.shares(new URL('http://a.test/'))).toBe('unguarded');
});

test.each([
  ['http://127.0.0.1:8080/a', 'https://127.0.0.1:8443/', true],
  ['http://127.0.0.1:8081/a', 'https://127.0.0.1:8443/', false],
  ['http://127.0.0.1:8080/a', 'http://127.0.0.1:8443/', false],
  ['https://127.0.0.1:8080/a', 'https://127.0.0.1:8443/', false],
  ['http://127.0.0.1:8080/a', 'https://127.0.0.2:8443/', false],
])('§9 a redirect from %s to %s opens that port to a private site: %j', (from, to, opens) => {
  const guard = new NetworkGuard({ site: new URL('http://127.0.0.1:8080/'), allowPrivateNetworks: false });
  guard.redirected(new URL(from), new URL(to));
  guard.redirected(new URL('http://127.0.0.1:8080/'), new URL('https://127.0.0.1:9443/'));
  const isOpen = (url: string): boolean => {
    try {
      guard.checkLiteral(new URL(url));
      return true;
    } catch {
      return false;
    }
  };
  // Only the first one counts, and only for https.
  expect([to, 'https://127.0.0.1:9443/'].map(isOpen)).toEqual([opens, !opens]);
  expect(isOpen(to.replace('https:', 'http:'))).toBe(false);
});
