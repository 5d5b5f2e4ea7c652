/** §15, what a call accepts from a host before it gives the host up: pauses, long waits, and wrong credentials. */
import { describe, expect, test } from 'vitest';
import { FetchError } from '../../../src/fetch/fetch-failure.ts';
import { HostOfCall } from '../../../src/fetch/rules/host-of-call.ts';

const at = (path: string): URL => new URL(path, 'http://site.test');
const plain = { retryAfterMs: undefined, hadCredentials: false };

/** What is said of a path that is not requested any more; undefined where it is. */
function refusal(host: HostOfCall, path: string): string | undefined {
  try {
    host.check(at(path));
    return undefined;
  } catch (error) {
    return error instanceof FetchError ? `${error.code}: ${error.message}` : String(error);
  }
}

describe('§15 a Retry-After that is too long', () => {
  const busy = (host: HostOfCall, ms: number): void =>
    host.responded(at('/a'), { status: 503, retryAfterMs: ms, hadCredentials: false });

  test.each([
    [120_000, 5, undefined],
    [120_001, 2, undefined],
    [120_001, 3, 'rate-limited: not requested, since site.test asks to come back in 120 s'],
    [3_600_499, 3, 'rate-limited: not requested, since site.test asks to come back in 3600 s'],
    [3_600_500, 4, 'rate-limited: not requested, since site.test asks to come back in 3601 s'],
  ])('of %i ms, %i times in a row: %j', (ms, times, expected) => {
    const host = new HostOfCall();
    for (let count = 0; count < times; count++) busy(host, ms);
    expect([refusal(host, '/'), refusal(host, '/b/c')]).toEqual([expected, expected]);
    expect(host.over.aborted).toBe(expected !== undefined);
  });

  test.each([
    ['a document', 200, true],
    ['a document that is not there', 404, true],
    ['an error of the server', 500, false],
    ['a refusal with 429', 429, false],
    ['a refusal with 503', 503, false],
  ])('is counted from the beginning after %s: %i, %j', (_what, status, isReset) => {
    const host = new HostOfCall();
    for (const _ of [1, 2]) busy(host, 200_000);
    host.responded(at('/b'), { ...plain, status });
    busy(host, 200_000);
    expect(host.over.aborted).toBe(!isReset);
    expect(host.successes).toBe(isReset ? 1 : 0);
  });
});

describe('§15 credentials that are refused', () => {
  const refused = 'refused the credentials';

  test.each([
    [401, true, refused],
    [407, true, refused],
    [403, true, undefined],
    [404, true, undefined],
    [401, false, undefined],
  ])('with %i, sent: %j', (status, hadCredentials, expected) => {
    const host = new HostOfCall();
    host.responded(at('/a/b/c.xml'), { ...plain, status, hadCredentials });
    const said = refusal(host, '/a/b/d.xml');
    if (expected === undefined) expect(said).toBeUndefined();
    else {
      const reason = `http-status: not requested, since http://site.test/a/b/c.xml ${expected} (${status})`;
      expect(said).toBe(reason);
    }
  });

  test.each([
    ['/a/b/c.xml', ['/a/b/', '/a/b/d.xml', '/a/b/e/f.xml'], ['/', '/a/', '/a/b', '/a/bc/d.xml', '/c.xml']],
    ['/a/b/', ['/a/b/', '/a/b/c.xml'], ['/a/b', '/a/c.xml']],
    ['/c.xml', ['/', '/d.xml', '/a/b'], []],
  ])('at %s end %j, and not %j', (path, ended, others) => {
    const host = new HostOfCall();
    host.responded(at(path), { ...plain, status: 401, hadCredentials: true });
    for (const each of ended) expect([each, refusal(host, each)]).toEqual([each, expect.any(String)]);
    for (const each of others) expect([each, refusal(host, each)]).toEqual([each, undefined]);
    expect(host.over.aborted).toBe(path === '/c.xml');
  });

  test.each([
    ['/a.xml', 200, true, true],
    ['/a.xml', 299, true, true],
    ['/a.xml', 302, true, false],
    ['/a.xml', 404, true, false],
    ['/a.xml', 200, false, false],
    ['/robots.txt', 200, true, false],
    ['/a/robots.txt', 200, true, true],
  ])('are right after %s gave %i (sent: %j): %j', (path, status, hadCredentials, isRight) => {
    const host = new HostOfCall();
    host.responded(at(path), { ...plain, status, hadCredentials });
    host.responded(at('/b.xml'), { ...plain, status: 401, hadCredentials: true });
    expect(refusal(host, '/c.xml') === undefined).toBe(isRight);
  });

  test.each([
    ['proxy', 407, true],
    ['proxy', 403, false],
    ['proxy', undefined, false],
    ['http-status', 407, false],
  ] as const)('by a failure with code %s and status %j end everything: %j', (code, status, isEnd) => {
    const host = new HostOfCall();
    host.failed(new FetchError(code, 'the proxy does not accept them', { status }));
    expect(refusal(host, '/')).toBe(
      isEnd ? `${code}: not requested, since the proxy does not accept them` : undefined,
    );
    expect(host.over.aborted).toBe(isEnd);
  });
});

test('§15 the first of two reasons is what is said of a path', () => {
  const host = new HostOfCall();
  host.responded(at('/a/b'), { ...plain, status: 401, hadCredentials: true });
  host.responded(at('/c/d'), { ...plain, status: 401, hadCredentials: true });
  expect([refusal(host, '/a/x'), refusal(host, '/c/x'), refusal(host, '/x')]).toEqual([
    expect.stringContaining('/a/b refused'),
    expect.stringContaining('/c/d refused'),
    undefined,
  ]);
});

test('§15 a host may pause a call for 600 s in all', () => {
  const host = new HostOfCall();
  expect([host.mayPause(600_000), host.mayPause(600_001)]).toEqual([true, false]);
  host.paused(100_000);
  host.paused(200_000);
  expect([host.mayPause(300_000), host.mayPause(300_001)]).toEqual([true, false]);
});

test('§15 which responses show that a host is at work', () => {
  const host = new HostOfCall();
  const counts = [200, 304, 404, 401, 499, 500, 502, 503, 429].map((status) => {
    host.responded(at('/a'), { ...plain, status });
    return host.successes;
  });
  expect(counts).toEqual([1, 2, 3, 4, 5, 5, 5, 5, 5]);
});
