/** The small form of `npm run soak`: some hundred sites and schedules of faults. A failure names its seed. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../support/folder.ts';
import { CHANGING_SEED } from '../support/random.ts';
import {
  crawlManySites,
  faultyArchive,
  noteLeaks,
  openNow,
  runSchedule,
  Tally,
} from '../support/soak-parts.ts';
import { isFull, sized } from '../support/tier.ts';

const SITES = sized({ fast: 10, full: 20, strong: 1_000 });
const AT_ONCE = sized({ fast: 10, full: 20 });
const ARCHIVES = sized({ fast: 12, full: 24, strong: 400 });
const SCHEDULES = sized({ fast: 8, full: 16, strong: 200 });
/** A schedule with a damaged document of which pages are left that its siblings list as well. */
const PAGES_OF_SIBLINGS = 513_311;

/** Of the full tier, half of the seeds are others in each run. */
function seeds(count: number): readonly number[] {
  const fixed = isFull ? count / 2 : count;
  return Array.from({ length: count }, (_, at) => (at < fixed ? at : CHANGING_SEED + at));
}

function expectClean(tally: Tally): void {
  expect(tally.complaints).toEqual([]);
  expect(tally.isClean, String(tally)).toBe(true);
  // What a busy machine had no time for is reported by its document.
  expect(tally.pagesFound + tally.reported).toBe(tally.pagesExpected);
}

test(`${SITES} sites, ${AT_ONCE} of them at once as trees and streams, lose no page and leave nothing open`, async () => {
  const tally = new Tally();
  const before = await openNow();
  await crawlManySites({ to: SITES, atOnce: AT_ONCE }, tally);
  await noteLeaks(tally, before);
  expectClean(tally);
  expect(tally.sites).toBe(SITES);
});

test(`${SCHEDULES} random schedules of faults: every document that can be read is read whole`, async () => {
  const tally = new Tally();
  const before = await openNow();
  // All at once: the pauses between attempts have their usual length, and are most of the time.
  await Promise.all([PAGES_OF_SIBLINGS, ...seeds(SCHEDULES)].map((seed) => runSchedule(seed, tally)));
  await noteLeaks(tally, before);
  expectClean(tally);
  expect(tally.schedules).toBe(1 + SCHEDULES);
});

test('a page that is missing is lost, unless its document says that there was no time for it', () => {
  const tally = new Tally();
  tally.compare('late', ['a', 'b'], ['a'], [{ url: 's.xml', message: 's.xml: no response within 3 s.' }]);
  expect([tally.isClean, tally.lost, tally.reported]).toEqual([true, 0, 1]);
  tally.compare('silent', ['a', 'b'], ['a']);
  expect([tally.isClean, tally.lost, tally.reported]).toEqual([false, 1, 1]);
});

test(`${ARCHIVES} archives that are damaged, or whose process is killed: what was saved, or an error`, async () => {
  const tally = new Tally();
  const before = await openNow();
  const path = join(folder(), 'tree.warc.gz');
  for (const seed of seeds(ARCHIVES)) await faultyArchive(seed, path, tally);
  await noteLeaks(tally, before);
  expectClean(tally);
  expect(tally.archives).toBe(ARCHIVES);
});
