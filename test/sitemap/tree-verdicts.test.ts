/** §5 Who may fetch the pages of a site whose robots.txt has no rules. */
import { expect, test } from 'vitest';
import { type RobotsVerdict, robotsVerdicts } from '../../src/index.ts';
import type { Site } from '../server/scripted-server.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';

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
