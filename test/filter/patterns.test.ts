/** Patterns of URLs, of `filterPages` and of the command line. */
import { describe, expect, test } from 'vitest';
import { parsePattern } from '../../src/options/filter-values.ts';

describe('a pattern of URLs (§10)', () => {
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
    ['*/a*/a*', 'https://h/a', false],
    ['*/a*/a*', 'https://h/a/a', true],
    ['*?page=*', 'https://h/x?page=2', true],
    ['*?page=*', 'https://h/xypage=2', false],
    ['re:/\\d{4}/', 'https://h/2024/x', true],
    ['re:^http:', 'https://h/2024/x', false],
  ])('%s on %s: %s', (text, url, matches) => {
    expect(parsePattern(text)(url)).toBe(matches);
  });

  test.each(['', 're:', 're:['])('"%s" is refused', (text) => {
    expect(() => parsePattern(text)).toThrow(/pattern/);
  });

  test('a glob of many stars is linear', () => {
    const matches = parsePattern(`${'*a'.repeat(2000)}*b`);
    expect(matches('a'.repeat(100_000))).toBe(false);
  });
});
