/** Specification §8: concurrency, perHostConcurrency, waitMs, randomWait. */
import { getEventListeners, setMaxListeners } from 'node:events';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { OpenDocument } from '../../../src/fetch/document.ts';
import type { Slot } from '../../../src/fetch/rules/politeness.ts';
import { Politeness } from '../../../src/fetch/rules/politeness.ts';
import { Stop } from '../../../src/runtime/abort.ts';
import { systemClock } from '../../../src/runtime/time.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { fetching, opened, readAll, serving } from '../../support/fetching.ts';
import { SimulatedClock } from '../../support/simulated-clock.ts';
import { sized } from '../../support/tier.ts';

const text = 'https://example.org/page\n'.repeat(1000);
const request = { signal: new AbortController().signal, isDeclared: true };
setMaxListeners(0, request.signal);

/** Fetches all paths at once; each document is held open until the test closes it. */
function openAll(fetcher: ReturnType<typeof fetching>, urls: readonly string[]): OpenDocument[] {
  const documents: OpenDocument[] = [];
  for (const url of urls)
    void fetcher.fetch(url).then(
      (outcome) => documents.push(opened(outcome)),
      () => {},
    );
  return documents;
}

const urlsOf = (origin: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${origin}/${i}`);

describe('§8 requests in flight', () => {
  test('hold a slot until the body ends', async () => {
    const server = await serving({ '*': { body: text, stallAfter: 500 } });
    const documents = openAll(fetching(server.origin, { perHostConcurrency: 2 }), urlsOf(server.origin, 5));
    await expect.poll(() => documents.length).toBe(2);
    expect(server.requests).toHaveLength(2);
    await documents[0]!.close();
    await expect.poll(() => documents.length).toBe(3);
    expect(server.requests).toHaveLength(3);
  });

  test('have started when their turn has come, not before', async () => {
    const server = await serving({ '*': { body: text, stallAfter: 500 } });
    const fetcher = fetching(server.origin, { concurrency: 1 });
    const first = opened(await fetcher.fetch(`${server.origin}/1`));
    const started: string[] = [];
    const second = fetcher.fetch(`${server.origin}/2`, { onStart: () => started.push('2') });
    await turn();
    expect(started).toEqual([]);
    await first.close();
    await opened(await second).close();
    expect(started).toEqual(['2']);
  });

  test('have started once, however many requests a document needs', async () => {
    const server = await serving({
      '/a': { redirect: '/b' },
      '/b': { script: [{ status: 503 }, { body: text }] },
    });
    let started = 0;
    const outcome = await fetching(server.origin).fetch(`${server.origin}/a`, { onStart: () => started++ });
    await readAll(outcome);
    expect([started, server.paths()]).toEqual([1, ['/a', '/b', '/a', '/b']]);
  });

  test('of one host do not delay those of another', async () => {
    const busy = await serving({ '*': { body: text, stallAfter: 500 } });
    const free = await serving({ '*': text });
    const fetcher = fetching(busy.origin, { perHostConcurrency: 1, allowPrivateNetworks: true });
    const documents = openAll(fetcher, urlsOf(busy.origin, 10));
    await expect.poll(() => documents.length).toBe(1);
    await readAll(await fetcher.fetch(`${free.origin}/`));
    expect(busy.requests).toHaveLength(1);
  });

  test('are limited in total, over all hosts', async () => {
    const servers = await Promise.all([1, 2, 3].map(() => serving({ '*': { body: text, stallAfter: 500 } })));
    const fetcher = fetching(servers[0]!.origin, { concurrency: 4, allowPrivateNetworks: true });
    const documents = openAll(
      fetcher,
      servers.flatMap(({ origin }) => urlsOf(origin, 3)),
    );
    await expect.poll(() => documents.length).toBe(4);
    await turn();
    expect(servers.reduce((sum, { requests }) => sum + requests.length, 0)).toBe(4);
  });

  test('hold no slot while backing off', async () => {
    const server = await serving({ '/flaky': { script: [{ status: 503 }, { body: text }] }, '/good': text });
    const clock = new FakeClock();
    let wake = (): void => {};
    let backingOff = false;
    clock.sleep = () => {
      backingOff = true;
      return new Promise((resolve) => {
        wake = resolve;
      });
    };
    const fetcher = fetching(server.origin, { concurrency: 1 }, { clock });
    const flaky = fetcher.fetch(`${server.origin}/flaky`);
    await expect.poll(() => backingOff).toBe(true);
    await readAll(await fetcher.fetch(`${server.origin}/good`));
    wake();
    await readAll(await flaky);
    expect(server.paths()).toEqual(['/flaky', '/good', '/flaky']);
  });

  test('give their slot back before they follow a redirect', async () => {
    const server = await serving({ '/a': { redirect: '/b' }, '/b': { redirect: '/c' }, '/c': text });
    const fetcher = fetching(server.origin, { concurrency: 1, perHostConcurrency: 1 });
    expect((await readAll(await fetcher.fetch(`${server.origin}/a`))).text).toBe(text);
  });

  test('that fail give their slots back', async () => {
    const server = await serving({
      '/x': { hangUp: true },
      '/y': { status: 404 },
      '/z': { status: 503 },
      '/ok': text,
    });
    const fetcher = fetching(server.origin, { concurrency: 1 });
    for (const path of ['/x', '/y', '/z'])
      expect((await fetcher.fetch(server.origin + path)).type).toBe('failed');
    await readAll(await fetcher.fetch(`${server.origin}/ok`));
  });

  test('that are aborted while they wait leave the queue', async () => {
    const server = await serving({ '*': { body: text, stallAfter: 500 } });
    const fetcher = fetching(server.origin, { concurrency: 1 });
    const documents = openAll(fetcher, urlsOf(server.origin, 1));
    await expect.poll(() => documents.length).toBe(1);
    const controller = new AbortController();
    const waiting = fetcher.fetch(`${server.origin}/waiting`, { signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await documents[0]!.close();
    await turn();
    expect(server.requests).toHaveLength(1);
  });

  test('of one host are served in order', async () => {
    const politeness = new Politeness(
      { concurrency: 1, perHostConcurrency: 1, waitMs: 0, randomWait: false },
      new FakeClock(),
    );
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3, 4].map(async (number) => {
        const slot = await politeness.enter('a', request);
        order.push(number);
        await turn();
        slot.leave();
      }),
    );
    expect(order).toEqual([1, 2, 3, 4]);
  });

  test('of several hosts take turns', async () => {
    const politeness = new Politeness(
      { concurrency: 1, perHostConcurrency: 1, waitMs: 0, randomWait: false },
      new FakeClock(),
    );
    const order: string[] = [];
    await Promise.all(
      ['a', 'a', 'a', 'b', 'b', 'c'].map(async (host) => {
        const slot = await politeness.enter(host, request);
        order.push(host);
        await turn();
        slot.leave();
      }),
    );
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });
});

test('undeclared requests wait behind all declared ones of their host, also those that come later', async () => {
  const options = { concurrency: 1, perHostConcurrency: 1, waitMs: 0, randomWait: false };
  const politeness = new Politeness(options, new FakeClock());
  const order: string[] = [];
  await Promise.all(
    ['first', 'undeclared 1', 'declared 1', 'undeclared 2', 'declared 2'].map(async (name) => {
      const slot = await politeness.enter('a', { ...request, isDeclared: !name.startsWith('un') });
      order.push(name);
      await turn();
      slot.leave();
    }),
  );
  expect(order).toEqual(['first', 'declared 1', 'declared 2', 'undeclared 1', 'undeclared 2']);
});

test('undeclared documents are requested behind declared ones that came later', async () => {
  const server = await serving({ '/first': { body: text, stallAfter: 500 }, '*': text });
  const fetcher = fetching(server.origin, { concurrency: 1 });
  const first = opened(await fetcher.fetch(`${server.origin}/first`));
  const others = [
    fetcher.fetch(`${server.origin}/undeclared`, { isDeclared: () => false }),
    fetcher.fetch(`${server.origin}/declared`),
  ].map((outcome) => outcome.then(readAll));
  await turn();
  await first.close();
  await Promise.all(others);
  expect(server.paths()).toEqual(['/first', '/declared', '/undeclared']);
});

test('a request that comes right after the last one has left a paused queue still starts', async () => {
  const options = { concurrency: 1, perHostConcurrency: 1, waitMs: 0, randomWait: false };
  const politeness = new Politeness(options, systemClock);
  const first = await politeness.enter('a', request);
  first.pause(50);
  first.leave();
  const controller = new AbortController();
  const left = politeness.enter('a', { signal: controller.signal, isDeclared: true }).catch(() => 'left');
  controller.abort();
  const slot = await politeness.enter('a', request);
  slot.leave();
  expect(await left).toBe('left');
});

test('an empty queue has no timer that keeps the process alive', async () => {
  const clock = new FakeClock();
  const alarms: AbortSignal[] = [];
  clock.sleep = (_ms, signal) => {
    alarms.push(signal!);
    return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
  };
  const politeness = new Politeness(
    { concurrency: 1, perHostConcurrency: 1, waitMs: 0, randomWait: false },
    clock,
  );
  const first = await politeness.enter('a', request);
  first.pause(100_000);
  first.leave();
  const controllers = [new AbortController(), new AbortController()];
  const waiting = controllers.map(({ signal }) =>
    politeness.enter('a', { signal, isDeclared: true }).catch(() => 'left'),
  );
  controllers[0]!.abort();
  expect(alarms.map(({ aborted }) => aborted)).toEqual([false]);
  controllers[1]!.abort();
  expect(alarms.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await Promise.all(waiting)).toEqual(['left', 'left']);
});

describe('§8 waitMs between requests to one host', () => {
  test('holds for redirects and retries, and not between hosts', async () => {
    const server = await serving({ '/a': text, '/b': { redirect: '/a' } });
    const other = await serving({ '*': text });
    const fetcher = fetching(server.origin, { waitMs: 1000, allowPrivateNetworks: true });
    await readAll(await fetcher.fetch(`${server.origin}/a`));
    expect(fetcher.clock.slept).toEqual([]);
    await readAll(await fetcher.fetch(`${server.origin}/b`));
    expect(fetcher.clock.slept).toEqual([1000, 1000]);
    await readAll(await fetcher.fetch(`${other.origin}/`));
    expect(fetcher.clock.slept).toEqual([1000, 1000]);
  });

  test('lets requests that are made at once start one after the other', async () => {
    const server = await serving({ '*': text });
    const fetcher = fetching(server.origin, { waitMs: 500 });
    await Promise.all(urlsOf(server.origin, 4).map(async (url) => readAll(await fetcher.fetch(url))));
    expect(fetcher.clock.slept).toEqual([500, 500, 500]);
  });

  test('includes time that has passed already', async () => {
    const server = await serving({ '*': text });
    const fetcher = fetching(server.origin, { waitMs: 1000 });
    await readAll(await fetcher.fetch(`${server.origin}/`));
    fetcher.clock.advance(400);
    await readAll(await fetcher.fetch(`${server.origin}/`));
    expect(fetcher.clock.slept).toEqual([600]);
  });

  test.each([
    [0, 500],
    [0.5, 1000],
    [1, 1500],
  ])('randomWait: ×0.5–1.5 (dice %f: %i ms)', async (dice, ms) => {
    const server = await serving({ '*': text });
    const fetcher = fetching(server.origin, { waitMs: 1000, randomWait: true }, { random: () => dice });
    for (let i = 0; i < 2; i++) await readAll(await fetcher.fetch(`${server.origin}/`));
    expect(fetcher.clock.slept).toEqual([ms]);
  });
});

test('§8 waitMs is kept for a host that many others were asked after', async () => {
  const clock = new FakeClock();
  const options = { concurrency: 1000, perHostConcurrency: 16, waitMs: 60_000, randomWait: false };
  const politeness = new Politeness(options, clock);
  (await politeness.enter('first', request)).leave();
  clock.advance(10_000);
  for (let host = 0; host < 150; host++) (await politeness.enter(`h${host}`, request)).leave();
  expect(clock.slept).toEqual([]);
  (await politeness.enter('first', request)).leave();
  expect(clock.slept).toEqual([50_000]);
});

describe('a slot', () => {
  const options = { concurrency: 2, perHostConcurrency: 1, waitMs: 0, randomWait: false };

  test('is given back once, however often that is said', async () => {
    const politeness = new Politeness(options, new FakeClock());
    const first = await politeness.enter('a', request);
    first.leave();
    first.leave();
    const started: string[] = [];
    for (const host of ['a', 'b', 'c']) void politeness.enter(host, request).then(() => started.push(host));
    await turn();
    expect(started).toEqual(['a', 'b']);
  });

  test('pauses its host from now on, not from the start of its request', async () => {
    const clock = new FakeClock();
    const politeness = new Politeness(options, clock);
    const slow = await politeness.enter('a', request);
    clock.advance(3000);
    expect(slow.pause(2000)).toBe(2000);
    slow.leave();
    (await politeness.enter('a', request)).leave();
    expect(clock.slept).toEqual([2000]);
  });

  test('leaves nothing that listens to a signal, whether it was got or not', async () => {
    const politeness = new Politeness(options, new FakeClock());
    const [stop, ended] = [new AbortController(), new AbortController()];
    const held = await politeness.enter('a', { signal: stop.signal, ended: ended.signal, isDeclared: true });
    const waiting = politeness.enter('a', { signal: stop.signal, ended: ended.signal, isDeclared: true });
    ended.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    held.leave();
    for (const { signal } of [stop, ended]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

test('of the hosts that are down, the one that was found so last is forgotten last', () => {
  const clock = new FakeClock();
  const politeness = new Politeness(
    { concurrency: 2, perHostConcurrency: 1, waitMs: 0, randomWait: false },
    clock,
  );
  const url = (host: number): URL => new URL(`http://h${host}.test`);
  for (let host = 0; host < 1_000; host++) politeness.setDown(url(host), 'refused');
  politeness.setDown(url(0), 'refused again');
  politeness.setDown(url(1_000), 'refused');
  expect([politeness.whyDown(url(0)), politeness.whyDown(url(1))]).toEqual(['refused again', undefined]);
});

