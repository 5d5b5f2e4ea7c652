/** §10, §14: what the progress of a site and of a crawl says. The line itself is in test/cli/words.test.ts. */
import { Readable, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CrawlCounts } from '../../../src/batch/journal.ts';
import { type CliIO, Reporter } from '../../../src/cli/io.ts';
import {
  crawlProgress,
  type LogFormat,
  messenger,
  ProgressLine,
  progressText,
  waitingFor,
} from '../../../src/cli/messages/progress-line.ts';
import type { SitemapProgress } from '../../../src/index.ts';

const TOTALS = { known: 3, done: 1, failed: 1, pages: 1, bytes: 999, elapsedMs: 5 };

describe('the line of a site', () => {
  test.each<[string, Partial<typeof TOTALS>, number, string]>([
    ['failed sitemaps are done, too', {}, 1000, 'a · 2/3 sitemaps · 1 page · 999 B · 999 B/s · 0:01'],
    ['bytes are per second', { bytes: 5000 }, 2000, 'a · 2/3 sitemaps · 1 page · 5.0 kB · 2.5 kB/s · 0:02'],
    ['nothing is known', { known: 0, bytes: 0 }, 0, 'a · 1 page · 0 B · 0 B/s · 0:00'],
    ['no time is over', { bytes: 1000 }, 0, 'a · 2/3 sitemaps · 1 page · 1.0 kB · 0 B/s · 0:00'],
    ['one is known', { known: 1, done: 0 }, 60_000, 'a · 1/1 sitemap · 1 page · 999 B · 17 B/s · 1:00'],
    [
      'there are thousands',
      { known: 2000, done: 1000, failed: 0, pages: 1e6, bytes: 1e9 },
      3_600_000,
      'a · 1,000/2,000 sitemaps · 1,000,000 pages · 1.0 GB · 278 kB/s · 1:00:00',
    ],
  ])('%s', (_what, totals, elapsedMs, line) => {
    expect(progressText({ ...TOTALS, ...totals }, elapsedMs, 'a', 200)).toBe(line);
  });

  test.each([
    [0, '0 s'],
    [1, '1 s'],
    [1000, '1 s'],
    [1001, '2 s'],
    [3_600_000, '3,600 s'],
  ])('%d ms are left to wait: %s', (leftMs, words) => {
    const line = progressText(TOTALS, 1000, 'a', 200, { host: 'b', reason: 'why', leftMs });
    expect(line).toBe(`a · 2/3 sitemaps · waiting ${words} for b: why · 0:01`);
  });

  test.each([
    [8, 'abcdefgh', 'abcdefg…'],
    [9, 'abcdefgh', 'abcdefg…'],
    [1, 'a', '…'],
    [0, 'a', '…'],
  ])('in %d characters', (width, name) => {
    const line = progressText(TOTALS, 1000, name, width);
    expect(line.length).toBe(Math.max(1, width));
    expect(line.endsWith('…')).toBe(true);
  });

  test('a line that fits exactly is not cut', () => {
    const line = progressText(TOTALS, 1000, 'a', 200);
    expect(progressText(TOTALS, 1000, 'a', line.length)).toBe(line);
    expect(progressText(TOTALS, 1000, 'a', line.length - 1)).toBe(`${line.slice(0, -2)}…`);
  });
});

