/**
 * The queue on Redis or Valkey, for any number of machines: BullMQ's lists and locks, jobs taken one at a time.
 *
 * A worker renews the locks of its jobs. Where it dies the locks expire, and the workers that are left put its jobs
 * back. That is a death for each of these sites, unless the worker was only stopped for a while: then it says so when
 * it goes on. BullMQ would fail a job that comes back too often; here that has no limit, since the caller decides what
 * becomes of such a site.
 *
 * Nothing in Redis is needed: whatever is lost there, `sites.ndjson` says what is finished.
 *
 * @packageDocumentation
 */
import { MOST_WAITING, type Queue } from './queue.ts';
import { redisAddress } from './redis/address.ts';
import { connect, loadPackages } from './redis/connect.ts';
import type { SiteData } from './redis/locked-job.ts';
import { RedisQueue } from './redis/redis-queue.ts';

export interface BullmqQueueOptions {
  /**
   * `redis://`, `rediss://`, `valkey://` or `valkeys://`, or `unix://` and a path; with `?lock=` and `?outage=`, in
   * seconds, instead of `lockMs` and `outageMs`.
   */
  readonly url: string;
  /** Workers with the same name share the queue. */
  readonly name: string;
  /** A job whose lock was not renewed for so long is given to another worker. @default 60_000 */
  readonly lockMs?: number | undefined;
  /** How often this worker looks for locks that have expired. @default lockMs / 2 */
  readonly stalledMs?: number | undefined;
  /** How long the first connection may take. @default 10_000 */
  readonly connectMs?: number | undefined;
  /** How long Redis may be away afterwards. @default 120_000 */
  readonly outageMs?: number | undefined;
  /** @default 10_000 */
  readonly mostWaiting?: number | undefined;
}

const PREFIX = 'usp';
/** How long one command waits for a job in an empty queue, in seconds. */
const WAIT_SECONDS = 1;

/**
 * Opens a queue on Redis.
 *
 * @throws SitemapException with code `bad-option`, `queue-packages-missing`, `queue-unreachable` or `queue-too-old`
 */
export async function openBullmqQueue(options: BullmqQueueOptions): Promise<Queue> {
  const { name, connectMs = 10_000, mostWaiting = MOST_WAITING } = options;
  const address = redisAddress(options.url);
  const lockMs = options.lockMs ?? address.lockMs ?? 60_000;
  const outageMs = options.outageMs ?? address.outageMs ?? 120_000;
  const { bullmq, Client } = await loadPackages();
  const connection = await connect(Client, address, connectMs);
  const shared = { connection: connection.client, prefix: PREFIX, skipVersionCheck: true };
  const queue = new bullmq.Queue<SiteData, undefined, 's'>(name, {
    ...shared,
    // Nothing reads the events; without this ten thousand are kept.
    streams: { events: { maxLen: 100 } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  const worker = new bullmq.Worker<SiteData, undefined, 's'>(name, null, {
    ...shared,
    lockDuration: lockMs,
    stalledInterval: options.stalledMs ?? lockMs / 2,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    drainDelay: WAIT_SECONDS,
  });
  const opened = new RedisQueue({ connection, queue, worker, lockMs, outageMs, mostWaiting });
  try {
    await opened.start();
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}
