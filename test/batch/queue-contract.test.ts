/** Specification §14: what every queue of sites does. One suite, two queues. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EmbeddedQueue, type Job, type Queue } from '../../src/batch/queue.ts';
import { openBullmqQueue } from '../../src/batch/redis-queue.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis } from '../support/redis.ts';
import { sized } from '../support/tier.ts';

const NEVER = new AbortController().signal;
const sitesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `https://site-${at}.example/`);

/** A job that must be there. */
async function taken(queue: Queue): Promise<Job> {
  const job = await queue.take(NEVER);
  if (job === undefined) throw new Error('There is no job.');
  return job;
}

/** Whether a promise is still pending after some turns of the event loop and answers of the server. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, delay(300, pending)])) === pending;
}

/** Whether no site is delivered any more. */
async function isEmpty(queue: Queue): Promise<boolean> {
  const stop = new AbortController();
  const next = queue.take(stop.signal);
  const isWaiting = await isPending(next);
  stop.abort();
  return isWaiting && (await next) === undefined;
}

/** @param mostWaiting - the sites that fit into the queue */
function contract(open: () => Promise<Queue>, mostWaiting: number): void {
  const opened = async (): Promise<Queue> => {
    const queue = await open();
    onTestFinished(() => queue.close());
    return queue;
  };

  test('every site is delivered once, however many take', async () => {
    const queue = await opened();
    const sites = sitesOf(sized({ fast: 120, full: 400 }));
    const seen: string[] = [];
    const over = new AbortController();
    const worker = async (): Promise<void> => {
      for (let job = await queue.take(over.signal); job !== undefined; job = await queue.take(over.signal)) {
        seen.push(job.site);
        await job.done();
        if (seen.length === sites.length) over.abort();
      }
    };
    await Promise.all([queue.add(sites), ...Array.from({ length: 8 }, () => worker())]);
    expect(await isEmpty(queue)).toBe(true);
    expect(seen.sort()).toEqual([...sites].sort());
  });

  test('a site that waits, or that a worker has, is not added again; one that is done is', async () => {
    const queue = await opened();
    await queue.add(['https://a.example/', 'https://a.example/']);
    await queue.add(['https://a.example/']);
    const job = await taken(queue);
    await queue.add(['https://a.example/']);
    await job.done();
    await queue.add(['https://b.example/', 'https://a.example/']);
    const rest = [await taken(queue), await taken(queue)];
    expect(rest.map(({ site }) => site).sort()).toEqual(['https://a.example/', 'https://b.example/']);
    for (const each of rest) await each.done();
    expect(await isEmpty(queue)).toBe(true);
  });

  test('a job begins without deaths', async () => {
    const queue = await opened();
    await queue.add(['https://a.example/?q=1#x']);
    const { site, deaths } = await taken(queue);
    expect({ site, deaths }).toEqual({ site: 'https://a.example/?q=1#x', deaths: 0 });
  });

  test('take waits for a site that is added later', async () => {
    const queue = await opened();
    const waiting = taken(queue);
    expect(await isPending(waiting)).toBe(true);
    await queue.add(['https://a.example/']);
    expect((await waiting).site).toBe('https://a.example/');
  });

  test('take waits for sites that other workers have: they may be given back', async () => {
    const queue = await opened();
    await queue.add(['https://a.example/']);
    const first = await taken(queue);
    const waiting = taken(queue);
    expect(await isPending(waiting)).toBe(true);
    await first.giveBack({ died: false });
    const second = await waiting;
    expect([second.site, second.deaths]).toEqual(['https://a.example/', 0]);
    await second.done();
    expect(await isEmpty(queue)).toBe(true);
  });

  test('take resolves to undefined when its signal aborts, and no site is lost by that', async () => {
    const queue = await opened();
    const aborting = new AbortController();
    const waiting = [queue.take(aborting.signal), queue.take(aborting.signal)];
    await delay(50);
    aborting.abort();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(await queue.take(aborting.signal)).toBeUndefined();
    await queue.add(['https://a.example/']);
    expect((await taken(queue)).site).toBe('https://a.example/');
  });

  test('deaths are counted; giving back without one is not a death', async () => {
    const queue = await opened();
    await queue.add(['https://a.example/']);
    const seen: number[] = [];
    for (const died of [true, false, true, true]) {
      const job = await taken(queue);
      seen.push(job.deaths);
      await job.giveBack({ died });
    }
    const last = await taken(queue);
    expect([...seen, last.deaths]).toEqual([0, 1, 1, 2, 3]);
  });

  test('done and giveBack have no effect the second time', async () => {
    const queue = await opened();
    await queue.add(['https://a.example/', 'https://b.example/']);
    const first = await taken(queue);
    await first.done();
    await first.giveBack({ died: true });
    const second = await taken(queue);
    expect(second.site).not.toBe(first.site);
    await second.done();
    await second.done();
    expect(await isEmpty(queue)).toBe(true);
  });

  test('add waits while the queue is full, and stops with the reason of its signal', async () => {
    const queue = await opened();
    const aborting = new AbortController();
    let asked = 0;
    function* sites(): Generator<string> {
      for (const site of sitesOf(3 * mostWaiting)) {
        asked++;
        yield site;
      }
    }
    const adding = queue.add(sites(), aborting.signal);
    adding.catch(() => {});
    expect(await isPending(adding)).toBe(true);
    expect(asked).toBeLessThanOrEqual(2 * mostWaiting);
    const reason = new Error('That is enough.');
    aborting.abort(reason);
    await expect(adding).rejects.toBe(reason);
  });

  test('add goes on when there is room', async () => {
    const queue = await opened();
    const adding = queue.add(sitesOf(2 * mostWaiting));
    const seen = new Set<string>();
    for (let count = 0; count < 2 * mostWaiting; count++) {
      const job = await taken(queue);
      seen.add(job.site);
      await job.done();
    }
    await adding;
    expect(seen.size).toBe(2 * mostWaiting);
  });

  test('close ends what waits', async () => {
    const queue = await opened();
    const waiting = queue.take(NEVER);
    await delay(50);
    await queue.close();
    expect(await waiting).toBeUndefined();
    await queue.close();
  });
}

describe('the embedded queue', () => {
  contract(async () => new EmbeddedQueue(), 1000);

  test('once it has ended, take resolves to undefined when all sites are done, not when one may be given back', async () => {
    const queue = new EmbeddedQueue();
    await queue.add(['https://a.example/']);
    queue.end();
    const first = await taken(queue);
    const waiting = taken(queue);
    expect(await isPending(waiting)).toBe(true);
    await first.giveBack({ died: false });
    await (await waiting).done();
    expect(await queue.take(NEVER)).toBeUndefined();
  });
});

describeWith('redis-server', 'the queue on Redis', () => {
  contract(async () => {
    const { url } = await startRedis();
    return openBullmqQueue({ url, name: 'crawl', key: 'key', mostWaiting: 100 });
  }, 100);
});
