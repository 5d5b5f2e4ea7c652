/** Whether two documents have the same bytes, however these are divided. */
import { expect, test } from 'vitest';
import { SitemapException } from '../../src/problems/errors.ts';
import { haveEqualBytes, isDamage, Users } from '../../src/sitemap/kept-document.ts';

/** Chunks of a text, all in the same memory: each is valid until the next one is asked for. */
async function* chunksOf(pieces: readonly string[], ends: string[] = []): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(10);
  try {
    for (const piece of pieces) yield memory.subarray(0, memory.write(piece));
  } finally {
    ends.push(pieces.join(''));
  }
}

test.each<[readonly string[], readonly string[], boolean]>([
  [[], [], true],
  [[''], [], true],
  [['abc'], ['abc'], true],
  [['ab', 'c'], ['a', 'bc'], true],
  [['', 'a', '', 'b'], ['ab', ''], true],
  [['ab'], ['ab', 'c'], false],
  [['ab', 'c'], ['ab'], false],
  [['a'], [], false],
  [[], ['a'], false],
  [['ab', 'cd'], ['ab', 'ce'], false],
  [['abcd'], ['a', 'xcd'], false],
])('%j and %j: %s', async (first, second, expected) => {
  for (const [a, b] of [
    [first, second],
    [second, first],
  ] as const) {
    const ends: string[] = [];
    expect(await haveEqualBytes(chunksOf(a, ends), chunksOf(b, ends))).toBe(expected);
    // Both are released where they were begun.
    expect(ends).toContain(a.join(''));
    if (ends.length < 2) expect(a.join('')).toBe('');
  }
});

test('users are counted until each has closed its use, once, and the last one is reported', () => {
  const lasts: number[] = [];
  const users = new Users(() => lasts.push(users.count));
  const [first, second] = [users.add(), users.add()];
  first.close();
  first.close();
  expect([users.count, lasts]).toEqual([1, []]);
  const third = users.add();
  second.close();
  third.close();
  third.close();
  expect([users.count, lasts]).toEqual([0, [0]]);
  users.add().close();
  expect(lasts).toEqual([0, 0]);
  users.add();
  users.forget();
  expect([users.count, lasts]).toEqual([0, [0, 0]]);
});

test('only archive-damaged is damage', () => {
  const errors = ['archive-damaged', 'archive-format'].map((code) => new SitemapException('x', { code }));
  const likeOne = Object.assign(new Error('x'), { code: 'archive-damaged' });
  expect([...errors, likeOne, undefined].map(isDamage)).toEqual([true, false, false, false]);
});