describe('what the line knows of a site', () => {
  const event = (type: string, url: string, more: object = {}): SitemapProgress =>
    ({ type, url, totals: TOTALS, ...more }) as unknown as SitemapProgress;

  test('counts the sitemaps that were read to their end, without robots.txt', () => {
    const line = new ProgressLine();
    for (const [type, path] of [
      ['started', 'a.xml'],
      ['finished', 'robots.txt'],
      ['finished', 'a.xml'],
      ['finished', 'b.xml?/robots.txt'],
      ['failed', 'c.xml'],
      ['finished', 'sitemap-robots.txt'],
    ] as const)
      line.listener(event(type, `https://a.example/${path}`));
    expect(line.finished).toBe(3);
    expect(line.totals).toBe(TOTALS);
  });

  test('what it waits for is forgotten when anything of the site goes on, and not when more is found', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { io, written } = world({ terminal: true });
    const line = new ProgressLine();
    const drawn = (): string => {
      written.length = 0;
      vi.advanceTimersByTime(1000);
      return written.join('');
    };
    const url = 'https://b.example/x.xml';
    await line.show(io, 'a.example');
    expect(drawn()).toContain('a.example · 0 pages · 0 B');
    line.listener(event('retried', url, { reason: 'the reason', waitMs: 7000 }));
    expect(drawn()).toContain('a.example · 2/3 sitemaps · waiting 6 s for b.example: the reason · 0:02');
    line.listener(event('queued', url));
    expect(drawn()).toContain(' · waiting 5 s for b.example: the reason · 0:03');
    line.listener(event('waiting', 'https://a.example/', { reason: 'another', waitMs: 500 }));
    expect(drawn()).toContain(' · waiting 0 s: another · 0:04');
    for (const type of ['started', 'finished', 'failed']) {
      line.listener(event('waiting', url, { reason: 'the reason', waitMs: 7000 }));
      line.listener(event(type, url));
      expect([type, drawn()]).toEqual([type, expect.stringContaining(' · 2/3 sitemaps · 1 page · 999 B · ')]);
    }
    line.hide();
    expect(drawn()).toBe('');
  });

  test.each<[string, Parameters<typeof world>[0]]>([
    ['a pipe', {}],
    ['a dumb terminal', { terminal: true, env: { TERM: 'dumb' } }],
    ['a terminal of a CI job', { terminal: true, env: { CI: '' } }],
  ])('there is no line on %s', async (_what, options) => {
    const { io, written } = world(options);
    const line = new ProgressLine();
    await line.show(io, 'a.example');
    line.hide();
    expect(written).toEqual([]);
  });

  test('time goes on without events', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const line = new ProgressLine();
    vi.advanceTimersByTime(1500);
    expect(line.elapsedMs).toBe(1500);
  });
});

/** stderr of a command, with messages on it. */
function world(
  options: { readonly quiet?: boolean; readonly terminal?: boolean; readonly env?: CliIO['env'] } = {},
) {
  const written: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const io: CliIO = {
    stdout: stream,
    stderr: stream,
    stdin: Readable.from([]),
    env: options.env ?? {},
    isTerminal: { stdout: false, stderr: options.terminal === true, stdin: false },
    signal: new AbortController().signal,
    version: '1.2.3',
  };
  return { io, reporter: new Reporter(io, { quiet: options.quiet === true }), written };
}

describe('messages', () => {
  test('are sentences, or objects with what JSON needs escaped', () => {
    const { io, reporter, written } = world();
    messenger(io, reporter, 'text')('one\ntwo');
    messenger(io, reporter, 'json')('one\ntwo\u202e');
    expect(written[0]).toBe('one\\ntwo\n');
    expect(written[1]).toMatch(/^\{"time":"\d{4}-\S+Z","type":"message","message":"one\\ntwo\\u202e"\}\n$/);
  });

  test.each<LogFormat>(['text', 'json'])('-q leaves out those in %s', (format) => {
    const { io, reporter, written } = world({ quiet: true });
    messenger(io, reporter, format)('one');
    expect(written).toEqual([]);
  });
});

