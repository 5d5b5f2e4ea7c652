/** Specification §2, retries: which failures, how often, with which pauses, and what is kept of a broken body. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FetchError } from '../../../src/fetch/fetch-failure.ts';
import { attempts, backoffMs, retryAfterMs, retryVerdict } from '../../../src/fetch/rules/retry.ts';
import type { WebClient } from '../../../src/options/web-seam.ts';
import { closedPort } from '../../server/raw-server.ts';
import type { ScriptedResponse } from '../../server/scripted-server.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import {
  codes,
  collectAll,
  failed,
  fetched,
  fetching,
  memorySink,
  opened,
  type Read,
  readAll,
  serving,
} from '../../support/fetching.ts';

const text = Array.from({ length: 5000 }, (_, i) => `https://example.org/page/${(i * 7919) % 10007}`).join(
  '\n',
);

describe('§2 which statuses are retried, up to 5 attempts in all', () => {
  const passing = [
    400, 408, 429, 499, 500, 502, 503, 504, 509, 520, 521, 522, 523, 524, 525, 526, 527, 530, 598,
  ];
  test.each(passing)('%i is retried', async (status) => {
    const server = await serving({ '/s.xml': { status } });
    const outcome = failed(await fetched(server, '/s.xml'));
    expect(outcome).toMatchObject({ code: 'http-status', status });
    expect(outcome.reason).toContain(`${server.origin}/s.xml`);
    expect(outcome.reason).toContain('after 5 attempts');
    expect(outcome.error).toMatchObject({ name: 'SitemapException', code: 'http-status' });
    expect(server.requests).toHaveLength(5);
  });

  test.each([401, 402, 403, 404, 405, 406, 410, 418, 451, 501, 505, 511, 599, 304, 300])(
    '%i is not retried',
    async (status) => {
      const server = await serving({ '/s.xml': { status } });
      const fetcher = fetching(server.origin);
      expect(failed(await fetcher.fetch(`${server.origin}/s.xml`))).toMatchObject({
        code: 'http-status',
        status,
      });
      expect(server.requests).toHaveLength(1);
      expect(fetcher.clock.slept).toEqual([]);
    },
  );

  test.each([
    [0, 1],
    [1, 2],
    [7, 8],
  ])('retries: %i makes %i attempts', async (retries, attempts) => {
    const server = await serving({ '/s.xml': { status: 503 } });
    failed(await fetching(server.origin, { retries }).fetch(`${server.origin}/s.xml`));
    expect(server.requests).toHaveLength(attempts);
  });

  test('an attempt that succeeds after others failed leaves no problem', async () => {
    const server = await serving({
      '/s.xml': { script: [{ status: 500 }, { hangUp: true }, { body: text }] },
    });
    const { text: got, end } = await readAll(await fetched(server, '/s.xml'));
    expect(got).toBe(text);
    expect(end.problems).toEqual([]);
  });
});

describe('§2 an undeclared document', () => {
  const never = (): boolean => false;

  test('has two attempts at most', async () => {
    const server = await serving({ '/s.xml': { status: 503 } });
    const url = `${server.origin}/s.xml`;
    failed(await fetching(server.origin).fetch(url, { isDeclared: never }));
    expect(server.requests).toHaveLength(2);
    failed(await fetching(server.origin, { retries: 0 }).fetch(url, { isDeclared: never }));
    expect(server.requests).toHaveLength(3);
  });

  test('has all its attempts once it is declared', async () => {
    const server = await serving({ '/s.xml': { status: 503 } });
    // It becomes declared while its first request is on its way.
    const isDeclared = (): boolean => server.requests.length > 0;
    failed(await fetched(server, '/s.xml', { isDeclared }));
    expect(server.requests).toHaveLength(5);
  });

  test('has the attempts of a declared one also where its body breaks', async () => {
    const server = await serving({ '/s.txt': { body: text, truncateAfter: 500 } });
    let isDeclared = false;
    const document = await fetched(server, '/s.txt', {
      isDeclared: () => isDeclared,
    });
    isDeclared = true;
    await collectAll(document);
    expect(server.requests).toHaveLength(5);
  });
});

describe('§2 what never connects is not retried', () => {
  test('a refused connection has one attempt', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/s.xml`;
    const fetcher = fetching(url);
    expect(failed(await fetcher.fetch(url))).toMatchObject({ code: 'refused', status: undefined });
    expect(fetcher.clock.slept).toEqual([]);
  });

  test('a name that does not resolve is looked up once', async () => {
    let asked = 0;
    const resolve = async (): Promise<never> => {
      asked++;
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    const fetcher = fetching('http://site.test/', {}, { resolve });
    expect(failed(await fetcher.fetch('http://site.test/s.xml'))).toMatchObject({ code: 'unresolved' });
    expect(asked).toBe(1);
  });
});

describe('§2 exponential backoff with jitter from 1 s to at most 30 s', () => {
  test('the pauses of one document double up to 30 s', async () => {
    const server = await serving({ '/s.xml': { status: 503 } });
    const fetcher = fetching(server.origin, { retries: 6 });
    failed(await fetcher.fetch(`${server.origin}/s.xml`));
    expect(fetcher.clock.slept).toEqual([1500, 3000, 6000, 12_000, 24_000, 30_000]);
  });

  test.each([
    [1, 0, 1000],
    [1, 0.999_999, 2000],
    [4, 0, 8000],
    [5, 1, 30_000],
    [60, 0, 30_000],
  ])('after attempt %i with jitter %f: %i ms', (attempt, jitter, ms) => {
    expect(backoffMs(attempt, () => jitter)).toBeCloseTo(ms, 0);
  });
});

describe('§2 Retry-After', () => {
  const now = Date.UTC(2026, 0, 1);
  test.each([
    ['120', 120_000],
    [' 3 ', 3000],
    ['0', 0],
    ['1.5', 1500],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Thursday, 01-Jan-26 00:01:00 GMT', 60_000],
    ['Thu Jan  1 00:01:00 2026', 60_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
    [null, undefined],
  ])('%j is %j ms', (header, ms) => {
    // The old form of a date has no zone, and means GMT on every machine.
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('TZ', 'Asia/Kathmandu');
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  test('refusals for the pace of a host are excused for as long as a document may take, from the first one', async () => {
    const clock = new FakeClock();
    const refused = new FetchError('http-status', 'refused', { retryable: true, status: 429 });
    const end = await attempts(() => Promise.reject(refused), {
      retries: () => 1,
      isPace: () => true,
      refusalsMs: 5_000,
      clock,
      random: () => 0,
      signal: new AbortController().signal,
      onRetry: () => {},
      onGaveUp: () => {},
    }).next();
    expect(end).toMatchObject({ done: true, value: { attempts: 2, refusals: 3 } });
    expect(clock.slept).toEqual([1_000, 2_000, 4_000, 1_000]);
  });

  test.each([
    ['seconds', '100'],
    ['a date', 'Thu, 01 Jan 2026 00:01:40 GMT'],
  ])('is waited for where it is in %s', async (_form, header) => {
    const server = await serving({
      '/s.xml': { script: [{ status: 429, headers: { 'retry-after': header } }, { body: text }] },
    });
    const fetcher = fetching(server.origin);
    await readAll(await fetcher.fetch(`${server.origin}/s.xml`));
    expect(fetcher.clock.slept).toEqual([100_000]);
  });

  test.each([
    [120_000, true, undefined],
    [120_001, false, 'asks to come back in 120 s, which is too long to wait'],
    [3_600_500, false, 'asks to come back in 3601 s, which is too long to wait'],
  ])('of %i ms is waited for: %j', (retryAfterMs, again, because) => {
    const error = new FetchError('http-status', 'x', { retryable: true, retryAfterMs });
    const facts = { failed: 1, retries: 4, excused: 0, isPace: false, random: () => 0 };
    expect(retryVerdict(error, facts)).toEqual(
      again ? { again, waitMs: retryAfterMs } : { again, because, code: 'rate-limited' },
    );
    expect(retryVerdict(error.with({ retryable: false }), facts)).toEqual({ again: false });
  });

  test.each([
    [4, 4, 0, false, 8_000],
    [5, 4, 0, false, undefined],
    [1, 0, 0, false, undefined],
    [1, 0, 1, true, undefined],
    [5, 4, 1, true, 1_000],
    [5, 4, 2, true, 2_000],
    [0, 4, 3, true, 4_000],
    [0, 4, 20, true, 4_000],
    [1, 1, 20, false, 1_000],
  ])(
    'after %i failures with %i retries, and %i refusals that do not count (this one: %j): %j ms',
    (failed, retries, excused, isPace, waitMs) => {
      const error = new FetchError('http-status', 'x', { retryable: true });
      const verdict = retryVerdict(error, { failed, retries, excused, isPace, random: () => 0 });
      expect(verdict).toEqual(waitMs === undefined ? { again: false } : { again: true, waitMs });
    },
  );

  test.each([
    ['Thu, 01 Jan 2026 00:01:00 UTC', 60_000],
    ['Thu, 01 Jan 2026 01:01:00 +0100', 60_000],
    ['thu, 01 jan 2026 00:01:00 gmt', 60_000],
    ['1 minute', undefined],
    ['2026-01-01T00:01:00Z', undefined],
    ['Thu, 01 Jan 2026', undefined],
    ['1e3', undefined],
    ['1,5', undefined],
    ['.5', undefined],
    ['Xyz, 99 Foo 2026 00:01:00 GMT', undefined],
  ])('%j is %j ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  test('is ignored where the backoff is longer', () => {
    const error = new FetchError('http-status', 'x', { retryable: true, retryAfterMs: 0 });
    expect(
      retryVerdict(error, { failed: 1, retries: 4, excused: 0, isPace: false, random: () => 0 }),
    ).toEqual({
      again: true,
      waitMs: 1000,
    });
  });
});

describe('§2 a body that breaks', () => {
  const cases: readonly [string, readonly ScriptedResponse[]][] = [
    ['is truncated once', [{ body: text, truncateAfter: 1000 }, { body: text }]],
    ['is reset once', [{ body: text, resetAfter: 1000 }, { body: text }]],
    [
      'breaks in the headers, then in the body',
      [{ hangUp: true }, { body: text, truncateAfter: 70_000 }, { body: text }],
    ],
    [
      'breaks earlier at the second attempt',
      [{ body: text, truncateAfter: 90_000 }, { body: text, truncateAfter: 500 }, { body: text }],
    ],
    [
      'breaks later at the second attempt',
      [{ body: text, truncateAfter: 500 }, { body: text, truncateAfter: 90_000 }, { body: text }],
    ],
    ['breaks before its first byte', [{ body: text, truncateAfter: 0 }, { body: text }]],
    ['is a 503 in between', [{ body: text, truncateAfter: 500 }, { status: 503 }, { body: text }]],
    [
      'is plain, then gzip',
      [
        { body: text, truncateAfter: 500 },
        { body: text, gzip: true },
      ],
    ],
  ];

  test.each(cases)('%s: a stream continues without repeating anything', async (_what, script) => {
    const server = await serving({ '/s.txt': { script } });
    const { text: got, end } = await readAll(await fetched(server, '/s.txt'));
    expect(got).toBe(text);
    expect(end).toEqual({ truncated: false, problems: [] });
    expect(server.requests).toHaveLength(script.length);
  });

  test.each(cases)('%s: a tree gets the complete attempt', async (_what, script) => {
    const server = await serving({ '/s.txt': { script } });
    const { text: got, end, sinks } = await collectAll(await fetched(server, '/s.txt'));
    expect(got).toBe(text);
    expect(end).toEqual({ truncated: false, problems: [] });
    expect(sinks.slice(0, -1).every((sink) => sink.discarded)).toBe(true);
    expect(sinks.at(-1)?.discarded).toBe(false);
  });

  const hopeless: ScriptedResponse = {
    script: [500, 3000, 1000, 2000, 10].map((truncateAfter) => ({ body: text, truncateAfter })),
  };

  test('a stream gets the longest result after the last attempt, marked truncated', async () => {
    const server = await serving({ '/s.txt': hopeless });
    const { text: got, end } = await readAll(await fetched(server, '/s.txt'));
    expect(got).toBe(text.slice(0, 3000));
    expect(end).toMatchObject({ truncated: true });
    expect(codes(end)).toEqual(['connection-broke']);
    expect(end.problems[0]?.message).toContain('5 attempts');
    expect(server.requests).toHaveLength(5);
  });

  test('a tree gets the longest result after the last attempt, marked truncated', async () => {
    const server = await serving({ '/s.txt': hopeless });
    const { text: got, end, sinks } = await collectAll(await fetched(server, '/s.txt'));
    expect(got).toBe(text.slice(0, 3000));
    expect(end).toMatchObject({ truncated: true });
    expect(sinks.filter((sink) => !sink.discarded)).toHaveLength(1);
  });

  test('a retry that gives 404 ends the document where it broke', async () => {
    const server = await serving({
      '/s.txt': { script: [{ body: text, truncateAfter: 500 }, { status: 404 }] },
    });
    const { text: got, end } = await readAll(await fetched(server, '/s.txt'));
    expect(got).toBe(text.slice(0, 500));
    expect(end.truncated).toBe(true);
    expect(end.problems[0]?.message).toContain('404');
  });

  test('a retry with other content whose chunk ends where the stream broke ends it there', async () => {
    const other = text.replaceAll('example', 'exam-le');
    const bodies = [
      async function* () {
        yield Buffer.from(text.slice(0, 500));
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      },
      async function* () {
        yield Buffer.from(other.slice(0, 500));
        yield Buffer.from(other.slice(500));
      },
    ];
    const webClient: WebClient = async () => ({
      status: 200,
      headers: new Headers(),
      body: bodies.shift()!(),
    });
    const fetcher = fetching('http://site.test/', { webClient });
    const { text: got, end } = await readAll(await fetcher.fetch('http://site.test/s.txt'));
    expect([got, codes(end)]).toEqual([text.slice(0, 500), ['changed-on-retry']]);
  });

  test.each([
    ['other content', { body: text.replaceAll('example', 'exam-le') }],
    ['less content', { body: text.slice(0, 200) }],
    ['another URL', { redirect: '/other.txt' }],
  ])('a retry that gives %s ends a stream where it broke', async (_what, second) => {
    const server = await serving({
      '/s.txt': { script: [{ body: text, truncateAfter: 500 }, second] },
      '/other.txt': text,
    });
    const { text: got, end } = await readAll(await fetched(server, '/s.txt'));
    expect(got).toBe(text.slice(0, 500));
    expect(end.truncated).toBe(true);
    expect(codes(end)).toEqual(['changed-on-retry']);
  });

  test.each([
    ['differs and the bytes are the same: the stream goes on', '"2"', text, [], text],
    [
      'is the same and the bytes are not: the stream ends',
      '"1"',
      text.replaceAll('example', 'exam-le'),
      ['changed-on-retry'],
      text.slice(0, 500),
    ],
  ])('the ETag of a retry %s', async (_what, etag, body, problems, expected) => {
    const first = { body: text, headers: { etag: '"1"' }, truncateAfter: 500 };
    const server = await serving({ '/s.txt': { script: [first, { body, headers: { etag } }] } });
    const { text: got, end } = await readAll(await fetched(server, '/s.txt'));
    expect(got).toBe(expected);
    expect(codes(end)).toEqual(problems);
  });

  const other = text.replaceAll('example', 'exam-le');
  test.each([
    ['other content', [{ body: text, truncateAfter: 500 }, { body: other }], other],
    ['less than had arrived', [{ body: text, truncateAfter: 500 }, { body: 'short' }], 'short'],
    ['nothing', [{ body: text, truncateAfter: 500 }, { body: '' }], ''],
    [
      'less than the second of three',
      [{ body: text, truncateAfter: 10 }, { body: text, truncateAfter: 500 }, { body: 'short' }],
      'short',
    ],
  ])('a complete retry that gives %s is what a tree keeps', async (_what, script, expected) => {
    const server = await serving({ '/s.txt': { script } });
    const { text: got, end, sinks } = await collectAll(await fetched(server, '/s.txt'));
    expect(got).toBe(expected);
    expect(end).toEqual({ truncated: false, problems: [] });
    expect(sinks.map(({ discarded }) => discarded)).toEqual(script.map((_, at) => at < script.length - 1));
  });

  test.each<[string, Uint8Array, Record<string, string>]>([
    ['plain', Buffer.from(text), {}],
    ['a gzip file', gzipSync(text), {}],
    ['gzip as its content coding', gzipSync(text), { 'content-encoding': 'gzip' }],
    ['deflate', deflateSync(text), { 'content-encoding': 'deflate' }],
    ['br', brotliCompressSync(text), { 'content-encoding': 'br' }],
  ])('%s: one that breaks while it is read ahead is tried again', async (_what, body, headers) => {
    const broken = { body, headers, truncateAfter: 2000 };
    const server = await serving({ '/s.txt': { script: [broken, { body, headers }] }, '/t.txt': broken });
    const readLater = async (path: string): Promise<Read> => {
      const document = opened(await fetched(server, path));
      await document.readAhead(64 * 1024);
      return readAll(document);
    };
    expect(await readLater('/s.txt')).toEqual({ text, end: { truncated: false, problems: [] } });
    const { end } = await readLater('/t.txt');
    expect(end.truncated).toBe(true);
    expect(codes(end)).toEqual(['connection-broke']);
  });

  test('a retry that ends at another URL or charset gives a tree the facts of the attempt that is kept', async () => {
    const latin = { 'content-type': 'text/plain; charset=iso-8859-1' };
    const utf8 = { 'content-type': 'text/plain; charset=utf-8' };
    const server = await serving({
      '/s.txt': { script: [{ body: text, truncateAfter: 500, headers: latin }, { redirect: '/other.txt' }] },
      '/other.txt': { body: text, headers: utf8 },
    });
    const document = opened(await fetched(server, '/s.txt'));
    const openedWith: unknown[] = [];
    const collected = await document.collect(({ url, charset }) => {
      openedWith.push([url, charset]);
      return memorySink();
    });
    const kept = { url: `${server.origin}/other.txt`, charset: 'utf-8' };
    expect(openedWith).toEqual([
      [`${server.origin}/s.txt`, 'iso-8859-1'],
      [kept.url, kept.charset],
    ]);
    expect(collected.response).toMatchObject(kept);
    expect(collected.response.header('content-type')).toBe(utf8['content-type']);
    expect(Buffer.concat(collected.sink.chunks).toString()).toBe(text);
  });

  test('a tree that keeps the first attempt keeps its facts too', async () => {
    const server = await serving({
      '/s.txt': { script: [{ body: text, truncateAfter: 500 }, { redirect: '/other.txt' }] },
      '/other.txt': { body: text, truncateAfter: 100, headers: { 'content-type': 'text/plain; charset=x' } },
    });
    const collected = await collectAll(await fetched(server, '/s.txt'));
    expect(collected.text).toBe(text.slice(0, 500));
    expect(collected).toMatchObject({ url: `${server.origin}/s.txt`, charset: undefined });
  });

  test.each([
    ['stream', readAll],
    ['tree', collectAll],
  ])('a retry that redirects to what was read before ends a %s where it broke', async (_what, read) => {
    const server = await serving({
      '/s.txt': { script: [{ body: text, truncateAfter: 500 }, { redirect: '/other.txt' }] },
    });
    const isRead = (url: URL): boolean => url.pathname === '/other.txt';
    const outcome = await fetched(server, '/s.txt', { isRead });
    const { text: got, end } = await read(outcome);
    expect(got).toBe(text.slice(0, 500));
    expect(codes(end)).toEqual(['changed-on-retry']);
    expect(server.requests).toHaveLength(2);
  });

  test('a body that breaks before its first byte each time is a failure, not an empty document', async () => {
    const server = await serving({ '/s.txt': { body: text, truncateAfter: 0 } });
    expect(failed(await fetched(server, '/s.txt'))).toMatchObject({
      code: 'reset',
    });
    expect(server.requests).toHaveLength(5);
  });

  test('a sink that cannot be written fails the call, is discarded, and is not retried', async () => {
    const server = await serving({ '/s.txt': text });
    const document = opened(await fetched(server, '/s.txt'));
    const full = new Error('disk full');
    let discarded = 0;
    const sink = {
      write: () => Promise.reject(full),
      discard: () => {
        discarded++;
      },
    };
    await expect(document.collect(() => sink)).rejects.toBe(full);
    expect(discarded).toBe(1);
    expect(server.requests).toHaveLength(1);
  });

  test('each retry and all bytes are reported', async () => {
    const server = await serving({
      '/s.txt': { script: [{ status: 502 }, { body: text, truncateAfter: 9 }, { body: text }] },
    });
    const events: unknown[] = [];
    let bytes = 0;
    const outcome = await fetched(server, '/s.txt', {
      onRetry: (event) => events.push(event),
      onBytes: (count) => {
        bytes += count;
      },
    });
    await readAll(outcome);
    expect(events).toEqual([
      { attempt: 1, waitMs: 1500, reason: 'the server responded with 502 Bad Gateway' },
      { attempt: 2, waitMs: 3000, reason: 'the connection broke' },
    ]);
    expect(bytes).toBe(9 + text.length);
  });
});

describe('§2 a host that used up the attempts of one URL without ever connecting is down for the rest of the call', () => {
  test('after a refused connection', async () => {
    const origin = `http://127.0.0.1:${await closedPort()}`;
    const fetcher = fetching(origin);
    expect(failed(await fetcher.fetch(`${origin}/a.xml`)).code).toBe('refused');
    const second = failed(await fetcher.fetch(`${origin}/b.xml`));
    expect(second.code).toBe('host-down');
    expect(second.reason).toContain('refused');
  });

  test('after five connect timeouts', async () => {
    let attempts = 0;
    const slow = Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    const webClient = async (): Promise<never> => {
      attempts++;
      throw new TypeError('fetch failed', { cause: slow });
    };
    const fetcher = fetching('http://site.test/', { webClient });
    expect(failed(await fetcher.fetch('http://site.test/a.xml')).code).toBe('timeout');
    expect(attempts).toBe(5);
    expect(failed(await fetcher.fetch('http://site.test/b.xml')).code).toBe('host-down');
    expect(failed(await fetcher.fetch('http://other.test/b.xml')).code).toBe('timeout');
    expect(attempts).toBe(10);
  });

  test('is not called down after errors of an open connection', async () => {
    const server = await serving({ '/a.xml': { status: 503 }, '/b.xml': { hangUp: true }, '/c.xml': text });
    const fetcher = fetching(server.origin);
    failed(await fetcher.fetch(`${server.origin}/a.xml`));
    failed(await fetcher.fetch(`${server.origin}/b.xml`));
    await readAll(await fetcher.fetch(`${server.origin}/c.xml`));
  });

  test('is not called down after a refused connection where it has responded before', async () => {
    const server = await serving({ '/a.xml': text });
    const fetcher = fetching(server.origin);
    await readAll(await fetcher.fetch(`${server.origin}/a.xml`));
    await server.close();
    expect(failed(await fetcher.fetch(`${server.origin}/b.xml`)).code).toMatch(/refused|reset/);
    expect(failed(await fetcher.fetch(`${server.origin}/b.xml`)).code).toBe('refused');
    await serving({ '/c.xml': text }, { port: server.port });
    await readAll(await fetcher.fetch(`${server.origin}/c.xml`));
  });
});
