/** §15, the pace of a host: when it grows, when it is reduced, and what does not reduce it. */
import { describe, expect, test } from 'vitest';
import { Host } from '../../../src/fetch/rules/host.ts';

/** A pace after a number of responses in good time. */
function paceAfter(responses: number, ceiling = 16): Host {
  const pace = new Host('h.test', ceiling);
  respond(pace, responses);
  return pace;
}

function respond(pace: Host, count: number, ms = 10): void {
  for (let at = 0; at < count; at++) {
    pace.start(0, 0);
    pace.responded(ms);
  }
}

/** Refuses a request that starts now. */
const refuse = (pace: Host, now = 0): boolean => pace.refused(pace.start(0, 0), now);

describe('§15 the number of requests in flight', () => {
  test.each([
    [0, 16, 4],
    [1, 16, 5],
    [12, 16, 16],
    [100, 16, 16],
    [0, 2, 2],
    [100, 2, 2],
    [100, 32, 32],
  ])('after %i responses under a ceiling of %i is %i', (responses, ceiling, concurrency) => {
    expect(paceAfter(responses, ceiling).concurrency).toBe(concurrency);
  });

  test('is halved by each refusal of a request that started after the last reduction', () => {
    const pace = paceAfter(20);
    const seen = Array.from({ length: 6 }, () => {
      refuse(pace);
      return pace.concurrency;
    });
    expect(seen).toEqual([8, 4, 2, 1, 1, 1]);
  });

  test('is halved once for all requests that had started before', () => {
    const pace = paceAfter(20);
    const requests = Array.from({ length: 16 }, () => pace.start(0, 0));
    expect(requests.map((request) => pace.refused(request, 0))).toEqual([true, ...Array(15).fill(false)]);
    expect(pace.concurrency).toBe(8);
    expect(pace.spacingMs).toBe(25);
  });

  test('grows again by one for each response', () => {
    const pace = paceAfter(20);
    refuse(pace);
    respond(pace, 3);
    expect(pace.concurrency).toBe(11);
  });
});

describe('§15 the spacing between starts', () => {
  test('is 0 until the first refusal, and 25 ms then', () => {
    const pace = paceAfter(20);
    expect(pace.spacingMs).toBe(0);
    refuse(pace);
    expect(pace.spacingMs).toBe(25);
  });

  test('doubles up to 5 s where responses in between show that the host is at work', () => {
    const pace = paceAfter(20);
    const seen = Array.from({ length: 11 }, () => {
      refuse(pace);
      const { spacingMs } = pace;
      pace.responded(10);
      return Math.round(spacingMs / 25);
    });
    expect(seen).toEqual([1, 2, 4, 8, 15, 30, 60, 119, 200, 200, 200]);
  });

  test('shrinks by 1 % with each response, down to 0', () => {
    const pace = paceAfter(20);
    for (let at = 0; at < 3; at++) refuse(pace);
    expect(pace.spacingMs).toBe(100);
    respond(pace, 1);
    expect(pace.spacingMs).toBeCloseTo(99);
    respond(pace, 500);
    expect(pace.spacingMs).toBe(0);
  });

  test('stays at 1 s at most where no response shows that a slower pace helps', () => {
    const pace = paceAfter(20);
    for (let at = 0; at < 20; at++) refuse(pace);
    expect(pace.spacingMs).toBe(1000);
  });
});

describe('§15 what is not the pace of the host', () => {
  test('a host that has never responded well is not slowed down', () => {
    const pace = new Host('h.test', 16);
    expect(refuse(pace)).toBe(false);
    expect(pace).toMatchObject({ concurrency: 4, spacingMs: 0 });
  });

  test('a host that still refuses everything after a minute gets the first pace again', () => {
    const pace = paceAfter(20);
    for (let at = 0; at < 61; at++) refuse(pace, at * 1000);
    expect(pace).toMatchObject({ concurrency: 4, spacingMs: 25 });
    // The first response makes it an ordinary host again.
    pace.responded(10);
    expect(refuse(pace, 62_000)).toBe(true);
  });
});

describe('§15 slowness', () => {
  test.each([
    ['150 ms more than the first ten', 160, 16],
    ['200 ms more than the first ten', 210, 8],
  ])('of ten responses that take %s: %i ms gives %i requests', (_what, ms, concurrency) => {
    const pace = paceAfter(20);
    respond(pace, 10, ms);
    expect(pace.concurrency).toBe(concurrency);
  });

  test('of a few responses does not matter: medians are compared', () => {
    const pace = paceAfter(20);
    for (let at = 0; at < 10; at++) respond(pace, 1, at % 3 === 0 ? 5000 : 10);
    expect(pace.concurrency).toBe(16);
  });

  test('keeps the number of requests from growing', () => {
    const pace = paceAfter(10, 64);
    const { concurrency } = pace;
    respond(pace, 5, 300);
    expect(pace.concurrency).toBe(concurrency);
  });

  test('never reduces below the first four, nor again where responses stay as slow', () => {
    const pace = paceAfter(20);
    for (let at = 0; at < 10; at++) respond(pace, 10, 250 * (at + 1));
    expect(pace.concurrency).toBeGreaterThanOrEqual(4);
    const steady = paceAfter(20);
    respond(steady, 100, 1000);
    expect(steady.concurrency).toBe(16);
  });
});

