/** §12 Positions while a document goes by: as in the whole text, as long as it is kept. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSitemap } from '../../src/index.ts';
import { Places } from '../../src/problems/places.ts';
import { positionsOf } from '../../src/problems/position.ts';
import { sized } from '../support/tier.ts';

const KEPT_BYTES = 63 * 16 * 1024;
const encoder = new TextEncoder();

test('an offset in the last MiB has the position that the whole text shows, however the text is divided', () => {
  const part = fc.constantFrom('a', '\n', '\r', '\r\n', 'é', '😀', '<loc>', 'x'.repeat(5000));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), fc.integer({ min: 1, max: 40_000 }), (parts, size) => {
      const characters = Array.from(parts.join(''));
      const text = encoder.encode(characters.join(''));
      const offsets = [0, text.length];
      for (let at = 0; at < characters.length; at += 97) {
        offsets.push(encoder.encode(characters.slice(0, at).join('')).length);
      }
      const places = new Places();
      for (let at = 0; at < text.length; at += size) places.write(text.subarray(at, at + size));
      expect(offsets.map((offset) => places.at(offset))).toEqual(positionsOf([text], offsets));
    }),
    { numRuns: sized({ fast: 15, full: 60 }) },
  );
});

test('an offset in a text that is not kept any more has no position', () => {
  const places = new Places();
  places.write(new Uint8Array(3 * KEPT_BYTES));
  expect(places.at(0)).toBeUndefined();
  expect(places.at(3 * KEPT_BYTES)).toEqual({ line: 1, column: 3 * KEPT_BYTES + 1 });
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
