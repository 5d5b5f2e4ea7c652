/** §14.4: how a crawl is announced to workers, who has its name, and what a shared secret protects. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type AnnouncedCrawl,
  announce,
  announcements,
  DONE,
  waitForCrawl,
  watchCrawl,
} from '../../src/batch/announced-crawl.ts';
import type { CrawlDescription } from '../../src/batch/crawl-folder.ts';
import { RedisQueue } from '../../src/batch/redis-queue.ts';
import { build } from '../support/cli-binary.ts';
import type { Told } from '../support/cli-world.ts';
import { crawlHere, listOf, QUICK_CRAWL } from '../support/crawl-command.ts';
import { crawlPath, linesOf } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { workerCommand } from '../support/queue-workers.ts';
import { describeWith } from '../support/real-servers.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';

beforeAll(build);

const NAME = 'usp:announced:crawl';

const crawlOf = (id: string = randomUUID()): AnnouncedCrawl => ({
  ...{ id, version: '1.2.3', format: 'ndjson', options: {}, state: 'running', key: 'key' },
});

/** Announces a crawl as `usp crawl` does; the end of the test ends it. */
async function announced(redis: RedisServer, crawl: AnnouncedCrawl, secret?: string) {
  const queue = await RedisQueue.open({ url: redis.url, name: crawl.id, key: secret ?? crawl.key });
  const announcement = await announce(
    (command, signal) => queue.ask(command, signal),
    redis.url,
    crawl,
    secret,
    20,
  );
  onTestFinished(async () => {
    await announcement.end('stopped');
    await queue.close();
  });
  return { ...announcement, queue };
}

async function looking(redis: RedisServer, secret?: string) {
  const looks = await announcements(redis.url, secret);
  onTestFinished(() => looks.close());
  return looks;
}

/** Runs a command in this process, until it or the test ends. */
function running(argv: readonly string[], secret?: string): Promise<Told> {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  return crawlHere(argv, {
    signal: ending.signal,
    env: secret === undefined ? {} : { USP_QUEUE_KEY: secret },
  });
}

async function untilTrue(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(20);
}

test('§14.4 a crawl that ends does not wait for a renewal of its announcement that waits for Redis', async () => {
  let calls = 0;
  const ask = <Value>(_command: unknown, signal: AbortSignal | undefined): Promise<Value> =>
    ++calls === 2
      ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      : Promise.resolve(null as Value);
  const { end } = await announce(ask, 'redis://localhost/', crawlOf(), undefined, 1);
  await untilTrue(() => calls === 2);
  await end('done');
  expect(calls).toBe(3);
});

