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
  const count = sized({ fast: 60_000, full: 300_000 });
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

test.each([0, 1, 1000, 1e12])('the numbers are the same, however many URLs were expected: %i', (expected) => {
  const table = new FingerprintTable({ expected });
  const urls = Array.from({ length: 10_000 }, (_, number) => `https://example.org/${number}`);
  expect(urls.map((url) => table.add(printOf(url)))).toEqual(urls.map((_, number) => number));
  expect(urls.map((url) => table.find(printOf(url)))).toEqual(urls.map((_, number) => number));
  expect(table.find(printOf('https://example.org/10000'))).toBe(-1);
});

test('numbers that need all bits of their places are found as well', () => {
  // From 254 URLs on, numbers have more than eight bits.
  const table = new FingerprintTable({ taggedBits: 8 });
  const urls = Array.from({ length: 1000 }, (_, number) => `https://example.org/${number}`);
  expect(urls.map((url) => table.add(printOf(url)))).toEqual(urls.map((_, number) => number));
  expect(urls.toReversed().map((url) => table.find(printOf(url)))).toEqual(
    urls.map((_, number) => number).toReversed(),
  );
  expect(table.find(printOf('https://example.org/1000'))).toBe(-1);
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

test.each([8, 26])('a table that knows what to expect gives the same numbers, of %i bits', (taggedBits) => {
  const text = fc.oneof(
    webUrls,
    fc.nat(300).map((number) => `https://example.org/${number}`),
  );
  const urls = fc.array(text, { maxLength: 1000 });
  fc.assert(
    fc.property(urls, urls, fc.nat(10_000), (first, later, expected) => {
      const plain = new FingerprintTable({ taggedBits });
      const told = new FingerprintTable({ taggedBits });
      for (const url of first) expect(told.add(printOf(url))).toBe(plain.add(printOf(url)));
      told.expect(expected);
      for (const url of later) expect(told.add(printOf(url))).toBe(plain.add(printOf(url)));
      expect(told.size).toBe(plain.size);
      for (const url of [...first, ...later]) expect(told.find(printOf(url))).toBe(plain.find(printOf(url)));
    }),
    { numRuns: sized({ fast: 30, full: 200 }) },
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
