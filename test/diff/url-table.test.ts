/** The table that gives URLs their numbers, against a Map of strings. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_STAGED, UrlTable } from '../../src/diff/url-table.ts';
import { webUrls } from '../support/any-text.ts';
import { sized } from '../support/tier.ts';

test('a URL has the same number each time, and every other URL another', () => {
  const text = fc.oneof(
    webUrls,
    fc.string({ unit: 'grapheme' }),
    fc.string({ minLength: 300, maxLength: 3000 }),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 100 }), fc.array(text, { maxLength: 5 }), (added, asked) => {
      const table = new UrlTable();
      const numbers = new Map<string, number>();
      for (const url of [...added, ...added.slice(3)]) {
        const number = numbers.get(url) ?? numbers.size;
        numbers.set(url, number);
        expect(table.add(url)).toBe(number);
      }
      for (const url of [...added.toReversed(), ...asked])
        expect(table.find(url)).toBe(numbers.get(url) ?? -1);
      expect(table.size).toBe(numbers.size);
    }),
  );
});

test('URLs that differ in one place are told apart, in whatever order they come', () => {
  const table = new UrlTable();
  const count = sized({ fast: 50_000, full: 200_000 });
  const urls = Array.from(
    { length: count },
    (_, number) => `https://example.org/section-${number % 7}/page-${number}`,
  );
  const wrong = (found: number, expected: number) => (found === expected ? 0 : 1);
  let mistakes = 0;
  for (const [number, url] of urls.entries()) mistakes += wrong(table.add(url), number);
  for (let number = count - 1; number >= 0; number -= 3) mistakes += wrong(table.find(urls[number]!), number);
  for (const url of urls) mistakes += wrong(table.find(`${url}0x`), -1);
  expect([mistakes, table.size]).toEqual([0, count]);
});

test.each([0, 1, 1000, 1e12])('the numbers are the same, however many URLs were expected: %i', (expected) => {
  const table = new UrlTable({ expected });
  const urls = Array.from({ length: 10_000 }, (_, number) => `https://example.org/${number}`);
  expect(urls.map((url) => table.add(url))).toEqual(urls.map((_, number) => number));
  expect(urls.map((url) => table.find(url))).toEqual(urls.map((_, number) => number));
  expect(table.find('https://example.org/10000')).toBe(-1);
});

test.each([8, 26])(
  'URLs that were known to be new are found like others, with numbers of %i bits',
  (taggedBits) => {
    const table = new UrlTable({ taggedBits });
    const urls = Array.from({ length: 1000 }, (_, number) => `https://example.org/${number}`);
    const addNew = (url: string) => {
      const bytes = new TextEncoder().encode(`<loc>${url}</loc>`);
      return table.addNewBytes(bytes, new DataView(bytes.buffer), 5, bytes.length - 6);
    };
    // Some hundreds at once, then one in the usual way.
    const numbers = urls.map((url, number) => (number % 300 === 299 ? table.add(url) : addNew(url)));
    expect(numbers).toEqual(urls.map((_, number) => number));
    expect(urls.map((url) => table.add(url))).toEqual(numbers);
    expect(urls.toReversed().map((url) => table.find(url))).toEqual(numbers.toReversed());
    expect([table.find('https://example.org/1000'), table.size]).toEqual([-1, 1000]);
  },
);

test('numbers that need all bits of their places are found as well', () => {
  // From 254 URLs on, numbers have more than eight bits.
  const table = new UrlTable({ taggedBits: 8 });
  const urls = Array.from({ length: 1000 }, (_, number) => `https://example.org/${number}`);
  expect(urls.map((url) => table.add(url))).toEqual(urls.map((_, number) => number));
  expect(urls.toReversed().map((url) => table.find(url))).toEqual(
    urls.map((_, number) => number).toReversed(),
  );
  expect(table.find('https://example.org/1000')).toBe(-1);
});

test('a URL has the same number by its text and by its bytes, wherever those are', () => {
  fc.assert(
    fc.property(fc.array(webUrls, { maxLength: 50 }), fc.nat(9), (urls, space) => {
      const table = new UrlTable();
      for (const url of urls) {
        const bytes = new TextEncoder().encode(`${' '.repeat(space)}${url}</loc>`);
        const end = bytes.length - '</loc>'.length;
        const view = new DataView(bytes.buffer);
        const number = table.add(url);
        expect(table.addBytes(bytes, view, space, end)).toBe(number);
      }
    }),
  );
});

test.each([8, 26])(
  'URLs that get their numbers together get those they would get alone, of %i bits',
  (taggedBits) => {
    const text = fc.oneof(
      webUrls,
      fc.nat(300).map((number) => `https://example.org/${number}`),
    );
    const batches = fc.array(fc.array(text, { maxLength: MOST_STAGED }), { maxLength: 8 });
    fc.assert(
      fc.property(batches, fc.nat(10_000), (batches, expected) => {
        const alone = new UrlTable({ taggedBits });
        const together = new UrlTable({ taggedBits });
        for (const [place, urls] of batches.entries()) {
          for (const [index, url] of urls.entries()) {
            const bytes = new TextEncoder().encode(url);
            if (index % 2 === 0) together.stage(url);
            else together.stageBytes(bytes, new DataView(bytes.buffer), 0, bytes.length);
          }
          expect(together.stagedCount).toBe(urls.length);
          expect([...together.addStaged()]).toEqual(urls.map((url) => alone.add(url)));
          if (place === 0) together.expect(expected);
        }
        expect([together.size, together.stagedCount]).toEqual([alone.size, 0]);
        for (const url of batches.flat()) expect(together.find(url)).toBe(alone.find(url));
      }),
      { numRuns: sized({ fast: 30, full: 200 }) },
    );
  },
);
