/** diffPages on random sites over five runs, against the slow and obvious rule and against what really happened. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffPages, type PageChange, type Sitemap } from '../../src/index.ts';
import { walkTree } from '../../src/sitemap/sitemap.ts';
import { sized } from '../support/tier.ts';
import {
  changingSite,
  crawl,
  PERFECT,
  type RunSpec,
  runSpec,
  type SiteSpec,
  siteSpec,
} from './random-site.ts';
import { slowDiff } from './slow-diff.ts';

const fiveRuns = fc.array(runSpec, { minLength: 5, maxLength: 5 });
const RUNS = sized({ fast: 5, full: 15, strong: 150 });

/** The trees of five runs, each with the one before as its previous. */
function treesOf(sites: readonly SiteSpec[], runs: readonly RunSpec[]): readonly Sitemap[] {
  const trees: Sitemap[] = [];
  for (const [index, run] of runs.entries()) trees.push(crawl(sites[index]!, run, trees.at(-1)));
  return trees;
}

/** Every run with every later one. */
function pairsOf<Item>(items: readonly Item[]): (readonly [Item, Item, number, number])[] {
  return items.flatMap((before, from) =>
    items.slice(from + 1).map((after, index) => [before, after, from, from + 1 + index] as const),
  );
}

async function changesOf(before: Sitemap, after: Sitemap): Promise<PageChange[]> {
  const changes: PageChange[] = [];
  for await (const change of diffPages(before, after)) changes.push(change);
  return changes;
}

const close = (trees: readonly Sitemap[]): void => {
  for (const tree of trees) tree.close();
};

/** The documents that list a page: the URL of each, with the URLs of those that declare it. */
function places(tree: Sitemap, url: string): string[] {
  return [...walkTree(tree)].flatMap(({ sitemap, parent }) =>
    [...sitemap.pages].some((page) => page.url === url)
      ? [sitemap.url, sitemap.declaredUrl ?? sitemap.url].map((each) => `${each} in ${parent?.url}`)
      : [],
  );
}

describe('§11.3: diffPages on random sites, over five runs', () => {
  test('reports exactly what the rule of settled documents says, in order', async () => {
    await fc.assert(
      fc.asyncProperty(changingSite, fiveRuns, async (sites, runs) => {
        const trees = treesOf(sites, runs);
        for (const [before, after] of pairsOf(trees)) {
          const slow = slowDiff(before, after);
          const diff = diffPages(before, after);
          const reported: string[] = [];
          for await (const { type, page } of diff) reported.push(`${type} ${page.url}`);
          const isIn = (urls: readonly string[], url: string): boolean => urls.includes(url);
          const expected = [...new Set([...after.allPages()].map(({ url }) => url))].flatMap((url) =>
            isIn(slow.added, url) ? [`added ${url}`] : isIn(slow.changed, url) ? [`changed ${url}`] : [],
          );
          expect(reported).toEqual([...expected, ...slow.removed.map((url) => `removed ${url}`)]);
          expect(diff.counts).toEqual(
            Object.fromEntries(Object.entries(slow).map(([name, urls]) => [name, urls.length])),
          );
        }
        close(trees);
      }),
      { numRuns: RUNS },
    );
  });

  test('reports the same where documents that are equal in both trees are not counted', async () => {
    await fc.assert(
      fc.asyncProperty(changingSite, fiveRuns, async (sites, runs) => {
        const trees = treesOf(sites, runs);
        for (const [before, after] of pairsOf(trees)) {
          const line = ({ type, page, sitemap, before: was, fields }: PageChange) =>
            JSON.stringify([type, page, sitemap.url, was, fields]);
          const quick: string[] = [];
          const diff = diffPages(before, after, { countSame: false });
          for await (const change of diff) quick.push(line(change));
          expect(quick).toEqual((await changesOf(before, after)).map(line));
          const { same, ...counts } = diff.counts;
          const slow = slowDiff(before, after);
          expect(same).toBeLessThanOrEqual(slow.same.length);
          expect(counts).toEqual({
            added: slow.added.length,
            removed: slow.removed.length,
            changed: slow.changed.length,
            unknown: slow.unknown.length,
          });
        }
        close(trees);
      }),
      { numRuns: RUNS },
    );
  });

  test('no failure, limit or filter removes a page, and no recovery adds one, while the site stays the same', async () => {
    await fc.assert(
      fc.asyncProperty(siteSpec, fiveRuns, async (site, runs) => {
        const trees = treesOf(new Array<SiteSpec>(5).fill(site), runs);
        for (const [before, after] of pairsOf(trees)) {
          // A page that two documents list may change: which of them comes first depends on what was read.
          const found = (await changesOf(before, after)).filter(({ type }) => type !== 'changed');
          expect(found).toEqual([]);
        }
        close(trees);
      }),
      { numRuns: RUNS * 2 },
    );
  });

  test('a page is removed only if no document lists it any more where it was listed, and added only if none did', async () => {
    await fc.assert(
      fc.asyncProperty(changingSite, fiveRuns, async (sites, runs) => {
        const trees = treesOf(sites, runs);
        const truth = sites.map((site) => crawl(site, PERFECT, undefined));
        for (const [before, after, from, to] of pairsOf(trees)) {
          for (const { type, page } of await changesOf(before, after)) {
            if (type === 'changed') continue;
            const [listing, other] = type === 'removed' ? [before, truth[to]!] : [after, truth[from]!];
            const really = places(other, page.url);
            expect(places(listing, page.url).filter((place) => really.includes(place))).toEqual([]);
          }
        }
        close([...trees, ...truth]);
      }),
      { numRuns: RUNS },
    );
  });
});
