/** §6 robots.txt: what the fixture pairs cannot say, since they are one entry a line. */
import { expect, test } from 'vitest';
import { parseSitemap } from '../../../src/parse/index.ts';

test('several URLs in one line are several sitemaps; other words in it are none', () => {
  const robots = parseSitemap('Sitemap: https://example.org/a.xml and https://example.org/b.xml\n', {
    url: 'https://example.org/robots.txt',
  });
  const urls = [...robots].map((item) => (item.type === 'sitemap' ? item.sitemap.url : ''));
  expect(urls).toEqual(['https://example.org/a.xml', 'https://example.org/b.xml']);
  expect(robots.problems.map(({ code }) => code)).toEqual(['robots-line-skipped']);
});
