/** One network, many sites: what they share, what they must not share, and what a closed site leaves behind. */
import { describe, expect, test } from 'vitest';
import type { DocumentFetcher } from '../../src/fetch/fetch-document.ts';
import type { FetchInternals } from '../../src/fetch/network.ts';
import { Politeness } from '../../src/fetch/rules/politeness.ts';
import type { StreamOptions } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import { isPublicAddress } from '../../src/url.ts';
import { closedPort } from '../server/raw-server.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  failed,
  networking,
  opened,
  readAll,
  serving,
  servingOutsideAndInside,
} from '../support/fetching.ts';
import { aliveBytes, untilCollected } from '../support/sitemaps.ts';

/** The tests have loopback only, so a part of it is the public internet: 127.0.1.x. */
const PUBLIC = '127.0.1.1';
const PRIVATE = '127.0.0.1';

/** A world in which host names resolve as `names` says, or to the address of `*`. */
const world = (names: Record<string, string>): FetchInternals => ({
  isPublic: (address) => address.startsWith('127.0.1.') || isPublicAddress(address),
  resolve: async (name) => [{ address: names[name] ?? names['*'] ?? '', family: 4 }],
});

/** A network, and the way to open sites on it. */
function sharing(
  names: Record<string, string>,
  options: StreamOptions = {},
): { site: (url: string, own?: StreamOptions) => DocumentFetcher; clock: FakeClock } {
  const { network, clock } = networking(options, world(names));
  const site = (url: string, own: StreamOptions = {}): DocumentFetcher =>
    network.forSite(new URL(url), resolveOptions({ ...options, ...own }, 'stream'));
  return { site, clock };
}

const textAt = async (fetcher: DocumentFetcher, url: string): Promise<string> =>
  (await readAll(await fetcher.fetch(url))).text;

