/** §15 in simulated time, through the whole fetcher: what servers do, and what becomes of 300 documents. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FetchResult } from '../../../src/fetch/fetch-document.ts';
import { createNetwork } from '../../../src/fetch/network.ts';
import type { StreamOptions } from '../../../src/options/options.ts';
import { resolveOptions } from '../../../src/options/resolve.ts';
import { failed, readAll } from '../../support/fetching.ts';
import { Chance } from '../../support/random.ts';
import { SimulatedClock } from '../../support/simulated-clock.ts';
import {
  connectionError,
  type Fate,
  leakyBucket,
  type SimulatedServer,
  simulatedServer,
} from '../../support/simulated-server.ts';
import { sized } from '../../support/tier.ts';

const SITE = 'http://site.test';

interface World {
  readonly clock: SimulatedClock;
  readonly server: SimulatedServer;
  readonly waits: { readonly host: string; readonly waitMs: number; readonly reason: string }[];
  /** Fetches and reads paths of the site, all at once. */
  get(paths: readonly string[]): Promise<readonly FetchResult[]>;
}

function world(
  fate: (request: { path: string; atMs: number; inFlight: number }) => Fate,
  options: StreamOptions & { readonly latencyMs?: number | ((path: string) => number) } = {},
): World {
  const { latencyMs, ...given } = options;
  const clock = new SimulatedClock();
  const server = simulatedServer(clock, fate, latencyMs);
  const resolved = resolveOptions({ ...given, webClient: server.client }, 'stream');
  const chance = new Chance(1);
  const network = createNetwork(resolved, { clock, random: () => chance.between(0, 999) / 1000 });
  onTestFinished(() => network.close());
  const fetcher = network.forSite(new URL(SITE), resolved);
  const waits: World['waits'] = [];
  const getOne = async (path: string): Promise<FetchResult> => {
    const fetched = await fetcher.fetch(SITE + path, { onWait: (wait) => void waits.push(wait) });
    if (fetched.type === 'document') await readAll(fetched);
    return fetched;
  };
  const get = (paths: readonly string[]): Promise<readonly FetchResult[]> =>
    clock.run(Promise.all(paths.map(getOne)));
  return { clock, server, waits, get };
}

const documents = (count: number, prefix = 'd'): string[] =>
  Array.from({ length: count }, (_, at) => `/${prefix}${at}`);

const lost = (fetched: readonly FetchResult[]): string[] =>
  fetched.flatMap((each) => (each.type === 'failed' ? [each.reason] : []));

const refusedOf = ({ requests }: SimulatedServer): number =>
  requests.filter(({ status }) => status === 503 || status === 429).length;

describe('§15 a server that allows 10 requests a second with a burst of 20, and answers 503 beyond', () => {
  test.each(sized({ fast: [1, 200], full: [1, 20, 50, 200] }))(
    'loses none of 300 documents, and refuses at most a tenth (latency %i ms)',
    async (latencyMs) => {
      const isAllowed = leakyBucket(10, 20);
      const { get, server, clock } = world(({ atMs }) => (isAllowed(atMs) ? 200 : 503), { latencyMs });
      expect(lost(await get(documents(300)))).toEqual([]);
      expect(server.requests.length).toBeGreaterThan(300);
      expect(refusedOf(server) / server.requests.length).toBeLessThanOrEqual(0.1);
      expect(clock.elapsedMs).toBeLessThan(45_000);
    },
  );

  const paces: [number, number][] = [
    [5, 0],
    [100, 20],
    [1, 20],
  ];
  test.each(sized({ fast: paces.slice(0, 2), full: paces }))(
    'loses none at %i a second with a burst of %i either',
    async (perSecond, burst) => {
      const isAllowed = leakyBucket(perSecond, burst);
      const { get, server } = world(({ atMs }) => (isAllowed(atMs) ? 200 : 429));
      expect(lost(await get(documents(300)))).toEqual([]);
      expect(refusedOf(server) / server.requests.length).toBeLessThanOrEqual(0.1);
    },
  );

  test('loses none where it counts 60 requests in each minute', async () => {
    const counts = new Map<number, number>();
    const { get } = world(({ atMs }) => {
      const minute = Math.floor(atMs / 60_000);
      counts.set(minute, (counts.get(minute) ?? 0) + 1);
      return counts.get(minute)! <= 60 ? 200 : 429;
    });
    expect(lost(await get(documents(150)))).toEqual([]);
  });
});

