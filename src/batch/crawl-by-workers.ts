/**
 * `usp crawl --queue`: announces the crawl, fills the queue, and publishes what workers send, until every site has its
 * line.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { announce } from './announced-crawl.ts';
import { sendEarlierArchives } from './earlier-archives.ts';
import { removeParcels, takeBatches } from './handed-batches.ts';
import type { OpenCrawl } from './open-crawl.ts';
import { RedisQueue } from './redis-queue.ts';

interface CrawlByWorkersOptions {
  readonly url: string;
  /** The shared secret; without one, the key of the crawl is in Redis. */
  readonly secret: string | undefined;
  readonly open: OpenCrawl;
  /** The flags that workers need: no secrets, and no paths. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The folder of the earlier crawl. */
  readonly previous: string | undefined;
  /** The sites that have no line yet; each call starts at the first one. */
  readonly unfinished: () => Iterable<string>;
  readonly isAllFinished: () => boolean;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/** How often to look for batches of workers. */
const LOOK_MS = 100;
const QUIET_LOOK_MS = 1_000;
/** Sites without a line are queued again when the queue has been empty, and nothing has arrived, for this time. */
const OFFER_AGAIN_MS = 10_000;
const CLEAN_EVERY_MS = 600_000;

/** Resolves once all sites have their line; rejects with the signal's reason. */
export async function crawlByWorkers(work: CrawlByWorkersOptions): Promise<void> {
  const { url, secret, open, options, previous, warn } = work;
  const { id, version, format } = open.description;
  const key = secret ?? open.description.key;
  const queue = await RedisQueue.open({ url, name: id, key, warn, signal: work.signal });
  const ending = new AbortController();
  try {
    const crawl = { id, version, format, options, key, state: 'running' } as const;
    const announced = await announce((command, signal) => queue.ask(command, signal), url, crawl, secret);
    const signal = AbortSignal.any([work.signal, ending.signal, announced.lost]);
    let heardAt = performance.now();
    // A site without a line that no worker has was lost by Redis, or with a worker that had not sent its result.
    const offer = async (): Promise<void> => {
      for (;;) {
        const sites = work.unfinished();
        if (previous === undefined) await queue.add(sites, signal);
        else
          for await (const group of sendEarlierArchives(queue, previous, sites, signal))
            await queue.add(group.sites, signal, group.earlier);
        for (let quietSince = performance.now(); performance.now() - quietSince < OFFER_AGAIN_MS; ) {
          await delay(QUIET_LOOK_MS, undefined, { signal });
          if (!(await queue.isEmpty(signal)) || heardAt > quietSince) quietSince = performance.now();
        }
      }
    };
    const take = async (): Promise<void> => {
      for (let cleanedAt = performance.now(); ; ) {
        const isMore = await takeBatches(queue, open.folder, open.journal, warn);
        if (isMore) heardAt = performance.now();
        if (work.isAllFinished()) break;
        signal.throwIfAborted();
        if (isMore) continue;
        if (performance.now() - cleanedAt > CLEAN_EVERY_MS) {
          cleanedAt = performance.now();
          await removeParcels(open.folder, false);
        }
        await delay(LOOK_MS, undefined, { signal });
      }
      await removeParcels(open.folder, true);
      await announced.end('done');
      // Only saves memory of Redis: what is left of the queue there expires.
      await queue.remove().catch(() => {});
    };
    const both = [offer(), take()];
    try {
      await Promise.race(both);
    } finally {
      ending.abort();
      await Promise.allSettled(both);
      await announced.end('stopped');
    }
  } finally {
    await queue.close();
  }
}
