/** §8: what a sitemap says cannot do harm where it is written. */
import { expect, test } from 'vitest';
import { safeText } from '../../src/text/safe-text.ts';

const EVIL = 'a\u001b[31m\u009b\u202e\u2028\u200b\u00ad\ufff9\u{e0041}\u007fb';
const VISIBLE = 'a\\u001b[31m\\u009b\\u202e\\u2028\\u200b\\u00ad\\ufff9\\u{e0041}\\u007fb';

test('a terminal gets harmful characters as escapes, and layout and other letters as they are', () => {
  expect(safeText(EVIL, 'terminal')).toBe(VISIBLE);
  expect(safeText('tab\tline\nß日本😀', 'terminal')).toBe('tab\tline\nß日本😀');
});

test.each([
  '\0',
  '\b',
  '\v',
  '\f',
  '\r',
  '\x0e',
  '\x1f',
  '\x7f',
  '\x80',
  '\x85',
  '\x9f',
  '\u061c',
  '\u2029',
  '\u2066',
  '\ufeff',
])(
  '%j is visible in a terminal, in HTML and in an annotation, wherever and however often it is',
  (character) => {
    const escaped = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const text = `a${character}b${character}${character}`;
    for (const place of ['terminal', 'html', 'annotation'] as const) {
      expect(safeText(text, place)).toBe(`a${escaped}b${escaped}${escaped}`);
    }
    const json = safeText(`"${character < ' ' ? '' : text}"`, 'json');
    expect(json).toBe(character < ' ' ? '""' : `"a${escaped}b${escaped}${escaped}"`);
  },
);

test('the neighbours of harmful characters stay as they are', () => {
  const text = '\t\n ~\u00a0\u00ac\u00ae\u2027\u2030\u3000';
  for (const place of ['terminal', 'json', 'html'] as const) expect(safeText(text, place)).toBe(text);
});

test('JSON has none of the harmful characters and is the same value', () => {
  const value = { [EVIL]: [EVIL, 'ß日本😀\n\t"\\'] };
  const json = safeText(JSON.stringify(value, undefined, 1), 'json');
  expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(json)).toEqual(value);
});

test('no line of CSV is a command of GitHub Actions', () => {
  expect(safeText('::add-mask::x,1\n"a\n  ::warning::y",2\na::b', 'csv,')).toBe(
    '\'::add-mask::x,1\n"a\n\'  ::warning::y",2\na::b',
  );
});

test('white space before a command is that of .NET, and other lines stay as they are', () => {
  for (const space of ['', ' ', '\t', '\u0085', '\u00a0 \u0085', '\u2028', '\u3000']) {
    expect(safeText(`a\n${space}::x`, 'csv,')).toBe(`a\n'${space}::x`);
    expect(safeText(`a\n${space}::x`, 'text')).toBe(`a\n${space}\\u003a:x`);
    expect(safeText(`a\n${space}::x`, 'urls')).toBe(`a\n${space}%3A:x`);
  }
  expect(safeText('http://[::1]/\n\n', 'urls')).toBe('http://[::1]/\n\n');
});

test('a line begins behind CR, LF or both, and at the start, and nowhere else', () => {
  for (const end of ['\r', '\n', '\r\n', '\n\n']) {
    expect(safeText(`::a${end}::b${end} ::c`, 'xml')).toBe(`&#58;:a${end}&#58;:b${end} &#58;:c`);
  }
  for (const text of ['a\u2028::b', 'a\u0085::b', 'a ::b', ':a\n: :b', 'a\n:b', '::'.slice(1)]) {
    for (const place of ['text', 'urls', 'xml', 'csv,', 'csv;', 'csv\t'] as const) {
      expect(safeText(text, place)).toBe(text);
    }
  }
  expect(safeText('::a\n ::b ::c', 'terminal')).toBe('\\u003a:a\n \\u003a:b ::c');
  expect(safeText(':::', 'csv,')).toBe("':::");
});

