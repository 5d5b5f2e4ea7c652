/** `changes_since`: which states of a site are kept on the disk. */
import { mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { StreamOptions } from '../../src/index.ts';
import { type ChangesWorld, changesSince } from '../../src/mcp/changes-tool.ts';
import { Readings } from '../../src/mcp/readings.ts';
import { ToolCall } from '../../src/mcp/tool-call.ts';
import { SitePool } from '../../src/site-pool.ts';
import { testIf } from '../support/collected.ts';
import { signalling } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';
import { folder } from '../support/folder.ts';
import { openSpools, SHOWS_OPEN_FILES } from '../support/sitemaps.ts';

function newWorld(options: StreamOptions = {}): ChangesWorld {
  const readings = new Readings({ atOnce: 20, keepMs: 60_000, maxSiteBytes: 1e9, maxPages: 1e6 });
  const pool = new SitePool({ allowPrivateNetworks: true, useKnownPaths: false, ...options });
  onTestFinished(async () => {
    await readings.close();
    await pool.close();
  });
  return { pool, readings, resultBytes: 9000, archives: folder() };
}

test('the three newest states are kept, and the one that the token names', async () => {
  const site = await serving({ '/robots.txt': 'Sitemap: /sitemap.xml\n' });
  const world = newWorld();
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

interface Changes {
  readonly state: string;
  readonly reset?: boolean;
  readonly changes: readonly { readonly type: string; readonly url: string }[];
  readonly token: string;
  readonly more: boolean;
  readonly readAt: string;
  readonly ageSeconds: number;
}

async function changed(
  world: ChangesWorld,
  args: Parameters<typeof changesSince>[1],
  callMs = 60_000,
): Promise<Changes> {
  const call = new ToolCall(new AbortController().signal, callMs, undefined);
  return (await changesSince(world, args, call)) as Changes;
}

const pagesOf = (...names: readonly (string | number)[]): string =>
  urlset(...names.map((name) => `https://one.example/${name}`));

test('a list in several results says once that all is listed, and each place by its token', async () => {
  const { origin: url, site } = await serving({
    '/robots.txt': ['/a.xml'],
    '/a.xml': pagesOf(1, 2, 3, 4, 5),
  });
  const world = newWorld();
  const first = await changed(world, { url, limit: 2 });
  expect(first).toMatchObject({ reset: true, more: true, token: expect.stringMatching(/^0-[\da-f]{12}-2$/) });
  const second = await changed(world, { url, limit: 2, token: first.token });
  expect(second).toMatchObject({ more: true, token: first.token.replace(/2$/, '4') });
  expect(second).not.toHaveProperty('reset');
  const last = await changed(world, { url, limit: 2, token: second.token });
  expect(last).toMatchObject({ more: false, token: first.token.split('-')[1] });
  expect(last).not.toHaveProperty('reset');
  const listed = [first, second, last].flatMap(({ changes }) =>
    changes.map((change) => change.url.slice(-1)),
  );
  expect(listed.join('')).toBe('12345');
  // As many as the limit: there is nothing more to call for.
  expect(await changed(world, { url, limit: 5 })).toMatchObject({ more: false, reset: true });
  // A place in the difference of two states.
  site['/a.xml'] = pagesOf(2, 4, 6, 7);
  const difference: string[] = [];
  for (let next: Changes | undefined; next?.more !== false; ) {
    next = await changed(world, { url, limit: 1, token: next?.token ?? last.token });
    expect(next).not.toHaveProperty('reset');
    difference.push(...next.changes.map(({ type, url: page }) => `${type} ${page.slice(-1)}`));
  }
  expect(difference).toEqual(['added 6', 'added 7', 'removed 1', 'removed 3', 'removed 5']);
});

test('a site that was read after its call had ended is listed by the next call', async () => {
  const { promise: held, resolve: release } = signalling();
  onTestFinished(release);
  const { origin: url } = await serving({
    '/robots.txt': ['/a.xml'],
    '/a.xml': () => held.then(() => pagesOf(1)),
  });
  const world = newWorld();
  expect(await changed(world, { url }, 0)).toMatchObject({ state: 'reading', changes: [] });
  release();
  const states = () => readdirSync(world.archives, { recursive: true }).join(' ');
  await expect.poll(states).toMatch(/\.warc\.gz$/);
  expect(await changed(world, { url })).toMatchObject({
    state: 'done',
    changes: [{ url: 'https://one.example/1' }],
  });
});

testIf(SHOWS_OPEN_FILES)('a site of which nothing could be read leaves no temporary file open', async () => {
  const spoolDirectory = folder();
  const { origin: url } = await serving({ '*': { status: 500 } });
  const world = newWorld({ spoolDirectory, spoolMemoryBytes: 0, retries: 0 });
  await expect(changed(world, { url })).rejects.toThrow('No changes are known');
  expect(openSpools(spoolDirectory)).toEqual([]);
});

test('the time is that of the state whose pages are listed', async () => {
  const { origin: url } = await serving({ '/robots.txt': ['/a.xml'], '/a.xml': pagesOf(1, 2) });
  const world = newWorld();
  const first = await changed(world, { url, limit: 1 });
  const [own = ''] = readdirSync(world.archives);
  const [name = ''] = readdirSync(join(world.archives, own));
  const hourAgo = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000);
  utimesSync(join(world.archives, own, name), hourAgo, hourAgo);
  const { readAt, ageSeconds } = await changed(world, { url, token: first.token });
  expect([readAt, Math.round(ageSeconds / 600)]).toEqual([hourAgo.toISOString(), 6]);
});

test('a folder has at most a thousand sites, and those go on', async () => {
  const site = { '/robots.txt': ['/a.xml'], '/a.xml': pagesOf(1) };
  const [{ origin: url }, { origin: other }] = [await serving(site), await serving(site)];
  const world = newWorld();
  for (let number = 0; number < 999; number++) mkdirSync(join(world.archives, `site-${number}`));
  expect(await changed(world, { url })).toMatchObject({ state: 'done' });
  expect(readdirSync(world.archives)).toHaveLength(1_000);
  await expect(changed(world, { url: other })).rejects.toThrow(
    'The archives are full: they have 1000 sites. Remove folders that are not needed.',
  );
  expect(await changed(world, { url: `${url}/` })).toMatchObject({ state: 'done' });
  rmSync(join(world.archives, 'site-7'), { recursive: true });
  expect(await changed(world, { url: other })).toMatchObject({ state: 'done' });
});

test('a site has a folder of its own, by its host, whatever its path and user', async () => {
  const { origin, port } = await serving({ '/robots.txt': ['/a.xml'], '/a.xml': pagesOf(1) });
  const world = newWorld();
  for (const url of [origin, `${origin}/`, `127.0.0.1:${port}`, `${origin}/index.html`])
    await changed(world, { url });
  expect(readdirSync(world.archives)).toEqual([expect.stringMatching(/^127\.0\.0\.1-[\da-f]{16}$/)]);
  await changed(world, { url: origin.replace('//', '//me@') });
  expect(readdirSync(world.archives)).toHaveLength(2);
});
