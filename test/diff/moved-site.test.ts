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

test.each<[string, readonly string[], readonly string[], MovedSite | undefined]>([
  [
    'another scheme',
    ['http://a.example/1'],
    ['https://a.example/1'],
    { before: 'http://a.example', after: 'https://a.example' },
  ],
  [
    'another scheme and host',
    ['http://a.example/1'],
    ['https://b.example/1'],
    { before: 'http://a.example', after: 'https://b.example' },
  ],
  [
    'another port',
    ['http://a.example:8080/1'],
    ['http://a.example/1'],
    { before: 'a.example:8080', after: 'a.example' },
  ],
  [
    'an address of IPv6',
    ['http://[::1]:81/1'],
    ['http://a.example/1'],
    { before: '[::1]:81', after: 'a.example' },
  ],
  ['one host', ['https://a.example/1'], ['https://A.example:443/1'], undefined],
  ['fragments', ['https://a.example/1#x'], ['https://b.example/1#y'], MOVED],
  [
    'half of the pages on one host',
    ['https://a.example/1', 'https://c.example/1'],
    ['https://b.example/1'],
    undefined,
  ],
  [
    'more than half of the pages on a host that is not the first',
    ['https://c.example/0', 'https://a.example/1', 'https://a.example/2'],
    ['https://b.example/1', 'https://b.example/2', 'https://c.example/0'],
    MOVED,
  ],
  [
    'a larger earlier site',
    ['1', '2', '3', '4', '5'].map((path) => `https://a.example/${path}`),
    ['https://b.example/1'],
    MOVED,
  ],
  [
    'a larger later site',
    ['https://a.example/1'],
    ['1', '2', '3'].map((path) => `https://b.example/${path}`),
    undefined,
  ],
])('hosts of two trees: %s', async (_what, before, after, expected) => {
  const [first, second] = await Promise.all(
    [before, after].map((urls) => sitemapFromString(urls.join('\n'))),
  );
  expect(await movedSite(first!, second!)).toEqual(expected);
});

test('a tree without pages has no host', async () => {
  const [none, some] = await Promise.all(
    ['<urlset></urlset>', 'https://a.example/1'].map((text) => sitemapFromString(text)),
  );
  expect(await movedSite(none!, some!)).toBeUndefined();
  expect(await movedSite(some!, none!)).toBeUndefined();
});

test('the first 10,000 pages of each tree are compared', async () => {
  const of = (host: string, count: number, more: string) =>
    sitemapFromString(
      [...Array.from({ length: count }, (_, at) => `https://${host}.example/${at}`), more].join('\n'),
    );
  // Of 10,000 pages, 5,000 are not most; with the next one, they would be.
  const pages = Array.from({ length: 5_000 }, (_, at) => `https://c.example/${at}`).join('\n');
  const half = await of('a', 4_999, `https://a.example/x\n${pages}`);
  const most = await of('a', 5_000, `https://a.example/x\n${pages}`);
  const after = await of('b', 4_999, 'https://b.example/x');
  expect(await movedSite(half, after)).toBeUndefined();
  expect(await movedSite(most, after)).toEqual(MOVED);
});
