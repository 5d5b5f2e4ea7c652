/** §11.2 Documents that nothing declares any more: kept as stale until what replaces them was read. */
import { expect, test } from 'vitest';
import { DECLARED, siteOf, treeOf, urlsOf } from '../support/crawled-site.ts';

test('two indexes that list each other and that nothing declares any more are kept with what they list', async () => {
  const server = await siteOf({
    '/robots.txt': ['/x.xml', '/y.xml'],
    '/x.xml': ['/y.xml', '/a.xml'],
    '/y.xml': ['/x.xml', '/b.xml'],
    '/a.xml': { pages: ['/1'] },
    '/b.xml': { pages: ['/2'] },
  });
  const previous = await treeOf(server, DECLARED);
  Object.assign(server.site, { '/robots.txt': ['/new.xml'], '/new.xml': { status: 503 } });
  const tree = await treeOf(server, { ...DECLARED, previous, staleIfError: true });
  const pages = new Set(urlsOf(tree.allPages()).map((url) => url.replace(server.origin, '')));
  expect([...pages].sort()).toEqual(['/1', '/2']);
});