describeWith('redis-server', '§14.4 the name of a crawl', () => {
  test('is given to one of two crawls that take it at the same moment; the other one says who has it', async () => {
    const redis = await startRedis();
    const crawls = [crawlOf(), crawlOf()];
    const results = await Promise.allSettled(crawls.map((crawl) => announced(redis, crawl)));
    const winner = results.findIndex(({ status }) => status === 'fulfilled');
    expect(results[1 - winner]).toMatchObject({
      status: 'rejected',
      reason: { code: 'queue-in-use', message: expect.stringContaining(String(crawls[winner]?.id)) },
    });
  });

  test('stays as the end of its crawl leaves it, although an earlier announcement was late', async () => {
    const redis = await startRedis();
    const crawl = crawlOf();
    const queue = await RedisQueue.open({ url: redis.url, name: crawl.id, key: crawl.key });
    onTestFinished(() => queue.close());
    const back = new AbortController();
    const redisIsBack = new Promise((resolve) => void back.signal.addEventListener('abort', resolve));
    const commands: Promise<unknown>[] = [];
    const { end } = await announce(
      (command, signal) => {
        const ask = () => queue.ask(command, signal);
        const asked = commands.length === 1 ? redisIsBack.then(ask) : ask();
        commands.push(asked);
        return asked;
      },
      redis.url,
      crawl,
      undefined,
      20,
    );
    await untilTrue(() => commands.length === 2);
    const ended = end('done');
    await Promise.race([ended, delay(300)]);
    back.abort();
    await ended;
    await Promise.allSettled(commands);
    expect(await redis.client().hget(NAME, 'state')).toBe('done');
  });

  test('is not waited for by a worker that ends while Redis gives no response', async () => {
    const redis = await startRedis();
    const looks = await looking(redis);
    await redis.client().client('PAUSE', 60_000, 'ALL');
    const stop = new AbortController();
    const watching = watchCrawl(looks, crawlOf(), new AbortController(), stop.signal);
    stop.abort();
    expect(await Promise.race([watching.then(() => 'ended'), delay(10_000, 'hangs')])).toBe('ended');
  });

  test('is free again when its crawl is stopped or done', async () => {
    const redis = await startRedis();
    for (const state of ['stopped', 'done'] as const) {
      const { end } = await announced(redis, crawlOf());
      await end(state);
    }
    await expect(announced(redis, crawlOf())).resolves.toBeDefined();
  });

  test('comes back to a crawl that was away for longer than it lasts', async () => {
    const redis = await startRedis();
    const crawl = crawlOf();
    await announced(redis, crawl);
    await redis.client().del(NAME);
    await untilTrue(async () => (await redis.client().hget(NAME, 'id')) === crawl.id);
  });

  test('is lost to a crawl that has taken it meanwhile, and the crawl ends with a sentence', async () => {
    const redis = await startRedis();
    const { lost } = await announced(redis, crawlOf());
    const other = randomUUID();
    await redis.client().hset(NAME, 'id', other, 'state', 'running');
    await untilTrue(() => lost.aborted);
    expect(lost.reason).toMatchObject({ code: 'queue-in-use', message: expect.stringContaining(other) });
  });

  test('keeps the crawls of one Redis apart', { timeout: 120_000 }, async () => {
    const sites = await loopbackSites();
    const { url } = await startRedis();
    const paths = [crawlPath(), crawlPath()];
    const commands = paths.flatMap((path, at) => {
      const queue = `${url}?crawl=name-${at}`;
      const list = listOf(sites, path, [at, at + 2]);
      return [
        running(['crawl', list, '-o', path, '--queue', queue, ...QUICK_CRAWL]),
        running(workerCommand(queue)),
      ];
    });
    for (const { code } of await Promise.all(commands)) expect(code).toBe(0);
    for (const [at, path] of paths.entries())
      expect(
        linesOf(path)
          .map(({ site }) => site)
          .sort(),
      ).toEqual([at, at + 2].map(sites.homepage).sort());
  });
});

describeWith('redis-server', '§14.4 a worker', () => {
  const say = (): void => {};
  const signal = new AbortController().signal;

  test('ends with its crawl, and waits for the next one where that ended before it was started', async () => {
    const redis = await startRedis();
    const { end } = await announced(redis, crawlOf());
    const looks = await looking(redis);
    const startedAt = performance.now() - 1_000;
    await end('done');
    expect(await waitForCrawl(looks, { startedAt, signal, say })).toBeUndefined();
    // As if that was 100 seconds ago.
    await redis.client().expire(NAME, 500);
    await expect(waitForCrawl(looks, { startedAt, signal, say, waitMs: 1 })).rejects.toMatchObject({
      code: 'queue-silent',
    });
  });

  test.each([
    ['is done', 'done', DONE],
    ['has lost its name', 'other', { code: 'queue-in-use' }],
    ['is silent for too long', 'silent', { code: 'queue-silent' }],
  ] as const)('knows when its crawl %s', async (_title, how, reason) => {
    const redis = await startRedis();
    const crawl = crawlOf();
    const { end } = await announced(redis, crawl);
    const [gone, ended] = [new AbortController(), new AbortController()];
    onTestFinished(() => ended.abort());
    const watching = watchCrawl(
      await looking(redis),
      crawl,
      gone,
      ended.signal,
      how === 'silent' ? 1 : undefined,
    );
    await end(how === 'done' ? 'done' : 'stopped');
    if (how === 'other') await announced(redis, crawlOf());
    await watching;
    expect(gone.signal.reason).toMatchObject(reason);
  });

  test('ends when its crawl is done, although a site that another worker has finished keeps it busy', async () => {
    let isAsked = false;
    const sites = await loopbackSites({
      held: new Promise(() => {}),
      onRequest: () => {
        isAsked = true;
      },
    });
    const redis = await startRedis();
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    const { queue, end } = await announced(redis, {
      ...crawlOf(),
      version,
      options: { useKnownPaths: false },
    });
    await queue.add([sites.homepage(1)]);
    const worker = running(workerCommand(redis.url));
    await untilTrue(() => isAsked);
    await end('done');
    expect(await worker).toMatchObject({ code: 0 });
  });
});

