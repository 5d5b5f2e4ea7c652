/**
 * §14: workers on Redis. Whatever dies, is stopped or is away for a while, in the end the folder has what an undisturbed
 * crawl finds: one line for each site, every page once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { build, type Running, until } from '../support/cli-binary.ts';
import { killGroup, listOf, QUICK_CRAWL, startGroup } from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { type LoopbackSites, loopbackSites } from '../support/loopback-sites.ts';
import { QueueWorker } from '../support/queue-workers.ts';
import { Chance } from '../support/random.ts';
import { describeWith } from '../support/real-servers.ts';
import { networkTo, startRedis } from '../support/redis.ts';
import { isFull, sized } from '../support/tier.ts';

beforeAll(build, 120_000);

const KILLS = Number(process.env['CRAWL_KILLS'] ?? sized({ fast: 2, full: 4 }));
const LIMIT = { timeout: 120_000 + 15_000 * KILLS };
/** Locks of three seconds: a dead worker's sites come back soon. */
const LOCK = '?lock=3';

interface Setting {
  readonly sites: LoopbackSites;
  readonly numbers: readonly number[];
  readonly path: string;
  /** Starts `usp crawl --queue`. */
  crawl(url: string): Running & { readonly pid: number };
}

async function setting(count: number): Promise<Setting> {
  const sites = await loopbackSites({ delayMs: 20 });
  const numbers = Array.from({ length: count }, (_, number) => number);
  const path = crawlPath();
  const list = listOf(sites, path, numbers);
  return {
    ...{ sites, numbers, path },
    crawl: (url) => startGroup(['crawl', list, '-o', path, '--queue', url, ...QUICK_CRAWL]),
  };
}

function expectUndisturbed({ sites, numbers, path }: Setting): void {
  const lines = linesOf(path);
  expect(lines.map(({ site }) => site).sort()).toEqual(numbers.map(sites.homepage).sort());
  const found = pagesBySite(path);
  for (const number of numbers) {
    const site = sites.homepage(number);
    const urls = sites.pages(number);
    const line = lines.find((each) => each.site === site);
    const why = line?.outcome === 'failed' ? line.reason : undefined;
    expect([site, why, line?.outcome, line?.pages, found.get(site) ?? []]).toEqual([
      site,
      undefined,
      urls.length === 0 ? 'none' : 'complete',
      urls.length,
      urls,
    ]);
  }
}

/** Expects that the crawl and its workers end well by themselves. */
async function expectEnd(crawl: Running, workers: readonly QueueWorker[]): Promise<void> {
  const { code, stderr } = await crawl.finished;
  expect([code, stderr]).toEqual([0, expect.anything()]);
  for (const worker of workers) expect(await worker.ended()).toEqual([0, expect.anything()]);
}

describeWith('redis-server', 'workers on Redis', () => {
  test.each(sized({ fast: [2], full: [2, 4] }))(
    `%i of them, killed ${KILLS} times at random moments`,
    LIMIT,
    async (count) => {
      const place = await setting(20 + 10 * KILLS);
      const redis = await startRedis();
      const url = redis.url + LOCK;
      const seed = Number(process.env['CRAWL_SEED'] ?? Date.now() % 1_000_000);
      const chance = new Chance(seed);
      const workers = Array.from({ length: count }, () => new QueueWorker(place.path, url));
      const crawl = place.crawl(url);
      let isDone = false;
      crawl.finished.then(() => {
        isDone = true;
      });
      let kills = 0;
      for (; kills < KILLS && !isDone; kills++) {
        // In the middle of work, not before it has begun.
        const before = place.sites.requests;
        await Promise.race([
          until(() => place.sites.requests > before + 8, 'more requests').then(() =>
            delay(chance.between(0, 300)),
          ),
          crawl.finished,
        ]);
        const at = chance.between(0, count - 1);
        await workers[at]?.kill();
        workers[at] = new QueueWorker(place.path, url);
      }
      await expectEnd(crawl, workers);
      expect(kills, `seed ${seed}: all sites were finished too early`).toBe(KILLS);
      expectUndisturbed(place);
    },
  );

  // The tests of the queue hold the same without processes, in every tier.
  test.runIf(isFull)('one is stopped for longer than its locks last, and goes on', LIMIT, async () => {
    const place = await setting(40);
    const { url } = await startRedis();
    const workers = [0, 1].map(() => new QueueWorker(place.path, url + LOCK));
    const crawl = place.crawl(url + LOCK);
    // It has sites, and some of them are finished.
    await Promise.race([crawl.finished, until(() => place.sites.requests >= 20, 'some requests')]);
    workers[0]?.signal('SIGSTOP');
    await delay(3500);
    workers[0]?.signal('SIGCONT');
    await expectEnd(crawl, workers);
    expectUndisturbed(place);
  });

  test('Redis is restarted, and has lost everything', LIMIT, async () => {
    const place = await setting(60);
    const redis = await startRedis();
    const workers = [0, 1].map(() => new QueueWorker(place.path, redis.url + LOCK));
    let crawl = place.crawl(redis.url + LOCK);
    await Promise.race([crawl.finished, until(() => place.sites.requests >= 20, 'some requests')]);
    await redis.stop();
    await delay(sized({ fast: 300, full: 1500 }));
    await redis.start();
    // Sites that Redis has lost are offered again within a minute, or at once by the same command.
    if (!isFull) {
      killGroup(crawl.pid);
      crawl = place.crawl(redis.url + LOCK);
    }
    await expectEnd(crawl, workers);
    expectUndisturbed(place);
  });

  test.runIf(isFull)('Redis is not reachable for 20 s, longer than the locks last', LIMIT, async () => {
    const place = await setting(60);
    const redis = await startRedis();
    const network = await networkTo(redis.port);
    const url = `redis://127.0.0.1:${network.port}${LOCK}`;
    const workers = [0, 1].map(() => new QueueWorker(place.path, url));
    const crawl = place.crawl(url);
    await Promise.race([crawl.finished, until(() => place.sites.requests >= 20, 'some requests')]);
    network.interrupt();
    await delay(sized({ fast: 2500, full: 20_000 }));
    network.restore();
    await expectEnd(crawl, workers);
    expectUndisturbed(place);
  });
});
