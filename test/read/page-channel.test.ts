/** Whose turn it is, when several documents have pages for one consumer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { PageChannel } from '../../src/read/page-channel.ts';

/** Longer than a document waits before it goes ahead of the first. */
const LONGER_THAN_PATIENCE_MS = 1_100;

/** Puts batches named after the document, one after the other, as a reader does. */
async function putAll(channel: PageChannel<string>, name: string, count: number): Promise<void> {
  const lane = channel.lane();
  for (let batch = 1; batch <= count; batch++) await lane.put(() => [`${name}${batch}`]);
}

async function takeAll(channel: PageChannel<string>): Promise<string[]> {
  const taken: string[] = [];
  for (let batch = await channel.take(); batch !== undefined; batch = await channel.take()) {
    taken.push(...batch);
  }
  return taken;
}

describe('a channel of pages', () => {
  test('reads the document that came first to its end, then the next', async () => {
    const channel = new PageChannel<string>();
    const documents = Promise.all([
      putAll(channel, 'a', 3),
      putAll(channel, 'b', 2),
      putAll(channel, 'c', 1),
    ]).finally(() => channel.end());
    expect(await takeAll(channel)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
    await documents;
  });

  test('keeps the turn of a document whose next bytes take a moment', async () => {
    const channel = new PageChannel<string>();
    const first = channel.lane();
    const reading = (async () => {
      await first.put(() => ['a1']);
      await new Promise<void>((resolve) => process.nextTick(resolve));
      await first.put(() => ['a2']);
    })();
    const other = putAll(channel, 'b', 1);
    expect(await channel.take()).toEqual(['a1']);
    expect(await channel.take()).toEqual(['a2']);
    expect(await channel.take()).toEqual(['b1']);
    await Promise.all([reading, other]);
  });

  test('does not wait: while the first has nothing, the next goes on', async () => {
    const channel = new PageChannel<string>();
    const slow = channel.lane();
    const quick = putAll(channel, 'b', 2);
    expect(await channel.take()).toEqual(['b1']);
    const late = slow.put(() => ['a1']);
    expect(await channel.take()).toEqual(['a1']);
    expect(await channel.take()).toEqual(['b2']);
    await Promise.all([late, quick]);
  });

  test('a document that has waited for a second goes before the first', async () => {
    const channel = new PageChannel<string>();
    const first = channel.lane();
    const waiting = putAll(channel, 'b', 1);
    await sleep(LONGER_THAN_PATIENCE_MS);
    const fresh = first.put(() => ['a1']);
    expect(await channel.take()).toEqual(['b1']);
    expect(await channel.take()).toEqual(['a1']);
    await Promise.all([waiting, fresh]);
  });

  test('makes nothing before the consumer asks', async () => {
    const channel = new PageChannel<string>();
    let made = 0;
    const put = channel.lane().put(() => [`page ${++made}`]);
    await sleep(0);
    expect(made).toBe(0);
    expect(await channel.take()).toEqual(['page 1']);
    await put;
  });

  test('a document without pages, or one that breaks, leaves its turn to the next', async () => {
    const channel = new PageChannel<string>();
    const empty = channel.lane().put(() => []);
    const broken = channel.lane().put(() => {
      throw new RangeError('broken');
    });
    const full = channel.lane().put(() => ['c1']);
    await Promise.all([
      expect(channel.take()).resolves.toEqual(['c1']),
      expect(broken).rejects.toThrow('broken'),
      empty,
      full,
    ]);
  });

  test('a failure reaches the consumer at once, and every document that waits', async () => {
    const channel = new PageChannel<string>();
    const waiting = channel.lane().put(() => ['never read']);
    channel.fail(new RangeError('the end'));
    await expect(channel.take()).rejects.toThrow('the end');
    await expect(waiting).rejects.toThrow();
  });

  test('when the consumer has gone, nothing is made any more', async () => {
    const channel = new PageChannel<string>();
    const lane = channel.lane();
    const waiting = lane.put(() => ['never read']);
    channel.close();
    await expect(waiting).rejects.toThrow();
    let made = 0;
    await expect(lane.put(() => [`page ${++made}`])).rejects.toThrow();
    expect(made).toBe(0);
  });

  test('hands on every batch of many documents, whatever the order of their bytes', async () => {
    const channel = new PageChannel<number>();
    const documents = Array.from({ length: 20 }, async (_, document) => {
      const lane = channel.lane();
      for (let batch = 0; batch < 20; batch++) {
        if ((document + batch) % 3 === 0) await sleep(0);
        await lane.put(() => (batch % 5 === 4 ? [] : [document * 100 + batch]));
      }
    });
    const done = Promise.all(documents).finally(() => channel.end());
    const taken: number[] = [];
    for (let batch = await channel.take(); batch !== undefined; batch = await channel.take())
      taken.push(...batch);
    await done;
    expect(new Set(taken).size).toBe(20 * 16);
    expect(taken.length).toBe(20 * 16);
    for (let document = 0; document < 20; document++) {
      const own = taken.filter((page) => Math.floor(page / 100) === document);
      expect(own).toEqual([...own].sort((left, right) => left - right));
    }
  });

  test('an end comes behind what was put before, and a failure comes before it', async () => {
    /** A channel with a batch that the consumer has waited for, and not taken yet. */
    const filled = async () => {
      const channel = new PageChannel<string>();
      const taking = channel.take();
      await channel.lane().put(() => ['a1']);
      return { channel, taking };
    };
    const ended = await filled();
    ended.channel.end();
    expect(await ended.taking).toEqual(['a1']);
    expect([await ended.channel.take(), await ended.channel.take()]).toEqual([undefined, undefined]);
    const failed = new PageChannel<string>();
    failed.fail(new RangeError('the end'));
    for (const _ of [1, 2]) await expect(failed.take()).rejects.toThrow('the end');
  });

  test('a batch that was put, and not taken yet, is dropped by a failure and by a close', async () => {
    const put = () => {
      const channel = new PageChannel<string>();
      const taking = channel.take();
      return { channel, taking, putting: channel.lane().put(() => ['a1']) };
    };
    const failed = put();
    failed.channel.fail(new RangeError('the end'));
    await expect(failed.taking).rejects.toThrow('the end');
    const closed = put();
    closed.channel.close();
    expect(await closed.taking).toBeUndefined();
    await Promise.all([failed.putting, closed.putting]);
  });

  test.each(['end', 'close', 'fail'] as const)('%s reaches every document and the consumer', async (how) => {
    const channel = new PageChannel<string>();
    const waiting = [1, 2, 3].map((name) => channel.lane().put(() => [`${name}`]));
    const late = channel.lane();
    const settled = Promise.allSettled(waiting);
    channel[how](new RangeError('enough'));
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(late.put(() => ['never made'])).rejects.toMatchObject({ name: 'ChannelClosed' });
    const idle = new PageChannel<string>();
    const taking = idle.take();
    const told =
      how === 'fail' ? expect(taking).rejects.toThrow('enough') : expect(taking).resolves.toBeUndefined();
    idle[how](new RangeError('enough'));
    await told;
  });

  test('of two that wait, the one that came first goes first, whichever began to wait first', async () => {
    const channel = new PageChannel<string>();
    const [a, b, c] = [channel.lane(), channel.lane(), channel.lane()];
    const all = [c.put(() => ['c']), a.put(() => ['a']), b.put(() => ['b'])];
    for (const name of ['a', 'b', 'c']) expect(await channel.take()).toEqual([name]);
    await Promise.all(all);
  });
});
