/** §12 Positions: offsets against a slow implementation that is obviously right. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSitemap } from '../../src/index.ts';
import { Places, type Position } from '../../src/problems/position.ts';
import { sized } from '../support/tier.ts';

const encoder = new TextEncoder();

function positionsOf(chunks: readonly Uint8Array[], offsets: readonly number[]): (Position | undefined)[] {
  const places = new Places();
  for (const chunk of chunks) places.write(chunk);
  return offsets.map((offset) => places.at(offset));
}

/** Characters of every length in UTF-8 and UTF-16, and every kind of line end, often next to each other. */
const PARTS = ['a', '\t', ' ', '\n', '\r', '\r\n', 'é', '日', '😀', '\u2028', '<loc>'];
const LONG = 'x'.repeat(70);
/** Most documents have no CR, and lines that are longer than what is looked at in one step. */
const TEXTS: readonly (readonly [string, readonly string[]])[] = [
  ['every kind of line end', PARTS],
  ['lines that end with LF', ['\n', 'é', '😀', '<loc>', LONG]],
  ['lines that end with CRLF', ['\r\n', 'é', '😀', '<loc>', LONG]],
];

/** The position before the character at `index`, found by looking at the whole text. */
function slowPosition(whole: string, index: number): Position {
  const ends = [...whole.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length);
  const before = ends.filter((end) => end <= index);
  return { line: before.length + 1, column: index - (before.at(-1) ?? 0) + 1 };
}

/** The indexes at which characters begin, and the end. */
function starts(whole: string): number[] {
  const indexes: number[] = [];
  let index = 0;
  for (const character of whole) {
    indexes.push(index);
    index += character.length;
  }
  return [...indexes, index];
}

const bytesBefore = (whole: string, index: number) => encoder.encode(whole.slice(0, index)).length;

test.each(TEXTS)(
  '%s: every offset has the position that the whole text shows, however it is divided',
  (_, parts) => {
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(2_000)), (whole, cuts) => {
        const indexes = starts(whole);
        const offsets = indexes.map((index) => bytesBefore(whole, index));
        const bytes = encoder.encode(whole);
        const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b);
        const chunks = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
        const expected = indexes.map((index) => slowPosition(whole, index));
        expect(positionsOf(chunks, offsets)).toEqual(expected);
        // In any order, and more than once.
        const shuffled = [...offsets, ...offsets].reverse();
        expect(positionsOf(chunks, shuffled)).toEqual([...expected, ...expected].reverse());
      }),
      { numRuns: sized({ fast: 100, full: 250, strong: 1000 }) },
    );
  },
);

describe('a position', () => {
  const at = (whole: string, index: number) =>
    positionsOf([encoder.encode(whole)], [bytesBefore(whole, index)])[0];

  test.each([
    ['the first character', 'a', 0, 1, 1],
    ['behind LF', 'a\nb', 2, 2, 1],
    ['behind CRLF', 'a\r\nb', 3, 2, 1],
    ['behind CR', 'a\rb', 2, 2, 1],
    ['between CR and LF', 'a\r\nb', 2, 1, 3],
    ['behind a tab', '\tb', 1, 1, 2],
    ['behind two bytes', 'éb', 1, 1, 2],
    ['behind a pair of surrogates', '😀b', 2, 1, 3],
    ['the end, behind CR', 'a\r', 2, 2, 1],
  ])('%s', (_, whole, index, line, column) => {
    expect(at(whole, index)).toEqual({ line, column });
  });

  test('an offset past the end is at the end', () => {
    expect(positionsOf([encoder.encode('a\nbc')], [100])).toEqual([{ line: 2, column: 3 }]);
  });
});

const OFFSETS = sized({ fast: 50_000, full: 300_000, strong: 1_000_000 });
test(`${OFFSETS} offsets in a text of one line are found in one pass`, () => {
  const bytes = new Uint8Array(OFFSETS).fill(0x61);
  // Quadratic work would not end within the time that a test has.
  const found = positionsOf(
    [bytes],
    Array.from(bytes, (_, offset) => offset),
  );
  expect(found.at(-1)).toEqual({ line: 1, column: OFFSETS });
});

const KEPT_BYTES = 63 * 16 * 1024;
test('an offset in the last MiB has the position that the whole text shows, however the text is divided', () => {
  const part = fc.constantFrom('a', '\n', '\r', '\r\n', 'é', '😀', '<loc>', 'x'.repeat(5000));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), fc.integer({ min: 1, max: 40_000 }), (parts, size) => {
      const whole = parts.join('');
      const text = encoder.encode(whole);
      const indexes = starts(whole).filter((_, at) => at % 97 === 0);
      const places = new Places();
      for (let at = 0; at < text.length; at += size) places.write(text.subarray(at, at + size));
      expect(indexes.map((index) => places.at(bytesBefore(whole, index)))).toEqual(
        indexes.map((index) => slowPosition(whole, index)),
      );
    }),
    { numRuns: sized({ fast: 15, full: 30 }) },
  );
});

