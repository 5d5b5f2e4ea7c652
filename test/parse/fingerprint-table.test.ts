/** The table that gives URLs their numbers, against a Map of strings. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnUpTo, Fingerprint, FingerprintTable, PIECE } from '../../src/parse/fingerprint-table.ts';
import { webUrls } from '../support/any-text.ts';
import { sized } from '../support/tier.ts';

const print = new Fingerprint();
const printOf = (url: string) => print.take(url);

test('a URL has the same number each time, and every other URL another', () => {
  const text = fc.oneof(
    webUrls,
    fc.string({ unit: 'grapheme' }),
    fc.string({ minLength: 300, maxLength: 3000 }),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 100 }), fc.array(text, { maxLength: 5 }), (added, asked) => {
      const table = new FingerprintTable();
      const numbers = new Map<string, number>();
      for (const url of [...added, ...added.slice(3)]) {
        const number = numbers.get(url) ?? numbers.size;
        numbers.set(url, number);
        expect(table.add(printOf(url))).toBe(number);
      }
      for (const url of [...added.toReversed(), ...asked])
        expect(table.find(printOf(url))).toBe(numbers.get(url) ?? -1);
      expect(table.size).toBe(numbers.size);
    }),
  );
});

test('URLs that differ in one place are distinguished, in whatever order they come', () => {
  const table = new FingerprintTable();
  const count = sized({ fast: 60_000, full: 120_000, strong: 300_000 });
  const urls = Array.from(
    { length: count },
    (_, number) => `https://example.org/section-${number % 7}/page-${number}`,
  );
  const wrong = (found: number, expected: number) => (found === expected ? 0 : 1);
  let mistakes = 0;
  for (const [number, url] of urls.entries()) mistakes += wrong(table.add(printOf(url)), number);
  for (let number = count - 1; number >= 0; number -= 3)
    mistakes += wrong(table.find(printOf(urls[number]!)), number);
  for (const url of urls) mistakes += wrong(table.find(printOf(`${url}0x`)), -1);
  expect([mistakes, table.size]).toEqual([0, count]);
});

test('a URL has the same number by its text and by its bytes, wherever those are', () => {
  fc.assert(
    fc.property(fc.array(webUrls, { maxLength: 50 }), fc.nat(9), (urls, space) => {
      const table = new FingerprintTable();
      for (const url of urls) {
        const bytes = new TextEncoder().encode(`${' '.repeat(space)}${url}</loc>`);
        const end = bytes.length - '</loc>'.length;
        const view = new DataView(bytes.buffer);
        const number = table.add(printOf(url));
        print.takeBytes(bytes, view, space, end);
        expect(table.add(print)).toBe(number);
      }
    }),
  );
});

test.each([1, 52, 0xffff, 0x10000, 0x10001, 1_000_000])(
  'a column of numbers below %i keeps the largest of them, and 0 where nothing was written',
  (limit) => {
    const column = columnUpTo(limit);
    column.set(3, limit - 1);
    column.set(5 * PIECE, limit - 1);
    expect([0, 3, 4, 2 * PIECE, 5 * PIECE].map((entry) => column.get(entry))).toEqual([
      ...[0, limit - 1, 0, 0],
      limit - 1,
    ]);
  },
);
