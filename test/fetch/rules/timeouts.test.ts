/**
 * Specification §2: 10 s to connect, 60 s without a byte, 600 s for one document (a consumer's pauses not counted).
 *
 * Where a good response must come before a timeout, the timeout may be made longer: the machine may be busy. Where none
 * can come, the timeout is short, and the attempts are not counted by the server, which may not have seen all of them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StreamOptions } from '../../../src/options/options.ts';
import type { WebClient } from '../../../src/options/web-seam.ts';
import type { Deadline } from '../../../src/runtime/time.ts';
import { startHttpProxy } from '../../server/proxies.ts';
import { startRawServer } from '../../server/raw-server.ts';
import type { Site } from '../../server/scripted-server.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { codes, collectAll, failed, fetching, opened, readAll, serving } from '../../support/fetching.ts';
import { withMoreTime } from '../../support/more-time.ts';

const text = 'https://example.org/page\n'.repeat(10_000);

describe('§2 time without a byte', () => {
  test('without a response is a timeout, and is retried', async () => {
    const server = await serving({ '/s.txt': { silent: true } });
    const outcome = failed(
      await fetching(server.origin, { idleTimeoutMs: 200 }).fetch(`${server.origin}/s.txt`),
    );
    expect(outcome.code).toBe('timeout');
    expect(outcome.reason).toContain('no response within 0.2 s (after 5 attempts)');
    await server.allSocketsClosed();
  });

  test('a body that stops is a timeout, and is retried', async () => {
    await withMoreTime([1_000, 20_000], async (idleTimeoutMs) => {
      const server = await serving({
        '/s.txt': { script: [{ body: text, stallAfter: 1000 }, { body: text }] },
      });
      const fetcher = fetching(server.origin, { idleTimeoutMs });
      expect((await readAll(await fetcher.fetch(`${server.origin}/s.txt`))).text).toBe(text);
      expect(server.requests).toHaveLength(2);
    });
  });

  test('of a body that stops every time, what arrived is kept', async () => {
    await withMoreTime([1_000, 20_000], async (idleTimeoutMs) => {
      const server = await serving({ '/s.txt': { body: text, stallAfter: 1000 } });
      const fetcher = fetching(server.origin, { idleTimeoutMs, retries: 1 });
      const { text: got, end } = await collectAll(await fetcher.fetch(`${server.origin}/s.txt`));
      expect(got).toBe(text.slice(0, 1000));
      expect(end.truncated).toBe(true);
      expect(end.problems[0]?.message).toContain('no byte within');
      await server.allSocketsClosed();
    });
  });

  test('a slow body is not idle', async () => {
    // Longer in all than the time without a byte may be.
    await withMoreTime([1_000, 20_000], async (idleTimeoutMs) => {
      const server = await serving({
        '/s.txt': { body: text.slice(0, 100), trickle: { bytes: 10, everyMs: idleTimeoutMs / 7 } },
      });
      const fetcher = fetching(server.origin, { idleTimeoutMs });
      expect((await readAll(await fetcher.fetch(`${server.origin}/s.txt`))).text).toBe(text.slice(0, 100));
      expect(server.requests).toHaveLength(1);
    });
  });

  test('a consumer that is slower than that is not the server’s fault', async () => {
    const { systemClock } = await import('../../../src/runtime/time.ts');
    await withMoreTime([200, 10_000], async (idleTimeoutMs) => {
      const server = await serving({ '/s.txt': { body: text.repeat(20) } });
      const fetcher = fetching(server.origin, { idleTimeoutMs }, { clock: systemClock });
      const document = opened(await fetcher.fetch(`${server.origin}/s.txt`));
      let length = 0;
      for await (const chunk of document.bytes()) {
        if (length === 0) await sleep(1.5 * idleTimeoutMs);
        length += chunk.length;
      }
      expect(length).toBe(20 * text.length);
      expect(document.end).toMatchObject({ truncated: false, problems: [] });
      expect(server.requests).toHaveLength(1);
    });
  });

  test.each([
    ['never responds', (): Promise<never> => new Promise(() => {})],
    ['never gives a byte', async () => ({ status: 200, headers: new Headers(), body: never() })],
    ['gives empty chunks', async () => ({ status: 200, headers: new Headers(), body: empty() })],
    ['streams empty chunks', async () => ({ status: 200, headers: new Headers(), body: emptyStream() })],
  ])('holds for a client that ignores its signal and %s', async (_what, webClient: WebClient) => {
    const fetcher = fetching('http://site.test/', { webClient, idleTimeoutMs: 20, retries: 1 });
    expect(failed(await fetcher.fetch('http://site.test/s.txt')).code).toBe('timeout');
  });

  test('holds for a client that gives some bytes, and then empty chunks without end', async () => {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('https://example.org/');
      yield* empty();
    }
    const webClient: WebClient = async () => ({ status: 200, headers: new Headers(), body: body() });
    const fetcher = fetching('http://site.test/', { webClient, idleTimeoutMs: 20, retries: 0 });
    const { text: got, end } = await readAll(await fetcher.fetch('http://site.test/s.txt'));
    expect([got, codes(end)]).toEqual(['https://example.org/', ['connection-broke']]);
    expect(end.problems[0]?.message).toContain('no byte within');
  });

  test('a response that comes too late is cancelled', async () => {
    let cancelled = 0;
    let respond = (): void => {};
    const mayRespond = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const webClient: WebClient = async () => {
      await mayRespond;
      const cancel = (): void => {
        cancelled++;
      };
      return { status: 200, headers: new Headers(), body: new ReadableStream<Uint8Array>({ cancel }) };
    };
    const fetcher = fetching('http://site.test/', { webClient, idleTimeoutMs: 20, retries: 0 });
    failed(await fetcher.fetch('http://site.test/s.txt'));
    expect(cancelled).toBe(0);
    respond();
    await expect.poll(() => cancelled).toBe(1);
  });
});

async function* never(): AsyncGenerator<Uint8Array> {
  await new Promise(() => {});
  yield new Uint8Array();
}

/** Without a wait: no timer fires in between by itself. */
async function* empty(): AsyncGenerator<Uint8Array> {
  for (;;) yield new Uint8Array();
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array()) });
}

