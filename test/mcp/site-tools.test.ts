/** The tools that list and check a site: what one call gives, and what its cursor goes on with. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Readings } from '../../src/mcp/readings.ts';
import { checkTool, listPages, type SiteWorld } from '../../src/mcp/site-tools.ts';
import { ToolCall } from '../../src/mcp/tool-call.ts';
import { SitePool } from '../../src/site-pool.ts';
import { signalling } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';

const page = (name: string | number): string => `https://one.example/${name}`;

interface Result {
  readonly state: string;
  readonly pages: readonly { readonly url: string }[];
  readonly counts: object;
  readonly nextCursor: string | undefined;
}

const callFor = (ms: number): ToolCall => new ToolCall(new AbortController().signal, ms, undefined);

function newWorld(): SiteWorld {
  const readings = new Readings({ atOnce: 20, keepMs: 60_000, maxSiteBytes: 1e9, maxPages: 1e6 });
  const pool = new SitePool({ allowPrivateNetworks: true, useKnownPaths: false });
  onTestFinished(async () => {
    await readings.close();
    await pool.close();
  });
  return { pool, readings, resultBytes: 9000 };
}

async function listed(
  world: SiteWorld,
  args: Parameters<typeof listPages>[1],
  call: ToolCall,
): Promise<Result> {
  return (await listPages(world, args, call)) as Result;
}

/** The URLs of all results, one after the other. */
async function allOf(world: SiteWorld, args: Parameters<typeof listPages>[1]): Promise<string[]> {
  const urls: string[] = [];
  let result = await listed(world, args, callFor(60_000));
  for (;;) {
    urls.push(...result.pages.map(({ url }) => url));
    if (result.nextCursor === undefined) return urls;
    result = await listed(world, { cursor: result.nextCursor }, callFor(60_000));
  }
}

test('while a site is being read, a cursor lists what has arrived without a wait, and a check has a cursor', async () => {
  const { promise: held, resolve: release } = signalling();
  onTestFinished(release);
  const site = await serving({
    '/robots.txt': ['/here.xml', '/held.xml'],
    '/here.xml': urlset(page(1), page(2), page(3)),
    '/held.xml': async () => {
      await held;
      return urlset(page(4));
    },
  });
  const world = newWorld();
  const list = { url: site.origin, limit: 1 };
  await expect.poll(async () => (await listed(world, list, callFor(0))).pages.length).toBe(1);
  const { nextCursor } = await listed(world, list, callFor(0));
  const call = callFor(2_000);
  const wait = vi.spyOn(call, 'wait');
  const next = await listed(world, { cursor: nextCursor! }, call);
  expect(next).toMatchObject({ state: 'reading', pages: [{ url: page(2) }] });
  expect(wait).not.toHaveBeenCalled();
  const check = (await checkTool(world, { url: site.origin }, callFor(0))) as Result;
  expect(check).toMatchObject({ state: 'reading', nextCursor: expect.any(String) });
  release();
  const checked = await checkTool(world, { cursor: check.nextCursor! }, callFor(60_000));
  expect(checked).toMatchObject({ state: 'done', summary: { documents: 3, pages: 4 } });
});

test('the first call counts all pages, however few are in its result', async () => {
  const pages = Array.from({ length: 3_000 }, (_, at) => page(at));
  const site = await serving({ '/robots.txt': ['/all.xml'], '/all.xml': urlset(...pages) });
  const world = newWorld();
  const first = await listed(world, { url: site.origin, limit: 2, exclude: ['/2999'] }, callFor(60_000));
  expect(first.pages).toHaveLength(2);
  const leftOut = { excluded: 1 };
  expect(first.counts).toEqual({ pages: 3_000, matching: 2_999, leftOut, isWhole: true });
});

test.each([
  ['sample', { sample: 10 }],
  ['unique', { unique: true }],
])('with %s, a page that two sitemaps list is in one result, behind a cursor too', async (_name, args) => {
  const site = await serving({
    '/robots.txt': ['/a.xml', '/b.xml'],
    '/a.xml': urlset(page('both'), page('a')),
    '/b.xml': urlset(page('b'), page('both')),
  });
  const urls = await allOf(newWorld(), { url: site.origin, limit: 2, ...args });
  expect(urls.toSorted()).toEqual([page('a'), page('b'), page('both')]);
});