describe('§15 the time before which no request starts', () => {
  test.each([
    [0, 0, 1000],
    [300, 0, 1300],
    [10, 1, 1025],
    [25, 1, 1025],
    [26, 1, 1026],
  ])('after a start at 1000 with waitMs %i and %i refusals is %i', (waitMs, refusals, readyAt) => {
    const pace = paceAfter(20);
    for (let at = 0; at < refusals; at++) refuse(pace);
    expect(pace.start(1000, waitMs)).toBe(21 + refusals);
    expect(pace.readyAt).toBe(readyAt);
  });

  test('is never earlier than it was', () => {
    const pace = paceAfter(20);
    pace.start(1000, 500);
    pace.start(1100, 100);
    expect(pace.readyAt).toBe(1500);
    pace.start(1450, 100);
    expect(pace.readyAt).toBe(1550);
  });

  test('is the spacing after a refusal that reduces the pace', () => {
    const pace = paceAfter(20);
    pace.refused(pace.start(1000, 0), 2000);
    expect(pace.readyAt).toBe(2025);
    const later = paceAfter(20);
    later.pause(5000, 0);
    later.refused(later.start(0, 0), 1000);
    expect(later.readyAt).toBe(5000);
  });

  test('is moved by a pause, which says how much longer it is than anyway', () => {
    const pace = paceAfter(20);
    expect([pace.pause(1000, 500), pace.readyAt]).toEqual([1000, 1500]);
    expect([pace.pause(1000, 600), pace.readyAt]).toEqual([100, 1600]);
    expect([pace.pause(500, 700), pace.readyAt]).toEqual([0, 1600]);
    expect([pace.pause(1000, 3000), pace.readyAt]).toEqual([1000, 4000]);
  });
});

describe('§15 the border of what is hopeless', () => {
  test.each([
    ['21 refusals within a minute', 21, 59_999, true],
    ['20 refusals in a minute', 20, 60_000, true],
    ['21 refusals in a minute', 21, 60_000, false],
  ])('%s still reduce the pace: %j', (_what, count, lastAt, reduces) => {
    const pace = paceAfter(20);
    for (let at = 1; at < count; at++) refuse(pace, 0);
    expect(refuse(pace, lastAt)).toBe(reduces);
  });

  test('a response in between starts the count and the minute again', () => {
    const pace = paceAfter(20);
    for (let at = 0; at < 20; at++) refuse(pace, 0);
    pace.responded(10);
    expect([refuse(pace, 60_000), refuse(pace, 60_000)]).toEqual([true, true]);
  });

  test('the first pace again is not above the ceiling', () => {
    const pace = paceAfter(20, 3);
    for (let at = 0; at < 61; at++) refuse(pace, at * 1000);
    expect(pace).toMatchObject({ concurrency: 3, spacingMs: 25 });
  });
});

test.each([
  ['199 ms more than the best', 209, 16],
  ['200 ms more than the best', 210, 8],
])('§15 a median of %s: %i ms gives %i requests', (_what, ms, concurrency) => {
  // The best of several medians counts, and each ten responses are a median of their own.
  const pace = new Host('h.test', 16);
  for (const each of [100, 10, 50]) respond(pace, 10, each);
  respond(pace, 10, ms);
  expect(pace.concurrency).toBe(concurrency);
});

test('§15 of ten responses five that are slow are slow, and four are not', () => {
  const concurrencyAfter = (slow: number): number => {
    const pace = paceAfter(20);
    respond(pace, 10 - slow, 10);
    respond(pace, slow, 1000);
    return pace.concurrency;
  };
  expect([concurrencyAfter(5), concurrencyAfter(4)]).toEqual([8, 16]);
});

describe('§15 what is remembered of a host', () => {
  const idle = (refusals: number): Host => {
    const pace = paceAfter(0);
    respond(pace, 1);
    for (let at = 0; at < refusals; at++) refuse(pace);
    while (pace.active > 1) pace.leave(0);
    pace.leave(10_000);
    return pace;
  };

  test.each([
    ['5 s', 0, 14_999, false],
    ['5 s', 0, 15_000, true],
    ['a minute, where its pace was reduced', 1, 69_999, false],
    ['a minute, where its pace was reduced', 1, 70_000, true],
  ])('is kept for %s (%i refusals): at %i ms it is forgotten: %j', (_what, refusals, now, isForgotten) => {
    expect(idle(refusals).isForgettable(now)).toBe(isForgotten);
  });

  test('is kept while a request is on its way or waits, and while it must not be asked', () => {
    const late = 1e9;
    const active = idle(0);
    active.start(0, 0);
    expect(active.isForgettable(late)).toBe(false);
    for (const line of ['declared', 'undeclared'] as const) {
      const waiting = idle(0);
      waiting[line].add(() => {});
      expect(waiting.isForgettable(late)).toBe(false);
    }
    const paused = idle(0);
    paused.pause(1, late);
    expect([paused.isForgettable(late), paused.isForgettable(late + 1)]).toEqual([false, true]);
  });

  test('is down for five minutes, each origin for itself, with the last reason', () => {
    const host = idle(0);
    const [http, https] = ['http://h.test', 'https://h.test'];
    host.setDown(http!, 'refused', 10_000);
    host.setDown(http!, 'timed out', 20_000);
    expect([host.whyDown(http!, 319_999), host.whyDown(https!, 319_999)]).toEqual(['timed out', undefined]);
    expect([host.isForgettable(319_999), host.isForgettable(320_000)]).toEqual([false, true]);
    expect(host.whyDown(http!, 320_000)).toBeUndefined();
    host.setDown(https!, 'refused', 400_000);
    host.setUp();
    expect([host.whyDown(https!, 400_000), host.isForgettable(400_000)]).toEqual([undefined, true]);
  });
});

test('undeclared requests are next only where no declared one waits', () => {
  const host = new Host('h.test', 4);
  const [declared, undeclared] = [() => {}, () => {}];
  host.undeclared.add(undeclared);
  expect(host.waiting.first).toBe(undeclared);
  host.declared.add(declared);
  expect(host.waiting.first).toBe(declared);
});
