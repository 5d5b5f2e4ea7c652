/** Specification §14: the queue on Redis, and what goes wrong with Redis. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RedisQueue, type RedisQueueOptions } from '../../src/batch/redis-queue.ts';
import { closedPort } from '../server/raw-server.ts';
import { folderUntil } from '../support/folder.ts';
import { withMoreTime } from '../support/more-time.ts';
import { describeWith } from '../support/real-servers.ts';
import { listening, networkTo, oldRedis, startRedis } from '../support/redis.ts';

interface OpenOptions extends Partial<RedisQueueOptions> {
  readonly url: string;
  readonly lockMs?: number;
  readonly outageMs?: number;
}

async function open({ lockMs, outageMs, ...options }: OpenOptions): Promise<RedisQueue> {
  const limits = [
    ...(lockMs === undefined ? [] : [`lock=${lockMs / 1000}`]),
    ...(outageMs === undefined ? [] : [`outage=${outageMs / 1000}`]),
  ];
  const url = limits.length === 0 ? options.url : `${options.url}?${limits.join('&')}`;
  const queue = await RedisQueue.open({ name: 'crawl', key: 'key', ...options, url });
  onTestFinished(() => queue.close());
  return queue;
}

interface Taken {
  readonly site: string;
  readonly deaths: number;
  /** Ends the job. */
  done(): void;
}

/** A worker of the queue: `next` gives the sites that it has taken, `stop` ends it and waits for that. */
function workerOf(queue: RedisQueue, atOnce = 1) {
  const taken: Taken[] = [];
  const stopping = new AbortController();
  const ended = queue.work((site, deaths) => new Promise((done) => void taken.push({ site, deaths, done })), {
    atOnce,
    signal: stopping.signal,
  });
  ended.catch(() => {});
  onTestFinished(() => stopping.abort());
  return {
    ended,
    taken,
    async next(): Promise<Taken> {
      await until(() => taken.length > 0);
      return taken.shift()!;
    },
    stop(): Promise<void> {
      stopping.abort();
      return ended;
    },
  };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(20);
}

const sitesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `https://site-${at}.example/`);

describeWith('redis-server', 'what is in Redis', () => {
  test('a job has the name s- and a hash; nothing stays when it is done', async () => {
    const redis = await startRedis();
    const client = redis.client();
    const queue = await open({ url: redis.url });
    await queue.add(['https://a.example/', 'https://b.example/']);
    const keys = await client.keys('usp:crawl:s-*');
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key).toMatch(/^usp:crawl:s-[\da-f]{32}$/);
    expect(await queue.isEmpty()).toBe(false);
    const worker = workerOf(queue);
    for (let count = 0; count < 2; count++) (await worker.next()).done();
    await worker.stop();
    expect(await queue.isEmpty()).toBe(true);
    expect(await client.keys('usp:crawl:s-*')).toEqual([]);
  });

  test('at most as many sites wait as the limit says, and more are added when there is room', async () => {
    const redis = await startRedis();
    const client = redis.client();
    const queue = await open({ url: redis.url, mostWaiting: 100 });
    const adding = queue.add(sitesOf(250));
    await until(async () => (await client.llen('usp:crawl:wait')) === 100);
    await delay(600);
    expect(await client.llen('usp:crawl:wait')).toBe(100);
    const worker = workerOf(queue, 8);
    const seen = new Set<string>();
    while (seen.size < 250) {
      const { site, done } = await worker.next();
      seen.add(site);
      done();
    }
    await adding;
    await worker.stop();
    expect([...seen].sort()).toEqual(sitesOf(250).sort());
  });

  test('adding ends with the reason of its signal', async () => {
    const queue = await open({ url: (await startRedis()).url, mostWaiting: 100 });
    const aborting = new AbortController();
    const adding = queue.add(sitesOf(500), aborting.signal);
    adding.catch(() => {});
    await delay(300);
    const reason = new Error('That is enough.');
    aborting.abort(reason);
    await expect(adding).rejects.toBe(reason);
  });

  test('a site that waits, or that a worker has, is not added again; one that is done is', async () => {
    const queue = await open({ url: (await startRedis()).url });
    await queue.add(['https://a.example/', 'https://a.example/']);
    const worker = workerOf(queue, 2);
    const first = await worker.next();
    await queue.add(['https://a.example/']);
    await delay(300);
    expect(worker.taken).toEqual([]);
    first.done();
    await until(() => queue.isEmpty());
    await queue.add(['https://a.example/']);
    const { site, deaths, done } = await worker.next();
    expect([site, deaths]).toEqual(['https://a.example/', 0]);
    done();
    await worker.stop();
  });

  test('two queues with different names on one Redis share nothing', async () => {
    const { url } = await startRedis();
    const [one, other] = [await open({ url, name: 'one' }), await open({ url, name: 'other' })];
    await one.add(['https://a.example/']);
    await other.add(['https://b.example/']);
    for (const [queue, expected] of [
      [other, 'https://b.example/'],
      [one, 'https://a.example/'],
    ] as const) {
      const worker = workerOf(queue);
      const { site, done } = await worker.next();
      expect(site).toBe(expected);
      done();
      await worker.stop();
    }
  });
});

