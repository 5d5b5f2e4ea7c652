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
