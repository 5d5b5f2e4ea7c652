/** Specification §14: the queue on Redis, and what goes wrong with Redis. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Job, Queue } from '../../src/batch/queue.ts';
import { type BullmqQueueOptions, openBullmqQueue } from '../../src/batch/redis-queue.ts';
import { closedPort } from '../server/raw-server.ts';
import { withMoreTime } from '../support/more-time.ts';
import { describeWith } from '../support/real-servers.ts';
import { listening, networkTo, oldRedis, startRedis } from '../support/redis.ts';

const NEVER = new AbortController().signal;

interface OpenOptions extends Partial<BullmqQueueOptions> {
  readonly url: string;
  readonly lockMs?: number;
  readonly outageMs?: number;
}

async function open({ lockMs, outageMs, ...options }: OpenOptions): Promise<Queue> {
  const limits = [
    ...(lockMs === undefined ? [] : [`lock=${lockMs / 1000}`]),
    ...(outageMs === undefined ? [] : [`outage=${outageMs / 1000}`]),
  ];
  const url = limits.length === 0 ? options.url : `${options.url}?${limits.join('&')}`;
  const queue = await openBullmqQueue({ name: 'crawl', key: 'key', ...options, url });
  onTestFinished(() => queue.close());
  return queue;
}

async function taken(queue: Queue): Promise<Job> {
  const job = await queue.take(NEVER);
  if (job === undefined) throw new Error('There is no job.');
  return job;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(20);
}

describeWith('redis-server', 'what is in Redis', () => {
  test('a job has the name s- and a hash; nothing stays when it is done', async () => {
    const redis = await startRedis();
    const client = redis.client();
    const queue = await open({ url: redis.url });
    await queue.add(['https://a.example/', 'https://b.example/']);
    const keys = await client.keys('usp:crawl:s-*');
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key).toMatch(/^usp:crawl:s-[\da-f]{32}$/);
    for (const job of [await taken(queue), await taken(queue)]) await job.done();
    expect(await client.keys('usp:crawl:s-*')).toEqual([]);
  });

  test('at most as many sites wait as the limit says', async () => {
    const redis = await startRedis();
    const client = redis.client();
    const queue = await open({ url: redis.url, mostWaiting: 100 });
    const stop = new AbortController();
    const adding = queue.add(
      Array.from({ length: 500 }, (_, at) => `https://${at}.example/`),
      stop.signal,
    );
    adding.catch(() => {});
    await until(async () => (await client.llen('usp:crawl:wait')) === 100);
    await delay(600);
    expect(await client.llen('usp:crawl:wait')).toBe(100);
    stop.abort();
    await expect(adding).rejects.toThrow();
  });

  test('two queues with different names on one Redis share nothing', async () => {
    const { url } = await startRedis();
    const [one, other] = [await open({ url, name: 'one' }), await open({ url, name: 'other' })];
    await one.add(['https://a.example/']);
    await other.add(['https://b.example/']);
    expect((await taken(other)).site).toBe('https://b.example/');
    expect((await taken(one)).site).toBe('https://a.example/');
  });

  test('close gives back what this process has, and that is not a death', async () => {
    const { url } = await startRedis();
    const first = await openBullmqQueue({ url, name: 'crawl', key: 'key' });
    await first.add(['https://a.example/']);
    await taken(first);
    await first.close();
    const job = await taken(await open({ url }));
    expect([job.site, job.deaths]).toEqual(['https://a.example/', 0]);
  });
});

describeWith('redis-server', 'a lock', () => {
  test('that is lost: done does nothing then, and another worker has the site', async () => {
    await withMoreTime([800, 8_000], async (lockMs) => {
      const redis = await startRedis();
      const client = redis.client();
      const queue = await open({ url: redis.url, lockMs });
      await queue.add(['https://a.example/']);
      const job = await taken(queue);
      // As if it had expired, and another worker had taken the job.
      const [lock = ''] = await client.keys('usp:crawl:*:lock');
      await client.set(lock, 'another worker');
      await job.done();
      await job.giveBack({ died: true });
      expect(await client.keys('usp:crawl:s-*')).toHaveLength(2);
      await client.del(lock);
      expect((await taken(queue)).site).toBe('https://a.example/');
    });
  });

  test('that is renewed lasts longer than its time', async () => {
    await withMoreTime([0.8, 5, 20], async (seconds) => {
      const redis = await startRedis();
      const queue = await open({ url: `${redis.url}/1?lock=${seconds}` });
      await queue.add(['https://a.example/']);
      const job = await taken(queue);
      const other = await open({ url: `valkey://127.0.0.1:${redis.port}/1?lock=${seconds}&outage=30` });
      const stop = new AbortController();
      const waiting = other.take(stop.signal);
      await delay(1500 * seconds);
      stop.abort();
      expect(await waiting).toBeUndefined();
      await job.done();
      expect(await redis.client(1).keys('usp:crawl:s-*')).toEqual([]);
    });
  });
});

describeWith('redis-server', 'a worker that Redis does not hear from any more', () => {
  const stalledMs = 200;

  /** A queue, and another worker whose network can be interrupted: to Redis that looks like a death. */
  async function twoWorkers(lockMs: number) {
    const redis = await startRedis();
    // Its own locks last long: a busy machine must not look like another death.
    const queue = await open({ url: redis.url, stalledMs });
    await queue.add(['https://a.example/']);
    const other = async () => {
      const network = await networkTo(redis.port);
      return {
        network,
        queue: await open({ url: `redis://127.0.0.1:${network.port}`, lockMs, stalledMs }),
      };
    };
    return { queue, other };
  }

  test('has died: its site comes back, with one death', async () => {
    await withMoreTime([1_000, 10_000], async (lockMs) => {
      const { queue, other } = await twoWorkers(lockMs);
      const dying = await other();
      expect((await taken(dying.queue)).deaths).toBe(0);
      dying.network.interrupt();
      const job = await taken(queue);
      expect([job.site, job.deaths]).toEqual(['https://a.example/', 1]);
      // Given back by a worker that is alive, it keeps its number.
      await job.giveBack({ died: false });
      expect((await taken(queue)).deaths).toBe(1);
    });
  });

  test('and that comes back has no part in the job any more', async () => {
    await withMoreTime([1_000, 10_000], async (lockMs) => {
      const { queue, other } = await twoWorkers(lockMs);
      const late = await other();
      const lost = await taken(late.queue);
      late.network.interrupt();
      const job = await taken(queue);
      expect(job.deaths).toBe(1);
      late.network.restore();
      await lost.done();
      await late.queue.close();
      await job.giveBack({ died: false });
      const again = await taken(queue);
      expect([again.site, again.deaths]).toEqual(['https://a.example/', 1]);
    });
  });
});

