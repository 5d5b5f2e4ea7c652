/** What filters take: patterns of URLs and points in time, of `filterPages` and of the command line. */
import { describe, expect, test } from 'vitest';
import { parsePattern, parseWhen } from '../../src/filter/filter-values.ts';

describe('a pattern of URLs (§10)', () => {
  test.each([
    ['/blog/', 'https://a.example/blog/1', true],
    ['/blog/', 'https://a.example/shop/1', false],
    ['/Blog/', 'https://a.example/blog/1', false],
    ['*.html', 'https://a.example/x.html', true],
    ['*.html', 'https://a.example/x.html?y', false],
    ['https://a.example/*/x', 'https://a.example/1/2/x', true],
    ['https://a.example/*/x', 'http://a.example/1/x', false],
    ['https://a.example/*', 'https://a.example/', true],
    ['https://a.example/a*.html', 'https://a.example/a.html', true],
    ['*/a/*/b', 'https://h/a/b', false],
    ['*/a/*/b', 'https://h/a//b', true],
    ['a*a', 'a', false],
    ['*/a*/a*', 'https://h/a', false],
    ['*/a*/a*', 'https://h/a/a', true],
    ['*?page=*', 'https://h/x?page=2', true],
    ['*?page=*', 'https://h/xypage=2', false],
    ['re:/\\d{4}/', 'https://h/2024/x', true],
    ['re:^http:', 'https://h/2024/x', false],
  ])('%s on %s: %s', (text, url, matches) => {
    expect(parsePattern(text)(url)).toBe(matches);
  });

  test.each([
    [/\/a$/g, 'https://h/a', true],
    [/\/A/i, 'https://h/a', true],
    [/^a/y, 'https://h/a', false],
    [/\/a/gy, 'https://h/a', true],
  ])('%s on %s, however often: %s', (pattern, url, matches) => {
    const found = parsePattern(pattern);
    expect([found(url), found(url), found(url)]).toEqual([matches, matches, matches]);
  });

  test.each(['', 're:', 're:['])('"%s" is refused', (text) => {
    expect(() => parsePattern(text)).toThrow(/pattern/);
  });

  test('a glob of many stars is linear', () => {
    const matches = parsePattern(`${'*a'.repeat(2000)}*b`);
    expect(matches('a'.repeat(100_000))).toBe(false);
  });
});

describe('a time as people write it (§10)', () => {
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
    expect(new Date(parseWhen(text, now) ?? Number.NaN).toISOString()).toBe(expected);
  });

  test.each([
    `2024-05-06T08:00:00.${'1'.repeat(200)}`,
    '',
    'lately',
    '999999999w',
    '05/06/2024',
    '2024-02-30',
    '2024-13',
    '2024-05-06T25:00',
    '7',
    '-7d',
    '7 d',
  ])('"%s" is not a time', (text) => {
    expect(parseWhen(text, now)).toBeUndefined();
  });
});