test('§2 time to connect covers TLS, counts as not connected, and is retried', async () => {
  const server = await startRawServer(() => {});
  onTestFinished(() => server.close());
  const site = `https://127.0.0.1:${server.port}/`;
  const fetcher = fetching(site, { connectTimeoutMs: 300 });
  const outcome = failed(await fetcher.fetch(site));
  expect(outcome).toMatchObject({ code: 'timeout' });
  expect(outcome.reason).toMatch(/connecting to .* took longer than 0\.3 s \(after 5 attempts\)/);
  expect(failed(await fetcher.fetch(site)).code).toBe('host-down');
  await expect.poll(() => server.openSockets, { timeout: 10_000 }).toBe(0);
});

test.each(['http', 'https', 'http through a proxy', 'https through a proxy'])(
  '§2 time to connect ends when the connection is open: a document over %s may take longer',
  async (what) => {
    const isTls = what.startsWith('https');
    const proxy = what.endsWith('proxy') ? await startHttpProxy() : undefined;
    onTestFinished(() => proxy?.close());
    await withMoreTime([200, 10_000], async (connectTimeoutMs) => {
      const body = text.slice(0, 50);
      const slow = { body, trickle: { bytes: 10, everyMs: connectTimeoutMs / 3 } };
      const server = await serving({ '/s.txt': slow }, { tls: isTls });
      const options = { connectTimeoutMs, verifyTls: false, retries: 0, proxy: proxy?.url ?? false } as const;
      const result = await fetching(server.origin, options).fetch(`${server.origin}/s.txt`);
      expect(await readAll(result)).toEqual({ text: body, end: { truncated: false, problems: [] } });
    });
  },
);

/** A clock that knows which of its deadlines are under way: each of them keeps the process alive. */
class CountingClock extends FakeClock {
  readonly underWay = new Set<Deadline>();

  override deadline(ms: number, onPassed: () => void): Deadline {
    const inner = super.deadline(ms, () => {
      this.underWay.delete(own);
      onPassed();
    });
    const own: Deadline = {
      cancel: () => {
        this.underWay.delete(own);
        inner.cancel();
      },
      restart: () => {
        this.underWay.add(own);
        inner.restart();
      },
    };
    this.underWay.add(own);
    return own;
  }
}

