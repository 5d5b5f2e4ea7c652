/** What filters take: patterns of URLs and points in time, of `filterPages` and of the command line. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { anyMatches, matchersOf, parsePattern, parseWhen, timeOf } from '../../src/filter/filter-values.ts';

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
    ['re:/X', 'https://h/x', false],
    ['re:a*b', 'https://h/b', true],
    ['re:/core:v[12]$', 'https://h/core:v2', true],
    ['re:/core:v[12]$', 'https://h/core:v3', false],
    ['re:/(?:core:|shop:)\\d', 'https://h/shop:1', true],
    ['re:re:a', 'https://h/re:a', true],
    ['re:re:a', 'https://h/a', false],
    ['/core:a', 'https://h/core:b', false],
    ['xre:a', 'https://h/a', false],
    ['a.b', 'https://h/axb', false],
    ['*', 'https://h/', true],
    ['**', 'https://h/', true],
    ['*h/', 'https://h/', true],
    ['https://h*', 'https://h', true],
    ['https://h/a*', 'http://h/?https://h/a', false],
    ['*/A', 'https://h/a', false],
    ['https://h/ab*b*bc', 'https://h/abbc', false],
    ['https://h/ab*b*bc', 'https://h/abbbc', true],
    ['*b*a*', 'https://h/ab', false],
    ['*a*b*c', 'https://h/a1b2c', true],
    ['*a*a*a', 'https://h/aa', false],
    ['*.x*', 'https://h/yx', false],
  ])('%s on %s: %s', (text, url, matches) => {
    expect(parsePattern(text)(url)).toBe(matches);
  });

  test.each([
    [/\/a$/g, 'https://h/a', true],
    [/\/A/i, 'https://h/a', true],
    [/^a/y, 'https://h/a', false],
    [/\/a/gy, 'https://h/a', true],
    [/\/A/gi, 'https://h/a', true],
    [/h.b/s, 'https://h\nb', true],
    [/^.$/u, '\u{1f600}', true],
  ])('%s on %s, however often: %s', (pattern, url, matches) => {
    const found = parsePattern(pattern);
    expect([found(url), found(url), found(url)]).toEqual([matches, matches, matches]);
  });

  test.each([
    ['', 'A pattern must not be empty.'],
    ['re:', 'A pattern must not be empty.'],
    ['re:[', 'The pattern re:[ is not a regular expression: '],
    [7, 'A pattern must be a text or a RegExp.'],
    [null, 'A pattern must be a text or a RegExp.'],
  ])('"%s" is refused', (text, message) => {
    const refused = { code: 'bad-option', message: expect.stringContaining(message) };
    expect(() => parsePattern(text as string)).toThrow(expect.objectContaining(refused));
    expect(() => matchersOf(['a', text])).toThrow(message);
  });

  test('one pattern or several: a URL matches if any of them does', () => {
    const counts = [undefined, [], 'a', /a/, ['a', /b/]].map((patterns) => matchersOf(patterns).length);
    expect(counts).toEqual([0, 0, 1, 1, 2]);
    const matchers = matchersOf(['/a/', 're:b$', /C/i]);
    const urls = ['https://h/a/', 'https://h/b', 'https://h/c', 'https://h/d'];
    expect(urls.map((url) => anyMatches(matchers, url))).toEqual([true, true, true, false]);
    expect(anyMatches([], 'https://h/a/')).toBe(false);
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
    [' YESTERDAY ', '2024-05-06T00:00:00.000Z'],
    [' 2024-05-06\n', '2024-05-06T00:00:00.000Z'],
    [' 7D ', '2024-04-30T15:30:00.000Z'],
    ['0d', '2024-05-07T15:30:00.000Z'],
    ['1m', '2024-05-07T15:29:00.000Z'],
    ['0.5h', '2024-05-07T15:00:00.000Z'],
    ['1w', '2024-04-30T15:30:00.000Z'],
    ['1970', '1970-01-01T00:00:00.000Z'],
    ['1969-12-31', '1969-12-31T00:00:00.000Z'],
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
    '7days',
    '7y',
    '7s',
    '.5d',
    '1.d',
    '1,5d',
    'd',
    'in 7d',
    'tomorrow',
    'today ago',
  ])('"%s" is not a time', (text) => {
    expect(parseWhen(text, now)).toBeUndefined();
  });

  test.each([
    ['2024-05-07T00:00:00.000Z', '2024-05-07', '2024-05-06'],
    ['2024-05-07T23:59:59.999Z', '2024-05-07', '2024-05-06'],
    ['2024-03-01T00:00:00.000Z', '2024-03-01', '2024-02-29'],
    ['1969-12-31T12:00:00.000Z', '1969-12-31', '1969-12-30'],
  ])('at %s today began at %s, and yesterday at %s', (at, today, yesterday) => {
    const found = ['today', 'yesterday'].map((word) => parseWhen(word, Date.parse(at)));
    expect(found).toEqual([Date.parse(today), Date.parse(yesterday)]);
  });

  test.each(['America/New_York', 'Asia/Kathmandu'])('days and times are those of UTC in %s', (zone) => {
    vi.stubEnv('TZ', zone);
    onTestFinished(() => void vi.unstubAllEnvs());
    const found = ['today', 'yesterday', '2024-05-06', '2024-05-06T08:00'].map((text) =>
      parseWhen(text, now),
    );
    const expected = ['2024-05-07', '2024-05-06', '2024-05-06', '2024-05-06T08:00Z'];
    expect(found).toEqual(expected.map((text) => Date.parse(text)));
  });

  test.each<[unknown, number | undefined]>([
    [new Date(5), 5],
    [new Date(0), 0],
    [new Date(Number.NaN), undefined],
    ['1h', now - 3_600_000],
    ['1970', 0],
    ['', undefined],
    [5, undefined],
    [null, undefined],
    [undefined, undefined],
  ])('the option %j is the time %j', (when, time) => {
    expect(timeOf(when, now)).toBe(time);
  });
});
