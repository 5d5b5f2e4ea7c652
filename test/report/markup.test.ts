/** §13: pieces of a report: shares, links that are safe to follow, and how much fits. */
import { describe, expect, test } from 'vitest';
import {
  ByteBudget,
  dataText,
  day,
  idOf,
  link,
  markdown,
  originOf,
  severityCount,
  share,
  shortened,
  withoutOrigin,
} from '../../src/report/markup.ts';

test.each([
  ['2013-05-06T23:59:59.999Z', '2013-05-06'],
  ['2013-05-06', '2013-05-06'],
])('the day of %s', (time, expected) => {
  expect(day(time)).toBe(expected);
});

test.each<[unknown, string]>([
  [{ a: ['</script>', '<!--'] }, '{"a":["\\u003c/script>","\\u003c!--"]}'],
  ['"', '"\\""'],
])('%j is data that cannot end its element', (data, text) => {
  expect(dataText(data)).toBe(text);
  expect(JSON.parse(dataText(data))).toEqual(data);
});

test.each([
  [1, 101, 'below 1 %'],
  [199, 200, 'over 99 %'],
  [198, 200, '99 %'],
  [1, 200, 'below 1 %'],
  [3, 200, '2 %'],
  [0, 5, '0 %'],
  [0, 0, '0 %'],
  [1, 1000, 'below 1 %'],
  [1, 100, '1 %'],
  [1, 3, '33 %'],
  [99, 100, '99 %'],
  [999, 1000, 'over 99 %'],
  [5, 5, '100 %'],
  [7, 5, '100 %'],
])('%i of %i is %s', (part, whole, words) => {
  expect(share(part, whole)).toBe(words);
});

describe('a link', () => {
  const longest = 'https://a.example/'.padEnd(2048, 'x');

  test.each(['https://a.example/?a=1&b', 'http://a.example/'])('%s leads there', (url) => {
    const text = url.replace('&', '&amp;');
    expect(link(url)).toBe(`<a href="${text}" rel="noreferrer"><bdi>${text}</bdi></a>`);
  });

  test('leads to an address with characters that cannot be seen, and shows these', () => {
    expect(link('https://a.example/a\u200b\u202e<\0')).toBe(
      '<a href="https://a.example/a%E2%80%8B%E2%80%AE&lt;%00" rel="noreferrer">' +
        '<bdi>https://a.example/a⟨U+200B⟩⟨U+202E⟩&lt;⟨U+0000⟩</bdi></a>',
    );
    expect(link('https://a.example/a\ud800')).toContain('href="https://a.example/a\ufffd"');
    expect(link('https://a.example/a\u200db')).toContain('href="https://a.example/a\u200db"');
  });

  test('of 2,048 characters leads there', () => {
    expect(link(longest, 'shown')).toBe(`<a href="${longest}" rel="noreferrer"><bdi>shown</bdi></a>`);
  });

  test.each([
    'javascript:alert(1)',
    'ftp://a.example/',
    'https://user@a.example/',
    'https://:secret@a.example/',
    'about',
    `${longest}x`,
  ])('%s is text', (url) => {
    expect(link(url, 'shown')).toBe('<bdi>shown</bdi>');
  });
});

test('addresses of the site are shown without its origin', () => {
  const origin = originOf('https://a.example/x');
  expect(shortened('https://a.example/b', origin)).toBe('/b');
  expect(shortened('https://a.example.org/b', origin)).toBe('https://a.example.org/b');
  expect(withoutOrigin('https://a.example/b leads to https://a.example/c.', origin)).toBe('/b leads to /c.');
  expect(shortened('file:///b', originOf('file:///a'))).toBe('file:///b');
  // The origin of a file is the text null.
  expect(withoutOrigin('It leads to null/b.', originOf('file:///a'))).toBe('It leads to null/b.');
});

test.each([
  ['error', 1, '1 error'],
  ['warning', 2000, '2,000 warnings'],
  ['info', 1, '1 info finding'],
  ['info', 2, '2 info findings'],
] as const)('%s, %i: %s', (severity, count, words) => {
  expect(severityCount(severity, count)).toBe(words);
});

test('words of rules: code, and an id without signs', () => {
  expect(markdown('Write `<loc>` & more, or `a`')).toBe(
    'Write <code>&lt;loc&gt;</code> &amp; more, or <code>a</code>',
  );
  expect(idOf('rule', 'a b/c')).toBe('rule-a-b-c');
});

test('pieces are taken as long as they fit, in bytes', () => {
  const budget = new ByteBudget(10);
  expect(budget.fill(['abc', 'éé', 'def', 'e'])).toEqual(['abc', 'éé', 'def']);
  expect([budget.takes('a'), budget.takes('')]).toEqual([false, true]);
  expect(new ByteBudget(3).fill(['ab', 'cd', 'e'])).toEqual(['ab']);
});