describe('§15 the pace of a host', () => {
  test('starts with 4 requests and grows to the ceiling', async () => {
    const first = world(() => 200);
    await first.get(documents(4));
    expect(first.server.mostAtOnce).toBe(4);
    const { get, server } = world(() => 200);
    await get(documents(100));
    expect(server.mostAtOnce).toBe(16);
  });

  test('never exceeds perHostConcurrency', async () => {
    const { get, server } = world(() => 200, { perHostConcurrency: 3 });
    await get(documents(50));
    expect(server.mostAtOnce).toBe(3);
  });

  test.each([
    ['a reset', connectionError('ECONNRESET')],
    ['a timeout', connectionError('UND_ERR_HEADERS_TIMEOUT')],
    ['a 429', 429],
    ['a 503', 503],
    ['a body that breaks', { status: 200, breaks: connectionError('ECONNRESET') }],
  ] as const)('is reduced by %s', async (_what, fate) => {
    const script = [fate];
    const { get, server } = world(({ path }) => (path === '/bad' ? (script.pop() ?? 200) : 200));
    await get(documents(40));
    const before = server.requests.length;
    await get(['/bad', ...documents(40, 'e')]);
    const times = server.requests.slice(before + 16).map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - times[index]!);
    // 25 ms from one start to the next, instead of 16 at once.
    expect(gaps.filter((gap) => gap > 15 && gap < 26).length).toBeGreaterThan(15);
  });

  test.each([404, 500, 502])('is not reduced by a %i', async (status) => {
    const { get, clock } = world(({ path }) => (path.startsWith('/e') ? status : 200), { retries: 0 });
    await get(documents(40));
    const before = clock.elapsedMs;
    await get(documents(48, 'e'));
    expect(clock.elapsedMs - before).toBeLessThanOrEqual(80);
  });

  test('waitMs is longer where it is longer than the spacing', async () => {
    const isAllowed = leakyBucket(10, 20);
    const options = { waitMs: 300 };
    const { get, server } = world(({ atMs }) => (isAllowed(atMs) ? 200 : 503), options);
    await get(documents(60));
    const gaps = server.requests.slice(1).map(({ at }, index) => at - server.requests[index]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(299);
    expect(refusedOf(server)).toBe(0);
  });
});

describe('§15 a refusal for going too fast', () => {
  /** Fetches a document that is always refused while others keep coming, which are not; returns its failure. */
  const refusedForever = async (options: StreamOptions = {}, status = 503) => {
    const latencyMs = (path: string): number => (path === '/bad' ? 20 : 1000);
    const { get, server } = world(({ path }) => (path === '/bad' ? status : 200), { ...options, latencyMs });
    let isOver = false;
    const others = async (name: string): Promise<void> => {
      for (let at = 0; !isOver; at++) await get([`/${name}-${at}`]);
    };
    const working = Promise.all(['a', 'b', 'c'].map(others));
    await get(documents(3));
    const [bad] = await get(['/bad']);
    isOver = true;
    await working;
    const requests = server.requests.filter(({ path }) => path === '/bad').length;
    return { requests, failure: failed(bad!) };
  };

  test('does not use up the attempts of a document, 20 times at most', async () => {
    const { requests, failure } = await refusedForever();
    expect(failure).toMatchObject({ code: 'http-status', status: 503 });
    expect(failure.reason).toContain('after 5 attempts, in addition to 20 refused for going too fast');
    expect(requests).toBe(25);
  });

  test('does not use up an attempt where the host has responded to others since the document asked', async () => {
    const script = [200, 500, 503];
    const { get, server } = world(({ path }) => (path === '/bad' ? script.pop()! : 200), {
      retries: 1,
      latencyMs: (path) => (path === '/bad' ? 300 : 20),
    });
    expect(lost(await get(['/bad', ...documents(10)]))).toEqual([]);
    const statuses = server.requests.filter(({ path }) => path === '/bad').map(({ status }) => status);
    expect(statuses).toEqual([503, 500, 200]);
  });

  test('counts as an attempt once sitemapTimeoutMs have passed since the first', async () => {
    const { requests } = await refusedForever({ sitemapTimeoutMs: 20_000 });
    expect(requests).toBeGreaterThan(5);
    expect(requests).toBeLessThan(15);
  });

  test.each([500, 502, 400])('is not a %i, which uses up the attempts as ever', async (status) => {
    expect((await refusedForever({}, status)).requests).toBe(5);
  });

  test('counts as an attempt where the host responds to no other request', async () => {
    const { get, server } = world(() => 503);
    expect(lost(await get(documents(10)))).toHaveLength(10);
    expect(server.requests).toHaveLength(50);
  });

  test('is not repeated with retries: 0', async () => {
    const { get, server } = world(({ path }) => (path === '/bad' ? 503 : 200), { retries: 0 });
    await get([...documents(50), '/bad', ...documents(50, 'e')]);
    expect(server.requests.filter(({ path }) => path === '/bad')).toHaveLength(1);
  });

  test('of everything ends in reasonable time, and does not cost what comes later', async () => {
    const isBad = (path: string): boolean => path.startsWith('/d');
    const { get, clock } = world(({ path }) => (isBad(path) ? 503 : 200));
    await get(['/first']);
    const fetched = await get([...documents(100), ...documents(100, 'good')]);
    expect(fetched.map(({ type }) => type)).toEqual([
      ...Array(100).fill('failed'),
      ...Array(100).fill('document'),
    ]);
    expect(clock.elapsedMs).toBeLessThan(600_000);
  });
});

