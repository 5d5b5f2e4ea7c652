/** §11.2 Documents that nothing declares any more: kept as stale until what replaces them was read. */
import { expect, test } from 'vitest';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, siteOf, treeOf, urlsOf } from '../support/crawled-site.ts';

test.each<[what: string, before: Site, after: Site, pages: readonly string[]]>([
  [
    'are kept where their index is read at one place, and leads back to itself at another',
    {
      '/robots.txt': ['/alias.xml'],
      '/alias.xml': { redirect: '/top.xml' },
      '/top.xml': ['/alias.xml', '/a.xml'],
      '/a.xml': { pages: ['/1'] },
    },
    { '/top.xml': ['/alias.xml', '/new.xml'], '/new.xml': { status: 503 } },
    ['/1'],
  ],
  [
    'are kept where they are two indexes that list each other, with what these list',
    {
      '/robots.txt': ['/x.xml', '/y.xml'],
      '/x.xml': ['/y.xml', '/a.xml'],
      '/y.xml': ['/x.xml', '/b.xml'],
      '/a.xml': { pages: ['/1'] },
      '/b.xml': { pages: ['/2'] },
    },
    { '/robots.txt': ['/new.xml'], '/new.xml': { status: 503 } },
    ['/1', '/2'],
  ],
])('documents that nothing declares any more %s', async (_what, before, after, pages) => {
  const server = await siteOf(before);
  const previous = await treeOf(server, DECLARED);
  Object.assign(server.site, after);
  const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
  const found = new Set(urlsOf(tree.allPages()).map((url) => url.replace(server.origin, '')));
  expect([...found].sort()).toEqual(pages);
});