describe('the progress of a crawl', () => {
  interface Crawl {
    readonly before?: CrawlCounts;
    readonly all?: number;
    readonly running?: number;
    readonly format?: LogFormat;
    readonly quiet?: boolean;
    readonly terminal?: boolean;
    readonly env?: CliIO['env'];
  }

  type Site = Parameters<CrawlCounts['plus']>[0] extends Iterable<infer One> ? One : never;

  function crawl({
    before = new CrawlCounts(),
    all = 10,
    running = 2,
    format = 'text',
    ...more
  }: Crawl = {}) {
    vi.useFakeTimers({ now: new Date('2014-05-06T00:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    const { io, reporter, written } = world(more);
    let counts = before;
    const progress = crawlProgress(io, reporter, format, {
      countsNow: () => counts,
      all,
      running: () => new Map(Array.from({ length: running }, (_, at) => [`https://${at}.example/`, 0])),
      siteMs: 600_000,
    });
    return {
      ...progress,
      written,
      add: (...sites: readonly Site[]) => {
        counts = counts.plus(sites);
      },
    };
  }

  const done = (pages: number): Site => ({ outcome: 'complete', pages }) as Site;
  const failed = (reason: string): Site => ({ outcome: 'failed', pages: 0, code: reason }) as Site;

  test('counts from where an earlier run ended, and paces by this one', async () => {
    const before = new CrawlCounts().plus([done(500), done(500)]);
    const { show, hide, add, written } = crawl({ before });
    await show();
    add(done(30), done(70));
    vi.advanceTimersByTime(9_999);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(written).toEqual(['4/10 sites · 1,100 pages · 10/s · 0:30 left\n']);
    vi.advanceTimersByTime(10_000);
    expect(written).toHaveLength(2);
    hide();
    vi.advanceTimersByTime(60_000);
    expect(written).toHaveLength(2);
  });

  test('names the kinds of failures, the most frequent first, and counts the rest', async () => {
    const { show, finish, add, written } = crawl();
    await show();
    add(
      failed('a'),
      failed('b'),
      failed('b'),
      failed('c'),
      failed('d'),
      failed('e'),
      failed('e'),
      failed('f'),
    );
    vi.advanceTimersByTime(10_000);
    expect(written[0]).toContain(' · 8 failed: 2 b, 2 e, 1 a, 1 c and 2 others · ');
    finish();
    expect(written.slice(1)).toEqual([
      '8 sites (8 failed), 0 pages, in 0:10.\n',
      'Failed: 2 b, 2 e, 1 a, 1 c and 2 others.\n',
    ]);
  });

  test.each([
    [['a'], '1 a'],
    [['a', 'b', 'c', 'd'], '1 a, 1 b, 1 c and 1 d'],
    [['a', 'b', 'c', 'd', 'e'], '1 a, 1 b, 1 c, 1 d and 1 other'],
    [['a', 'b', 'c', 'd', 'e', 'a', 'b', 'c', 'd', 'e'], '2 a, 2 b, 2 c, 2 d and 2 others'],
  ])('of the kinds %j it says: %s', (kinds, words) => {
    const { finish, add, written } = crawl();
    add(...kinds.map(failed));
    finish();
    expect(written[1]).toBe(`Failed: ${words}.\n`);
  });

  test('the end counts sites by their outcome, and pages that filters left out', () => {
    const { finish, add, written } = crawl();
    add(
      done(1000),
      { outcome: 'none', pages: 0 } as Site,
      {
        ...done(1),
        leftOut: { undated: 2, 'other-host': 1, excluded: 5 },
      } as Site,
    );
    vi.advanceTimersByTime(61_000);
    finish();
    expect(written).toEqual([
      '3 sites (2 complete, 1 none), 1,001 pages, in 1:01.\n',
      '1 page on other hosts was left out (--hosts).\n',
      '2 pages without a date were left out; --undated keep lists them.\n',
    ]);
  });

  test('an end without any site', () => {
    const { finish, written } = crawl();
    finish();
    expect(written).toEqual(['0 sites, 0 pages, in 0:00.\n']);
  });

  test('as JSON it has a start, progress every ten seconds and an end, with all numbers', async () => {
    const { show, finish, add, written } = crawl({ format: 'json' });
    await show();
    vi.advanceTimersByTime(10_000);
    add({ ...done(50), leftOut: { undated: 2 } } as Site, failed('timeout'), failed('timeout'));
    vi.advanceTimersByTime(10_000);
    finish();
    vi.advanceTimersByTime(60_000);
    const lines = written.map((line) => JSON.parse(line));
    expect(lines.map(({ type, finished, leftMs }) => [type, finished, leftMs])).toEqual([
      ['start', 0, null],
      ['progress', 0, null],
      ['progress', 3, 46_667],
      ['end', 3, 46_667],
    ]);
    expect(lines[2]).toEqual({
      time: '2014-05-06T00:00:20.000Z',
      type: 'progress',
      sites: 10,
      finished: 3,
      pages: 50,
      outcomes: expect.objectContaining({ complete: 1, failed: 2 }),
      failures: { timeout: 2 },
      leftOut: { undated: 2 },
      running: 2,
      pagesPerSecond: 3,
      elapsedMs: 20_000,
      leftMs: 46_667,
    });
  });

  test('no time is left where more sites are finished than the list has', async () => {
    const { show, finish, add, written } = crawl({ format: 'json', all: 1 });
    await show();
    add(done(1), done(1));
    vi.advanceTimersByTime(5_000);
    finish();
    expect(JSON.parse(written.at(-1) ?? '')).toMatchObject({ finished: 2, leftMs: 0 });
  });

  test.each<LogFormat>(['text', 'json'])('-q says nothing, at the end either (%s)', async (format) => {
    const { show, finish, add, written } = crawl({ format, quiet: true });
    await show();
    add(done(1), failed('a'));
    vi.advanceTimersByTime(20_000);
    finish();
    expect(written).toEqual([]);
  });

  test('on a terminal one line is drawn again and again until the end, and none is written beside it', async () => {
    const { show, finish, add, written } = crawl({ terminal: true });
    await show();
    add(done(30));
    vi.advanceTimersByTime(20_000);
    expect(written.join('')).toContain('1/10 sites · 30 pages · 2/s · 3:00 left');
    expect(written.some((text) => /^\d+\/10 sites/.test(text))).toBe(false);
    finish();
    expect(written.at(-1)).toBe('1 site (1 complete), 30 pages, in 0:20.\n');
    written.length = 0;
    vi.advanceTimersByTime(20_000);
    expect(written).toEqual([]);
  });

  test.each<[string, Crawl]>([
    ['a dumb terminal', { terminal: true, env: { TERM: 'dumb' } }],
    ['a terminal of a CI job', { terminal: true, env: { CI: '' } }],
    ['a terminal, as JSON', { terminal: true, format: 'json' }],
  ])('%s gets lines, and none that is drawn again', async (_what, options) => {
    const { show, hide, written } = crawl(options);
    await show();
    vi.advanceTimersByTime(9_000);
    expect(written).toHaveLength(options.format === 'json' ? 1 : 0);
    vi.advanceTimersByTime(1_000);
    expect(written.at(-1)?.endsWith('\n')).toBe(true);
    hide();
  });
});

describe('the sites that are waited for', () => {
  const words = (ages: readonly number[], siteMs = 120_000): string =>
    waitingFor(new Map(ages.map((age, at) => [`s${at}`, 1_000_000 - age])), siteMs, 1_000_000);

  test.each<[readonly number[], string]>([
    [[], 'waiting for 0 sites'],
    [[29_999], 'waiting for 1 site'],
    [[30_000], 'waiting for 1 site, at most 1:30 (--timeout): s0'],
    [[1000, 31_000, 2000], 'waiting for 3 sites, at most 1:59 (--timeout): s1, s2, s0'],
    [[1000, 31_000, 2000, 500], 'waiting for 4 sites, at most 1:59 (--timeout): s1, s2, s0, …'],
    [[500_000], 'waiting for 1 site, at most 0:00 (--timeout): s0'],
  ])('that began %j ms ago', (ages, line) => {
    expect(words(ages)).toBe(line);
  });
});
