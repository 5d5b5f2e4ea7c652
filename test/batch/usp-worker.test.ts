/** What `usp crawl --queue` and `usp worker` say where they cannot work (§14); workers.test.ts has what they do. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { build } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { startGroup } from '../support/crawl-command.ts';
import { crawlPath } from '../support/crawl-folders.ts';
import { withMoreTime } from '../support/more-time.ts';
import { oldRedis } from '../support/redis.ts';
import { isFull } from '../support/tier.ts';

beforeAll(build);

describe('§14 a queue that cannot be used', () => {
  test('a worker is not given a file instead of a folder', async () => {
    const path = crawlPath();
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    const worker = await usp(['worker', '-o', path, '--queue', 'redis://127.0.0.1:1']);
    expect(worker).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${path} cannot be read as the folder of a crawl: `),
    });
  });

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
    const other = await usp(['worker', '-o', path, ...queue], { version: '1.2.4' });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(`The crawl in ${path} runs with version 1.2.3, and this worker is 1.2.4.`);
    expect(other.stderr).toContain('install the same version on every machine, and start usp crawl first.');
    // A crawl that goes on with another version says so for its workers.
    await usp(['crawl', '-', '-o', path, ...queue, '-H', 'X-Key: secret'], {
      ...{ stdin: 'example.org', version: '1.2.4' },
    });
    expect(JSON.parse(readFileSync(join(path, 'crawl.json'), 'utf8'))).toMatchObject({ version: '1.2.4' });
  });

  test('a worker that is started before its crawl says how long it waits', async () => {
    await withMoreTime([300, 3_000, 30_000], async (ms) => {
      const stop = new AbortController();
      const path = crawlPath();
      const running = usp(['worker', '-o', path, '--queue', 'redis://127.0.0.1:1'], { signal: stop.signal });
      setTimeout(() => stop.abort(), ms);
      const { stderr } = await running;
      expect(stderr).toContain(`waiting up to 10 minutes for usp crawl --queue … -o ${path}`);
    });
  });

  test('a worker without the packages of the queue says so at once, and waits for no crawl', async () => {
    const path = crawlPath();
    const hooks = join(dirname(path), 'hooks.mjs');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      hooks,
      `import { register } from 'node:module';
       register('data:text/javascript,' + encodeURIComponent(\`export async function resolve(name, context, next) {
         if (name === 'bullmq' || name === 'ioredis') throw new Error('not installed');
         return next(name, context);
       }\`));`,
    );
    vi.stubEnv('NODE_OPTIONS', `--import=${pathToFileURL(hooks).href}`);
    try {
      const { code, stderr } = await startGroup(['worker', '-o', path, '--queue', 'redis://127.0.0.1:1'])
        .finished;
      expect(code).toBe(2);
      expect(stderr).toContain(
        'A queue on Redis needs two more packages. Install them beside this one: npm install bullmq ioredis',
      );
      expect(stderr).not.toContain('waiting');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
