/**
 * §14: workers on Redis. Whatever dies, is stopped or is away for a while, in the end the folder has what an undisturbed
 * crawl finds: one line for each site, every page once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { CrawlFolder } from '../../src/batch/crawl-folder.ts';
import { build, until } from '../support/cli-binary.ts';
import { crawlFolder, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { type LoopbackSites, loopbackSites } from '../support/loopback-sites.ts';
import { fillUntilDone, QueueWorker } from '../support/queue-workers.ts';
import { Chance } from '../support/random.ts';
import { describeWith } from '../support/real-servers.ts';
import { networkTo, startRedis } from '../support/redis.ts';
import { sized } from '../support/tier.ts';

beforeAll(build, 120_000);

const KILLS = Number(process.env['CRAWL_KILLS'] ?? sized({ fast: 2, full: 25 }));
const LIMIT = { timeout: sized({ fast: 120_000, full: 300_000 }) };
/** Locks of a second and a half: a dead worker's sites come back soon. */
const LOCK = '?lock=1.5';

interface Setting {
  readonly sites: LoopbackSites;
  readonly numbers: readonly number[];
  readonly folder: CrawlFolder;
  readonly homepages: readonly string[];
}

async function setting(count: number): Promise<Setting> {
  const sites = await loopbackSites({ delayMs: 20 });
  const numbers = Array.from({ length: count }, (_, number) => number);
  return { sites, numbers, folder: await crawlFolder(), homepages: numbers.map(sites.homepage) };
}

function expectUndisturbed({ sites, numbers, folder, homepages }: Setting): void {
  const lines = linesOf(folder.path);
  expect(lines.map(({ site }) => site).sort()).toEqual([...homepages].sort());
  const found = pagesBySite(folder.path);
  for (const number of numbers) {
    const site = sites.homepage(number);
    const urls = sites.pages(number);
    const line = lines.find((each) => each.site === site);
    expect([site, line?.outcome, line?.pages, found.get(site) ?? []]).toEqual([
      site,
      urls.length === 0 ? 'none' : 'complete',
      urls.length,
      urls,
    ]);
  }
}

/** Stops the workers, and expects that each ends well. */
async function stopped(workers: readonly QueueWorker[]): Promise<void> {
  const codes = await Promise.all(workers.map((worker) => worker.stop()));
  expect([codes, workers.map(({ said }) => said).join('')]).toEqual([codes.map(() => 0), expect.anything()]);
}

describeWith('redis-server', 'workers on Redis', () => {
  test.each([2, 4])(`%i of them, killed ${KILLS} times at random moments`, LIMIT, async (count) => {
    const place = await setting(40 + 10 * KILLS);
    const redis = await startRedis();
    const url = redis.url + LOCK;
    const seed = Number(process.env['CRAWL_SEED'] ?? Date.now() % 1_000_000);
    const chance = new Chance(seed);
    const workers = Array.from({ length: count }, () => new QueueWorker(place.folder, url));
    let isDone = false;
    const filling = fillUntilDone(place.folder, url, place.homepages, workers).finally(() => {
      isDone = true;
    });
    let kills = 0;
    for (; kills < KILLS && !isDone; kills++) {
      await Promise.race([delay(chance.between(300, 1500)), filling]);
      const at = chance.between(0, count - 1);
      await workers[at]?.kill();
      workers[at] = new QueueWorker(place.folder, url);
    }
    await filling;
    await stopped(workers);
    expect(kills, `seed ${seed}: all sites were finished too early`).toBe(KILLS);
    expectUndisturbed(place);
  });

  test('one is stopped for longer than its locks last, and goes on', LIMIT, async () => {
    const place = await setting(40);
    const { url } = await startRedis();
    const workers = [0, 1].map(() => new QueueWorker(place.folder, url + LOCK));
    const filling = fillUntilDone(place.folder, url + LOCK, place.homepages, workers);
    // It has sites, and some of them are finished.
    await Promise.race([filling, until(() => place.sites.requests >= 20, 'some requests')]);
    workers[0]?.signal('SIGSTOP');
    await delay(3500);
    workers[0]?.signal('SIGCONT');
    await filling;
    await stopped(workers);
    expectUndisturbed(place);
  });

  test('Redis is restarted, and has lost everything', LIMIT, async () => {
    const place = await setting(60);
    const redis = await startRedis();
    const workers = [0, 1].map(() => new QueueWorker(place.folder, redis.url + LOCK));
    const filling = fillUntilDone(place.folder, redis.url + LOCK, place.homepages, workers);
    await Promise.race([filling, until(() => place.sites.requests >= 20, 'some requests')]);
    await redis.stop();
    await delay(sized({ fast: 300, full: 3000 }));
    await redis.start();
    await filling;
    await stopped(workers);
    expectUndisturbed(place);
  });

  test('Redis is not reachable for longer than the locks last', LIMIT, async () => {
    const place = await setting(60);
    const redis = await startRedis();
    const network = await networkTo(redis.port);
    const url = `redis://127.0.0.1:${network.port}${LOCK}`;
    const workers = [0, 1].map(() => new QueueWorker(place.folder, url));
    const filling = fillUntilDone(place.folder, url, place.homepages, workers);
    await Promise.race([filling, until(() => place.sites.requests >= 20, 'some requests')]);
    network.interrupt();
    await delay(sized({ fast: 2500, full: 20_000 }));
    network.restore();
    await filling;
    await stopped(workers);
    expectUndisturbed(place);
  });
});
