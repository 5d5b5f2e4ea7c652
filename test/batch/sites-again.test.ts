/**
 * §14: sites that have a line and are crawled again, since they failed (`--retry-failed`) or since their part is missing
 * or damaged. Everything else is kept, and in the end each site has one line and its rows once.
 */
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CrawlDescription } from '../../src/batch/crawl-folder.ts';
import { build, until } from '../support/cli-binary.ts';
import { testIf } from '../support/collected.ts';
import {
  crawlHere,
  killGroup,
  listOf,
  QUICK_CRAWL,
  startedHere,
  startGroup,
} from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { openFiles } from '../support/folder.ts';
import { type LoopbackOptions, type LoopbackSites, loopbackSites } from '../support/loopback-sites.ts';
import { IS_LINUX } from '../support/platform.ts';
import { workerCommand } from '../support/queue-workers.ts';
import { Chance } from '../support/random.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis } from '../support/redis.ts';
import { hasHeavy, isFull, sized } from '../support/tier.ts';

beforeAll(build);

const ONE = ['--processes', '1', '--sites-at-once', '4'];

interface Setting {
  readonly sites: LoopbackSites;
  readonly numbers: readonly number[];
  readonly path: string;
  readonly argv: readonly string[];
  /** The numbers of the sites that were asked for something since the last call. */
  asked(): readonly number[];
}

async function setting(count: number, options: LoopbackOptions = {}): Promise<Setting> {
  const seen = new Set<number>();
  const sites = await loopbackSites({ ...options, onRequest: (number) => void seen.add(number) });
  const numbers = Array.from({ length: count }, (_, number) => number);
  const path = crawlPath();
  const argv = ['crawl', listOf(sites, path, numbers), '-o', path, ...QUICK_CRAWL, ...ONE];
  return {
    ...{ sites, numbers, path, argv },
    asked: () => {
      const found = [...seen].sort((a, b) => a - b);
      seen.clear();
      return found;
    },
  };
}

function expectAll({ sites, numbers, path }: Setting): void {
  expect(
    linesOf(path)
      .map(({ site }) => site)
      .sort(),
  ).toEqual(numbers.map(sites.homepage).sort());
  const withPages = numbers.filter((number) => sites.pages(number).length > 0);
  expect(Object.fromEntries(pagesBySite(path))).toEqual(
    Object.fromEntries(withPages.map((number) => [sites.homepage(number), sites.pages(number)])),
  );
  // A batch has as many lines as each of them says.
  const lines = linesOf(path);
  for (const { batch, of } of lines) expect(lines.filter((line) => line.batch === batch)).toHaveLength(of);
  expect(described(path)).toMatchObject({ state: 'done', finished: { failed: 0 } });
}

function described(path: string): CrawlDescription {
  return JSON.parse(readFileSync(join(path, 'crawl.json'), 'utf8')) as CrawlDescription;
}

function numbersIn({ sites, numbers, path }: Setting, part: string): readonly number[] {
  const names = linesOf(path).flatMap(({ site, parts }) => (parts.includes(`pages/${part}`) ? [site] : []));
  return numbers.filter((number) => names.includes(sites.homepage(number)));
}

describe('§14.1 a part that is not as it was written', () => {
  const DAMAGES: readonly (readonly [name: string, damage: (path: string) => void])[] = [
    ['missing', (path) => rmSync(path)],
    ['cut', (path) => truncateSync(path, 40)],
  ];

  test('is found when the crawl goes on, or with --verify if it has its size, and only its sites are crawled again', async () => {
    const place = await setting(24);
    await crawlHere(place.argv);
    place.asked();
    const parts = readdirSync(join(place.path, 'pages'));
    expect(parts.length).toBeGreaterThan(DAMAGES.length);
    const again = DAMAGES.flatMap(([, damage], at) => {
      const part = parts[at] ?? '';
      damage(join(place.path, 'pages', part));
      return numbersIn(place, part);
    });
    const { code, stderr } = await crawlHere(place.argv);
    expect(code).toBe(0);
    for (const at of DAMAGES.keys()) {
      expect(stderr).toContain(`pages/${parts[at]} is missing or damaged: its sites are crawled again.`);
    }
    expect(place.asked()).toEqual([...again].sort((a, b) => a - b));
    expectAll(place);

    const [filled = ''] = readdirSync(join(place.path, 'pages'));
    const file = join(place.path, 'pages', filled);
    writeFileSync(file, readFileSync(file).fill(0, 20));
    expect((await crawlHere(place.argv)).stderr).toContain('24 of 24 sites are finished already.');
    expect(place.asked()).toEqual([]);
    const ofFilled = numbersIn(place, filled);
    expect((await crawlHere([...place.argv, '--verify'])).code).toBe(0);
    expect(place.asked()).toEqual(ofFilled);
    expectAll(place);
  });
});

