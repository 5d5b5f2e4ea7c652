/** Numbers, sizes and times as people read them, and which name was meant. */
import { describe, expect, test } from 'vitest';
import { bytes, clip, count, describePages, elapsed, list, nearestName } from '../../src/text/wording.ts';

describe('words and numbers', () => {
  test('counts', () => {
    expect([0, 1, 999, 1000, 123_456, 2_600_000].map((value) => count(value, 'page'))).toEqual([
      '0 pages',
      '1 page',
      '999 pages',
      '1,000 pages',
      '123,456 pages',
      '2,600,000 pages',
    ]);
    expect([
      count(-1, 'day'),
      count(-1234, 'day'),
      count(1, 'copy', 'copies'),
      count(2, 'copy', 'copies'),
    ]).toEqual(['-1 days', '-1,234 days', '1 copy', '2 copies']);
    expect([count(0.1234, 'second'), count(1234.5678, 'second')]).toEqual([
      '0.1234 seconds',
      '1,234.5678 seconds',
    ]);
  });

  test('sizes and times', () => {
    expect([0, 999, 1000, 3_400_000, 340_000_000].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '3.4 MB',
      '340 MB',
    ]);
    expect(
      [1, 999.4, 1001, 9_949, 99_900, 100_000, 999_400, 1_000_000, 2e9, 5e12, 1.5e15].map(bytes),
    ).toEqual([
      '1 B',
      '999 B',
      '1.0 kB',
      '9.9 kB',
      '99.9 kB',
      '100 kB',
      '999 kB',
      '1.0 MB',
      '2.0 GB',
      '5.0 TB',
      '1500 TB',
    ]);
    expect([999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, 36_061_000].map(elapsed)).toEqual([
      '0:00',
      '0:01',
      '0:59',
      '1:00',
      '59:59',
      '1:00:00',
      '10:01:01',
    ]);
    expect([0, 7_900, 754_000, 3_723_000].map(elapsed)).toEqual(['0:00', '0:07', '12:34', '1:02:03']);
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(list)).toEqual(['', 'a', 'a and b', 'a, b and c']);
  });

  test('pages, and how many of them are distinct where some are listed more than once', () => {
    expect([describePages(8, 8), describePages(1, 1), describePages(8000, 4000)]).toEqual([
      '8 pages',
      '1 page',
      '8,000 pages (4,000 distinct)',
    ]);
  });

  test('the beginning of a text: no character is cut in half', () => {
    expect([clip('abc', 3), clip('abcd', 3), clip('ab😀', 3)]).toEqual(['abc', 'abc…', 'ab…']);
    expect([clip('a😀b', 3), clip('a😀', 3), clip('😀😀', 1), clip('\ufeffab', 2), clip('äöü', 2)]).toEqual([
      'a😀…',
      'a😀',
      '…',
      '\ufeffa…',
      'äö…',
    ]);
    expect([clip('', 0), clip('a', 0), clip(undefined, 3)]).toEqual(['', '…', undefined]);
  });
});

describe('§8 the nearest name', () => {
  const NAMES = ['use-robots', 'max-depth', 'since', 'sinks'];
  test.each([
    ['sicne', NAMES, 'since'],
    ['sinse', NAMES, 'since'],
    ['sink', NAMES, 'sinks'],
    ['USE', NAMES, 'use-robots'],
    ['Max_Depht', NAMES, 'max-depth'],
    ['depth-max', NAMES, 'max-depth'],
    ['clamp', ['lamb', 'cramp'], 'cramp'],
    ['else', NAMES, undefined],
    ['x', ['ca', 'url'], undefined],
    ['la', ['ca', 'ls'], 'ca'],
    ['', NAMES, undefined],
    ['sin', NAMES, 'since'],
    ['since', ['since-when', 'sincy', 'since'], 'since-when'],
    ['use_known_p', ['use-known-paths'], 'use-known-paths'],
    ['useknownp', ['useRobots', 'useKnownPaths'], 'useKnownPaths'],
    // A third of its letters may differ, and at least two.
    ['abcdefxyz', ['abcdefghi'], 'abcdefghi'],
    ['abcdewxyz', ['abcdefghi'], undefined],
    ['abxy', ['abcd'], 'abcd'],
    ['axyz', ['abcd'], undefined],
    ['a', ['abcd'], 'abcd'],
  ])('%s, of %j: %s', (written, names, nearest) => {
    expect(nearestName(written, names)).toBe(nearest);
  });
});
