/**
 * §14: workers on Redis. Whatever dies, is stopped or is away for a while, in the end the folder has what an
 * undisturbed crawl finds: one line for each site, every page once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { build, until } from '../support/cli-binary.ts';
import { testIf } from '../support/collected.ts';
import { listOf, QUICK_CRAWL, type Started, started, startedHere } from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { type LoopbackSites, loopbackSites } from '../support/loopback-sites.ts';
import { QueueWorker, workerCommand } from '../support/queue-workers.ts';
import { Chance } from '../support/random.ts';
import { describeWith } from '../support/real-servers.ts';
import { networkTo, startRedis } from '../support/redis.ts';
import { isFull, sized } from '../support/tier.ts';

beforeAll(build);

const KILLS = Number(process.env['CRAWL_KILLS'] ?? sized({ fast: 1, full: 3, strong: 6 }));
const LIMIT = { timeout: 120_000 + 15_000 * KILLS };
/** Locks of three seconds: a dead worker's sites come back soon. */
const LOCK = '?lock=3';

interface Setting {
  readonly sites: LoopbackSites;
  readonly numbers: readonly number[];
  readonly path: string;
  /** Starts `usp crawl --queue`. */
  crawl(url: string): Started;
}

async function setting(count: number, start = started): Promise<Setting> {
  const sites = await loopbackSites({ delayMs: 20 });
  const numbers = Array.from({ length: count }, (_, number) => number);
  const path = crawlPath();
  const list = listOf(sites, path, numbers);
  return {
    ...{ sites, numbers, path },
    crawl: (url) => start(['crawl', list, '-o', path, '--queue', url, ...QUICK_CRAWL]),
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
async function expectEnd(...commands: readonly Started[]): Promise<void> {
  for (const { finished } of commands) {
    const { code, stderr } = await finished;
    expect([code, stderr]).toEqual([0, expect.anything()]);
  }
}

describeWith('redis-server', 'workers on Redis', () => {
  test.each(sized({ fast: [2], full: [3] }))(
    `%i of them, killed ${KILLS} times at random moments`,
    LIMIT,
    async (count) => {
      const place = await setting(20 + 10 * KILLS);
      const redis = await startRedis();
      const url = redis.url + LOCK;
      const seed = Number(process.env['CRAWL_SEED'] ?? Date.now() % 1_000_000);
      const chance = new Chance(seed);
      // In the fast tier one worker is a process, which is killed; the others run here.
      const another = (): Started => started(workerCommand(url));
      const victim = (): QueueWorker => new QueueWorker(url);
      const workers: Started[] = [victim(), ...Array.from({ length: count - 1 }, isFull ? victim : another)];
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
        const at = isFull ? chance.between(0, count - 1) : 0;
        workers[at]?.stop();
        await workers[at]?.finished;
        workers[at] = isFull || kills < KILLS - 1 ? victim() : another();
      }
      await expectEnd(crawl, ...workers);
      expect(kills, `seed ${seed}: all sites were finished too early`).toBe(KILLS);
      expectUndisturbed(place);
    },
  );

  // For a minute the crawl waits until it offers again what Redis has lost: time for the others.
  testIf(isFull)(
    'a worker or Redis is away for longer than locks last, or loses everything',
    LIMIT,
    async () => {
      await Promise.all([
        redisIsRestarted(),
        (async () => {
          await workerIsStopped();
          await redisIsNotReachable();
        })(),
      ]);
    },
  );

  testIf(!isFull)('Redis is restarted, and has lost everything', LIMIT, redisIsRestarted);
});

/** Resolves when sites are crawled and some are finished. */
async function isUnderWay(place: Setting, crawl: Started): Promise<void> {
  await Promise.race([crawl.finished, until(() => place.sites.requests >= 20, 'some requests')]);
}

/** One worker is stopped for longer than its locks last, and goes on. The queue's tests have this without processes. */
async function workerIsStopped(): Promise<void> {
  const place = await setting(25);
  const url = (await startRedis()).url + LOCK;
  const workers = [0, 1].map(() => new QueueWorker(url));
  const crawl = place.crawl(url);
  await isUnderWay(place, crawl);
  workers[0]?.signal('SIGSTOP');
  await delay(3500);
  workers[0]?.signal('SIGCONT');
  await expectEnd(crawl, ...workers);
  expectUndisturbed(place);
}

/** Redis is restarted, and has lost everything. It is Redis that goes away, so the commands can run in this process. */
async function redisIsRestarted(): Promise<void> {
  const place = await setting(30, startedHere);
  const redis = await startRedis();
  const url = redis.url + LOCK;
  const workers = sized({ fast: [0], full: [0, 1] }).map(() => startedHere(workerCommand(url)));
  let crawl = place.crawl(url);
  await isUnderWay(place, crawl);
  await redis.stop();
  await delay(sized({ fast: 300, full: 1500 }));
  await redis.start();
  // Sites that Redis has lost are offered again within a minute, or at once by the same command.
  if (!isFull) {
    crawl.stop();
    await crawl.finished;
    crawl = place.crawl(url);
  }
  await expectEnd(crawl, ...workers);
  expectUndisturbed(place);
}

/** Redis is not reachable for 20 s, longer than the locks last. The queue's tests have this without processes. */
async function redisIsNotReachable(): Promise<void> {
  const place = await setting(30, startedHere);
  const network = await networkTo((await startRedis()).port);
  const url = `redis://127.0.0.1:${network.port}${LOCK}`;
  const workers = [0, 1].map(() => startedHere(workerCommand(url)));
  const crawl = place.crawl(url);
  await isUnderWay(place, crawl);
  network.interrupt();
  await delay(20_000);
  network.restore();
  await expectEnd(crawl, ...workers);
  expectUndisturbed(place);
}
