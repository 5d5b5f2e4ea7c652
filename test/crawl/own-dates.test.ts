/** A callback can change a `Date` that it got: each gets one of its own. */
import { expect, test } from 'vitest';
import type { SitemapEntry } from '../../src/index.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';

const DATE = '2024-05-06T00:00:00.000Z';

const dated = () =>
  siteOf({
    '/robots.txt': ['/index.xml'],
    '/index.xml': [['/a.xml', '2024-05-06']],
    '/a.xml': urlset('https://example.org/1', 'https://example.org/2'),
  });

test('what a callback does to the date of an entry is its own affair', async () => {
  const seen: (string | undefined)[] = [];
  const spoil = ({ lastModified }: SitemapEntry): void => {
    seen.push(lastModified?.toISOString());
    lastModified?.setUTCFullYear(1999);
  };
  const tree = await treeOf(await dated(), {
    ...DECLARED,
    recurseListCallback: (urls, _level, _parents, { entries }) => {
      entries.forEach(spoil);
      return urls;
    },
    recurseCallback: (_url, _level, _parents, { entry }) => {
      spoil(entry);
      return true;
    },
  });
  expect(seen.filter((date) => date !== undefined)).toEqual([DATE, DATE]);
  const [node] = [...tree.allSitemaps()].slice(-1);
  expect(node?.lastModified?.toISOString()).toBe(DATE);
});
