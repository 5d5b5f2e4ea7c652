/**
 * Sites that change, break and recover, read again and again: after each run, what was printed so far is compared with
 * the saved tree, with the law (update-oracle.ts) and, where everything could be read, with the site.
 */
import { updatedPages } from '../../src/diff/diff-pages.ts';
import { loadTree, type Sitemap, saveTree, sitemapFromUrl, sitemapTreeForHomepage } from '../../src/index.ts';
import { ChangingSite, KNOWN_PATH, ROBOTS } from './changing-site.ts';
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

const GONE_AFTER = [1, 2, 2, 2, 3];
const AT_ONCE = 8;
const ORIGIN = 'https://site.example';

/** Which pages are printed: as flags of `usp update`, and in words of this test. */
interface Filters {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly keeps: (name: string) => boolean;
}

const NO_FILTERS: Filters = { include: [], exclude: [], keeps: () => true };
const FILTERS: readonly Filters[] = [
  NO_FILTERS,
  { include: [], exclude: ['*7'], keeps: (name) => !name.endsWith('7') },
  { include: ['re:[0-4]$'], exclude: [], keeps: (name) => /[0-4]$/.test(name) },
];

export async function simulateUpdates(options: {
  /** One site each. */
  readonly seeds: readonly number[];
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
    while (next < options.seeds.length && faults.length === 0) {
      const seed = options.seeds[next++]!;
      const fault = (what: string): void => void faults.push(`seed ${seed}: ${what}`);
      await new SimulatedSite(seed, `${options.file}-${worker}`, counts, fault).run(options.runs);
      counts.sites++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, worker) => work(worker)));
  return { counts, faults };
}

class SimulatedSite {
  readonly #chance: Chance;
  readonly #counts: SimulationCounts;
  readonly #fault: (what: string) => void;
  #hasFailed = false;
  readonly #file: string;
  readonly #site: ChangingSite;
  readonly #oracle: UpdateOracle;
  readonly #options: { readonly goneAfter: number; readonly trustLastmod: boolean };
  /** One sitemap and what is below it, instead of a whole site: robots.txt is one as well. */
  readonly #isOneSitemap: boolean;
  readonly #hasFilters: boolean;
  readonly #isSaved: boolean;
  /** Where the tree before is closed, what it still has in memory is read from a file. */
  readonly #closesEarly: boolean;
  readonly #trees: Sitemap[] = [];
  /** What one gets who applies all that was printed. */
  readonly #applied = new Set<string>();

  constructor(seed: number, file: string, counts: SimulationCounts, fault: (what: string) => void) {
    const chance = new Chance(seed);
    const trustLastmod = chance.happens(0.25);
    const goneAfter = chance.pick(GONE_AFTER);
    this.#chance = chance;
    this.#counts = counts;
    this.#fault = (what) => {
      this.#hasFailed = true;
      fault(what);
    };
    this.#site = new ChangingSite(ORIGIN, chance, sizeOf(chance), trustLastmod);
    this.#isOneSitemap = chance.happens(0.25);
    if (this.#isOneSitemap) this.#site.documents.delete(KNOWN_PATH);
    this.#options = { goneAfter, trustLastmod };
    this.#oracle = new UpdateOracle({ ...this.#options, isOneSitemap: this.#isOneSitemap });
    this.#hasFilters = chance.happens(0.3);
    this.#isSaved = chance.happens(0.12);
    this.#file = `${file}${chance.happens(0.3) ? '.warc.gz' : '.warc'}`;
    this.#closesEarly = chance.happens(0.15);
  }