describeWith('redis-server', 'a worker', () => {
  test('keeps its site for longer than the time of a lock', async () => {
    await withMoreTime([0.8, 5, 20], async (seconds) => {
      const redis = await startRedis();
      const queue = await open({ url: `${redis.url}/1?lock=${seconds}` });
      await queue.add(['https://a.example/']);
      const worker = workerOf(queue);
      const { done } = await worker.next();
      const other = workerOf(
        await open({ url: `valkey://127.0.0.1:${redis.port}/1?lock=${seconds}&outage=30` }),
      );
      await delay(1500 * seconds);
      expect(other.taken).toEqual([]);
      done();
      await worker.stop();
      await other.stop();
      expect(await redis.client(1).keys('usp:crawl:s-*')).toEqual([]);
    });
  });

  test('waits for any number of seconds', async () => {
    const { url } = await startRedis();
    const queue = await open({ url, lockMs: 3e9, outageMs: 3e12 });
    await queue.add(sitesOf(2));
    const worker = workerOf(queue, 2);
    for (let number = 0; number < 2; number++) (await worker.next()).done();
    await until(() => queue.isEmpty());
    await worker.stop();
  });

  test('that Redis does not hear from any more has died: another one gets its site, with one death', async () => {
    await withMoreTime([1_000, 10_000], async (lockMs) => {
      const redis = await startRedis();
      const stalledMs = 200;
      const queue = await open({ url: redis.url, stalledMs });
      await queue.add(['https://a.example/']);
      const network = await networkTo(redis.port);
      const dying = workerOf(await open({ url: `redis://127.0.0.1:${network.port}`, lockMs, stalledMs }));
      const lost = await dying.next();
      expect(lost.deaths).toBe(0);
      network.interrupt();
      const worker = workerOf(queue);
      const { site, deaths, done } = await worker.next();
      expect([site, deaths]).toEqual(['https://a.example/', 1]);
      // It comes back, and has no part in the job any more.
      network.restore();
      lost.done();
      await delay(300);
      expect(await queue.isEmpty()).toBe(false);
      done();
      await until(() => queue.isEmpty());
      await worker.stop();
    });
  });
});