describe('§15 Retry-After', () => {
  const refusal = (seconds: number, status = 429): Fate => ({
    status,
    headers: { 'retry-after': String(seconds) },
  });

  test('over 120 s ends the document as rate-limited, with the time', async () => {
    const { get, server } = world(({ path }) => (path === '/busy' ? refusal(300) : 200));
    const [busy] = await get(['/busy']);
    expect(failed(busy!)).toMatchObject({ code: 'rate-limited', status: 429 });
    expect(failed(busy!).reason).toContain('300 s');
    expect(server.requests).toHaveLength(1);
  });

  test('over 120 s for three documents in a row ends the host: 300 cost a handful of requests', async () => {
    const { get, server, clock } = world(() => refusal(3600, 503));
    const outcomes = (await get(documents(300))).map(failed);
    expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set(['rate-limited']));
    expect(outcomes.every(({ reason }) => reason.includes('3600 s'))).toBe(true);
    // Three, and what was in flight by then.
    expect(server.requests.length).toBeLessThanOrEqual(7);
    expect(clock.elapsedMs).toBeLessThan(1000);
    // And for what comes later in the call.
    expect(failed((await get(['/later']))[0]!).reason).toMatch(/not requested.*3600 s/);
    expect(server.requests.length).toBeLessThanOrEqual(7);
  });

  test('over 120 s with a success in between does not end the host', async () => {
    const { get, server, clock, waits } = world(({ path }) => (path.startsWith('/d') ? refusal(300) : 200));
    for (const [at, path] of documents(6).entries()) await get([path, `/e${at}`]);
    expect(server.requests).toHaveLength(12);
    // Nor does the host wait for so long.
    expect(clock.elapsedMs).toBeLessThan(120_000);
    expect(waits.filter(({ reason }) => reason.includes('Retry-After'))).toEqual([]);
  });

  test('pauses the host, 600 s in all for one call', async () => {
    const { get, clock, waits } = world(({ path }) => (path === '/first' ? 200 : refusal(100)), {
      retries: 9,
    });
    await get(['/first']);
    expect(lost(await get(documents(20)))).toHaveLength(20);
    const pauses = waits.filter(({ reason }) => reason.includes('Retry-After'));
    expect(pauses).toHaveLength(6);
    expect(clock.elapsedMs).toBeLessThan(2_000_000);
  });

  test('pauses the host for exactly 600 s: five times for 120 s, and not a sixth time', async () => {
    const { get, server, waits } = world(() => refusal(120), { retries: 5 });
    expect(lost(await get(['/busy']))).toHaveLength(1);
    expect(server.requests).toHaveLength(6);
    expect(waits.map(({ waitMs }) => waitMs)).toEqual(Array.from({ length: 5 }, () => 120_000));
  });

  test('of responses that were in flight together is one pause, so that a later one is obeyed too', async () => {
    let refusals = 8;
    const { get, waits } = world(() => (refusals-- > 0 ? refusal(100) : 200), {
      retries: 9,
      latencyMs: (path) => 20 + 2 * Number(path.at(-1)),
    });
    expect(lost(await get(documents(4)))).toEqual([]);
    const earlier = waits.length;
    refusals = 1;
    expect(lost(await get(['/later9']))).toEqual([]);
    expect(waits.slice(earlier)).toMatchObject([{ waitMs: 100_000 }]);
  });

  test.each([60, 120])('of %i s is waited for by all documents of the host', async (seconds) => {
    let isFirst = true;
    const { get, server } = world(() => {
      if (!isFirst) return 200;
      isFirst = false;
      return refusal(seconds);
    });
    expect(lost(await get(documents(20)))).toEqual([]);
    // The four that were in flight, and nothing else for that time.
    expect(server.requests.filter(({ at }) => at < seconds * 1000).length).toBeLessThanOrEqual(4);
  });
});

