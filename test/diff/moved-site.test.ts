/** §10: two trees that list one site under two hosts. */
import { expect, test } from 'vitest';
import { type MovedSite, movedSite } from '../../src/diff/moved-site.ts';
import { sitemapFromString } from '../../src/index.ts';

const MOVED: MovedSite = { before: 'a.example', after: 'b.example' };

test.each<[string, readonly string[], readonly string[], MovedSite | undefined]>([
  ['half of the paths are the same', ['1', '2'], ['2', '3'], MOVED],
  ['fewer than half are', ['1', '2', '3'], ['3', '4', '5'], undefined],
  ['only the queries differ', ['?p=1', '?p=2', '?p=3'], ['?p=1', '?p=2', '?p=4'], MOVED],
  ['the paths are the same, and the queries are others', ['?p=1', '?p=2'], ['?p=3', '?p=4'], undefined],
])('%s: %j, %j', async (_when, before, after, expected) => {
  const [first, second] = await Promise.all(
    [before, after].map((paths, at) => {
      const lines = paths.map((path) => `https://${'ab'[at]}.example/${path}`);
      return sitemapFromString(lines.join('\n'));
    }),
  );
  expect(await movedSite(first!, second!)).toEqual(expected);
});
