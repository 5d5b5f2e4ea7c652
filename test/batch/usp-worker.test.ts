/** What `usp crawl --queue` and `usp worker` say where they cannot work (§14); workers.test.ts has what they do. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CrawlDescription } from '../../src/batch/crawl-folder.ts';
import { build } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { listOf, QUICK_CRAWL, startedHere, startGroup } from '../support/crawl-command.ts';
import { crawlPath, linesOf } from '../support/crawl-folders.ts';
import { folder } from '../support/folder.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { withMoreTime } from '../support/more-time.ts';
import { canMount, IS_POSIX } from '../support/platform.ts';
import { workerCommand } from '../support/queue-workers.ts';
import { describeWith } from '../support/real-servers.ts';
import { oldRedis, startRedis } from '../support/redis.ts';
import { isFull } from '../support/tier.ts';

beforeAll(build);

describe('§14 a queue that cannot be used', () => {
  test('a worker that is given a folder says that it needs none', async () => {
    const worker = await usp(['worker', '-o', 'crawl', '--queue', 'redis://127.0.0.1:1']);
    expect(worker).toMatchObject({ code: 2, stderr: expect.stringContaining('a worker needs no folder') });
  });

  test('a Redis that is not there or too old is an error that says what to do', async () => {
    const path = crawlPath();
    // One that is not there is waited for: ten seconds. In the fast tier it is too old, which is known at once.
    const address = isFull ? '127.0.0.1:1' : `127.0.0.1:${(await oldRedis()).port}`;
    const queue = ['--queue', `redis://${address}`];
    const crawl = usp(['crawl', '-', '-o', path, ...queue], { stdin: 'example.org' });
    for (const { code, stderr } of await Promise.all([crawl, usp(['worker', ...queue])])) {
      expect(code).toBe(2);
      expect(stderr).toContain(address);
      expect(stderr).toContain(isFull ? 'could not be reached' : 'is too old');
    }
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
      const { code, stderr } = await startGroup(['worker', '--queue', 'redis://127.0.0.1:1']).finished;
      expect(code).toBe(2);
      expect(stderr).toContain(
        'A queue on Redis needs two more packages. Install them beside this one: npm install bullmq ioredis',
      );
      expect(stderr).not.toContain('waiting');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  testIf(IS_POSIX)('a worker that cannot write its temporary files says so before it waits', async () => {
    vi.stubEnv('TMPDIR', '/dev/null');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, stderr } = await usp(['worker', '--queue', 'redis://127.0.0.1:1']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^usp: \/dev\/null\/usp-workers-\d+ cannot be written: .+ Set TMPDIR to a folder/);
  });

  // It is the user of the tests under another number: another user may not read the checkout.
  const [program, ...args] = ['unshare', '--user', '--map-user=54321'] as const;
  testIf(spawnSync(program, [...args, 'true']).status === 0)(
    'a worker of a user without a name, as in many containers, works',
    async () => {
      const temporary = folder();
      const address = `127.0.0.1:${(await oldRedis()).port}`;
      const worker = startGroup(['worker', '--queue', `redis://${address}`], {
        env: { TMPDIR: temporary },
        before: [program, ...args],
      });
      const { code, stderr } = await worker.finished;
      expect([code, stderr]).toEqual([2, expect.stringContaining('is too old')]);
      expect(readdirSync(temporary)).toEqual(['usp-workers-54321']);
    },
  );
});

describeWith('redis-server', '§14 a worker', () => {
  test('that is started before its crawl says how long it waits, and takes part in it', async () => {
    const sites = await loopbackSites();
    const path = crawlPath();
    const { url } = await startRedis();
    await withMoreTime([300, 3_000, 30_000], async (ms) => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), ms);
      const { stderr } = await usp(['worker', '--queue', url], { signal: stop.signal });
      expect(stderr).toContain('waiting up to 10 minutes for usp crawl --queue');
    });
    const worker = startedHere(workerCommand(url));
    const list = listOf(sites, path, [1, 2]);
    const crawl = startedHere(['crawl', list, '-o', path, '--queue', url, ...QUICK_CRAWL]);
    expect([await crawl.finished, await worker.finished]).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(linesOf(path)).toHaveLength(2);
  });

  test('without the secrets of its crawl, or of another version, is refused, and takes no site', async () => {
    const sites = await loopbackSites();
    const path = crawlPath();
    const redis = await startRedis();
    const queue = ['--queue', redis.url];
    const list = listOf(sites, path, [1]);
    const argv = ['crawl', list, '-o', path, ...queue, ...QUICK_CRAWL, '-H', 'X-Key: secret'];
    const crawl = startedHere(argv);
    const client = redis.client();
    while ((await client.keys('usp:*:wait')).length === 0) await delay(20);
    const { id, version } = JSON.parse(readFileSync(join(path, 'crawl.json'), 'utf8')) as CrawlDescription;
    const other = await usp(['worker', ...queue], { version: '1.2.4' });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(`The crawl runs with version ${version}, and this worker is 1.2.4.`);
    expect(other.stderr).toContain('install the same version on every machine, and start usp crawl first.');
    const worker = await usp(['worker', ...queue], { version });
    expect(worker.code).toBe(2);
    expect(worker.stderr).toMatch(
      /has --header; such secrets are not in Redis\.[\s\S]*start the worker with the same flags/,
    );
    expect([await client.llen(`usp:${id}:wait`), sites.requests]).toEqual([1, 0]);
    expect(JSON.stringify(await client.hgetall('usp:announced:crawl'))).not.toContain('secret');
    crawl.stop();
    await crawl.finished;
  });

  test('uses no proxy of its environment for a crawl with --proxy none', async () => {
    const sites = await loopbackSites();
    const path = crawlPath();
    const { url } = await startRedis();
    vi.stubEnv('http_proxy', 'http://127.0.0.1:1');
    vi.stubEnv('no_proxy', '');
    vi.stubEnv('NO_PROXY', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const list = listOf(sites, path, [1]);
    const argv = ['crawl', list, '-o', path, '--queue', url, ...QUICK_CRAWL, '--proxy', 'none'];
    const [crawl, worker] = [startedHere(argv), startedHere(workerCommand(url))];
    expect([await crawl.finished, await worker.finished]).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(linesOf(path)).toMatchObject([{ outcome: 'complete' }]);
  });

  test('that has a wrong certificate leaves nothing behind', async () => {
    const sites = await loopbackSites();
    const [path, temporary] = [crawlPath(), folder()];
    const { url } = await startRedis();
    const crawl = startedHere([
      ...['crawl', listOf(sites, path, [1]), '-o', path, '--queue', url],
      ...QUICK_CRAWL,
    ]);
    const certificate = join(temporary, 'certificate.pem');
    writeFileSync(certificate, 'not a certificate');
    const worker = startGroup(['worker', '--queue', url, '--cert', certificate], {
      env: { TMPDIR: temporary },
    });
    const { code, stderr } = await worker.finished;
    expect([code, stderr]).toEqual([2, expect.stringContaining('The option --cert must be')]);
    const [workers = ''] = readdirSync(temporary).filter((name) => name.startsWith('usp-workers-'));
    expect(readdirSync(join(temporary, workers))).toEqual([]);
    crawl.stop();
    await crawl.finished;
  });

  testIf(canMount())('whose disk is full takes no further sites out of the queue', async () => {
    const requested = new Set<number>();
    const sites = await loopbackSites({ onRequest: (number) => requested.add(number) });
    const [path, disk] = [crawlPath(), folder()];
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
    onTestFinished(() => void execFileSync('umount', ['-l', disk]));
    const redis = await startRedis();
    const numbers = Array.from({ length: 1_000 }, (_, number) => number);
    const crawl = startedHere([
      ...['crawl', listOf(sites, path, numbers), '-o', path, '--queue', redis.url],
      ...QUICK_CRAWL,
    ]);
    const client = redis.client();
    const left = async (list: 'wait' | 'active'): Promise<number> => {
      const [key = ''] = await client.keys(`usp:*:${list}`);
      return client.llen(key);
    };
    while ((await left('wait')) < numbers.length) await delay(20);
    writeFileSync(join(disk, 'full'), Buffer.alloc(56 * 1024));
    const worker = startGroup([...workerCommand(redis.url), '--sites-at-once', '32'], {
      env: { TMPDIR: disk },
    });
    const { code, stderr } = await worker.finished;
    expect([code, stderr]).toEqual([2, expect.stringContaining('no space is left on the device')]);
    expect((await left('wait')) + (await left('active')) + requested.size).toBeGreaterThanOrEqual(
      numbers.length,
    );
    crawl.stop();
    await crawl.finished;
  });
});
