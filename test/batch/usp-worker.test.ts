/** What `usp crawl --queue` and `usp worker` say where they cannot work (§14); workers.test.ts has what they do. */
import { describe, expect, test } from 'vitest';
import { usp } from '../support/cli-world.ts';
import { crawlPath } from '../support/crawl-folders.ts';
import { oldRedis } from '../support/redis.ts';
import { isFull } from '../support/tier.ts';

describe('§14 a queue that cannot be used', () => {
  test('a Redis that is not there or too old, and a worker without the secrets of its crawl, are errors that say what to do', async () => {
    const path = crawlPath();
    // One that is not there is waited for: ten seconds. In the fast tier it is too old, which is known at once.
    const address = isFull ? '127.0.0.1:1' : `127.0.0.1:${(await oldRedis()).port}`;
    const queue = ['--queue', `redis://${address}`];
    const crawl = await usp(['crawl', '-', '-o', path, ...queue, '-H', 'X-Key: secret'], {
      stdin: 'example.org',
    });
    expect(crawl.code).toBe(2);
    expect(crawl.stderr).toContain(address);
    expect(crawl.stderr).toContain(isFull ? 'could not be reached' : 'is too old');
    const worker = await usp(['worker', '-o', path, ...queue]);
    expect(worker.code).toBe(2);
    expect(worker.stderr).toMatch(
      /has --header, whose values are not in crawl\.json\.[\s\S]*give the worker/,
    );
  });
});
