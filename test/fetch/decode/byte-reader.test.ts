/** A reader gives the bytes of its body, also where the body fills one buffer again and again. */
import { expect, test } from 'vitest';
import type { Body } from '../../../src/fetch/body.ts';
import { ByteReader } from '../../../src/fetch/decode/byte-reader.ts';

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
