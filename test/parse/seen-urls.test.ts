/**
 * SeenUrls keeps fingerprints, not strings, so it is held to what a Set of strings says: on anything, on addresses
 * that differ as little as addresses can, and on a million of them.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SeenUrls } from '../../src/parse/seen-urls.ts';
import { webUrls } from '../support/any-text.ts';
import { sized } from '../support/tier.ts';

const encoder = new TextEncoder();

/** Adds all, and answers which were new, by each of the two. */
function compare(urls: Iterable<string>): { ours: boolean[]; theirs: boolean[]; seen: SeenUrls } {
  const seen = new SeenUrls();
  const set = new Set<string>();
  const ours: boolean[] = [];
  const theirs: boolean[] = [];
  for (const url of urls) {
    ours.push(seen.add(url));
    theirs.push(!set.has(url));
    set.add(url);
  }
  expect(seen.size).toBe(set.size);
  return { ours, theirs, seen };
}

function expectLikeASet(urls: Iterable<string>): void {
  const { ours, theirs } = compare(urls);
  expect(ours).toEqual(theirs);
}

describe('SeenUrls answers as a Set of strings does', () => {
  // A small alphabet makes repetitions and prefixes; graphemes make every length of UTF-8.
  const fewLetters = fc.string({ unit: fc.constantFrom('a', 'b', '/', '!', '\0'), maxLength: 13 });
  const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });

  test('on anything', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fewLetters, anyText, webUrls), { maxLength: 300 }), expectLikeASet),
      { numRuns: sized({ fast: 60, full: 300 }) },
    );
  });

  test('on what was added before, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fewLetters, webUrls), { maxLength: 200 }), fc.nat(), (urls, seed) => {
        const again = urls.toSorted(
          (left, right) => ((left.length * 31 + seed) % 7) - ((right.length * 31 + seed) % 7),
        );
        expectLikeASet([...urls, ...again]);
      }),
      { numRuns: sized({ fast: 30, full: 100 }) },
    );
  });

  test('on every prefix of an address, the empty one included', () => {
    const url = `https://example.org/${'a-long-path/'.repeat(40)}?q=é😀`;
    const prefixes = Array.from(url, (_, length) => url.slice(0, length)).filter((text) =>
      text.isWellFormed(),
    );
    expectLikeASet([...prefixes, ...prefixes]);
  });

  test.each([
    ['Я', 2],
    ['中', 3],
    ['😀', 4],
  ])(
    'on addresses of many characters like %s, which have %i bytes, that differ at their ends',
    (character) => {
      const lengths = Array.from({ length: 300 }, (_, length) => length);
      const urls = lengths.map((length) => `https://example.org/${character.repeat(length)}`);
      const all = urls.flatMap((url) => [`${url}1`, `${url}2`]);
      expectLikeASet([...all, ...all]);
    },
  );

  test('on addresses that differ in one byte, wherever it is', () => {
    const url = 'https://example.org/some/page.html?id=1';
    const changed = Array.from(url, (letter, at) =>
      ['!', '~', letter === 'x' ? 'y' : 'x'].map((other) => url.slice(0, at) + other + url.slice(at + 1)),
    ).flat();
    expectLikeASet([url, ...changed, ...changed]);
  });

  test('on addresses whose words of four bytes are exchanged', () => {
    const words = ['aaaa', 'bbbb', 'cccc', 'aaab', 'baaa'];
    const urls = words.flatMap((first) =>
      words.flatMap((second) => words.flatMap((third) => words.map((last) => first + second + third + last))),
    );
    expectLikeASet([...urls, ...urls]);
  });

  test('on ends that fill up a word of four bytes', () => {
    // The last word is filled up with "!", so these are the ones that it could confuse.
    const ends = [
      '',
      '!',
      '!!',
      '!!!',
      '!!!!',
      'a',
      'a!',
      '!a',
      'ab',
      'ba!',
      '!ab',
      'abc',
      'cba!',
      '!abc',
      'abcd',
      'dcba',
    ];
    const urls = ['', 'http', 'https://', 'https://example.org/'].flatMap((start) =>
      ends.map((end) => start + end),
    );
    expectLikeASet([...urls, ...urls]);
  });

  test('on zeroes, of any number', () => {
    const zeroes = Array.from({ length: 50 }, (_, length) => '\0'.repeat(length));
    expectLikeASet([...zeroes, ...zeroes]);
  });

  test('on addresses longer than its first buffer', () => {
    const long = 'x'.repeat(5000);
    expectLikeASet(['short', `${long}1`, `${long}2`, 'short', `${long}1`, `é${long}`, `è${long}`]);
  });
});

