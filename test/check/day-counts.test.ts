/** A count of dates by day: the same as with a `Map`. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DayCounts } from '../../src/check/day-counts.ts';

const DAY_MS = 86_400_000;
/** What a date can be: 8,640,000,000,000,000 ms before and after 1970. */
const time = fc.oneof(
  fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
  fc.integer({ min: Date.UTC(2020), max: Date.UTC(2021) }),
  fc.constantFrom(0, -1, DAY_MS - 1, DAY_MS, -DAY_MS, 8_640_000_000_000_000, -8_640_000_000_000_000),
);

test('the days of any dates are counted, up to the most that are told apart', () => {
  fc.assert(
    fc.property(fc.array(time, { maxLength: 300 }), fc.integer({ min: 1, max: 200 }), (times, most) => {
      const counts = new DayCounts(most);
      const expected = new Map<number, number>();
      for (const each of times) {
        const day = Math.floor(each / DAY_MS);
        const isCounted = expected.has(day) || expected.size < most;
        expect(counts.add(each)).toBe(isCounted);
        if (isCounted) expected.set(day, (expected.get(day) ?? 0) + 1);
      }
      expect(new Map(counts)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
