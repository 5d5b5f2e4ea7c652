/** §11.2: what updates print adds up to the site, whatever fails in between. Random sites, the library alone. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../support/folder.ts';
import { CHANGING_SEED } from '../support/random.ts';
import { isFull, sized } from '../support/tier.ts';
import { simulateUpdates } from '../support/update-simulation.ts';

const { UPDATE_SEED, UPDATE_SITES } = process.env;
const SEED = Number(UPDATE_SEED ?? 25);
const SITES = Number(UPDATE_SITES ?? sized({ fast: 1, full: 1, strong: 800 }));
/** Of sixty sites these three together find what any of the sixty found of a dozen planted faults. */
const FEW = [26, 34, 84];
/** The full tier reads some sites more, which are others in each run. */
const OTHERS = sized({ fast: 0, full: 3 });
const isChosen = UPDATE_SEED !== undefined || SITES > 1;
const SEEDS = isChosen
  ? Array.from({ length: SITES }, (_, at) => SEED + at)
  : [...FEW, ...Array.from({ length: OTHERS }, (_, at) => CHANGING_SEED + at)];
const RUNS = 26;

test(`${SEEDS.length} sites in ${RUNS} runs each: nothing is lost, doubled, or removed too early`, {
  timeout: 1_200_000,
}, async () => {
  const found = await simulateUpdates({
    seeds: SEEDS,
    runs: RUNS,
    file: join(folder(), 'site.warc.gz'),
  });
  if (isFull) process.stdout.write(`${JSON.stringify({ seeds: SEEDS.slice(0, 4), ...found.counts })}\n`);
  expect(found.faults).toEqual([]);
  expect(found.counts.runs).toBe(SEEDS.length * RUNS);
});
