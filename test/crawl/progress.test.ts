/** Specification §8: events for observers, and a logger. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { CrawlProgress, DocumentProgress, type Origin } from '../../src/crawl/progress.ts';
import {
  type Logger,
  type SitemapOptions,
  type SitemapProgress,
  sitemapTreeForHomepage,
  streamPages,
} from '../../src/index.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, QUICK, signalling, siteOf, treeOf } from '../support/crawled-site.ts';
import { robots, urlset } from '../support/documents.ts';

const page = urlset('https://example.org/1', 'https://example.org/2');

async function eventsOf(
  origin: string,
  options: SitemapOptions = DECLARED,
  how = 'tree',
): Promise<SitemapProgress[]> {
  const events: SitemapProgress[] = [];
  const watched = { ...options, onProgress: (event: SitemapProgress) => void events.push(event) };
  if (how === 'tree') (await sitemapTreeForHomepage(origin, watched)).close();
  else for await (const _ of streamPages(origin, watched));
  return events;
}

function byUrl(events: readonly SitemapProgress[], origin: string): Record<string, string> {
  const lines: Record<string, string> = {};
  for (const { type, url } of events) {
    if (url === undefined || type === 'bytes') continue;
    const path = url.replace(origin, '');
    lines[path] = lines[path] === undefined ? type : `${lines[path]} ${type}`;
  }
  return lines;
}

describe.each(['tree', 'stream'])('onProgress of a %s', (how) => {
  test('each URL is queued, started, and finished or failed, in that order', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml', '/gone.xml'],
      '/index.xml': ['/a.xml', '/html.xml'],
      '/a.xml': page,
      '/html.xml': '<!doctype html><title>x</title>',
      '/sitemap.xml': page,
    });
    const events = await eventsOf(server.origin, QUICK, how);
    expect(byUrl(events, server.origin)).toEqual({
      '/robots.txt': 'queued started finished',
      '/index.xml': 'queued started finished',
      '/gone.xml': 'queued started failed',
      '/a.xml': 'queued started finished',
      '/html.xml': 'queued started failed',
      '/sitemap.xml': 'queued started finished',
    });
    const failed = events.find((event) => event.type === 'failed' && event.url.endsWith('/gone.xml'));
    expect(failed).toMatchObject({ code: 'http-status', reason: expect.stringContaining('404') });
    expect(events.at(-1)!.totals).toMatchObject({ known: 5, done: 3, failed: 2, pages: 4 });
  });

  test('in an update: what is stale has failed, and what is the same is finished, requested or not', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': [['/a.xml', '2013-05-06'], '/b.xml', '/c.xml'],
      '/a.xml': page,
      '/b.xml': page,
      '/c.xml': page,
    });
    const previous = await treeOf(server, DECLARED);
    server.site['/b.xml'] = { status: 503 };
    const options = { ...DECLARED, previous, trustLastmod: true, staleIfError: true };
    const events = await eventsOf(server.origin, options, how);
    expect(byUrl(events, server.origin)).toEqual({
      '/robots.txt': 'queued started finished',
      '/index.xml': 'queued started finished',
      '/a.xml': 'queued finished',
      '/b.xml': 'queued started failed',
      '/c.xml': 'queued started finished',
    });
    expect(events.at(-1)?.totals).toMatchObject({ known: 4, done: 3, failed: 1 });
  });

  test('totals only grow, and are those of the event', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': robots(...[1, 2, 3, 4].map((n) => `${origin}/${n}.xml`)),
      '*': page,
    }));
    const events = await eventsOf(server.origin, DECLARED, how);
    const counts = { queued: 0, finished: 0, failed: 0 };
    let before = { known: 0, done: 0, failed: 0, pages: 0, bytes: 0, elapsedMs: 0 };
    for (const { type, url, totals } of events) {
      // robots.txt is not a sitemap.
      if (url?.endsWith('/robots.txt')) continue;
      if (type === 'queued' || type === 'finished' || type === 'failed') counts[type]++;
      expect(totals).toMatchObject({ known: counts.queued, done: counts.finished, failed: counts.failed });
      for (const name of ['known', 'done', 'failed', 'pages', 'bytes', 'elapsedMs'] as const) {
        expect(totals[name]).toBeGreaterThanOrEqual(before[name]);
      }
      before = totals;
    }
    expect(before.bytes).toBe(server.bytesSent);
    expect(before.pages).toBe(8);
  });

  test('a known path that is declared late and fails is reported like any other declared one', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml'],
      '/index.xml': { body: ['/sitemap.xml'], delayMs: 50 },
      '/sitemap.xml': { status: 403 },
    });
    expect(byUrl(await eventsOf(server.origin, QUICK, how), server.origin)).toEqual({
      '/robots.txt': 'queued started finished',
      '/index.xml': 'queued started finished',
      '/sitemap.xml': 'queued started failed',
    });
  });

  test('a known path that failed before two indexes declare it, and is read then, counts once', async () => {
    const { promise: isAsked, resolve } = signalling();
    const late = async () => {
      await isAsked;
      await delay(50);
      return { body: ['/sitemap.xml'] };
    };
    let times = 0;
    const server = await siteOf({
      '/robots.txt': ['/1.xml', '/2.xml'],
      '/1.xml': late,
      '/2.xml': late,
      '/sitemap.xml': () => {
        resolve();
        return times++ === 0 ? { status: 503 } : { body: page };
      },
    });
    const events = await eventsOf(server.origin, QUICK, how);
    expect(byUrl(events, server.origin)['/sitemap.xml']).toBe('queued started finished');
    expect(events.at(-1)?.totals).toMatchObject({ known: 3, done: 3, failed: 0, pages: 2 });
  });

  test('a known path that does not exist, and that is declared later, is requested once', async () => {
    const { promise: isAsked, resolve } = signalling();
    const server = await siteOf({
      '/robots.txt': ['/1.xml'],
      '/1.xml': async () => {
        await isAsked;
        await delay(50);
        return { body: ['/sitemap.xml'] };
      },
      '/sitemap.xml': () => {
        resolve();
        return { status: 404 };
      },
    });
    const events = await eventsOf(server.origin, QUICK, how);
    expect(byUrl(events, server.origin)['/sitemap.xml']).toBe('queued started failed');
    expect(server.paths().filter((path) => path === '/sitemap.xml')).toHaveLength(1);
  });

  test('a retry is reported before its pause: attempt, waitMs, reason', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { script: [{ status: 503, headers: { 'retry-after': '0' } }, { body: page }] },
    });
    const events = await eventsOf(server.origin, { ...DECLARED, retries: 1 }, how);
    expect(byUrl(events, server.origin)['/a.xml']).toBe('queued started retried finished');
    expect(events.find(({ type }) => type === 'retried')).toMatchObject({
      url: `${server.origin}/a.xml`,
      attempt: 1,
      waitMs: expect.any(Number),
      reason: expect.stringContaining('503'),
    });
  });

  test('§15 a pause of a host is reported: host, waitMs, reason', async () => {
    const server = await siteOf({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': { script: [{ status: 429, headers: { 'retry-after': '1' } }, { body: page }] },
      '/b.xml': page,
    });
    const events = await eventsOf(server.origin, { ...DECLARED, retries: 1 }, how);
    expect(byUrl(events, server.origin)['/a.xml']).toBe('queued started waiting retried finished');
    expect(events.filter(({ type }) => type === 'waiting')).toEqual([
      {
        type: 'waiting',
        url: `${server.origin}/a.xml`,
        host: new URL(server.origin).host,
        waitMs: 1000,
        reason: 'it asked for a pause (429 with Retry-After)',
        totals: expect.anything(),
      },
    ]);
  });

  test('bytes at most ten times a second', async () => {
    const body = urlset(...Array.from({ length: 2000 }, (_, at) => `https://example.org/${at}`));
    const server = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { body, trickle: { bytes: Math.ceil(body.length / 60), everyMs: 8 } },
    });
    const times = (await eventsOf(server.origin, DECLARED, how))
      .filter(({ type }) => type === 'bytes')
      .map(({ totals }) => totals.elapsedMs);
    expect(times.length).toBeGreaterThan(2);
    // Rounded to the millisecond on both sides.
    for (let at = 1; at < times.length; at++) expect(times[at]! - times[at - 1]!).toBeGreaterThanOrEqual(99);
  });
});

test.each<[state: string, steps: (document: DocumentProgress) => void, standing: string]>([
  ['is queued', () => {}, 'its turn had not come'],
  ['is requested', (document) => document.started(), 'nothing of it had arrived'],
  [
    'is arriving',
    (document) => {
      document.started();
      document.addBytes(20);
      document.addBytes(1);
    },
    '21 bytes of it had arrived',
  ],
  [
    'broke while it was arriving, and waits for its second attempt',
    (document) => {
      document.started();
      document.addBytes(21);
      document.retried({ attempt: 1, waitMs: 1000, reason: 'the connection broke' });
    },
    'its first attempt had failed: the connection broke',
  ],
  [
    'broke twice, and waits for its third attempt',
    (document) => {
      document.started();
      document.retried({ attempt: 1, waitMs: 1000, reason: 'the server responded with 503' });
      document.addBytes(21);
      document.retried({ attempt: 2, waitMs: 2000, reason: 'the connection broke' });
    },
    '2 attempts had failed: the connection broke',
  ],
  [
    'broke, and is arriving again',
    (document) => {
      document.started();
      document.addBytes(21);
      document.retried({ attempt: 1, waitMs: 1000, reason: 'the connection broke' });
      document.addBytes(5);
    },
    '5 bytes of it had arrived',
  ],
])('a document that %s when the time is over says so', (_state, steps, standing) => {
  const progress = new CrawlProgress(resolveOptions({}, 'tree'));
  const document = new DocumentProgress(progress, 'https://example.org/a.xml', 'declared');
  steps(document);
  expect(document.standing).toBe(standing);
});

test('a shared sitemap is one document: reported once', async () => {
  const server = await siteOf({
    '/robots.txt': ['/1.xml', '/2.xml'],
    '/1.xml': ['/a.xml'],
    '/2.xml': ['/a.xml'],
    '/a.xml': page,
  });
  const events = await eventsOf(server.origin);
  expect(byUrl(events, server.origin)['/a.xml']).toBe('queued started finished');
  expect(events.at(-1)!.totals).toMatchObject({ known: 3, done: 3 });
});

describe('what an observer throws, or rejects with if it is async, rejects the call', () => {
  const bug = new Error('bug');
  const throws = (): void => {
    throw bug;
  };
  const rejects = async (): Promise<void> => throws();
  const cases = [throws, rejects].flatMap((fails): [string, SitemapOptions][] => [
    [`onProgress ${fails.name}`, { onProgress: fails }],
    [`logger ${fails.name}`, { logger: { debug: fails, info: fails, warn: fails, error: fails } }],
  ]);

  test.each(cases)('%s', async (_, options) => {
    const { origin } = await siteOf({ '/robots.txt': ['/sitemap.xml'], '/sitemap.xml': page });
    await expect(stream(origin, options)).rejects.toBe(bug);
    await expect(sitemapTreeForHomepage(origin, { ...DECLARED, ...options })).rejects.toBe(bug);
  });

  test.each(cases)('no timer stays, which would keep the process alive: %s', async (_, options) => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const { origin } = await siteOf({ '/robots.txt': ['/sitemap.xml'], '/sitemap.xml': page });
    const before = timers();
    await expect(stream(origin, options)).rejects.toBe(bug);
    expect(timers()).toBeLessThanOrEqual(before);
  });

  async function stream(origin: string, options: SitemapOptions): Promise<void> {
    for await (const _ of streamPages(origin, { ...DECLARED, ...options }));
  }
});

describe('logger', () => {
  const site: Site = { '/robots.txt': ['/gone.xml'], '/sitemap.xml': page };

  test('console fits, and a pino-shaped object, methods and all', async () => {
    const server = await siteOf(site);
    const spies = (['debug', 'info', 'warn', 'error'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation(() => {}),
    );
    await treeOf({ origin: `${server.origin}/path` }, { ...QUICK, logger: console });
    expect(spies.some((spy) => spy.mock.calls.length > 0)).toBe(true);
    for (const spy of spies) spy.mockRestore();

    // As pino's: methods that need their `this`, overloads, and more than we ask for.
    class PinoLike {
      readonly lines: string[] = [];
      level = 'trace';
      #write(level: string, first: unknown, second?: string): void {
        this.lines.push(`${level} ${second ?? first}`);
      }
      debug(object: object, message?: string): void;
      debug(message: string): void;
      debug(first: unknown, second?: string): void {
        this.#write('debug', first, second);
      }
      info(message: string): void {
        this.#write('info', message);
      }
      warn(message: string): void {
        this.#write('warn', message);
      }
      error(message: string): void {
        this.#write('error', message);
      }
      fatal(message: string): void {
        this.#write('fatal', message);
      }
    }
    const pino = new PinoLike();
    const logger: Logger = pino;
    await treeOf({ origin: `${server.origin}/path` }, { ...QUICK, logger });
    expect(pino.lines.some((line) => line.startsWith('warn The homepage was shortened'))).toBe(true);
    expect(pino.lines.some((line) => line.includes('gone.xml'))).toBe(true);
    expect(pino.lines.join()).not.toContain('looks like a sitemap');
  });

  test('§1.1 a homepage that looks like a sitemap: the warning names what reads one sitemap', async () => {
    const server = await siteOf(site);
    const warnings: string[] = [];
    const ignore = (): void => {};
    const logger = {
      debug: ignore,
      info: ignore,
      warn: (line: string) => void warnings.push(line),
      error: ignore,
    };
    await treeOf({ origin: `${server.origin}/sitemap.xml` }, { ...QUICK, logger });
    expect(warnings[0]).toMatch(
      /looks like a sitemap: streamSitemap and sitemapFromUrl read that one alone\.$/,
    );
  });

  test('silent by default', async () => {
    const server = await siteOf(site);
    const written: unknown[] = [];
    const spies = [
      ...(['log', 'debug', 'info', 'warn', 'error'] as const).map((level) =>
        vi.spyOn(console, level).mockImplementation((...args) => void written.push(args)),
      ),
      vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(text) > 0),
      vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(text) > 0),
    ];
    const tree = await treeOf({ origin: `${server.origin}/path` }, QUICK);
    for (const _ of tree.allPages());
    for (const spy of spies) spy.mockRestore();
    expect(written).toEqual([]);
  });

  test('a robots.txt that fails is a warning', async () => {
    const server = await siteOf({ '/robots.txt': { status: 403 } });
    const warn = vi.fn();
    await treeOf(server, { ...QUICK, logger: { debug() {}, info() {}, warn, error() {} } });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]![0]).toContain('robots.txt');
  });
});

describe('the events of one URL', () => {
  type Step = 'declared' | 'started' | 'finished' | 'finished-as-robots' | 'failed' | 'retried';
  const take: Readonly<Record<Step, (document: DocumentProgress) => void>> = {
    declared: (document) => document.declared(),
    started: (document) => document.started(),
    finished: (document) => document.finished({ isSitemap: true }),
    'finished-as-robots': (document) => document.finished({ isSitemap: false }),
    failed: (document) => document.failed('a', 'b'),
    retried: (document) => document.retried({ attempt: 1, waitMs: 0, reason: 'r' }),
  };
  const HELD = '';
  test.each<[string, Origin, string, string, string]>([
    ['a declared one', 'declared', 'started finished', 'queued started finished', '1 1 0'],
    ['one that fails', 'declared', 'started failed', 'queued started failed', '1 0 1'],
    ['one that fails before its turn', 'declared', 'failed', 'queued failed', '1 0 1'],
    ['a declared robots.txt', 'declared', 'finished-as-robots', 'queued finished', '1 1 0'],
    ['robots.txt', 'robots-txt', 'started finished-as-robots', 'queued started finished', '0 0 0'],
    ['a robots.txt that is a sitemap', 'robots-txt', 'started finished', 'queued started finished', '1 1 0'],
    ['a robots.txt that fails', 'robots-txt', 'started failed', HELD, '0 0 0'],
    ['a known path', 'known-path', 'started finished', 'queued started finished', '1 1 0'],
    ['a known path that fails', 'known-path', 'started failed', HELD, '0 0 0'],
    ['a known path that is retried', 'known-path', 'started retried', 'retried', '0 0 0'],
    [
      'one that is declared before it starts',
      'known-path',
      'declared started declared',
      'queued started',
      '1 0 0',
    ],
    ['one that is declared when it has started', 'known-path', 'started declared', 'queued started', '1 0 0'],
    [
      'one that is declared when it has failed',
      'known-path',
      'started failed declared declared',
      'queued started failed',
      '1 0 1',
    ],
  ])('%s', (_what, origin, steps, types, totals) => {
    const events: SitemapProgress[] = [];
    const progress = new CrawlProgress(
      resolveOptions({ onProgress: (event) => void events.push(event) }, 'tree'),
    );
    const document = new DocumentProgress(progress, 'https://example.org/a.xml', origin);
    for (const step of steps.split(' ')) take[step as Step](document);
    expect(events.map(({ type }) => type).join(' ')).toBe(types);
    const { known, done, failed } = progress.totals;
    expect(`${known} ${done} ${failed}`).toBe(totals);
    for (const event of events) {
      expect(event.url).toBe('https://example.org/a.xml');
      if (event.type === 'failed') expect(event).toMatchObject({ code: 'a', reason: 'b' });
      if (event.type === 'retried') expect(event).toMatchObject({ attempt: 1, waitMs: 0, reason: 'r' });
    }
  });

  test.each<[Origin, boolean, boolean]>([
    ['declared', true, true],
    ['robots-txt', true, true],
    ['known-path', false, true],
  ])('one of origin %s is declared: %s; once something declares it: %s', (origin, before, after) => {
    const document = new DocumentProgress(
      new CrawlProgress(resolveOptions({}, 'tree')),
      'https://a.example/',
      origin,
    );
    const first = document.isDeclared;
    document.declared();
    expect([first, document.isDeclared]).toEqual([before, after]);
  });

  test('bytes and pages add up, with and without a listener', () => {
    for (const onProgress of [undefined, () => {}]) {
      const progress = new CrawlProgress(resolveOptions({ onProgress }, 'tree'));
      expect(progress.isWatched).toBe(onProgress !== undefined);
      for (const count of [5, 7]) {
        new DocumentProgress(progress, 'https://example.org/', 'known-path').addBytes(count);
        progress.addPages(count);
      }
      expect(progress.totals).toMatchObject({ known: 0, done: 0, failed: 0, pages: 12, bytes: 12 });
      expect(Number.isInteger(progress.totals.elapsedMs)).toBe(true);
    }
  });

  test('bytes of all documents together are reported at most ten times a second', () => {
    const reported: string[] = [];
    const onProgress = ({ type, url, totals }: SitemapProgress): void =>
      void reported.push(`${type} ${url} ${totals.bytes}`);
    const progress = new CrawlProgress(resolveOptions({ onProgress }, 'tree'));
    for (const name of ['a', 'b', 'a'])
      new DocumentProgress(progress, `https://example.org/${name}`, 'robots-txt').addBytes(5);
    expect(reported).toEqual(['bytes https://example.org/a 5']);
    expect(progress.totals.bytes).toBe(15);
  });
});
