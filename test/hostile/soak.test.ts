/** The small form of `npm run soak`: some hundred sites, a hundred schedules of faults. A failure names its seed. */
import { expect, test, vi } from 'vitest';
import { crawlManySites, noteLeaks, openNow, runSchedule, Tally } from './soak-parts.ts';

// Pauses between tries are a hundredth of the usual ones.
vi.mock('../../src/fetch/clock.ts', async (importOriginal) => {
  const { systemClock } = await importOriginal<typeof import('../../src/fetch/clock.ts')>();
  const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(ms / 100, signal);
  return { systemClock: { ...systemClock, sleep } };
});

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
  const seeds = Array.from({ length: 100 }, (_, seed) => seed);
  const worker = async (): Promise<void> => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await runSchedule(seed, tally, 4);
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  await noteLeaks(tally, before);
  expectClean(tally);
  expect(tally.schedules).toBe(100);
});
