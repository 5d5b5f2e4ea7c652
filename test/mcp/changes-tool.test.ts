/** `changes_since`: which states of a site are kept on the disk. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changesSince } from '../../src/mcp/changes-tool.ts';
import { Readings } from '../../src/mcp/readings.ts';
import { ToolCall } from '../../src/mcp/tool-call.ts';
import { SitePool } from '../../src/site-pool.ts';
import { urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';
import { folder } from '../support/folder.ts';

test('the three newest states are kept, and the one that the token names', async () => {
  const site = await serving({ '/robots.txt': 'Sitemap: /sitemap.xml\n' });
  const readings = new Readings({ atOnce: 20, keepMs: 60_000, maxSiteBytes: 1e9, maxPages: 1e6 });
  const pool = new SitePool({ allowPrivateNetworks: true, useKnownPaths: false });
  onTestFinished(async () => {
    await readings.close();
    await pool.close();
  });
  const world = { pool, readings, resultBytes: 9000, archives: folder() };
  /** The pages that are new since a token, the next token, and the numbers of the states. */
  const changes = async (number: number, token?: string) => {
    const pages = Array.from({ length: number }, (_, at) => `https://one.example/${at + 1}`);
    site.site['/sitemap.xml'] = urlset(...pages);
    const call = new ToolCall(new AbortController().signal, 60_000, undefined);
    const data = await changesSince(world, { url: site.origin, ...(token && { token }) }, call);
    const [own = ''] = readdirSync(world.archives);
    const states = readdirSync(join(world.archives, own)).map((name) => Number(/^\d+/.exec(name)));
    const urls: string[] = Reflect.get(data, 'changes').map(({ url }: { url: string }) => url.slice(-1));
    return {
      urls: urls.join(''),
      states: states.sort().join(' '),
      token: String(Reflect.get(data, 'token')),
    };
  };
  const first = await changes(1);
  expect(first).toMatchObject({ urls: '1', states: '1' });
  for (const [number, urls, states] of [
    [2, '2', '1 2'],
    [3, '23', '1 2 3'],
    [4, '234', '1 2 3 4'],
    [5, '2345', '1 3 4 5'],
    [6, '23456', '1 4 5 6'],
  ] as const)
    expect(await changes(number, first.token)).toMatchObject({ urls, states });
  const { token } = await changes(6, first.token);
  expect(await changes(7, token)).toMatchObject({ urls: '7', states: expect.not.stringMatching(/\b1\b/) });
});
