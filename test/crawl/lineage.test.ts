/** §2 §3 The ancestors of a place in the tree, and what is declared below a sitemap that nothing declares. */
import { describe, expect, test } from 'vitest';
import { DeclaredBelow, Lineage } from '../../src/crawl/lineage.ts';

const A = 'https://a.example';

describe('a lineage', () => {
  const first = Lineage.top.below(`${A}/robots.txt`, `${A}/robots.txt`);
  const second = first.below(`${A}/new.xml#b`, 'https://A.example:443/old.xml#c');

  test('has a level, and the ancestors as their nodes have them, the root first', () => {
    expect([Lineage.top, first, second].map(({ level, urls }) => [level, [...urls]])).toEqual([
      [0, []],
      [1, [`${A}/robots.txt`]],
      [2, [`${A}/robots.txt`, `${A}/new.xml#b`]],
    ]);
  });

  test.each([
    ['/robots.txt', true, true],
    ['/robots.txt#x', true, true],
    ['/new.xml', false, true],
    ['/new.xml#other', false, true],
    ['/old.xml', false, true],
    ['/old.xml?', false, false],
    ['/child.xml', false, false],
  ])(
    '%s is an ancestor under the URL that was declared, and under the one that responded',
    (path, one, two) => {
      const has = [Lineage.top, first, second].map((lineage) => lineage.has(A + path));
      expect(has).toEqual([false, one, two]);
    },
  );

  test('with ancestors of an earlier tree it has both, and neither another level nor other URLs', () => {
    const more = second.withAncestors(new Set([`${A}/earlier.xml`]));
    expect(['/earlier.xml', '/old.xml', '/robots.txt', '/x'].map((path) => more.hasKey(A + path))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect([more.level, more.urls]).toEqual([second.level, second.urls]);
    expect(second.has(`${A}/earlier.xml`)).toBe(false);
    const below = more.below(`${A}/c.xml`, `${A}/c.xml`);
    expect([below.level, below.has(`${A}/earlier.xml`), below.urls.size]).toEqual([3, true, 3]);
  });
});

test('what has a place below a sitemap counts unless a limit has cut something there, and what is left out always', () => {
  const below = new DeclaredBelow();
  const seen = (): unknown => [['a', 'b', 'c'].map((key) => below.has(key)), [...below.keys()].sort()];
  expect(seen()).toEqual([[false, false, false], []]);
  below.place('a');
  below.leaveOut('b');
  expect(seen()).toEqual([
    [true, true, false],
    ['a', 'b'],
  ]);
  below.cut();
  below.place('c');
  expect(seen()).toEqual([[false, true, false], ['b']]);
  below.leaveOut('c');
  expect(seen()).toEqual([
    [false, true, true],
    ['b', 'c'],
  ]);
});
