/** §13: how many pages of each sitemap are samples. */
import { expect, test } from 'vitest';
import type { SitemapPage } from '../../src/index.ts';
import { PageSample, sampleSizes } from '../../src/summary/page-sample.ts';

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

const page = (url: string, more: Partial<SitemapPage> = {}): SitemapPage =>
  ({ url, images: [], videos: [], alternates: [], ...more }) as unknown as SitemapPage;

test.each([
  [3, 0, []],
  [3, 2, [0, 1]],
  [3, 3, [0, 1, 2]],
  [3, 4, [0, 1, 2]],
  [3, 5, [0, 1, 3]],
  [3, 6, [0, 2, 4]],
  [3, 8, [0, 2, 4]],
  [3, 9, [0, 2, 6]],
  [3, 11, [0, 4, 8]],
  [3, 25, [0, 8, 16]],
  [1, 9, [0]],
  [0, 9, []],
])('a sample of %d of %d pages has these at even distances: %j', (size, pages, expected) => {
  const sample = new PageSample(size);
  for (let at = 0; at < pages; at++) if (sample.isNext()) sample.add(page(`${at}`));
  expect(sample.pages.map(({ url }) => Number(url))).toEqual(expected);
});

test('a sampled page has how many images, videos and alternates it has, and its texts clipped', () => {
  const sample = new PageSample(2);
  const [long, start] = ['u'.repeat(3000), `${'u'.repeat(2048)}…`];
  const counts = { images: [1], videos: [1, 2], alternates: [1, 2, 3] } as unknown as Partial<SitemapPage>;
  sample.add(
    page(long, { ...counts, declaredPriority: 0, newsStory: { title: long } } as Partial<SitemapPage>),
  );
  sample.add(page('a', { newsStory: {} } as Partial<SitemapPage>));
  expect(sample.pages).toStrictEqual([
    { url: start, priority: 0, title: start, images: 1, videos: 2, alternates: 3 },
    { url: 'a', images: 0, videos: 0, alternates: 0 },
  ]);
});
