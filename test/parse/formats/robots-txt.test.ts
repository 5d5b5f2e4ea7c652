/** §6 robots.txt: what the fixture pairs cannot say, since they are one entry a line. */
import { expect, test } from 'vitest';
import { DocumentParser } from '../../../src/parse/document-parser.ts';
import { parseSitemap } from '../../../src/parse/index.ts';

test('several URLs in one line are several sitemaps; other words in it are none', () => {
  const robots = parseSitemap('Sitemap: https://example.org/a.xml and https://example.org/b.xml\n', {
    url: 'https://example.org/robots.txt',
  });
  const urls = [...robots].map((item) => (item.type === 'sitemap' ? item.sitemap.url : ''));
  expect(urls).toEqual(['https://example.org/a.xml', 'https://example.org/b.xml']);
  expect(robots.problems.map(({ code }) => code)).toEqual(['robots-line-skipped']);
});

test.each([
  ['inside a comment behind a URL: the URL is whole', '/b.xml # the n', ['/a.xml', '/b.xml'], []],
  ['at the beginning of a comment', '/b.xml #', ['/a.xml', '/b.xml'], []],
  ['behind a URL: more of it may be missing', '/b.xml', ['/a.xml'], ['truncated']],
])('a robots.txt that is cut %s', (_where, last, paths, codes) => {
  const parser = new DocumentParser({ url: 'https://example.org/robots.txt', charset: undefined });
  parser.write(Buffer.from(`Sitemap: https://example.org/a.xml\nSitemap: https://example.org${last}`));
  parser.end(true);
  expect(parser.takeSitemaps().map(({ url }) => url)).toEqual(
    paths.map((path) => `https://example.org${path}`),
  );
  expect(parser.problems.map(({ code }) => code)).toEqual(codes);
});
