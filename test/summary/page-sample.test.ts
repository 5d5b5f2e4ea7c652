/** §13: how many pages of each sitemap are samples. */
import { expect, test } from 'vitest';
import { sampleSizes } from '../../src/summary/page-sample.ts';

test.each([
  [1, 20, 20],
  [75, 20, 1_500],
  [76, 19, 1_444],
  [750, 2, 1_500],
  [751, 1, 751],
  [1_000, 1, 1_000],
  [1_500, 1, 1_500],
  [1_501, 1, 751],
  [4_000, 1, 1_334],
])('of %d sitemaps %d pages each are sampled, %d in all', (documents, most, sum) => {
  const sizes = Array.from({ length: documents }, sampleSizes(documents));
  expect([Math.max(...sizes), sizes.reduce((all, size) => all + size)]).toEqual([most, sum]);
});
