/** `usp crawl --queue` and `usp worker` (§14), with a real Redis: the same result, whatever dies. */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { build, until } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { crawlToEnd, killGroup, listOf, QUICK_CRAWL, startGroup } from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { type LoopbackSites, loopbackSites } from '../support/loopback-sites.ts';
import { Chance } from '../support/random.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis } from '../support/redis.ts';
import { isFull, sized } from '../support/tier.ts';

beforeAll(build, 120_000);

const KILLS = sized({ fast: 1, full: 6 });

function expectAll(path: string, sites: LoopbackSites, numbers: readonly number[]): void {
  expect(
    linesOf(path)
      .map(({ site }) => site)
      .sort(),
  ).toEqual(numbers.map(sites.homepage).sort());
  const withPages = numbers.filter((number) => sites.pages(number).length > 0);
  expect(pagesBySite(path)).toEqual(
    new Map(withPages.map((number) => [sites.homepage(number), sites.pages(number)])),
  );
}

describeWith('redis-server', '§14 usp worker', () => {
  test(`two workers, killed ${KILLS} times find what one crawl finds`, {
    timeout: 300_000,
  }, async () => {
    const redis = await startRedis();
    const sites = await loopbackSites({ delayMs: 5 });
    const path = crawlPath();
    const numbers = Array.from({ length: 60 + KILLS * 30 }, (_, number) => number);
    const queue = `${redis.url}?lock=2`;
    const crawl = startGroup([
      ...['crawl', listOf(sites, path, numbers), '-o', path, '--queue', queue],
      ...QUICK_CRAWL,
    ]);
    const work = ['--processes', '1', '--sites-at-once', '4', '--publish-every', '0.05'];
    const start = () => startGroup(['worker', '--queue', queue, '-o', path, ...work]);
    const workers = [start(), start()];
    const chance = new Chance(Date.now() % 1_000_000);
    for (let kill = 0; kill < KILLS; kill++) {
      await Promise.race([delay(chance.between(300, 2_000)), crawl.finished]);
      killGroup(workers[kill % 2]!.pid);
      workers[kill % 2] = start();
    }
    if (isFull) {
      // Stopped for longer than its locks: the other one has its sites by then.
      const stopped = workers[0]!;
      process.kill(-stopped.pid, 'SIGSTOP');
      await Promise.race([delay(4_000), crawl.finished]);
      process.kill(-stopped.pid, 'SIGCONT');
    }
    const { code, stderr } = await crawl.finished;
    expect(stderr).toContain(`${numbers.length} sites (`);
    expect(code).toBe(0);
    for (const worker of workers) expect((await worker.finished).code).toBe(0);
    expectAll(path, sites, numbers);
  });

  test.runIf(isFull)('a Redis that is emptied loses nothing', async () => {
    const redis = await startRedis();
    const sites = await loopbackSites({ delayMs: 5 });
    const path = crawlPath();
    const numbers = [0, 1, 2, 3, 4, 5, 6];
    const argv = ['crawl', listOf(sites, path, numbers), '-o', path, '--queue', redis.url, ...QUICK_CRAWL];
    const first = startGroup(argv);
    await until(() => first.written.stderr.includes('waiting for workers'), 'the queue');
    killGroup(first.pid);
    await first.finished;
    await redis.client().flushall();
    const crawl = startGroup(argv);
    const worker = await crawlToEnd(['worker', '--queue', redis.url, '-o', path, '--processes', '1']);
    expect(worker.stderr).toContain('7 sites finished by all workers');
    expect((await crawl.finished).code).toBe(0);
    expectAll(path, sites, numbers);
  });
});

describe('§14 a queue that cannot be used', () => {
  test('a Redis that is not there, and a worker without the secrets of its crawl, are errors that say what to do', async () => {
    const path = crawlPath();
    const queue = ['--queue', 'redis://127.0.0.1:1'];
    const crawl = await usp(['crawl', '-', '-o', path, ...queue, '-H', 'X-Key: secret'], {
      stdin: 'example.org',
    });
    expect(crawl.code).toBe(2);
    expect(crawl.stderr).toContain('127.0.0.1:1');
    const worker = await usp(['worker', '-o', path, ...queue]);
    expect(worker.code).toBe(2);
    expect(worker.stderr).toMatch(
      /has --header, whose values are not in crawl\.json\.[\s\S]*give the worker/,
    );
  });
});
