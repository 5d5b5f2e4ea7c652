/** The words of the command line: how numbers, addresses and dangerous characters are written. */
import { Readable, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CrawlCounts } from '../../src/batch/journal.ts';
import { parseAddress } from '../../src/cli/args/option-values.ts';
import { type CliIO, escapeLine, Reporter } from '../../src/cli/io.ts';
import { crawlProgress, progressText, waitingFor } from '../../src/cli/messages/progress-line.ts';
import { stripUrl } from '../../src/cli/output/listing.ts';
import { looksLikeSitemap } from '../../src/url.ts';

describe('what could harm a terminal (§9)', () => {
  test('a message stays in its line', () => {
    expect(escapeLine('one\ntwo\u001b')).toBe('one\\ntwo\\u001b');
  });
});

describe('the progress line', () => {
  test('the progress line fits its terminal', () => {
    const totals = { known: 40, done: 10, failed: 2, pages: 26_000, bytes: 3_400_000, elapsedMs: 0 };
    expect(progressText(totals, 2000, 'a.example', 200)).toBe(
      'a.example · 12/40 sitemaps · 26,000 pages · 3.4 MB · 1.7 MB/s · 0:02',
    );
    expect(progressText(totals, 2000, 'a.example', 20)).toBe('a.example · 12/40 s…');
  });

  test.each([
    [[5], 'waiting for 1 site'],
    [[29, 1], 'waiting for 2 sites'],
    [[30], 'waiting for 1 site, at most 1:30 (--timeout): https://0.example/'],
    [[10, 300], 'waiting for 2 sites, at most 1:50 (--timeout): https://1.example/, https://0.example/'],
    [
      [40, 30, 20, 10],
      'waiting for 4 sites, at most 1:50 (--timeout): https://0.example/, https://1.example/, https://2.example/, …',
    ],
  ])('sites that have run for %j s are waited for: counted, and named after a while', (ages, words) => {
    const now = 1_000_000;
    const running = new Map(ages.map((age, at) => [`https://${at}.example/`, now - age * 1000]));
    expect(waitingFor(running, 120_000, now)).toBe(words);
  });

  test.each([
    ['more are to come', 10, 7, 2, '2/10 sites · 20 pages · 2/s · 0:40 left'],
    ['the last ones are being crawled', 10, 7, 3, '3/10 sites · 30 pages · 3/s · waiting for 7 sites'],
    ['the last one is being crawled', 10, 1, 9, '9/10 sites · 90 pages · 9/s · waiting for 1 site'],
    ['none is finished', 2, 2, 0, '0/2 sites · 0 pages · 0/s · waiting for 2 sites'],
    ['other processes crawl the last ones', 10, 0, 9, '9/10 sites · 90 pages · 9/s · 0:01 left'],
    ['all are finished', 10, 0, 10, '10/10 sites · 100 pages · 10/s'],
  ])('of a crawl: %s', async (_, all, running, finished, words) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let written = '';
    const stderr = new Writable({
      write(chunk, _encoding, done) {
        written += chunk;
        done();
      },
    });
    const io: CliIO = {
      stdout: stderr,
      stderr,
      stdin: Readable.from([]),
      env: {},
      isTerminal: { stdout: false, stderr: false, stdin: false },
      signal: new AbortController().signal,
      version: '1.2.3',
    };
    let counts = new CrawlCounts();
    const progress = crawlProgress(io, new Reporter(io), 'text', {
      countsNow: () => counts,
      all,
      running: () =>
        new Map(Array.from({ length: running }, (_, at) => [`https://${at}.example/`, performance.now()])),
      siteMs: 600_000,
    });
    await progress.show();
    counts = counts.plus(Array.from({ length: finished }, () => ({ outcome: 'complete', pages: 10 })));
    vi.advanceTimersByTime(10_000);
    progress.hide();
    expect(written).toBe(`${words}\n`);
  });

  test('while it waits for the next attempt, the progress line says for what', () => {
    const totals = { known: 1, done: 0, failed: 0, pages: 0, bytes: 0, elapsedMs: 0 };
    const waiting = { host: 'b.example', reason: 'the server responded with 503\u001b', leftMs: 7100 };
    expect(progressText(totals, 2000, 'a.example', 200, waiting)).toBe(
      'a.example · 0/1 sitemap · waiting 8 s for b.example: the server responded with 503\\u001b · 0:02',
    );
    expect(progressText({ ...totals, known: 0 }, 2000, 'b.example', 200, waiting)).toBe(
      'b.example · waiting 8 s: the server responded with 503\\u001b · 0:02',
    );
  });
});

describe('addresses', () => {
  test.each([
    ['example.org', 'https://example.org'],
    ['www.example.org/a/b', 'https://www.example.org/a/b'],
    ['example.org:8080', 'https://example.org:8080'],
    ['//example.org/', 'https://example.org/'],
    ['localhost:3000', 'http://localhost:3000'],
    ['127.0.0.1:3000/x', 'http://127.0.0.1:3000/x'],
    ['[::1]:8080/x', 'http://[::1]:8080/x'],
    ['localhost', 'http://localhost'],
    ['192.0.2.1/a', 'https://192.0.2.1/a'],
    ['localhost.example.org', 'https://localhost.example.org'],
    ['http://example.org', 'http://example.org'],
    ['https://example.org/a\r\n', 'https://example.org/a'],
    ['münchen.example/?q=a:b', 'https://xn--mnchen-3ya.example/?q=a:b'],
  ])('%s means %s', (text, meant) => {
    expect(parseAddress(text).href).toBe(new URL(meant).href);
  });

  test.each([
    '',
    'ftp://example.org',
    'file:///etc/passwd',
    'no url',
    'intranet',
    'user@example.org',
    'a.b c',
  ])('"%s" is bad usage', (text) => {
    expect(() => parseAddress(text)).toThrow(/is not an http or https URL/);
  });

  test.each([
    ['https://a.example/sitemap.xml', true],
    ['https://a.example/x/sitemap-1.xml.gz', true],
    ['https://a.example/feed.rss', true],
    ['https://a.example/sitemap', true],
    ['https://a.example/blog/', false],
    ['https://a.example/about', false],
  ])('%s looks like a sitemap: %s', (url, expected) => {
    expect(looksLikeSitemap(new URL(url).pathname)).toBe(expected);
  });

  test.each([
    ['https://a.example/x', '/x'],
    ['https://a.example/', '/'],
    ['https://a.example', '/'],
    ['https://a.example?x', '?x'],
    ['https://a.example.org/x', 'https://a.example.org/x'],
    ['https://b.example/x', 'https://b.example/x'],
  ])('%s without https://a.example is %s', (url, expected) => {
    expect(stripUrl(url, 'https://a.example')).toBe(expected);
  });
});