describe('no timer is left that keeps the process alive', () => {
  const slow = { body: text, trickle: { bytes: 5_000, everyMs: 1 } };
  const cases: Readonly<Record<string, readonly [Site, StreamOptions]>> = {
    'a document that was read': [{ '/s.txt': slow }, {}],
    'one with less time than may pass without a byte': [{ '/s.txt': slow }, { sitemapTimeoutMs: 50_000 }],
    'one behind a redirect': [{ '/s.txt': { redirect: '/t.txt', body: text }, '/t.txt': slow }, {}],
    'one that is not there': [{ '/s.txt': { status: 404, body: text } }, {}],
    'one that breaks': [{ '/s.txt': { body: text, truncateAfter: 1000 } }, { retries: 1 }],
    'one without a response': [{ '/s.txt': { hangUp: true } }, { retries: 1 }],
  };
  test.each(Object.entries(cases))('after %s', async (_, [site, options]) => {
    const server = await serving(site);
    const clock = new CountingClock();
    const outcome = await fetching(server.origin, options, { clock }).fetch(`${server.origin}/s.txt`);
    if (outcome.type === 'document') await collectAll(outcome);
    expect(clock.underWay.size).toBe(0);
  });

  test.each([{}, { sitemapTimeoutMs: 50_000 }])(
    'after a document of which the rest is not needed, with %j',
    async (options) => {
      const server = await serving({ '/s.txt': { body: text, stallAfter: 1000 } });
      const clock = new CountingClock();
      const fetcher = fetching(server.origin, options, { clock });
      const document = opened(await fetcher.fetch(`${server.origin}/s.txt`));
      for await (const _ of document.bytes()) break;
      await document.close();
      expect(clock.underWay.size).toBe(0);
    },
  );

  test('while a document that is in memory as a whole waits to be read', async () => {
    const server = await serving({ '/s.txt': slow });
    const clock = new CountingClock();
    const document = opened(await fetching(server.origin, {}, { clock }).fetch(`${server.origin}/s.txt`));
    expect(await document.readAhead(text.length)).toBe(true);
    expect(clock.underWay.size).toBe(0);
    expect((await readAll(document)).text).toBe(text);
  });
});

describe('§2 time for one document', () => {
  test('a document that arrives too slowly is truncated, and not retried', async () => {
    await withMoreTime([1_000, 20_000], async (sitemapTimeoutMs) => {
      const server = await serving({ '/s.txt': { body: text, trickle: { bytes: 10, everyMs: 10 } } });
      // The real clock: this is about time that really passes on the wire.
      const { systemClock } = await import('../../../src/runtime/time.ts');
      const fetcher = fetching(server.origin, { sitemapTimeoutMs }, { clock: systemClock });
      const { text: got, end } = await readAll(await fetcher.fetch(`${server.origin}/s.txt`));
      expect(text.startsWith(got)).toBe(true);
      expect(got.length).toBeGreaterThan(0);
      expect(codes(end)).toEqual(['connection-broke']);
      expect(end.problems[0]?.message).toContain(`longer than ${sitemapTimeoutMs / 1000} s`);
      expect(server.requests).toHaveLength(1);
    });
  });

  test('it is not said that no byte came, where the time without one is shorter', async () => {
    // Bytes come all the time; only the whole document takes too long.
    await withMoreTime([1_000, 20_000], async (idleTimeoutMs) => {
      const server = await serving({ '/s.txt': { body: text, trickle: { bytes: 10, everyMs: 10 } } });
      const { systemClock } = await import('../../../src/runtime/time.ts');
      const options = { idleTimeoutMs, sitemapTimeoutMs: 1.5 * idleTimeoutMs };
      const fetcher = fetching(server.origin, options, { clock: systemClock });
      const { end } = await readAll(await fetcher.fetch(`${server.origin}/s.txt`));
      expect(end.problems[0]?.message).toContain('the document took longer than');
      expect(server.requests).toHaveLength(1);
    });
  });

  test('waits that failed are counted', async () => {
    let attempts = 0;
    const webClient: WebClient = async () => {
      await sleep(1);
      fetcher.clock.advance(400_000);
      if (++attempts > 2) await new Promise(() => {});
      throw Object.assign(new Error('broken'), { code: 'ECONNRESET' });
    };
    const fetcher = fetching('http://site.test/', {
      webClient,
      sitemapTimeoutMs: 600_000,
      idleTimeoutMs: 1_000,
    });
    const { reason } = failed(await fetcher.fetch('http://site.test/s.txt'));
    expect([attempts, reason]).toEqual([3, expect.stringContaining('the document took longer than 600 s')]);
  });

  test('pauses of the consumer are not counted', async () => {
    const server = await serving({ '/s.txt': { body: text } });
    const fetcher = fetching(server.origin);
    const document = opened(await fetcher.fetch(`${server.origin}/s.txt`));
    let length = 0;
    for await (const chunk of document.bytes()) {
      length += chunk.length;
      fetcher.clock.advance(3_600_000);
    }
    expect(length).toBe(text.length);
    expect(document.end).toMatchObject({ truncated: false, problems: [] });
  });
});
