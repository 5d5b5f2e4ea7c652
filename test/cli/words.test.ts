/** The small languages of the command line: PATTERN, WHEN, and how numbers and dangerous characters are written. */
import { describe, expect, test } from 'vitest';
import { looksLikeSitemap, parseAddress, stripUrl } from '../../src/cli/args/address.ts';
import { parsePattern } from '../../src/cli/filter/patterns.ts';
import { isSince, parseWhen } from '../../src/cli/filter/since.ts';
import { escapeForTerminal, escapeLine } from '../../src/cli/messages/escape.ts';
import { progressText } from '../../src/cli/messages/progress-line.ts';
import { bytes, count, elapsed, list } from '../../src/cli/messages/wording.ts';

describe('a PATTERN (§10)', () => {
  test.each([
    ['/blog/', 'https://a.example/blog/1', true],
    ['/blog/', 'https://a.example/shop/1', false],
    ['/Blog/', 'https://a.example/blog/1', false],
    ['*.html', 'https://a.example/x.html', true],
    ['*.html', 'https://a.example/x.html?y', false],
    ['https://a.example/*/x', 'https://a.example/1/2/x', true],
    ['https://a.example/*/x', 'http://a.example/1/x', false],
    ['*/a/*/b', 'https://h/a/b', false],
    ['*/a/*/b', 'https://h/a//b', true],
    ['a*a', 'a', false],
    ['*?page=*', 'https://h/x?page=2', true],
    ['*?page=*', 'https://h/xypage=2', false],
    ['re:/\\d{4}/', 'https://h/2024/x', true],
    ['re:^http:', 'https://h/2024/x', false],
  ])('%s on %s: %s', (text, url, matches) => {
    expect(parsePattern(text).matches(url)).toBe(matches);
  });

  test.each(['', 're:', 're:['])('"%s" is bad usage', (text) => {
    expect(() => parsePattern(text)).toThrow(/PATTERN/);
  });

  test('a glob of many stars is linear', () => {
    const pattern = parsePattern(`${'*a'.repeat(2000)}*b`);
    expect(pattern.matches('a'.repeat(100_000))).toBe(false);
  });
});