describeWith('redis-server', 'Redis is away for a while', () => {
  test('restarted without its data: the job is lost, and the queue works on', async () => {
    const redis = await startRedis();
    const queue = await open({ url: redis.url, lockMs: 1600 });
    await queue.add(['https://a.example/']);
    const job = await taken(queue);
    const waiting = taken(queue);
    await redis.stop();
    await redis.start();
    await job.done();
    await queue.add(['https://a.example/']);
    const again = await waiting;
    expect(again.site).toBe('https://a.example/');
    await again.done();
  });

  test('not reachable for a shorter time than the lock: nothing is lost', async () => {
    const redis = await startRedis();
    const network = await networkTo(redis.port);
    const queue = await open({ url: `redis://127.0.0.1:${network.port}`, lockMs: 8000 });
    await queue.add(['https://a.example/', 'https://b.example/']);
    const job = await taken(queue);
    const waiting = queue.take(NEVER).then(async (other) => {
      await other?.done();
      return other?.site;
    });
    network.interrupt();
    const done = job.done();
    await delay(1000);
    network.restore();
    await done;
    expect([job.site, await waiting].sort()).toEqual(['https://a.example/', 'https://b.example/']);
    expect(await redis.client().keys('usp:crawl:s-*')).toEqual([]);
  });

  test('not reachable for longer than the limit: every wait ends with a sentence', async () => {
    const redis = await startRedis();
    const network = await networkTo(redis.port);
    const url = `redis://127.0.0.1:${network.port}`;
    const queue = await open({ url, lockMs: 800, outageMs: 800 });
    await queue.add(['https://a.example/']);
    const job = await taken(queue);
    network.interrupt();
    const results = await Promise.allSettled([
      queue.take(NEVER),
      queue.add(['https://b.example/']),
      job.done(),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'queue-unreachable',
          message: expect.stringContaining(`Redis at ${url}?lock=0.8&outage=0.8 could not be reached`),
        },
      });
    }
    await queue.close();
  });
});

