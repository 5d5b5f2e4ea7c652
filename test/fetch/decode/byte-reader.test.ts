/** A reader gives the bytes of its body, also where the body fills one buffer again and again. */
import { expect, test } from 'vitest';
import type { Body } from '../../../src/fetch/body.ts';
import { ByteReader, withinBudget } from '../../../src/fetch/decode/byte-reader.ts';
import { ProblemList } from '../../../src/problems/problem-list.ts';

const TEXT = 'abcdefghijklmnopqrstuvwxyz';

/** The same bytes each time, with another content. */
function refilled(size: number): Body {
  const bytes = Buffer.from(TEXT);
  const buffer = Buffer.alloc(size);
  let at = 0;
  return {
    async read() {
      const length = bytes.copy(buffer, 0, at, at + size);
      at += length;
      return length === 0 ? undefined : buffer.subarray(0, length);
    },
    cancel: async () => {},
  };
}

test.each([1, 2, 3, 4, 5, 30])('in chunks of %i bytes', async (size) => {
  const reader = new ByteReader(refilled(size));
  const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
  // Each time more than before, and more than a chunk.
  for (const count of [1, 2, 4, 9]) expect(text(await reader.peek(count))).toBe(TEXT.slice(0, count));
  expect(text(await reader.take(3))).toBe('abc');
  expect(await reader.skip(2)).toBe(true);
  expect(text(await reader.peek(6))).toBe('fghijk');
  expect(await reader.skipPast('h'.charCodeAt(0))).toBe(true);
  let rest = '';
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) rest += text(chunk);
  expect(rest).toBe('ijklmnopqrstuvwxyz');
});

const bodyOf = (...texts: readonly string[]): Body => {
  const left = texts.map((text) => Buffer.from(text));
  return { read: async () => left.shift(), cancel: async () => {} };
};
const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

test('what was read and is given back comes first, in its order', async () => {
  const reader = new ByteReader(bodyOf('abc', 'def'));
  expect(textOf(await reader.read())).toBe('abc');
  reader.unread(Buffer.from('bc'));
  reader.unread(Buffer.from('x'), Buffer.from(''), Buffer.from('y'));
  expect(reader.buffered).toBe(4);
  expect(textOf(await reader.peek(5))).toBe('xybcd');
  expect(reader.buffered).toBe(7);
  expect([textOf(await reader.read()), textOf(await reader.read())]).toEqual(['xybcdef', undefined]);
});

test.each([
  [0, true, 'abcdef'],
  [2, true, 'cdef'],
  [3, true, 'def'],
  [4, true, 'ef'],
  [6, true, undefined],
  [7, false, undefined],
])('skipping %i of six bytes: %j', async (count, isThere, rest) => {
  const reader = new ByteReader(bodyOf('abc', '', 'def'));
  expect(await reader.skip(count)).toBe(isThere);
  expect(textOf(await reader.peek(9)) || undefined).toBe(rest);
});

test.each([
  ['a', true, 'bcabc'],
  ['c', true, 'abc'],
  ['x', false, undefined],
])('skipping past the first "%s": %j', async (letter, isThere, rest) => {
  const reader = new ByteReader(bodyOf('ab', 'c', 'abc'));
  expect(await reader.skipPast(letter.charCodeAt(0))).toBe(isThere);
  expect(textOf(await reader.peek(9)) || undefined).toBe(rest);
});

test('of a body that is too short, all that there is is taken', async () => {
  const reader = new ByteReader(bodyOf('ab', 'c'));
  expect(textOf(await reader.take(2))).toBe('ab');
  expect([textOf(await reader.take(2)), textOf(await reader.take(2))]).toEqual(['c', '']);
});

test.each([
  [9, ['abc', 'def'], 'abcdef', []],
  [6, ['abc', 'def'], 'abcdef', []],
  [5, ['abc', 'def'], 'abcde', ['too-large']],
  [3, ['abc', '', 'def'], 'abc', ['too-large']],
  [0, ['', 'a'], '', ['too-large']],
  [0, ['', ''], '', []],
] as const)('a budget of %i bytes for %j gives "%s"', async (maxBytes, texts, expected, codes) => {
  const problems = new ProblemList();
  const body = withinBudget({ maxBytes, problems })(bodyOf(...texts));
  let text = '';
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) text += textOf(chunk);
  expect([text, problems.kept.map(({ code }) => code)]).toEqual([expected, codes]);
  for (const { message, option } of problems.kept) {
    const size = `The document is larger than ${maxBytes} bytes (maxSitemapBytes); it is truncated there.`;
    expect([message, option]).toEqual([size, 'maxSitemapBytes']);
  }
});
