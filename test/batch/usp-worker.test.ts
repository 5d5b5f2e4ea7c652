/** What `usp crawl --queue` and `usp worker` say where they cannot work (§14); workers.test.ts has what they do. */
import { describe, expect, test } from 'vitest';
import { usp } from '../support/cli-world.ts';
import { crawlPath } from '../support/crawl-folders.ts';

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
