/** §14.2 `--previous`: what cannot be read this time keeps its rows of last time, marked, or is left out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { build } from '../support/cli-binary.ts';
import { crawlHere, listOf, QUICK_CRAWL } from '../support/crawl-command.ts';
import { crawlPath, linesOf } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';

beforeAll(build);

interface FoundRow {
  readonly site: string;
  readonly url: string;
  readonly stale?: boolean;
}

function rowsIn(path: string): readonly FoundRow[] {
  return readdirSync(join(path, 'pages'))
    .flatMap((name) =>
      gunzipSync(readFileSync(join(path, 'pages', name)))
        .toString('utf8')
        .split('\n'),
    )
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FoundRow);
}

test('a site that fails keeps its rows of last time, until it is read again', async () => {
  let down = new Set<number>();
  const sites = await loopbackSites({ isDown: (number) => down.has(number) });
  const numbers = [0, 1, 2, 4];
  const rowsOf = (path: string, number: number): readonly (readonly [string, boolean | undefined])[] =>
    rowsIn(path)
      .filter(({ site }) => site === sites.homepage(number))
      .map(({ url, stale }) => [url, stale] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  const lineOf = (path: string, number: number) => {
    const lines = linesOf(path).filter(({ site }) => site === sites.homepage(number));
    expect(lines).toHaveLength(1);
    return lines[0];
  };
  const crawl = async (path: string, ...more: readonly string[]): Promise<string> => {
    // One part, so that sites that are read and sites that are not share it.
    const work = ['--publish-every', '60', '--processes', '1', '--archives'];
    const argv = ['crawl', listOf(sites, path, numbers), '-o', path, ...QUICK_CRAWL, ...work, ...more];
    expect((await crawlHere(argv)).code).toBe(0);
    return path;
  };
  const fresh = (number: number) => sites.pages(number).map((url) => [url, undefined]);
  const stale = (number: number) => sites.pages(number).map((url) => [url, true]);

  const monday = await crawl(crawlPath());
  down = new Set([1, 2]);
  const tuesday = await crawl(crawlPath(), '--previous', monday);
  expect(lineOf(tuesday, 1)).toMatchObject({ outcome: 'failed', sitemaps: 0, pages: sites.pages(1).length });
  expect(lineOf(tuesday, 1)?.stale).toBeGreaterThan(0);
  expect(lineOf(tuesday, 0)).toMatchObject({ outcome: 'complete' });
  expect(lineOf(tuesday, 0)?.stale).toBeUndefined();
  expect(rowsOf(tuesday, 1)).toEqual(stale(1));
  expect(rowsOf(tuesday, 0)).toEqual(fresh(0));

  // Its archive has them too: the next night keeps them once more.
  const wednesday = await crawl(crawlPath(), '--previous', tuesday);
  expect(rowsOf(wednesday, 1)).toEqual(stale(1));
  const without = await crawl(crawlPath(), '--previous', tuesday, '--fresh-only');
  expect(lineOf(without, 1)).toMatchObject({ outcome: 'failed', pages: 0 });
  expect(rowsOf(without, 1)).toEqual([]);
  expect(rowsOf(without, 4)).toEqual(fresh(4));

  // Read again, the rows of last time go; those of the other sites in their part stay.
  down = new Set([2]);
  await crawl(wednesday, '--previous', tuesday, '--retry-failed');
  expect(lineOf(wednesday, 1)).toMatchObject({ outcome: 'complete', pages: sites.pages(1).length });
  expect(rowsOf(wednesday, 1)).toEqual(fresh(1));
  expect(rowsOf(wednesday, 2)).toEqual(stale(2));
  for (const number of [0, 4]) expect(rowsOf(wednesday, number)).toEqual(fresh(number));
  const named = new Set(linesOf(wednesday).flatMap(({ parts }) => parts));
  expect(
    readdirSync(join(wednesday, 'pages'))
      .map((name) => `pages/${name}`)
      .sort(),
  ).toEqual([...named].sort());
  const before = sites.requests;
  await crawl(wednesday, '--previous', tuesday, '--verify');
  expect(sites.requests).toBe(before);
});