describe('§15 a host that has responded in this call and then refuses connections', () => {
  const down = (fromMs: number, toMs: number, error: Error) => (request: { atMs: number }) =>
    request.atMs >= fromMs && request.atMs < toMs ? error : 200;

  const failures: [string, number][] = [
    ['ECONNREFUSED', 1_500],
    ['EAI_AGAIN', 5_000],
    ['ECONNREFUSED', 5_000],
    ['ECONNRESET', 5_000],
    ['EHOSTUNREACH', 5_000],
  ];
  test.each(sized({ fast: failures.slice(0, 2), full: failures }))(
    '(%s for %i ms) loses none of 300 documents',
    async (code, ms) => {
      const { get, clock } = world(down(200, 200 + ms, connectionError(code)));
      expect(lost(await get(documents(300)))).toEqual([]);
      expect(clock.elapsedMs).toBeLessThan(120_000);
    },
  );

  test('is not down afterwards, and gets five attempts like a 502', async () => {
    let isUp = true;
    const { get, server } = world(() => (isUp ? 200 : connectionError('ECONNREFUSED')));
    await get(['/first']);
    isUp = false;
    await get(documents(20));
    const before = server.requests.length;
    const [late] = await get(['/late']);
    expect(failed(late!)).toMatchObject({ code: 'refused' });
    expect(failed(late!).reason).toContain('after 5 attempts');
    expect(server.requests.length - before).toBe(5);
  });
});

describe('§15 what a document waits for is reported', () => {
  test('a pause that the host asked for, once', async () => {
    let isFirst = true;
    const { get, waits } = world(({ path }) => {
      if (path !== '/busy' || !isFirst) return 200;
      isFirst = false;
      return { status: 429, headers: { 'retry-after': '60' } };
    });
    await get(['/busy']);
    expect(waits).toEqual([
      { host: 'site.test', waitMs: 60_000, reason: 'it asked for a pause (429 with Retry-After)' },
    ]);
  });

  test('a pause that several responses ask for at once, once', async () => {
    let first = 4;
    const retryAfter = { status: 429, headers: { 'retry-after': '60' } };
    const { get, waits } = world(() => (first-- > 0 ? retryAfter : 200));
    expect(lost(await get(documents(4)))).toEqual([]);
    expect(waits).toMatchObject([{ waitMs: 60_000 }]);
  });

  test('a pace of one second and more', async () => {
    const isAllowed = leakyBucket(0.5, 0);
    const { get, waits } = world(({ atMs }) => (isAllowed(atMs) ? 200 : 503));
    expect(lost(await get(documents(30)))).toEqual([]);
    expect(waits.length).toBeGreaterThan(0);
    for (const { waitMs, reason } of waits) {
      expect(waitMs).toBeGreaterThanOrEqual(1000);
      expect(reason).toBe('its pace was reduced (it responded with 503)');
    }
  });
});
