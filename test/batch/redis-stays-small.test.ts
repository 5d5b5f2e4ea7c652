/** §14.2: Redis stays small. Of a crawl that is done nothing is left there for longer than ten minutes. */
import { beforeAll, expect, test } from 'vitest';
import { build, until } from '../support/cli-binary.ts';
import { killGroup, listOf, QUICK_CRAWL, started, startGroup } from '../support/crawl-command.ts';
import { crawlPath, linesOf } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { QueueWorker, workerCommand } from '../support/queue-workers.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis } from '../support/redis.ts';

beforeAll(build);

describeWith('redis-server', 'Redis after a crawl', () => {
  test('has no key of it but the announcement of its end, which expires', { timeout: 240_000 }, async () => {
    const sites = await loopbackSites();
    const path = crawlPath();
    const { url, client } = await startRedis();
    const worker = started(workerCommand(url));
    const list = listOf(sites, path, [1, 2, 3, 7]);
    const crawl = started(['crawl', list, '-o', path, '--queue', url, ...QUICK_CRAWL]);
    expect([await crawl.finished, await worker.finished]).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(linesOf(path)).toHaveLength(4);
    const redis = client();
    const keys = await redis.keys('*');
    // What a worker wrote in the moment of the end, or to know when locks were last looked at, expires too.
    for (const key of keys) {
      const seconds = await redis.ttl(key);
      expect([key, seconds > 0 && seconds <= 600]).toEqual([key, true]);
    }
    const left = keys.filter((key) => !/:(?:stalled-check|events|id|meta)$/.test(key));
    expect(left).toEqual(['usp:announced:crawl']);
  });

  test('has no key that does not expire, where the crawl and its worker were killed', {
    timeout: 240_000,
  }, async () => {
    const sites = await loopbackSites({ delayMs: 20 });
    const path = crawlPath();
    const redis = await startRedis();
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    const list = listOf(sites, path, numbers);
    const flags = [...QUICK_CRAWL, '--archives'];
    const crawl = startGroup(['crawl', list, '-o', path, '--queue', redis.url, ...flags]);
    const worker = new QueueWorker(redis.url);
    await until(() => sites.requests > 40, 'some requests');
    killGroup(crawl.pid);
    await crawl.finished;
    const after = sites.requests;
    await until(() => sites.requests > after + 20, 'more requests');
    worker.stop();
    await worker.finished;
    const client = redis.client();
    const keys = await client.keys('*');
    expect(keys.length).toBeGreaterThan(50);
    for (const key of keys) {
      const seconds = await client.ttl(key);
      expect([key, seconds > 0 && seconds <= 600]).toEqual([key, true]);
    }
  });
});