test('many separators of lines in a row take no more time than other characters', () => {
  // Quadratic work would not end within the time that a test has.
  const text = `a::b${'\u2028'.repeat(200_000)}c`;
  expect(safeText(text, 'csv,')).toBe(text);
  expect(safeText(text, 'urls')).toBe(text);
});

test('no place has the older form of a command', () => {
  const text = 'a##[b] ###[[ ##[';
  expect(safeText(text, 'text')).toBe('a#\\u0023[b] ##\\u0023[[ #\\u0023[');
  expect(safeText(text, 'terminal')).toBe(safeText(text, 'text'));
  expect(safeText(text, 'urls')).toBe('a#%23[b] ##%23[[ #%23[');
  expect(safeText(text, 'annotation')).toBe('a#\\u0023[b] ##\\u0023[[ #\\u0023[');
  expect(safeText(text, 'xml')).toBe('a#&#35;[b] ##&#35;[[ #&#35;[');
  const json = safeText(JSON.stringify({ [text]: [`\\${text}`] }), 'json');
  expect(json).not.toContain('##[');
  expect(JSON.parse(json)).toEqual({ [text]: [`\\${text}`] });
});

test('a URL in CSV gets an encoded hash, and another cell a quote', () => {
  expect(safeText('https://a.example/,b##[c]##[d],"x, ##[ ""y"""\n', 'csv,')).toBe(
    `https://a.example/,b#'#[c]#'#[d],"x, #'#[ ""y"""\n`,
  );
  expect(safeText('https://a.example/b##[c],"https://a.example/,##[","/short##["\n', 'csv,')).toBe(
    'https://a.example/b#%23[c],"https://a.example/,#%23[","/short#%23["\n',
  );
  expect(
    safeText('HTTP://a.example/##[,http://##[,/##[,x/##[,en=/##[,en-GB=http://a.example/##[\n', 'csv,'),
  ).toBe(`HTTP://a.example/#%23[,http://#%23[,/#%23[,x/#'#[,en=/#%23[,en-GB=http://a.example/#%23[\n`);
  expect(safeText('see https://a.example/##[ and ##[', 'csv,')).toBe(`see https://a.example/#%23[ and #'#[`);
  const list = '"https://a.example/a##[ https://a.example/b##[","de-AT=https://a.example/##["';
  expect(safeText(list, 'csv,')).toBe(list.replaceAll('##[', '#%23['));
});

test('HTML has no markup of the text', () => {
  expect(safeText(`<b a="'">&\u009b`, 'html')).toBe('&lt;b a=&quot;&#39;&quot;&gt;&amp;\\u009b');
});

test('an annotation is one line, and its properties end where they should', () => {
  expect(safeText('50%\r\n::error::\u001b', 'annotation')).toBe('50%25\\u000d%0A::error::\\u001b');
  expect(safeText('a\n5%\nb%41%', 'annotation')).toBe('a%0A5%25%0Ab%2541%25');
  expect(safeText('a,b:c', 'property')).toBe('a%2Cb%3Ac');
  expect(safeText('a,b,,c:d:e\n1%,2%', 'property')).toBe('a%2Cb%2C%2Cc%3Ad%3Ae%0A1%25%2C2%25');
});

test('with every separator, cells stay cells, and no line is a command', () => {
  expect(safeText('a;https://a.example/,b##[c];x##[\n;;::x\n ::y;1\n', 'csv;')).toBe(
    "a;https://a.example/,b#%23[c];x#'#[\n;;::x\n' ::y;1\n",
  );
  expect(safeText('a\thttps://a.example/;b##[c]\tx##[\n\t\t::x\n ::y\t1\n', 'csv\t')).toBe(
    "a\thttps://a.example/;b#%23[c]\tx#'#[\n\t\t'::x\n '::y\t1\n",
  );
});