describe('§14 requests to one address', () => {
  const options = { concurrency: 100, perHostConcurrency: 16, waitMs: 0, randomWait: false };

  test('are 16 at most, whatever the number of hosts there', async () => {
    const politeness = new Politeness(options, new FakeClock());
    const slots: Slot[] = [];
    const enter = (host: string, address: string): void => {
      void politeness.enter(host, { ...request, address }).then((slot) => slots.push(slot));
    };
    for (let host = 0; host < 40; host++) enter(`h${host}`, '192.0.2.1');
    for (let host = 0; host < 10; host++) enter(`o${host}`, '192.0.2.2');
    await turn();
    expect(slots).toHaveLength(26);
    for (let left = 40; left > 0; left--) {
      slots[0]!.leave();
      slots.shift();
      await turn();
    }
    expect(slots).toHaveLength(10);
  });

  test('are counted by the fetcher, by the name of the host and by its address', async () => {
    const server = await serving({ '*': { body: text, stallAfter: 500 } });
    const resolve = async (): Promise<{ address: string; family: number }[]> => [
      { address: '127.0.0.1', family: 4 },
    ];
    const fetcher = fetching(
      'http://h0.test/',
      { concurrency: 64, allowPrivateNetworks: true },
      { resolve, clock: systemClock },
    );
    const documents = openAll(
      fetcher,
      Array.from({ length: 30 }, (_, host) => `http://h${host}.test:${server.port}/`),
    );
    await expect.poll(() => documents.length).toBe(16);
    await delay(50);
    expect(server.requests).toHaveLength(16);
    await Promise.all(documents.slice(0, 3).map((document) => document.close()));
    await expect.poll(() => server.requests.length).toBe(19);
  });

  test('stay those of the address that a host had when its first request in flight started', async () => {
    const politeness = new Politeness(options, new FakeClock());
    const slots: Slot[] = [];
    const enter = (host: string, address: string): void => {
      void politeness.enter(host, { ...request, address }).then((slot) => slots.push(slot));
    };
    for (let host = 0; host < 16; host++) enter(`h${host}`, '192.0.2.1');
    await turn();
    // Its name leads elsewhere by now; its requests in flight do not.
    enter('h0', '192.0.2.2');
    await turn();
    expect(slots).toHaveLength(16);
    slots[5]!.leave();
    await turn();
    expect(slots).toHaveLength(17);
    enter('other', '192.0.2.1');
    await turn();
    expect(slots).toHaveLength(17);
    // Once all of them have ended, the new address counts.
    slots[0]!.leave();
    slots[16]!.leave();
    await turn();
    for (let host = 0; host < 15; host++) enter(`n${host}`, '192.0.2.2');
    enter('h0', '192.0.2.2');
    await turn();
    expect(slots).toHaveLength(34);
    enter('one-more', '192.0.2.2');
    await turn();
    expect(slots).toHaveLength(34);
  });

  test('that end are offered to hosts that still wait there, not to one that has moved', async () => {
    const politeness = new Politeness(options, new FakeClock());
    const started: [host: string, slot: Slot][] = [];
    const enter = (host: string, address: string): void => {
      void politeness.enter(host, { ...request, address }).then((slot) => started.push([host, slot]));
    };
    for (let host = 0; host < 16; host++) enter(`a${host}`, '192.0.2.1');
    for (let host = 0; host < 16; host++) enter(`b${host}`, '192.0.2.2');
    enter('moving', '192.0.2.1');
    enter('waiting', '192.0.2.1');
    enter('moving', '192.0.2.2');
    await turn();
    expect(started).toHaveLength(32);
    started[0]![1].leave();
    await turn();
    expect(started.slice(32).map(([host]) => host)).toEqual(['waiting']);
    started[16]![1].leave();
    await turn();
    expect(started.slice(33).map(([host]) => host)).toEqual(['moving']);
  });

  test('are given to the hosts that wait there by turns', async () => {
    const politeness = new Politeness(options, new FakeClock());
    const started: string[] = [];
    const slots: Slot[] = [];
    for (let host = 0; host < 16; host++)
      slots.push(await politeness.enter(`h${host}`, { ...request, address: '192.0.2.1' }));
    for (const host of ['a', 'a', 'a', 'b', 'b', 'b'])
      void politeness.enter(host, { ...request, address: '192.0.2.1' }).then(() => started.push(host));
    for (const slot of slots.slice(0, 6)) {
      slot.leave();
      await turn();
    }
    expect(started).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  test('are limited by perHostConcurrency where that is more', async () => {
    const politeness = new Politeness({ ...options, perHostConcurrency: 20 }, new FakeClock());
    let started = 0;
    for (let host = 0; host < 40; host++) {
      void politeness.enter(`h${host}`, { ...request, address: '192.0.2.1' }).then(() => started++);
    }
    await turn();
    expect(started).toBe(20);
  });
});

const HOSTS = sized({ fast: 600, full: 3_000, strong: 10_000 });
test(`§15 ${HOSTS} hosts with waitMs cost work in proportion to the requests`, async () => {
  const work = async (hosts: number): Promise<number> => {
    const clock = new SimulatedClock();
    let looks = 0;
    const now = clock.now.bind(clock);
    clock.now = () => {
      looks++;
      return now();
    };
    const options = { concurrency: 16, perHostConcurrency: 16, waitMs: 1_000, randomWait: false };
    const politeness = new Politeness(options, clock);
    // A signal each: one that thousands listen to looks at all of them for each that is added.
    const one = async (host: number): Promise<void> => {
      const { signal } = new AbortController();
      const slot = await politeness.enter(`h${host}`, { ...request, signal });
      await clock.sleep(10);
      slot.leave();
    };
    // Three requests to each host at once.
    await clock.run(Promise.all(Array.from({ length: 3 * hosts }, (_, at) => one(at % hosts))));
    return looks + clock.waits;
  };
  const [some, many] = [await work(HOSTS / 10), await work(HOSTS)];
  expect(many / some).toBeLessThan(12);
});

test('§15 a pace that was reduced outlasts the longest pause of a document, also among many hosts', async () => {
  const clock = new FakeClock();
  const options = { concurrency: 1000, perHostConcurrency: 16, waitMs: 0, randomWait: false };
  const politeness = new Politeness(options, clock);
  const slots = [await politeness.enter('busy', request), await politeness.enter('busy', request)];
  slots[0]!.responded();
  slots[1]!.refused();
  for (const slot of slots) slot.leave();
  clock.advance(30_000);
  for (let host = 0; host < 150; host++) (await politeness.enter(`h${host}`, request)).leave();
  let started = 0;
  for (let at = 0; at < 4; at++) void politeness.enter('busy', request).then(() => started++);
  for (let at = 0; at < 10; at++) await turn();
  expect(started).toBe(2);
});

test('§15 what one call waits for at a host can be ended, and the rest goes on', async () => {
  const options = { concurrency: 16, perHostConcurrency: 1, waitMs: 0, randomWait: false };
  const politeness = new Politeness(options, new FakeClock());
  const [mine, other] = [new Stop(), new Stop()];
  const slot = await politeness.enter('a', request);
  const outcomes = [mine, other, mine].map((ended) =>
    politeness.enter('a', { ...request, ended }).then(
      (each) => {
        each.leave();
        return 'started';
      },
      (reason) => reason,
    ),
  );
  mine.abort('over');
  slot.leave();
  expect(await Promise.all(outcomes)).toEqual(['over', 'started', 'over']);
});