describe('a queue that cannot be used is refused with a sentence', () => {
  test.each(['localhost:6379', 'http://localhost', '6379', 'redis://'])('%s', async (url) => {
    await expect(openBullmqQueue({ url, name: 'crawl', key: 'key' })).rejects.toMatchObject({
      code: 'bad-option',
      message: expect.stringContaining('must be a URL such as redis://localhost:6379'),
    });
  });

  test.each(['redis://localhost/queue', 'redis://u:a/b@localhost:6379/1x', 'redis://localhost/1/'])(
    'its database: %s',
    async (url) => {
      await expect(openBullmqQueue({ url, name: 'crawl', key: 'key' })).rejects.toMatchObject({
        code: 'bad-option',
        message: expect.stringContaining("The database in the queue's URL must be a number"),
      });
    },
  );

  test.each(['redis://localhost?lock=0', 'redis://localhost?lock=soon', 'redis://localhost?outage='])(
    '%s',
    async (url) => {
      await expect(openBullmqQueue({ url, name: 'crawl', key: 'key' })).rejects.toMatchObject({
        code: 'bad-option',
        message: expect.stringContaining("in the queue's URL must be a number of seconds"),
      });
    },
  );

  test('nothing listens there; the password is not shown', async () => {
    const port = await closedPort();
    const url = `redis://user:secret@127.0.0.1:${port}`;
    const error = await openBullmqQueue({ url, name: 'crawl', key: 'key', connectMs: 300 }).catch(
      (each: unknown) => each,
    );
    expect(error).toMatchObject({ code: 'queue-unreachable' });
    expect(String(error)).toContain('ECONNREFUSED');
    expect(String(error)).toContain('Start it, or correct the address.');
    expect(String(error)).not.toContain('secret');
  });

  test('something else listens there, and says nothing', async () => {
    const { port } = await listening(() => '');
    const url = `redis://127.0.0.1:${port}`;
    await expect(openBullmqQueue({ url, name: 'crawl', key: 'key', connectMs: 300 })).rejects.toMatchObject({
      code: 'queue-unreachable',
    });
  });

  test('something else listens there, and speaks HTTP', async () => {
    const { port } = await listening(() => 'HTTP/1.1 400 Bad Request\r\n\r\n');
    const url = `redis://127.0.0.1:${port}`;
    await expect(openBullmqQueue({ url, name: 'crawl', key: 'key', connectMs: 300 })).rejects.toMatchObject({
      code: expect.stringMatching(/^queue-(?:unreachable|refused)$/),
      message: expect.stringMatching(/got "H"|type 72 "H"/),
    });
  });

  test('a Redis that is too old', async () => {
    const { port } = await oldRedis();
    await expect(
      openBullmqQueue({ url: `redis://127.0.0.1:${port}`, name: 'crawl', key: 'key', connectMs: 5000 }),
    ).rejects.toMatchObject({
      code: 'queue-too-old',
      message: expect.stringMatching(
        /has version 5\.0\.14, which is too old: use Redis 6\.2 or later, or Valkey\.$/,
      ),
    });
  });
});

describeWith('redis-server', 'a Redis with a password', () => {
  test('is refused without it, with the reason, and used with it', async () => {
    const { port } = await startRedis('--requirepass', 'secret');
    await expect(
      openBullmqQueue({ url: `redis://127.0.0.1:${port}`, name: 'crawl', key: 'key', connectMs: 1000 }),
    ).rejects.toMatchObject({ message: expect.stringContaining('NOAUTH') });
    const queue = await open({ url: `redis://:secret@127.0.0.1:${port}` });
    await queue.add(['https://a.example/']);
    expect((await taken(queue)).site).toBe('https://a.example/');
  });
});

describeWith('redis-server', 'a Redis whose users may not choose a database', () => {
  test('is used where the URL names none', async () => {
    const redis = await startRedis();
    await redis.client().acl('SETUSER', 'usp', 'on', '>secret', '~*', '&*', '+@all', '-select');
    const queue = await open({ url: redis.url.replace('//', '//usp:secret@') });
    await queue.add(['https://a.example/']);
    expect((await taken(queue)).site).toBe('https://a.example/');
  });
});

describeWith('redis-server', 'what Redis itself refuses is said in a sentence, at once', () => {
  const refused = (reply: string) => ({
    code: 'queue-refused',
    message: expect.stringMatching(
      new RegExp(
        `^Redis at redis://\\S+ refused a command \\(.*${reply}.*\\)\\. Correct the address, or its settings\\.$`,
      ),
    ),
  });

  test.each([
    ['no password', '', 'NOAUTH'],
    ['a wrong password', ':wrong@', 'WRONGPASS'],
    ['a database that it does not have', ':right@', 'DB index is out of range'],
  ])('%s', async (_what, userinfo, reply) => {
    const redis = await startRedis('--requirepass', 'right', '--databases', '2');
    const url = redis.url.replace('//', `//${userinfo}`);
    await expect(open({ url: `${url}/2` })).rejects.toMatchObject(refused(reply));
  });

  test('a job where its memory is full', async () => {
    const redis = await startRedis();
    const queue = await open({ url: redis.url });
    await redis.client().config('SET', 'maxmemory', '1');
    await expect(queue.add(['https://a.example/'])).rejects.toMatchObject(refused('OOM'));
  });

  test('anything on a copy that is only read, for longer than the limit', async () => {
    const redis = await startRedis();
    const queue = await open({ url: redis.url, outageMs: 800 });
    await redis.client().replicaof('127.0.0.1', await closedPort());
    for (const command of [queue.add(['https://a.example/']), queue.take(NEVER)]) {
      await expect(command).rejects.toMatchObject({
        code: expect.stringMatching(/^queue-(?:unreachable|refused)$/),
        message: expect.stringContaining('READONLY'),
      });
    }
  });
});