test('an offset in a text that is not kept any more has no position', () => {
  const places = new Places();
  places.write(new Uint8Array(3 * KEPT_BYTES));
  expect(places.at(0)).toBeUndefined();
  expect(places.at(3 * KEPT_BYTES)).toEqual({ line: 1, column: 3 * KEPT_BYTES + 1 });
});

// A block is 2 KiB, and ends a line here.
const BLOCK = 2048;
const WINDOW = 512 * BLOCK;
test.each<[string, number, number, Position | undefined]>([
  ['the first byte of a text as long as the window', WINDOW, 0, { line: 1, column: 1 }],
  ['the first byte, one byte later', WINDOW + 1, 0, undefined],
  ['the last byte of the block that has left the window', WINDOW + 1, BLOCK - 1, undefined],
  ['the first byte of the next block', WINDOW + 1, BLOCK, { line: 2, column: 1 }],
  ['the block that leaves the window next', WINDOW + BLOCK, 2 * BLOCK - 1, { line: 2, column: BLOCK }],
  ['the same block, one byte later', WINDOW + BLOCK + 1, 2 * BLOCK - 1, undefined],
])('at the border of what is kept: %s', (_which, length, offset, expected) => {
  const text = new Uint8Array(length).fill(0x61);
  for (let end = BLOCK - 1; end < length; end += BLOCK) text[end] = 0x0a;
  expect(positionsOf([text], [offset])).toEqual([expected]);
});

test('offsets of several blocks in any order, also of a block that is still growing', () => {
  const text = Array.from({ length: 1200 }, (_, at) => `${at}é\r\n${'\r'.repeat(at % 3)}😀`).join('');
  const bytes = encoder.encode(text);
  const indexes = starts(text).filter((_, at) => at % 31 === 0);
  const places = new Places();
  let written = 0;
  // Each is asked for as soon as it is there, and then again in an order that changes the block each time.
  for (const index of indexes) {
    const offset = bytesBefore(text, index);
    places.write(bytes.subarray(written, offset + 1));
    written = Math.min(offset + 1, bytes.length);
    expect(places.at(offset)).toEqual(slowPosition(text, index));
  }
  places.write(bytes.subarray(written));
  const half = Math.floor(indexes.length / 2);
  const mixed = Array.from({ length: half }, (_, at) => [indexes[at]!, indexes[at + half]!]).flat();
  for (const index of mixed)
    expect([index, places.at(bytesBefore(text, index))]).toEqual([index, slowPosition(text, index)]);
});

test.each([
  ['a line end of two bytes', '\r\n'],
  ['two line ends of one byte', '\r\r'],
  ['a character behind CR', '\ra'],
  ['a character of two bytes', 'é'],
  ['a character of three bytes', '日'],
  ['a character of four bytes', '😀'],
  ['LF', '\na'],
  ['an end of a line, CR last', 'a\r'],
])('at the border of two blocks: %s', (_, sign) => {
  for (let before = BLOCK - 4; before <= BLOCK; before++) {
    const text = `${'x'.repeat(before)}${sign}yz\nz`;
    for (const index of [before, before + sign.length, before + sign.length + 1, text.length]) {
      const offset = bytesBefore(text, index);
      expect([before, index, positionsOf([encoder.encode(text)], [offset])[0]]).toEqual([
        before,
        index,
        slowPosition(text, index),
      ]);
    }
  }
});

test('bytes that are not valid UTF-8 count as one each, unless they continue a character', () => {
  const bytes = Uint8Array.of(0xff, 0xc0, 0x61, 0x80, 0xbf, 0xef, 0xf0, 0x62);
  // 0xff and 0xf0 begin what takes two units.
  expect(positionsOf([bytes], [1, 2, 3, 4, 5, 6, 7, 8]).map((place) => place?.column)).toEqual([
    3, 4, 5, 5, 5, 6, 8, 9,
  ]);
});

test('problemPositions gives problems a line and a column, in every charset', () => {
  const text =
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\r\n<!-- é😀 -->\n<url><loc>/?a&b</loc></url></urlset>';
  const placesOf = (input: Uint8Array): unknown => {
    const parse = parseSitemap(input, { url: 'https://example.org/', problemPositions: true });
    for (const _item of parse);
    return parse.problems.map(({ code, line, column }) => [code, line, column]);
  };
  const expected = [
    ['relative-url', 3, 11],
    ['bare-ampersand', 3, 11],
  ];
  expect(placesOf(encoder.encode(text))).toEqual(expected);
  expect(placesOf(Buffer.from(`\uFEFF${text}`, 'utf16le'))).toEqual(expected);
  const without = parseSitemap(text, { url: 'https://example.org/' });
  for (const _item of without);
  expect(without.problems[0]).not.toHaveProperty('line');
});