/** A connection becomes free a moment after its body was read. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe('connections', () => {
  test('to a public host are shared by all sites', async () => {
    const server = await serving({ '*': 'public' }, { address: PUBLIC });
    const { site } = sharing({ '*': PUBLIC });
    for (const name of ['a', 'b', 'c']) {
      expect(await textAt(site(`http://${name}.test/`), `http://cdn.test:${server.port}/`)).toBe('public');
      await settled();
    }
    expect(server.connections).toBe(1);
  });

  test('to the private address of one site are not used by another site that lists it', async () => {
    const inside = await serving({ '*': 'secret' });
    const { site } = sharing({ 'dev.test': PRIVATE, '*': PUBLIC });
    const url = `http://dev.test:${inside.port}/`;
    expect(await textAt(site(url), url)).toBe('secret');
    await settled();
    expect(inside.openSockets).toBe(1);
    expect(failed(await site('http://attacker.test/').fetch(url)).code).toBe('private-network');
    expect(inside.requests).toHaveLength(1);
  });

  test('of a site that allows private networks are not used by a site that does not', async () => {
    const inside = await serving({ '*': 'secret' });
    const { site } = sharing({ 'dev.test': PRIVATE, '*': PUBLIC });
    const url = `http://dev.test:${inside.port}/`;
    expect(await textAt(site('http://a.test/', { allowPrivateNetworks: true }), url)).toBe('secret');
    await settled();
    expect(failed(await site('http://b.test/').fetch(url)).code).toBe('private-network');
    expect(inside.requests).toHaveLength(1);
    // Another site that allows it may use the same connection.
    expect(await textAt(site('http://c.test/', { allowPrivateNetworks: true }), url)).toBe('secret');
    expect(inside.connections).toBe(1);
  });

  test.each([
    ['the site itself', 'www.example.org'],
    ['another host', 'media.example.org'],
  ])('to a private host that stands for %s (mapHosts) are not used by other sites', async (_what, host) => {
    const inside = await serving({ '*': 'secret' });
    const { site } = sharing({ 'staging.test': PRIVATE, '*': PUBLIC });
    const mapHosts = { [`staging.test:${inside.port}`]: host };
    const other = site('http://attacker.test/');
    const url = `http://staging.test:${inside.port}/`;
    expect(failed(await other.fetch(url)).code).toBe('private-network');
    expect(await textAt(site('http://www.example.org/', { mapHosts }), `http://${host}/`)).toBe('secret');
    await settled();
    expect(inside.openSockets).toBe(1);
    expect(failed(await other.fetch(url)).code).toBe('private-network');
    expect(inside.requests).toHaveLength(1);
  });

  test('of a site that was public stay public, even if the same site is private for another call', async () => {
    const { outside, inside } = await servingOutsideAndInside(PUBLIC);
    const names: Record<string, string> = { 'site.test': PUBLIC };
    const { site } = sharing(names);
    const url = `http://site.test:${outside.port}/`;
    const first = site(url);
    expect(await textAt(first, url)).toBe('public');
    names['site.test'] = PRIVATE;
    expect(await textAt(site(url), url)).toBe('secret');
    await settled();
    await outside.close();
    await settled();
    expect(failed(await first.fetch(url)).code).toBe('private-network');
    expect(inside.requests).toHaveLength(1);
  });

  test('that are not in use are limited in number, over all hosts', async () => {
    const server = await serving({ '*': 'public' }, { address: PUBLIC });
    const { site } = sharing({ '*': PUBLIC });
    const fetcher = site('http://site.test/');
    for (let host = 0; host < 100; host++) await textAt(fetcher, `http://h${host}.test:${server.port}/`);
    // A short wait: each is closed after four seconds anyway.
    await expect.poll(() => server.openSockets, { timeout: 1000 }).toBeLessThanOrEqual(64);
    expect(server.connections).toBe(100);
  });

  test('that are in use again are not closed, however many others become unused', async () => {
    let arrive = (): void => {};
    const until = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const slow = { body: 'a slow document', holdAfter: { bytes: 6, until } };
    const server = await serving({ '/slow': slow, '*': 'public' }, { address: PUBLIC });
    const { site } = sharing({ '*': PUBLIC });
    const fetcher = site('http://site.test/');
    await textAt(fetcher, `http://slow.test:${server.port}/`);
    await settled();
    const reading = textAt(fetcher, `http://slow.test:${server.port}/slow`);
    await expect.poll(() => server.bytesSent).toBe('public'.length + 6);
    for (let host = 0; host < 70; host++) await textAt(fetcher, `http://h${host}.test:${server.port}/`);
    arrive();
    expect(await reading).toBe('a slow document');
    const ofSlow = server.requests.filter(({ host }) => host.startsWith('slow.'));
    expect(ofSlow.map(({ connection }) => connection)).toEqual([0, 0]);
  });
});

describe('a site that is closed', () => {
  test('ends its own requests and no others', async () => {
    const server = await serving({ '*': { body: 'x'.repeat(1000), stallAfter: 500 } });
    const url = `http://a.test:${server.port}/`;
    const { site } = sharing({ '*': PRIVATE });
    const [one, other] = [site(url), site(url)];
    const documents = [opened(await one.fetch(url)), opened(await other.fetch(url))];
    const reading = documents.map((document) =>
      readAll(document).then(
        () => 'read',
        (error) => error.code,
      ),
    );
    await one.close();
    expect(await reading[0]).toBe('closed');
    await expect(one.fetch(url)).rejects.toMatchObject({ code: 'closed' });
    await expect.poll(() => server.openSockets).toBe(1);
    await other.close();
    expect(await reading[1]).toBe('closed');
    await server.allSocketsClosed();
  });

  test('closes its own unused connections and keeps those that others may use', async () => {
    const own = await serving({ '*': 'own' });
    const shared = await serving({ '*': 'shared' }, { address: PUBLIC });
    const { site } = sharing({ 'own.test': PRIVATE, '*': PUBLIC });
    const fetcher = site(`http://own.test:${own.port}/`);
    await textAt(fetcher, `http://own.test:${own.port}/`);
    await textAt(fetcher, `http://cdn.test:${shared.port}/`);
    await settled();
    await fetcher.close();
    await own.allSocketsClosed();
    expect(shared.openSockets).toBe(1);
  });

  test('leaves no socket, however many sites there were', async () => {
    const server = await serving({ '*': 'home' });
    const { site } = sharing({ '*': PRIVATE });
    for (let number = 0; number < 60; number++) {
      const url = `http://site-${number}.test:${server.port}/`;
      const fetcher = site(url);
      await textAt(fetcher, url);
      await fetcher.close();
    }
    await server.allSocketsClosed();
    expect(server.connections).toBe(60);
  });
});

test('headers and credentials belong to one site', async () => {
  const server = await serving({ '*': 'home' });
  const { site } = sharing({ '*': PRIVATE });
  const url = `http://site.test:${server.port}/`;
  await textAt(site(url.replace('//', '//user:secret@'), { headers: { 'x-token': 'mine' } }), url);
  await textAt(site(url), url);
  const [first, second] = server.requests;
  expect(first?.headers).toMatchObject({
    'x-token': 'mine',
    authorization: expect.stringMatching(/^Basic /),
  });
  expect(second?.headers).not.toHaveProperty('x-token');
  expect(second?.headers).not.toHaveProperty('authorization');
});

test('the limits of a host hold over all sites', async () => {
  const server = await serving({ '*': { body: 'x'.repeat(1000), stallAfter: 500 } }, { address: PUBLIC });
  const { site } = sharing({ '*': PUBLIC }, { perHostConcurrency: 2 });
  const documents = ['a', 'b', 'c'].map((name) =>
    site(`http://${name}.test/`).fetch(`http://cdn.test:${server.port}/${name}`),
  );
  await expect.poll(() => server.requests.length).toBe(2);
  await settled();
  expect(server.requests).toHaveLength(2);
  await opened((await documents[0])!).close();
  await expect.poll(() => server.requests.length).toBe(3);
  // The end of the test would close what is still on its way, and reject it.
  await Promise.all(documents);
});

describe('a host that is down', () => {
  test('for one site is down for the next, for five minutes', async () => {
    const url = `http://down.test:${await closedPort()}/`;
    const { site, clock } = sharing({ '*': PUBLIC });
    expect(failed(await site('http://a.test/').fetch(url)).code).toBe('refused');
    expect(failed(await site('http://b.test/').fetch(url)).code).toBe('host-down');
    clock.advance(5 * 60_000);
    expect(failed(await site('http://c.test/').fetch(url)).code).toBe('refused');
  });

  test('is down for the rest of a call, however long that is', async () => {
    const url = `http://down.test:${await closedPort()}/`;
    const { site, clock } = sharing({ '*': PUBLIC });
    const fetcher = site('http://a.test/');
    expect(failed(await fetcher.fetch(url)).code).toBe('refused');
    clock.advance(3_600_000);
    expect(failed(await fetcher.fetch(url)).code).toBe('host-down');
  });

  test('is asked by a site that has reached it itself', async () => {
    const server = await serving({ '*': 'home' }, { address: PUBLIC });
    const { site } = sharing({ '*': PUBLIC });
    const url = `http://cdn.test:${server.port}/`;
    const lucky = site('http://a.test/');
    expect(await textAt(lucky, url)).toBe('home');
    await server.close();
    expect(failed(await site('http://b.test/').fetch(url)).code).toBe('refused');
    await serving({ '*': 'again' }, { address: PUBLIC, port: server.port });
    expect(failed(await site('http://b.test/').fetch(url)).code).toBe('host-down');
    expect(await textAt(lucky, url)).toBe('again');
  });
});

test('a host that stands for a public one is down where it cannot be reached', async () => {
  const here = `a.test:${await closedPort()}`;
  const { site } = sharing({ '*': PUBLIC }, { mapHosts: { [here]: 'site.test' } });
  const fetcher = site('http://site.test/');
  expect(failed(await fetcher.fetch('http://site.test/a')).code).toBe('refused');
  expect(failed(await fetcher.fetch('http://site.test/b')).code).toBe('host-down');
});

describe('10,000 hosts one after the other', () => {
  const OPTIONS = { concurrency: 16, perHostConcurrency: 6, waitMs: 0, randomWait: false };
  const request = { signal: new AbortController().signal, isDeclared: true };

  test('leave a bounded number of hosts that are down, for a few minutes', async () => {
    const clock = new FakeClock();
    const politeness = new Politeness(OPTIONS, clock);
    const why = (url: string): string | undefined => politeness.whyDown(new URL(url));
    for (let host = 0; host < 10_000; host++) politeness.setDown(new URL(`http://h${host}.test`), 'refused');
    expect(politeness.hosts).toBe(1_000);
    expect(why('http://h9999.test/x')).toBe('refused');
    expect(why('https://h9999.test/x')).toBeUndefined();
    expect(why('http://h0.test/x')).toBeUndefined();
    clock.advance(5 * 60_000);
    expect(why('http://h9999.test/x')).toBeUndefined();
    for (let host = 0; host < 2_000; host++) (await politeness.enter(`up${host}`, request)).leave();
    clock.advance(10_000);
    for (let host = 0; host < 2_000; host++) (await politeness.enter(`on${host}`, request)).leave();
    expect(politeness.hosts).toBeLessThanOrEqual(2_100);
  });

  test('leave the pace of those that must not be asked again yet', async () => {
    const clock = new FakeClock();
    const politeness = new Politeness({ ...OPTIONS, waitMs: 1_000 }, clock);
    for (let host = 0; host < 10_000; host++) {
      (await politeness.enter(`h${host}`, request)).leave();
      clock.advance(100);
    }
    expect(politeness.hosts).toBeLessThan(200);
  });

  test('leave nothing of their addresses', async () => {
    const clock = new FakeClock();
    const politeness = new Politeness(OPTIONS, clock);
    const before = aliveBytes();
    for (let host = 0; host < 20_000; host++) {
      const address = `10.0.${host >> 8}.${host & 255}`;
      (await politeness.enter(`h${host}`, { ...request, address })).leave();
      clock.advance(1_000);
    }
    // An address takes some 350 bytes.
    expect(aliveBytes() - before).toBeLessThan(3_000_000);
    expect(politeness.hosts).toBeLessThan(200);
  });
});

test('closing the network ends all sites', async () => {
  const server = await serving({ '*': { body: 'x'.repeat(1000), stallAfter: 500 } });
  const { network } = networking({}, world({ '*': PRIVATE }));
  const url = `http://a.test:${server.port}/`;
  const fetchers = [1, 2].map(() => network.forSite(new URL(url), resolveOptions({}, 'stream')));
  const reading = fetchers.map(async (fetcher) => readAll(await fetcher.fetch(url)));
  const ended = Promise.all(reading.map((each) => expect(each).rejects.toMatchObject({ code: 'closed' })));
  await expect.poll(() => server.requests.length).toBe(2);
  await network.close();
  await ended;
  await server.allSocketsClosed();
});

test('a site that is closed is forgotten by the network, whatever else is open', async () => {
  const { network } = networking();
  const options = resolveOptions({}, 'stream');
  const forgotten: string[] = [];
  const registry = new FinalizationRegistry((name: string) => forgotten.push(name));
  const closed = async (): Promise<void> => {
    const fetcher = network.forSite(new URL('http://closed.test/'), options);
    registry.register(fetcher, 'closed');
    await fetcher.close();
  };
  const other = network.forSite(new URL('http://open.test/'), options);
  await closed();
  expect(await untilCollected(() => forgotten.includes('closed'))).toBe(true);
  await other.close();
});

describe('whether a site itself is refused is found without a request', () => {
  const names = { 'in.test': '10.0.0.1', 'out.test': PUBLIC };
  test.each<[string, StreamOptions, boolean, boolean]>([
    ['http://in.test/', {}, true, true],
    ['http://out.test/', {}, true, false],
    ['http://10.0.0.1/', {}, true, true],
    ['http://8.8.8.8/', {}, true, false],
    ['http://in.test/', {}, false, false],
    ['http://in.test/', { allowPrivateNetworks: true }, true, false],
    // Names are resolved by others there.
    ['http://in.test/', { proxy: 'http://proxy.test:3128' }, true, false],
    ['http://10.0.0.1/', { proxy: 'http://proxy.test:3128' }, true, true],
    ['http://in.test/', { webClient: fetch }, true, false],
    ['http://localhost/', { webClient: fetch }, true, true],
  ])('%s with %j, guarded: %j', async (url, options, isSiteGuarded, isRefused) => {
    const { network } = networking(options, { ...world(names), isSiteGuarded });
    expect(await network.refuses(new URL(url))).toBe(isRefused);
  });

  test('a guarded site that is requested all the same is refused, and not connected to', async () => {
    const server = await serving({ '*': 'private' });
    const { network } = networking({}, { isSiteGuarded: true });
    const fetcher = network.forSite(new URL(server.origin), resolveOptions({}, 'stream'));
    expect(failed(await fetcher.fetch(`${server.origin}/`)).code).toBe('private-network');
    expect(server.connections).toBe(0);
  });

  test('a name that does not resolve is not refused: the connection will say so', async () => {
    const resolve = (): Promise<never> => Promise.reject(new Error('no'));
    const { network } = networking({}, { resolve, isSiteGuarded: true });
    expect(await network.refuses(new URL('http://gone.test/'))).toBe(false);
  });
});

test('the address of a host is looked up once a minute for all requests, and never for a literal', async () => {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return [{ address: PUBLIC, family: 4 }];
  };
  const webClient = undefined;
  const server = await serving({ '*': 'home' }, { address: PUBLIC });
  const options = { webClient, concurrency: 32, perHostConcurrency: 6 };
  const { network, clock } = networking(options, { ...world({}), resolve });
  const site = `http://a.test:${server.port}/`;
  const fetcher = network.forSite(new URL(site), resolveOptions(options, 'stream'));
  const countAfter = async (ms: number, url = site): Promise<number> => {
    clock.advance(ms);
    const before = asked.length;
    await textAt(fetcher, url);
    await settled();
    return asked.length - before;
  };
  // One for the limit of the address, and one for the connection, which is kept then.
  expect(await countAfter(0)).toBe(2);
  expect([await countAfter(59_999), await countAfter(1), await countAfter(1)]).toEqual([0, 1, 0]);
  expect(await countAfter(0, `http://${PUBLIC}:${server.port}/`)).toBe(0);
});
