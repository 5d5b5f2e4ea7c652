/** §5 Who may fetch the pages of a site whose robots.txt has no rules. */
import { expect, test } from 'vitest';
import { type RobotsVerdict, robotsVerdicts } from '../../src/index.ts';
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  PagesTextSitemap,
  type Sitemap,
} from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { codeOf } from '../support/sitemaps.ts';
import { source } from '../support/trees.ts';

test.each<[string, Site, RobotsVerdict]>([
  ['is empty', { '/robots.txt': '' }, { allowed: true }],
  ['responds with 404', {}, { allowed: true }],
  ['responds with 410', { '/robots.txt': { status: 410 } }, { allowed: true }],
  ['responds with 403', { '/robots.txt': { status: 403 } }, {}],
  ['responds with 500', { '/robots.txt': { status: 500 } }, {}],
])('a robots.txt that %s', async (_what, site, verdict) => {
  const server = await siteOf(site);
  const verdictOf = await robotsVerdicts(await treeOf(server, DECLARED), 'GPTBot');
  expect(verdictOf(`${server.origin}/1`)).toEqual(verdict);
  expect(verdictOf('https://other.example/1')).toEqual({});
});

const spool = new Spool({ memoryBytes: 1e6 });
const SITE = 'https://a.test/';

function factsOf(text: string) {
  const writer = spool.writer();
  writer.write(Buffer.from(text));
  return {
    document: writer.end({
      options: { url: SITE, charset: undefined },
      requestedAt: 1,
      truncatedBy: undefined,
    }),
  };
}
const robotsOf = (origin: string, text: string): Sitemap =>
  new IndexRobotsTxtSitemap({ url: `${origin}/robots.txt`, subSitemaps: [], facts: factsOf(text) });
const allowed = async (tree: Sitemap, ...urls: readonly string[]) => {
  const verdictOf = await robotsVerdicts(tree, 'GPTBot');
  return urls.map((url) => verdictOf(url).allowed);
};

test('each robots.txt of a tree is for its own host, and other texts are none', async () => {
  const text = 'User-agent: *\nDisallow: /';
  const list = new PagesTextSitemap({
    url: 'https://c.test/robots.txt',
    pages: source(spool, text),
    facts: factsOf(text),
  });
  const unread = new IndexRobotsTxtSitemap({ url: 'https://d.test/robots.txt', subSitemaps: [] });
  const tree = new IndexWebsiteSitemap({
    url: SITE,
    complete: true,
    subSitemaps: [
      robotsOf('https://a.test', 'User-agent: GPTBot\nDisallow: /x\n'),
      list,
      unread,
      robotsOf('https://b.test', text),
    ],
  });
  const urls = [
    'https://a.test/x',
    'https://a.test/y',
    'https://b.test/y',
    'https://c.test/',
    'https://d.test/',
    'http://a.test/x',
  ];
  expect(await allowed(tree, ...urls)).toEqual([false, true, false, undefined, undefined, undefined]);
  // The node of a robots.txt alone, and a tree without one.
  expect(await allowed(tree.subSitemaps[0]!, ...urls.slice(0, 3))).toEqual([false, true, undefined]);
  expect(await allowed(new IndexXMLSitemap({ url: SITE, subSitemaps: [] }), SITE)).toEqual([undefined]);
});

test('a known path that is missing is no robots.txt that is missing', async () => {
  const missing = { code: 'http-status', status: 404 };
  const treeWith = (
    ...triedPaths: readonly { readonly url: string; readonly code: string; readonly status: number }[]
  ) => new IndexWebsiteSitemap({ url: SITE, complete: true, subSitemaps: [], triedPaths });
  expect(await allowed(treeWith({ url: `${SITE}sitemap.xml`, ...missing }), SITE)).toEqual([undefined]);
  expect(
    await allowed(
      treeWith({ url: `${SITE}sitemap.xml`, ...missing }, { url: `${SITE}robots.txt`, ...missing }),
      SITE,
    ),
  ).toEqual([true]);
  expect(await allowed(treeWith({ url: `${SITE}robots.txt`, ...missing, status: 403 }), SITE)).toEqual([
    undefined,
  ]);
});

test('what is no tree, and what is no agent, are bad input', async () => {
  const tree = new IndexXMLSitemap({ url: SITE, subSitemaps: [] });
  for (const [node, agent] of [
    [{}, 'GPTBot'],
    [tree, ''],
    [tree, 5],
  ] as const) {
    expect([agent, await codeOf(() => robotsVerdicts(node as Sitemap, agent as string))]).toEqual([
      agent,
      'bad-input',
    ]);
  }
});
