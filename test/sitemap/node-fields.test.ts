/** §5: the walk over a tree. */
import { expect, test } from 'vitest';
import { placesOf, sitemapsBelow } from '../../src/sitemap/node-fields.ts';

interface Node {
  readonly name: string;
  readonly subSitemaps: readonly Node[];
}
const node = (name: string, ...subSitemaps: readonly Node[]): Node => ({ name, subSitemaps });

test('a place has its depth, its parent, its number among the children, and whether it is the last of them', () => {
  const shared = node('shared', node('leaf'));
  const tree = node('top', node('a', shared, node('b')), node('empty'), shared);
  const places = Array.from(placesOf(tree), ({ sitemap, depth, parent, index, isLast }) => {
    return [sitemap.name, depth, parent?.name, index, isLast];
  });
  expect(places).toEqual([
    ['top', 0, undefined, 0, true],
    ['a', 1, 'top', 0, false],
    ['shared', 2, 'a', 0, false],
    ['leaf', 3, 'shared', 0, true],
    ['b', 2, 'a', 1, true],
    ['empty', 1, 'top', 1, false],
    ['shared', 1, 'top', 2, true],
    ['leaf', 2, 'shared', 0, true],
  ]);
  expect(Array.from(sitemapsBelow(tree), ({ name }) => name)).toEqual(places.slice(1).map(([name]) => name));
});
