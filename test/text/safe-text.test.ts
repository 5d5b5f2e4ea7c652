/** §8: what a sitemap says cannot do harm where it is written. */
import { expect, test } from 'vitest';
import { safeText } from '../../src/text/safe-text.ts';

const EVIL = 'a\u001b[31m\u009b\u202e\u2028\u200b\u00ad\ufff9\u{e0041}\u007fb';
const VISIBLE = 'a\\u001b[31m\\u009b\\u202e\\u2028\\u200b\\u00ad\\ufff9\\u{e0041}\\u007fb';

test('a terminal gets harmful characters as escapes, and layout and other letters as they are', () => {
  expect(safeText(EVIL, 'terminal')).toBe(VISIBLE);
  expect(safeText('tab\tline\nß日本😀', 'terminal')).toBe('tab\tline\nß日本😀');
});

test('JSON has none of the harmful characters and is the same value', () => {
  const value = { [EVIL]: [EVIL, 'ß日本😀\n\t"\\'] };
  const json = safeText(JSON.stringify(value, undefined, 1), 'json');
  expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(json)).toEqual(value);
});

test('no line of CSV is a command of GitHub Actions', () => {
  expect(safeText('::add-mask::x,1\n"a\n  ::warning::y",2\na::b', 'csv')).toBe(
    '\'::add-mask::x,1\n"a\n\'  ::warning::y",2\na::b',
  );
});

test('HTML has no markup of the text', () => {
  expect(safeText(`<b a="'">&\u009b`, 'html')).toBe('&lt;b a=&quot;&#39;&quot;&gt;&amp;\\u009b');
});

test('an annotation is one line, and its properties end where they should', () => {
  expect(safeText('50%\r\n::error::\u001b', 'annotation')).toBe('50%25\\u000d%0A::error::\\u001b');
  expect(safeText('a,b:c', 'property')).toBe('a%2Cb%3Ac');
});
