/** The small form of `npm run soak`: some hundred sites, a hundred schedules of faults. A failure names its seed. */
import { expect, test } from 'vitest';
import { crawlManySites, noteLeaks, openNow, runSchedule, Tally } from '../support/soak-parts.ts';

function expectClean(tally: Tally): void {
  expect(tally.complaints).toEqual([]);
  expect(tally.isClean, String(tally)).toBe(true);
  expect(tally.pagesFound).toBe(tally.pagesExpected);
}

test('400 sites through 100 trees and streams at once: no page lost, nothing left open', async () => {
  const tally = new Tally();
  const before = openNow();
  await crawlManySites({ to: 400, atOnce: 100 }, tally);
  await noteLeaks(tally, before);
  expectClean(tally);
  expect(tally.sites).toBe(400);
});

test('100 schedules of faults: what can be read is read whole', async () => {
  const tally = new Tally();
  const before = openNow();
  // All at once: what takes long is the pauses between tries, which are the usual ones.
  await Promise.all(Array.from({ length: 100 }, (_, seed) => runSchedule(seed, tally)));
  await noteLeaks(tally, before);
  expectClean(tally);
  expect(tally.schedules).toBe(100);
});
