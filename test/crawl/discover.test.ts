/** §1 Where the site is besides its homepage: where robots.txt and the homepage redirect to, read or not. */
import { expect, test } from 'vitest';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';

const toRules: Site = { '/robots.txt': { redirect: '/rules.txt' } };

test.each<[what: string, site: Site, targets: readonly string[]]>([
  ['is read at once', { '/robots.txt': '' }, []],
  ['redirects and is read', { ...toRules, '/rules.txt': 'User-agent: *' }, ['/rules.txt']],
  ['redirects and is missing', toRules, ['/rules.txt']],
  ['redirects and fails', { ...toRules, '/rules.txt': { status: 503 } }, ['/rules.txt']],
  ['redirects and is an HTML page', { ...toRules, '/rules.txt': '<!doctype html><p>Hi' }, ['/rules.txt']],
  ['fails at once', { '/robots.txt': { status: 503 } }, []],
])('a robots.txt that %s', async (_what, site, targets) => {
  const server = await siteOf(site);
  const tree = await treeOf(server, DECLARED);
  expect(tree.redirectedTo).toEqual(targets.map((path) => `${server.origin}${path}`));
});

test.each<[what: string, site: Site, targets: readonly string[]]>([
  ['is read at once', { '/': '<p>Hi' }, []],
  ['redirects and is read', { '/': { redirect: '/de/' }, '/de/': '<p>Hi' }, ['/de/']],
  ['redirects and fails', { '/': { redirect: '/de/' }, '/de/': { status: 503 } }, ['/de/']],
])('a homepage that %s', async (_what, site, targets) => {
  const server = await siteOf({ '/robots.txt': '', ...site });
  const tree = await treeOf(server, { ...DECLARED, useHomepageLinks: true });
  expect(tree.redirectedTo).toEqual(targets.map((path) => `${server.origin}${path}`));
});
