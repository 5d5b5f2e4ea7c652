/**
 * Sites that change, break and recover, read again and again: after each run, what was printed so far is compared with
 * the saved tree, with the law (update-oracle.ts) and, where everything could be read, with the site.
 */
import { updatedPages } from '../../src/diff/diff-pages.ts';
import { loadTree, type Sitemap, saveTree, sitemapFromUrl, sitemapTreeForHomepage } from '../../src/index.ts';
import { ChangingSite, KNOWN_PATH } from './changing-site.ts';
import { Chance } from './random.ts';
import { UpdateOracle } from './update-oracle.ts';

interface SimulationCounts {
  sites: number;
  runs: number;
  documents: number;
  /** Runs in which everything could be read. */
  whole: number;
  added: number;
  removed: number;
  stale: number;
  lost: number;
  doubled: number;
  removedTooEarly: number;
  notRemoved: number;
  notConverged: number;
}

export interface Simulated {
  readonly counts: SimulationCounts;
  /** A line for each fault, with its seed. */
  readonly faults: readonly string[];
}

const NO_FILTERS = { include: [], exclude: [] };
const GONE_AFTER = [1, 2, 2, 2, 3];
const AT_ONCE = 24;

export async function simulateUpdates(options: {
  readonly seed: number;
  readonly sites: number;
  readonly runs: number;
  /** Where archives are saved. */
  readonly file: string;
}): Promise<Simulated> {
  const counts: SimulationCounts = {
    ...{ sites: 0, runs: 0, documents: 0, whole: 0, added: 0, removed: 0, stale: 0 },
    ...{ lost: 0, doubled: 0, removedTooEarly: 0, notRemoved: 0, notConverged: 0 },
  };
  const faults: string[] = [];
  let next = 0;
  // Several at once: a host that refuses is asked more slowly, and meanwhile others are asked.
  const work = async (worker: number): Promise<void> => {
    while (next < options.sites && faults.length === 0) {
      const seed = options.seed + next++;
      const file = `${options.file}-${worker}`;
      await oneSite(seed, options.runs, file, counts, (what) => faults.push(`seed ${seed}: ${what}`));
      counts.sites++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, worker) => work(worker)));
  return { counts, faults };
}

async function oneSite(
  seed: number,
  runs: number,
  file: string,
  counts: SimulationCounts,
  fault: (what: string) => void,
): Promise<void> {
  const chance = new Chance(seed);
  const origin = 'https://site.example';
  const size = chance.happens(0.1) ? chance.between(100, 200) : chance.between(20, 70);
  const site = new ChangingSite(origin, chance, size);
  const goneAfter = chance.pick(GONE_AFTER);
  // Or one sitemap and what is below it: robots.txt is one as well.
  const isOneSitemap = chance.happens(0.25);
  if (isOneSitemap) site.documents.delete(KNOWN_PATH);
  const oracle = new UpdateOracle(goneAfter, isOneSitemap ? ['/robots.txt'] : undefined);
  const applied = new Set<string>();
  let previous: Sitemap | undefined;
  for (let run = 0; run < runs; run++) {
    const isCalm = chance.happens(0.25);
    site.next(run === 0 ? 0 : chance.between(0, 5), isCalm ? 0 : chance.pick([0.02, 0.1, 0.4]));
    const request = { previous, staleIfError: true, goneAfter, webClient: site.client, retries: 0 };
    const tree = isOneSitemap
      ? await sitemapFromUrl(`${origin}/robots.txt`, request)
      : await sitemapTreeForHomepage(origin, {
          ...{ ...request, useKnownPaths: false, extraKnownPaths: [KNOWN_PATH] },
        });
    counts.runs++;
    counts.documents += site.documents.size;
    const isWhole = oracle.run(site);
    const expected = oracle.pages;
    const path = (url: string): string => url.slice(origin.length);
    const printed = new Set<string>();
    const options = {
      filters: { before: NO_FILTERS, after: NO_FILTERS },
      onDamaged: fault,
      countSame: false,
    };
    for await (const { type, page } of await updatedPages(previous, tree, options)) {
      const name = path(page.url);
      const at = `run ${run}, ${type} ${name}`;
      if (type === 'changed') continue;
      if (printed.has(name) || applied.has(name) === (type === 'added')) {
        counts.doubled++;
        fault(`${at} is doubled`);
      }
      printed.add(name);
      counts[type]++;
      if (type === 'added') applied.add(name);
      else applied.delete(name);
      if (type === 'removed' && expected.has(name)) {
        counts.removedTooEarly++;
        fault(`${at} is too early`);
      }
    }
    const listed = new Set(Array.from(tree.allPages(), ({ url }) => path(url)));
    for (const name of listed)
      if (!applied.has(name)) fault(`run ${run}: ${name} is saved, and was not printed`);
    for (const name of applied)
      if (!listed.has(name)) fault(`run ${run}: ${name} is not saved, and was not removed`);
    for (const name of expected) {
      if (applied.has(name)) continue;
      counts.lost++;
      fault(`run ${run}: ${name} is lost`);
    }
    for (const name of applied) {
      if (expected.has(name)) continue;
      counts.notRemoved++;
      fault(`run ${run}: ${name} should be removed`);
    }
    counts.stale += [...tree.allSitemaps()].filter(({ freshness }) => freshness === 'stale').length;
    if (isWhole) {
      counts.whole++;
      const { pages } = site.listed();
      if (pages.size !== applied.size || [...pages].some((name) => !applied.has(name))) {
        counts.notConverged++;
        fault(`run ${run}: what was printed is not what the site lists`);
      }
    }
    previous?.close();
    if (chance.happens(0.25)) {
      await saveTree(tree, file);
      tree.close();
      previous = await loadTree(file);
    } else previous = tree;
  }
  previous?.close();
}