describeWith('redis-server', '§14.4 with a shared secret', () => {
  test('a crawl with three workers ends well, and the secret is not in Redis', {
    timeout: 120_000,
  }, async () => {
    const sites = await loopbackSites();
    const path = crawlPath();
    const redis = await startRedis();
    const numbers = [0, 1, 2, 3, 4, 5];
    const list = listOf(sites, path, numbers);
    const argv = ['crawl', list, '-o', path, '--queue', redis.url, ...QUICK_CRAWL, '--archives'];
    const commands = [argv, ...Array.from({ length: 3 }, () => workerCommand(redis.url))];
    const ends = await Promise.all(commands.map((command) => running(command, 'a secret')));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(linesOf(path)).toHaveLength(numbers.length);
    const { key } = JSON.parse(readFileSync(join(path, 'crawl.json'), 'utf8')) as CrawlDescription;
    const text = JSON.stringify(await redis.client().hgetall(NAME));
    expect(text).toContain('done');
    expect([text.includes('a secret'), text.includes(key)]).toEqual([false, false]);
  });

  test.each([
    ['one', undefined, 'This worker has a USP_QUEUE_KEY, and the crawl in the queue is not signed'],
    [undefined, 'one', 'The crawl in the queue is signed, and this worker has no USP_QUEUE_KEY'],
    [
      'one',
      'another',
      'The crawl in the queue is signed with another USP_QUEUE_KEY than that of this worker',
    ],
  ])(
    'a worker with %s in a crawl with %s says so, and takes nothing out of the queue',
    async (own, ofCrawl, why) => {
      const redis = await startRedis();
      const crawl = crawlOf();
      const { queue } = await announced(redis, crawl, ofCrawl);
      await queue.add(['https://a.example/']);
      const worker = await running(workerCommand(redis.url), own);
      expect(worker.code).toBe(2);
      expect(worker.stderr).toContain(`usp: ${why}. Set the variable to the same secret`);
      expect(await redis.client().llen(`usp:${crawl.id}:wait`)).toBe(1);
    },
  );

  test('an empty one is an error', async () => {
    const worker = await running(['worker', '--queue', 'redis://127.0.0.1:1'], '');
    expect(worker).toMatchObject({ code: 2, stderr: expect.stringContaining('USP_QUEUE_KEY is empty.') });
  });

  test('an announcement that others have changed is not believed', async () => {
    const redis = await startRedis();
    const crawl = crawlOf();
    const { end } = await announced(redis, crawl, 'secret');
    await end('stopped');
    const looks = await looking(redis, 'secret');
    expect(await looks.now()).toMatchObject({ crawl: { id: crawl.id, state: 'stopped' } });
    const client = redis.client();
    const changes = [
      ['state', 'done'],
      ['id', randomUUID()],
      ['text', '{}'],
      ['signature', ''],
    ] as const;
    for (const [field, text] of changes) {
      const before = (await client.hget(NAME, field)) ?? '';
      await client.hset(NAME, field, text);
      await expect(looks.now()).rejects.toMatchObject({ code: 'queue-key' });
      await client.hset(NAME, field, before);
    }
    // Nor is that of another name.
    await client.copy(NAME, 'usp:announced:other');
    const others = await announcements(`${redis.url}?crawl=other`, 'secret');
    await expect(others.now()).rejects.toMatchObject({ code: 'queue-key' });
    others.close();
  });
});