describe('WHEN in --since (§10)', () => {
  const now = Date.parse('2024-05-07T15:30:00Z');
  test.each([
    ['2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['2024-05', '2024-05-01T00:00:00.000Z'],
    ['2024', '2024-01-01T00:00:00.000Z'],
    ['2024-05-06T08:00', '2024-05-06T08:00:00.000Z'],
    ['2024-05-06 08:00:30', '2024-05-06T08:00:30.000Z'],
    ['2024-05-06T08:00+02:00', '2024-05-06T06:00:00.000Z'],
    ['2024-05-06T08:00-0530', '2024-05-06T13:30:00.000Z'],
    ['24h', '2024-05-06T15:30:00.000Z'],
    ['7d', '2024-04-30T15:30:00.000Z'],
    ['2w', '2024-04-23T15:30:00.000Z'],
    ['90m', '2024-05-07T14:00:00.000Z'],
    ['1.5d', '2024-05-06T03:30:00.000Z'],
    ['yesterday', '2024-05-06T00:00:00.000Z'],
    ['Today', '2024-05-07T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(new Date(parseWhen(text, now)).toISOString()).toBe(expected);
  });

  test.each(['', 'lately', '05/06/2024', '2024-02-30', '2024-13', '2024-05-06T25:00', '7', '-7d', '7 d'])(
    '"%s" is bad usage',
    (text) => {
      expect(() => parseWhen(text, now)).toThrow(/--since cannot read/);
    },
  );

  test.each([
    ['2024-05-06T12:00:00Z', '2024-05-06T12:00:00Z', '2024-05-06T12:00:00Z', true],
    ['2024-05-06T11:59:59Z', '2024-05-06T11:59:59Z', '2024-05-06T12:00:00Z', false],
    // A date without a time covers its day, a month its month, a year its year.
    ['2024-05-06T00:00:00Z', '2024-05-06', '2024-05-06T23:59:00Z', true],
    ['2024-05-06T00:00:00Z', '2024-05-06', '2024-05-07T00:00:00Z', false],
    ['2024-05-06T00:00:00Z', '2024-05-06T00:00:00Z', '2024-05-06T12:00:00Z', false],
    ['2024-05-01T00:00:00Z', '2024-05', '2024-05-31T12:00:00Z', true],
    ['2024-01-01T00:00:00Z', '2024', '2024-12-31T12:00:00Z', true],
    ['2024-01-01T00:00:00Z', '2024', '2025-01-01T00:00:00Z', false],
    // An index tells no text: midnight is taken for a day.
    ['2024-05-06T00:00:00Z', undefined, '2024-05-06T12:00:00Z', true],
    ['2024-05-06T00:00:01Z', undefined, '2024-05-06T12:00:00Z', false],
  ])('%s, written %s, is since %s: %s', (date, text, since, expected) => {
    expect(isSince(new Date(date), text, Date.parse(since))).toBe(expected);
  });
});

describe('what could harm a terminal (§9)', () => {
  test.each([
    ['escape sequences', 'a\u001b[31mb', 'a\\u001b[31mb'],
    ['C1 controls', 'a\u009b31mb', 'a\\u009b31mb'],
    ['a carriage return', 'good\rbad', 'good\\u000dbad'],
    ['backspace and delete', '\b\u007f', '\\u0008\\u007f'],
    ['bidi controls', '\u202egpj.exe\u2066', '\\u202egpj.exe\\u2066'],
    ['nothing else', 'tab\tline\nß日本😀', 'tab\tline\nß日本😀'],
  ])('%s', (_what, text, expected) => {
    expect(escapeForTerminal(text)).toBe(expected);
  });

  test('JSON stays the same value', () => {
    const value = { title: 'a\u009b\u202e' };
    expect(JSON.parse(escapeForTerminal(JSON.stringify(value)))).toEqual(value);
  });

  test('a message stays in its line', () => {
    expect(escapeLine('one\ntwo\u001b')).toBe('one\\ntwo\\u001b');
  });
});

describe('words and numbers', () => {
  test('counts', () => {
    expect([0, 1, 999, 1000, 123_456, 2_600_000].map((value) => count(value, 'page'))).toEqual([
      '0 pages',
      '1 page',
      '999 pages',
      '1,000 pages',
      '123,456 pages',
      '2,600,000 pages',
    ]);
    expect([count(0.1234, 'second'), count(1234.5678, 'second')]).toEqual([
      '0.1234 seconds',
      '1,234.5678 seconds',
    ]);
  });

  test('sizes and times', () => {
    expect([0, 999, 1000, 3_400_000, 340_000_000].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '3.4 MB',
      '340 MB',
    ]);
    expect([0, 7_900, 754_000, 3_723_000].map(elapsed)).toEqual(['0:00', '0:07', '12:34', '1:02:03']);
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(list)).toEqual(['', 'a', 'a and b', 'a, b and c']);
  });

  test('the progress line fits its terminal', () => {
    const totals = { known: 40, done: 10, failed: 2, pages: 26_000, bytes: 3_400_000, elapsedMs: 0 };
    expect(progressText(totals, 2000, 'a.example', 200)).toBe(
      'a.example · 12/40 sitemaps · 26,000 pages · 3.4 MB · 1.7 MB/s · 0:02',
    );
    expect(progressText(totals, 2000, 'a.example', 20)).toBe('a.example · 12/40 s…');
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
  ])('%s suggests %s', (text, suggested) => {
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ hint: `did you mean ${suggested}?` }));
  });

  test.each(['', 'ftp://example.org', 'file:///etc/passwd', 'no url'])('"%s" is bad usage', (text) => {
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
    expect(looksLikeSitemap(new URL(url))).toBe(expected);
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
