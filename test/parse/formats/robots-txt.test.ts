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

test('the place of a URL behind letters beyond ASCII is counted in bytes', () => {
  const long = `https://example.org/${'x'.repeat(9000)}`;
  const text = `User-agent: é\nSitemap: https://example.org/é日😀.xml ${long}\n`;
  const parser = new DocumentParser({ url: 'https://example.org/robots.txt', charset: undefined });
  parser.write(Buffer.from(text));
  parser.end();
  const places = parser.problems.map(({ code, offset }) => [code, offset]);
  expect(places).toEqual([['oversized-url', Buffer.from(text).indexOf(long)]]);
});

test.each([
  ['robots.txt', `Sitemap: https://example.org/a.xml\n${'x'.repeat(70_000)}: https://example.org/b\n`, []],
  [
    'robots.txt',
    `Sitemap: https://example.org/a.xml\nSitemap: ${'x '.repeat(35_000)}\n`,
    ['robots-line-skipped'],
  ],
  ['sitemap.txt', `https://example.org/a.xml\n${'x'.repeat(70_000)}\n`, ['line-not-a-url']],
  ['sitemap.txt', `https://example.org/a.xml\n${'x'.repeat(65_537)}\n`, ['line-not-a-url']],
])('what is said of a line of more than 64 KiB in %s does not depend on the chunks', (name, text, codes) => {
  const found = [1e6, 66_000, 1000, 7].map((size) => {
    const bytes = Buffer.from(text);
    const parser = new DocumentParser({ url: `https://example.org/${name}`, charset: undefined });
    for (let at = 0; at < bytes.length; at += size) parser.write(bytes.subarray(at, at + size));
    parser.end();
    return parser.problems;
  });
  expect(found[0]?.map(({ code }) => code)).toEqual(codes);
  for (const each of found) expect(each).toEqual(found[0]);
});
