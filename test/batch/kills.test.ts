/**
 * §14: nothing lost, nothing twice. A crawl is killed as a whole at random moments and started again each time: in the
 * end it has found what an undisturbed one finds.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { build } from '../support/cli-binary.ts';
import { crawlHere, killGroup, listOf, QUICK_CRAWL, startGroup } from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { type LoopbackSites, loopbackSites } from '../support/loopback-sites.ts';
import { Chance } from '../support/random.ts';
import { sized } from '../support/tier.ts';

beforeAll(build);

const KILLS = Number(process.env['CRAWL_KILLS'] ?? sized({ fast: 1, full: 4, strong: 15 }));

function expectAll(path: string, sites: LoopbackSites, numbers: readonly number[]): void {
  const lines = linesOf(path);
  expect(lines.map(({ site }) => site).sort()).toEqual(numbers.map(sites.homepage).sort());
  const found = pagesBySite(path);
  for (const { site, outcome, pages, parts } of lines) {
    const number = numbers.find((each) => sites.homepage(each) === site)!;
    const expected = sites.pages(number);
    expect({ site, outcome, pages, parts: parts.length, urls: found.get(site) ?? [] }).toEqual({
      site,
      outcome: expected.length === 0 ? 'none' : 'complete',
      pages: expected.length,
      parts: expected.length === 0 ? 0 : 1,
      urls: expected,
    });
  }
  expect(found.size).toBe(numbers.filter((number) => sites.pages(number).length > 0).length);
  expect(readdirSync(join(path, '.tmp')).filter((name) => /^(?:w-|part-|sites-)/.test(name))).toEqual([]);
}

test(`a crawl that is killed ${KILLS === 1 ? 'once' : `${KILLS} times`} finds what an undisturbed one finds`, {
  timeout: 600_000,
}, async () => {
  const sites = await loopbackSites({ delayMs: 2 });
  const path = crawlPath();
  const numbers = Array.from({ length: KILLS * 40 }, (_, number) => number);
  const argv = ['crawl', listOf(sites, path, numbers), '-o', path, ...QUICK_CRAWL];
  const chance = new Chance(Number(process.env['CRAWL_SEED'] ?? Date.now() % 1_000_000));
  const work = ['--processes', sized({ fast: '1', full: '2' }), '--sites-at-once', '4'];
  for (let kill = 0; kill < KILLS; kill++) {
    const run = startGroup([...argv, ...work]);
    await Promise.race([delay(chance.between(200, 1_100)), run.finished]);
    killGroup(run.pid);
    await run.finished;
    expect(run.written.stderr).not.toMatch(/bug|cannot|damaged/);
  }
  const { code, stderr } = await crawlHere([...argv, ...work]);
  expect(stderr).toContain(`${numbers.length.toLocaleString('en')} sites (`);
  expect(code).toBe(0);
  expectAll(path, sites, numbers);
});
