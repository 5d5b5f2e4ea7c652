import { expect, test } from 'vitest';
import { columnUpTo, PIECE } from '../../src/diff/columns.ts';

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