describeWith('redis-server', 'Redis is away for a while', () => {
  test('restarted without its data: the job is lost, and the queue works on', async () => {
    const redis = await startRedis();
    const queue = await open({ url: redis.url, lockMs: 1600 });
    await queue.add(['https://a.example/']);
    const worker = workerOf(queue, 2);
    const first = await worker.next();
    await redis.stop();
    await redis.start();
    await queue.add(['https://b.example/']);
    const second = await worker.next();
    expect(second.site).toBe('https://b.example/');
    first.done();
    second.done();
    await until(() => queue.isEmpty());
    await worker.stop();
  });

  test('not reachable for a shorter time than the lock: nothing is lost', async () => {
    const redis = await startRedis();
    const network = await networkTo(redis.port);
    const queue = await open({ url: `redis://127.0.0.1:${network.port}`, lockMs: 8000 });
    await queue.add(['https://a.example/', 'https://b.example/']);
    const worker = workerOf(queue);
    const first = await worker.next();
    network.interrupt();
    first.done();
    await delay(1000);
    network.restore();
    const second = await worker.next();
    second.done();
    await worker.stop();
    expect([first.site, second.site].sort()).toEqual(['https://a.example/', 'https://b.example/']);
    expect(await redis.client().keys('usp:crawl:s-*')).toEqual([]);
  });

  test('not reachable for longer than the limit: every wait ends with a sentence', async () => {
    const redis = await startRedis();
    const network = await networkTo(redis.port);
    const url = `redis://127.0.0.1:${network.port}`;
    const queue = await open({ url, lockMs: 800, outageMs: 800 });
    await queue.add(['https://a.example/']);
    const worker = workerOf(queue);
    await worker.next();
    network.interrupt();
    const results = await Promise.allSettled([worker.ended, queue.add(['https://b.example/'])]);
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
    await expect(RedisQueue.open({ url, name: 'crawl', key: 'key' })).rejects.toMatchObject({
      code: 'bad-option',
      message: expect.stringContaining('must be a URL such as redis://localhost:6379'),
    });
  });

  test.each(['redis://localhost/queue', 'redis://u:a/b@localhost:6379/1x', 'redis://localhost/1/'])(
    'its database: %s',
    async (url) => {
      await expect(RedisQueue.open({ url, name: 'crawl', key: 'key' })).rejects.toMatchObject({
        code: 'bad-option',
        message: expect.stringContaining("The database in the queue's URL must be a number"),
      });
    },
  );

  test.each(['redis://localhost?lock=0', 'redis://localhost?lock=soon', 'redis://localhost?outage='])(
    '%s',
    async (url) => {
      await expect(RedisQueue.open({ url, name: 'crawl', key: 'key' })).rejects.toMatchObject({
        code: 'bad-option',
        message: expect.stringContaining("in the queue's URL must be a number of seconds"),
      });
    },
  );

  test('a password among the parameters is not shown', async () => {
    const port = await closedPort();
    const url = `redis://127.0.0.1:${port}?db=1&password=secret&family=4`;
    const failure = RedisQueue.open({ url, name: 'crawl', key: 'key', connectMs: 300 });
    await expect(failure).rejects.toMatchObject({
      code: 'queue-unreachable',
      message: expect.stringMatching(/^(?!.*secret).*db=1&password=…&family=4/),
    });
  });

  test('nothing listens there; the password is not shown', async () => {
    const port = await closedPort();
    const url = `redis://user:secret@127.0.0.1:${port}`;
    const error = await RedisQueue.open({ url, name: 'crawl', key: 'key', connectMs: 300 }).catch(
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
    await expect(RedisQueue.open({ url, name: 'crawl', key: 'key', connectMs: 300 })).rejects.toMatchObject({
      code: 'queue-unreachable',
    });
  });

  test('a signal ends the wait for the first response, with its reason', async () => {
    const { port } = await listening(() => '');
    const signal = AbortSignal.timeout(50);
    const given = { url: `redis://127.0.0.1:${port}`, name: 'crawl', key: 'key', connectMs: 3000, signal };
    await expect(RedisQueue.open(given)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('something else listens there, and speaks HTTP', async () => {
    const { port } = await listening(() => 'HTTP/1.1 400 Bad Request\r\n\r\n');
    const url = `redis://127.0.0.1:${port}`;
    await expect(RedisQueue.open({ url, name: 'crawl', key: 'key', connectMs: 300 })).rejects.toMatchObject({
      code: expect.stringMatching(/^queue-(?:unreachable|refused)$/),
      message: expect.stringMatching(/got "H"|type 72 "H"/),
    });
  });

  test('a Redis that is too old', async () => {
    const { port } = await oldRedis();
    await expect(
      RedisQueue.open({ url: `redis://127.0.0.1:${port}`, name: 'crawl', key: 'key', connectMs: 5000 }),
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
      RedisQueue.open({ url: `redis://127.0.0.1:${port}`, name: 'crawl', key: 'key', connectMs: 1000 }),
    ).rejects.toMatchObject({ message: expect.stringContaining('NOAUTH') });
    const queue = await open({ url: `redis://:secret@127.0.0.1:${port}` });
    await queue.add(['https://a.example/']);
    expect(await queue.isEmpty()).toBe(false);
  });

  test('a socket of Unix takes the parameters of any address', async () => {
    const socket = join(folderUntil(onTestFinished), 'redis.sock');
    const redis = await startRedis('--unixsocket', socket, '--requirepass', 'secret');
    const queue = await open({ url: `unix://${socket}?password=secret&db=3` });
    await queue.add(sitesOf(1));
    const client = new Redis({ port: redis.port, host: '127.0.0.1', password: 'secret', db: 3 });
    onTestFinished(() => client.disconnect());
    expect(await client.keys('usp:crawl:s-*')).not.toEqual([]);
  });
});

describeWith('redis-server', 'a Redis whose users may not choose a database', () => {
  test('is used where the URL names none', async () => {
    const redis = await startRedis();
    await redis.client().acl('SETUSER', 'usp', 'on', '>secret', '~*', '&*', '+@all', '-select');
    const queue = await open({ url: redis.url.replace('//', '//usp:secret@') });
    await queue.add(['https://a.example/']);
    expect(await queue.isEmpty()).toBe(false);
  });
});

describeWith('redis-server', 'what Redis itself refuses is said in a sentence, at once', () => {
  const refused = (reply: string) => ({
    code: 'queue-refused',
    message: expect.stringMatching(
      new RegExp(
        `^Redis at redis://\\S+ refused a command \\(.*${reply}.*\\)\\. Correct the address, or the settings of Redis\\.$`,
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
    for (const command of [queue.add(['https://a.example/']), workerOf(queue).ended]) {
      await expect(command).rejects.toMatchObject({
        code: expect.stringMatching(/^queue-(?:unreachable|refused)$/),
        message: expect.stringContaining('READONLY'),
      });
    }
  });
});
