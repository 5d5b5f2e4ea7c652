/** §14.2: what others put into the queue is not crawled, stops no worker, and is removed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { CrawlDescription } from '../../src/batch/crawl-folder.ts';
import { RedisQueue } from '../../src/batch/redis-queue.ts';
import { build, until } from '../support/cli-binary.ts';
import { listOf, QUICK_CRAWL, startedHere } from '../support/crawl-command.ts';
import { crawlPath, linesOf } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { workerCommand } from '../support/queue-workers.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis } from '../support/redis.ts';

beforeAll(build);

/** What a job may carry that is not a site of the crawl, as Redis has it. */
const DAMAGED: readonly (readonly [name: string, field: string, text: string])[] = [
  ['null', 'data', 'null'],
  ['an object without a site', 'data', '{}'],
  ['a number', 'data', '42'],
  ['a list', 'data', '["https://a.example/"]'],
  ['a site that is not a text', 'data', '{"site":{}}'],
  ['a site that is not of the crawl', 'data', '{"site":"https://other.example/"}'],
  ['what is not JSON', 'data', '{"site":'],
  ['one with options that are not JSON', 'opts', '{"attempts":'],
];

describeWith('redis-server', '§14.2 a job that is', () => {
  test.each(DAMAGED)('%s is removed and reported, and the next one is taken', async (_name, field, text) => {
    const redis = await startRedis();
    const client = redis.client();
    const said: string[] = [];
    const warn = (message: string): void => void said.push(message);
    const queue = await RedisQueue.open({ url: redis.url, name: 'crawl', key: 'key', warn });
    try {
      await queue.add(['https://a.example/', 'https://b.example/']);
      const [first = ''] = await client.keys('usp:crawl:s-*');
      await client.hset(first, field, text);
      const crawled: string[] = [];
      const stop = new AbortController();
      const working = queue.work(async (site) => void crawled.push(site), {
        atOnce: 1,
        signal: stop.signal,
      });
      await until(() => said.length > 0 && crawled.length > 0, 'the report');
      stop.abort();
      await working;
      expect(['https://a.example/', 'https://b.example/']).toContain(crawled.join());
      expect(said).toEqual([
        expect.stringMatching(
          /^the queue had a job that is not of this crawl \(s-[\da-f]{32}\), which was removed\.$/,
        ),
      ]);
      expect(await client.keys('usp:crawl:s-*')).toEqual([]);
    } finally {
      await queue.close();
    }
  });

  test('of another crawl is not crawled by a worker, which ends with its crawl', {
    timeout: 120_000,
  }, async () => {
    const asked = new Set<number>();
    const sites = await loopbackSites({ onRequest: (number) => void asked.add(number) });
    const path = crawlPath();
    const redis = await startRedis();
    const list = listOf(sites, path, [0, 1, 2, 3]);
    const crawl = startedHere(['crawl', list, '-o', path, ...QUICK_CRAWL, '--queue', redis.url]);
    await until(() => existsSync(join(path, 'crawl.json')), 'the crawl');
    const { id: name } = JSON.parse(readFileSync(join(path, 'crawl.json'), 'utf8')) as CrawlDescription;
    // As the neighbour would add it: with BullMQ, and a key of its own.
    const other = await RedisQueue.open({ url: redis.url, name, key: 'another key' });
    await other.add([sites.homepage(9)]);
    await other.close();
    const worker = startedHere(workerCommand(redis.url));
    for (const { finished } of [crawl, worker]) expect((await finished).code).toBe(0);
    expect((await worker.finished).stderr).toContain('a job that is not of this crawl');
    expect(
      linesOf(path)
        .map(({ site }) => site)
        .sort(),
    ).toEqual([0, 1, 2, 3].map(sites.homepage).sort());
    expect(asked.has(9)).toBe(false);
  });
});
