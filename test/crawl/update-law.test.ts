/** §11.2: what updates print adds up to the site, whatever fails in between. Random sites, the library alone. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../support/sitemaps.ts';
import { isFull, sized } from '../support/tier.ts';
import { simulateUpdates } from '../support/update-simulation.ts';

const SEED = Number(process.env['UPDATE_SEED'] ?? 25);
const SITES = Number(process.env['UPDATE_SITES'] ?? sized({ fast: 3, full: 193, strong: 800 }));
const RUNS = 26;

test(`${SITES} sites in ${RUNS} runs each, from seed ${SEED}: nothing is lost, doubled, or removed too early`, {
  timeout: 1_200_000,
}, async () => {
  const found = await simulateUpdates({
    seed: SEED,
    sites: SITES,
    runs: RUNS,
    file: join(folder(), 'site.warc.gz'),
  });
  if (isFull) process.stdout.write(`${JSON.stringify({ seed: SEED, ...found.counts })}\n`);
  expect(found.faults).toEqual([]);
  expect(found.counts.runs).toBe(SITES * RUNS);
});