describe('§14.1 --retry-failed', () => {
  test('crawls the failed sites again, and their new lines replace the old ones', async () => {
    let isDown = true;
    const place = await setting(12, { isDown: (number) => isDown && number % 4 === 1 });
    await crawlHere(place.argv);
    expect(linesOf(place.path).filter(({ outcome }) => outcome === 'failed')).toHaveLength(3);
    place.asked();
    expect((await crawlHere([...place.argv, '--retry-failed'])).code).toBe(0);
    expect(place.asked()).toEqual([1, 5, 9]);
    expect(linesOf(place.path)).toHaveLength(12);
    expect(described(place.path)).toMatchObject({ state: 'done', finished: { failed: 3 } });
    isDown = false;
    expect((await crawlHere([...place.argv, '--retry-failed'])).code).toBe(0);
    expect(place.asked()).toEqual([1, 5, 9]);
    expectAll(place);
    await crawlHere([...place.argv, '--retry-failed']);
    expect(place.asked()).toEqual([]);
    if (IS_LINUX) expect(openFiles(place.path)).toEqual([]);
  });

  testIf(hasHeavy)(
    'that is interrupted goes on: a site that is to be crawled again has no line',
    async () => {
      let isDown = true;
      const stop = new AbortController();
      const again = new Set<number>();
      const sites = await loopbackSites({
        isDown: () => isDown,
        onRequest(number) {
          if (!isDown) again.add(number);
          if (!isDown && again.size > 3) stop.abort();
        },
      });
      const numbers = Array.from({ length: 12 }, (_, number) => number);
      const path = crawlPath();
      const argv = ['crawl', listOf(sites, path, numbers), '-o', path, ...QUICK_CRAWL];
      const place = { sites, numbers, path, argv, asked: () => [] };
      await crawlHere([...argv, ...ONE]);
      isDown = false;
      const first = await crawlHere([...argv, '--retry-failed', '--processes', '1', '--sites-at-once', '1'], {
        signal: stop.signal,
      });
      expect(first.code).toBe(130);
      const finished = linesOf(path).length;
      expect(finished).toBeGreaterThan(0);
      expect(finished).toBeLessThan(12);
      expect(linesOf(path).filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      const { stderr } = await crawlHere([...argv, ...ONE]);
      expect(stderr).toContain(`${finished} of 12 sites are finished already.`);
      expectAll(place);
    },
  );

  // kills.test.ts has a smaller size of this.
  testIf(isFull)('survives kills at random moments', { timeout: 300_000 }, async () => {
    const kills = sized({ fast: 0, full: 3, strong: 10 });
    let isDown = true;
    const place = await setting(kills * 20 + 20, {
      delayMs: 2,
      isDown: (number) => isDown && number % 2 === 1,
    });
    await crawlHere(place.argv);
    isDown = false;
    const seed = Number(process.env['CRAWL_SEED'] ?? Date.now() % 1_000_000);
    const chance = new Chance(seed);
    for (let kill = 0; kill < kills; kill++) {
      const before = place.sites.requests;
      const run = startGroup([...place.argv, '--retry-failed']);
      await Promise.race([until(() => place.sites.requests > before + 6, 'requests'), run.finished]);
      await delay(chance.between(0, 300));
      killGroup(run.pid);
      await run.finished;
      expect(run.written.stderr, `seed ${seed}`).not.toMatch(/bug|cannot|damaged/);
    }
    expect((await crawlHere([...place.argv, '--retry-failed'])).code).toBe(0);
    expectAll(place);
  });
});

const describeHeavy = hasHeavy ? describeWith : () => {};

describeHeavy('redis-server', '§14.1 workers', () => {
  test('publish the new lines of sites that are crawled again', { timeout: 120_000 }, async () => {
    let isDown = true;
    const place = await setting(10, { isDown: (number) => isDown && number % 2 === 0 });
    const url = `${(await startRedis()).url}?lock=3`;
    const argv = [...place.argv.slice(0, -ONE.length), '--queue', url];
    const first = [startedHere(argv), startedHere(workerCommand(url))];
    for (const { finished } of first) expect((await finished).code).toBe(0);
    expect(linesOf(place.path).filter(({ outcome }) => outcome === 'failed')).toHaveLength(5);
    isDown = false;
    const [part = ''] = readdirSync(join(place.path, 'pages'));
    rmSync(join(place.path, 'pages', part));
    const second = startedHere([...argv, '--retry-failed']);
    await until(() => described(place.path).state === 'running', 'the crawl');
    const worker = startedHere(workerCommand(url));
    for (const { finished } of [second, worker]) expect((await finished).code).toBe(0);
    expectAll(place);
  });
});