  async run(runs: number): Promise<void> {
    let filters = NO_FILTERS;
    for (let run = 0; run < runs && !this.#hasFailed; run++) {
      const faulty = this.#chance.happens(0.25) ? 0 : this.#chance.pick([0.02, 0.1, 0.4]);
      this.#site.next(run === 0 ? 0 : this.#chance.between(0, 5), faulty);
      const before = { tree: this.#trees.at(-1), filters };
      const tree = await this.#read(before.tree);
      if (this.#hasFilters && this.#chance.happens(0.3)) filters = this.#chance.pick(FILTERS);
      const isWhole = this.#oracle.run(this.#site);
      this.#counts.runs++;
      this.#counts.documents += this.#site.documents.size;
      await this.#apply(run, before, { tree, filters });
      this.#compare(run, tree, filters);
      if (isWhole) this.#compareWithSite(run, filters);
      await this.#keep(tree);
    }
    for (const tree of this.#trees) tree.close();
  }

  #read(previous: Sitemap | undefined): Promise<Sitemap> {
    const request = {
      ...{ ...this.#options, previous, staleIfError: true },
      ...{ webClient: this.#site.client, retries: 0 },
    };
    if (this.#isOneSitemap) return sitemapFromUrl(ORIGIN + ROBOTS, request);
    const only = { useKnownPaths: false, extraKnownPaths: [KNOWN_PATH] };
    return sitemapTreeForHomepage(ORIGIN, { ...request, ...only });
  }

  /** Applies what an update prints. */
  async #apply(
    run: number,
    before: { readonly tree: Sitemap | undefined; readonly filters: Filters },
    after: { readonly tree: Sitemap; readonly filters: Filters },
  ): Promise<void> {
    const expected = this.#oracle.pages;
    const printed = new Set<string>();
    const changes = await updatedPages(before.tree, after.tree, {
      filters: { before: patterns(before.filters), after: patterns(after.filters) },
      onDamaged: this.#fault,
      countSame: false,
    });
    for await (const { type, page } of changes) {
      const name = nameOf(page.url);
      const at = `run ${run}, ${type} ${name}`;
      if (type === 'changed') continue;
      if (printed.has(name) || this.#applied.has(name) === (type === 'added')) {
        this.#counts.doubled++;
        this.#fault(`${at} is doubled`);
      }
      printed.add(name);
      this.#counts[type]++;
      if (type === 'added') this.#applied.add(name);
      else this.#applied.delete(name);
      if (type === 'removed' && expected.has(name) && after.filters.keeps(name)) {
        this.#counts.removedTooEarly++;
        this.#fault(`${at} is too early`);
      }
    }
  }

  /** Compares what was applied with the tree, and with the law. */
  #compare(run: number, tree: Sitemap, { keeps }: Filters): void {
    const applied = this.#applied;
    const listed = new Set(Array.from(tree.allPages(), ({ url }) => nameOf(url)).filter(keeps));
    const expected = new Set([...this.#oracle.pages].filter(keeps));
    for (const name of listed) {
      if (!applied.has(name)) this.#fault(`run ${run}: ${name} is saved, and was not printed`);
    }
    for (const name of applied) {
      if (!listed.has(name)) this.#fault(`run ${run}: ${name} is not saved, and was not removed`);
      if (expected.has(name)) continue;
      this.#counts.notRemoved++;
      this.#fault(`run ${run}: ${name} should be removed`);
    }
    for (const name of expected) {
      if (applied.has(name)) continue;
      this.#counts.lost++;
      this.#fault(`run ${run}: ${name} is lost`);
    }
    for (const { freshness } of tree.allSitemaps()) if (freshness === 'stale') this.#counts.stale++;
  }

  #compareWithSite(run: number, { keeps }: Filters): void {
    this.#counts.whole++;
    const pages = [...this.#site.listed().pages].filter(keeps);
    if (pages.length === this.#applied.size && pages.every((name) => this.#applied.has(name))) return;
    this.#counts.notConverged++;
    this.#fault(`run ${run}: what was printed is not what the site lists`);
  }

  /** Keeps the tree for the next run, as it is or in an archive. */
  async #keep(tree: Sitemap): Promise<void> {
    if (this.#closesEarly) for (const earlier of this.#trees.splice(0)) earlier.close();
    if (!this.#isSaved || this.#chance.happens(0.5)) {
      this.#trees.push(tree);
      return;
    }
    await saveTree(tree, this.#file);
    tree.close();
    this.#trees.push(await loadTree(this.#file));
  }
}

function sizeOf(chance: Chance): number {
  if (chance.happens(0.01)) return chance.between(100, 200);
  return chance.happens(0.05) ? chance.between(30, 60) : chance.between(20, 23);
}

function patterns({ include, exclude }: Filters): Pick<Filters, 'include' | 'exclude'> {
  return { include, exclude };
}

function nameOf(url: string): string {
  return url.slice(ORIGIN.length);
}