describe('very many addresses', () => {
  const COUNT = sized({ fast: 100_000, full: 200_000, strong: 500_000 });
  // As sites have them: long the same, different at the end.
  const urlOf = (number: number) =>
    `https://www.example.org/products/category-${number % 97}/item-${number}.html`;

  test('all are new once, none twice', () => {
    const seen = new SeenUrls();
    let isNew = 0;
    for (let number = 0; number < COUNT; number++) if (seen.add(urlOf(number))) isNew++;
    expect(isNew).toBe(COUNT);
    expect(seen.size).toBe(COUNT);

    let again = 0;
    for (let number = COUNT - 1; number >= 0; number--) if (seen.add(urlOf(number))) again++;
    expect(again).toBe(0);
    expect(seen.size).toBe(COUNT);
    expect(seen.add(urlOf(COUNT))).toBe(true);
  });
});

describe('addresses that still stand in bytes', () => {
  test('are the same as the strings they are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(9), fc.boolean()), {
          maxLength: 60,
        }),
        (urls) => {
          const seen = new SeenUrls();
          const set = new Set<string>();
          for (const [url, shift, asBytes] of urls) {
            expect(asBytes ? addBytes(seen, url, shift) : seen.add(url)).toBe(!set.has(url));
            set.add(url);
          }
        },
      ),
      { numRuns: sized({ fast: 60, full: 200 }) },
    );
  });

  test('are plain if every byte is printable ASCII below a brace and none is an ampersand or a quote', () => {
    const isPlain = (text: string) => text.length >= 8 && !/[^\x21-z]|[&']/.test(text);
    const letters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
    for (const letter of letters) {
      for (let place = 0; place < 9; place++) {
        const url = `${'a'.repeat(place)}${letter}${'a'.repeat(8 - place)}`;
        expect(markBytes(new SeenUrls(), url, place), JSON.stringify(url)).toBe(isPlain(url));
      }
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 30 }), fc.nat(5), (url, shift) => {
        expect(markBytes(new SeenUrls(), url, shift)).toBe(isPlain(url));
      }),
    );
  });

  test('one buffer may hold one after the other', () => {
    const seen = new SeenUrls();
    const buffer = new Uint8Array(64);
    const add = (url: string) => {
      buffer.fill(0x20);
      const { written } = encoder.encodeInto(url, buffer);
      seen.markBytes(buffer, 0, written);
      return seen.addMarked();
    };
    expect(['a', 'b', 'a', 'https://example.org/', 'b', 'https://example.org/'].map(add)).toEqual([
      true,
      true,
      false,
      true,
      false,
      false,
    ]);
  });
});

function markBytes(seen: SeenUrls, url: string, shift: number): boolean {
  const bytes = encoder.encode(url);
  // In the middle of other bytes, and at any address: a view on a view.
  const around = new Uint8Array(bytes.length + shift + 8).fill(0x26);
  const view = around.subarray(shift >> 1);
  const start = shift - (shift >> 1);
  view.set(bytes, start);
  return seen.markBytes(view, start, start + bytes.length);
}

function addBytes(seen: SeenUrls, url: string, shift: number): boolean {
  markBytes(seen, url, shift);
  return seen.addMarked();
}
