/** The small form of `npm run soak`: some hundred sites and schedules of faults. A failure names its seed. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../support/sitemaps.ts';
import {
  crawlManySites,
  faultyArchive,
  noteLeaks,
  openNow,
  runSchedule,
  Tally,
} from '../support/soak-parts.ts';
import { sized } from '../support/tier.ts';

const SITES = sized({ fast: 20, full: 1_000 });
const AT_ONCE = sized({ fast: 10, full: 100 });
const ARCHIVES = sized({ fast: 40, full: 100, strong: 400 });
const SCHEDULES = sized({ fast: 12, full: 200 });

function expectClean(tally: Tally): void {
  expect(tally.complaints).toEqual([]);
  expect(tally.isClean, String(tally)).toBe(true);
  expect(tally.pagesFound).toBe(tally.pagesExpected);
}

test(`${SITES} sites, ${AT_ONCE} of them at once as trees and streams, lose no page and leave nothing open`, async () => {
  const tally = new Tally();
  const before = openNow();
  await crawlManySites({ to: SITES, atOnce: AT_ONCE }, tally);
  await noteLeaks(tally, before);
  expectClean(tally);
  expect(tally.sites).toBe(SITES);
});

test(`${SCHEDULES} random schedules of faults: every document that can be read is read whole`, async () => {
  const tally = new Tally();
  const before = openNow();
  // All at once: the pauses between attempts have their usual length, and are most of the time.
  await Promise.all(Array.from({ length: SCHEDULES }, (_, seed) => runSchedule(seed, tally)));
  await noteLeaks(tally, before);
  expectClean(tally);
  expect(tally.schedules).toBe(SCHEDULES);
});

test(`${ARCHIVES} archives that are damaged, or whose process is killed: what was saved, or an error`, async () => {
  const tally = new Tally();
  const before = openNow();
  const path = join(folder(), 'tree.warc.gz');
  for (let seed = 0; seed < ARCHIVES; seed++) await faultyArchive(seed, path, tally);
  await noteLeaks(tally, before);
  expectClean(tally);
  expect(tally.archives).toBe(ARCHIVES);
});
