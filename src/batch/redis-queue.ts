/**
 * The queue on Redis or Valkey, which any number of machines share. It is a queue of BullMQ: workers renew the locks of
 * their jobs. If a worker dies, its locks expire and other workers get its jobs, which counts as a death for each of
 * these sites.
 *
 * Redis may lose everything: `sites.ndjson` says what is finished. So a job ends as soon as its site is crawled; if the
 * site gets no line, `usp crawl` queues it again. Every key expires, so that nothing is left of a crawl whose processes
 * were killed; each process renews the keys that it uses.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Job as BullJob, Queue as BullQueue } from 'bullmq';
import type { Redis } from 'ioredis';
import { onAbort, unlessAborted } from '../runtime/abort.ts';
import { LONGEST_TIMER_MS } from '../runtime/time.ts';
import { clip } from '../text/wording.ts';
import { type Signer, signerOf } from './queue-signature.ts';
import {
  type Connection,
  connect,
  isConnectionTrouble,
  limited,
  loadPackages,
  redisAddress,
} from './redis-connection.ts';

export interface RedisQueueOptions {
  /** As {@link redisAddress} reads it. */
  readonly url: string;
  /** The id of the crawl. Workers with the same name share the queue. */
  readonly name: string;
  /** Signs what is in the queue: what is not signed with the same key does not belong to the crawl. */
  readonly key: string;
  /** Called with a sentence if something in the queue did not belong to the crawl, and was removed. */
  readonly warn?: ((message: string) => void) | undefined;
  /** How often this worker looks for locks that have expired. @default half of the time of a lock */
  readonly stalledMs?: number | undefined;
  /** How long the first connection may take. @default 10_000 */
  readonly connectMs?: number | undefined;
  /** Ends the wait for the first connection, with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** @default 10_000 */
  readonly mostWaiting?: number | undefined;
}

/** The archive of the earlier crawl: how many bytes of it are in Redis, or why it cannot be used. */
export type EarlierArchive = number | string;

const PREFIX = 'usp';
/** How long keys stay when no process renews them. */
export const KEY_SECONDS = 600;
/** The keys of a queue that BullMQ does not let expire; the first two list jobs. */
const KEPT_KEYS: readonly string[] = [
  ...['active', 'wait', 'meta', 'id', 'events', 'marker', 'stalled', 'paused', 'prioritized', 'pc'],
  ...['delayed', 'limiter', 'completed', 'failed', 'beside:handed', 'beside:earlier'],
];
/** Renews keys, and the jobs of the first lists. */
const RENEW = `for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[1]) end
for at = 1, tonumber(ARGV[2]) do
  for _, id in ipairs(redis.call('LRANGE', KEYS[at], 0, -1)) do redis.call('EXPIRE', ARGV[3] .. id, ARGV[1]) end
end`;
/** Waiting jobs are many, and only `usp crawl` renews them. */
const RENEW_WAITING_MS = 60_000;
/** The most jobs that wait at a time, so that Redis needs little memory for any number of sites. */
const MOST_WAITING = 10_000;
/** How long one command waits for a job in an empty queue, in seconds. */
const WAIT_SECONDS = 1;
const MOST_SHOWN = 60;
const CHUNK = 500;
/** Between two looks at a queue that is full. */
const FULL_MS = 250;
const RETRY_MS = 200;
/** How long to wait for the end of a connection. */
const CLOSE_MS = 5_000;

export class RedisQueue {
  readonly #options: RedisQueueOptions;
  readonly #connection: Connection;
  readonly #bullmq: typeof import('bullmq');
  readonly #queue: BullQueue<SiteData, undefined, 's'>;
  readonly #lockMs: number;
  readonly signer: Signer;
  /** When the waiting jobs were renewed; undefined in a worker. */
  #renewedWaitingAt: number | undefined;
  readonly #closing = new AbortController();
  /** Aborts if Redis is away for longer than it may be, or refuses to renew the keys. */
  readonly #outage = new AbortController();

  private constructor(
    options: RedisQueueOptions,
    connection: Connection,
    bullmq: typeof import('bullmq'),
    { lockMs, outageMs }: { readonly lockMs: number; readonly outageMs: number },
  ) {
    this.#options = options;
    this.#connection = connection;
    this.#bullmq = bullmq;
    this.#lockMs = lockMs;
    this.signer = signerOf(options.key, options.name);
    this.#queue = new bullmq.Queue(options.name, {
      ...this.#shared,
      // Only `add` writes the metadata: a worker that is started at the end of a crawl would leave it behind.
      skipMetasUpdate: true,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    });
    // Each command reports its own errors.
    this.#queue.on('error', () => {});
    this.#watch(outageMs).catch((error: unknown) => this.#outage.abort(error));
  }

  /**
   * @throws SitemapException with code `bad-option`, `queue-packages-missing`, `queue-unreachable`, `queue-refused` or
   * `queue-too-old`
   */
  static async open(options: RedisQueueOptions): Promise<RedisQueue> {
    const address = redisAddress(options.url);
    const { bullmq, Client } = await loadPackages();
    const connection = await connect(Client, address, options.connectMs ?? 10_000, options.signal);
    if (connection.eviction !== undefined) options.warn?.(connection.eviction);
    return new RedisQueue(options, connection, bullmq, address);
  }

  get #shared() {
    return { connection: this.#connection.client, prefix: PREFIX, skipVersionCheck: true };
  }

  /** Renews the keys every second, which also shows whether Redis can be written to. */
  async #watch(outageMs: number): Promise<never> {
    const { late, refusal } = this.#connection;
    let last: unknown;
    for (let workedAt = performance.now(); ; ) {
      const remainingMs = Math.max(1, workedAt + outageMs - performance.now());
      try {
        await limited(this.#renew(), remainingMs, () => late(outageMs / 1000, last));
        workedAt = performance.now();
        last = undefined;
      } catch (error) {
        if (!isConnectionTrouble(error)) throw refusal(error);
        if (performance.now() - workedAt >= outageMs) throw late(outageMs / 1000, error);
        last = error;
      }
      await delay(Math.min(1_000, outageMs / 4), undefined, { signal: this.#closing.signal });
    }
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    const isWaitingDue = now - (this.#renewedWaitingAt ?? now) > RENEW_WAITING_MS;
    if (isWaitingDue) this.#renewedWaitingAt = now;
    const keys = KEPT_KEYS.map((name) => this.#queue.toKey(name));
    const values = [KEY_SECONDS, isWaitingDue ? 2 : 1, this.#queue.toKey('')];
    await this.#connection.client.eval(RENEW, keys.length, ...keys, ...values);
  }

  /**
   * Adds sites, each of which the queue holds at most once at a time. Waits while the queue is full. Rejects with the
   * signal's reason.
   */
  async add(
    sites: Iterable<string>,
    signal?: AbortSignal,
    earlier: ReadonlyMap<string, EarlierArchive> = new Map(),
  ): Promise<void> {
    const { mostWaiting = MOST_WAITING } = this.#options;
    this.#renewedWaitingAt ??= performance.now();
    for (const chunk of chunksOf(sites, Math.min(CHUNK, Math.ceil(mostWaiting / 4)))) {
      const jobs = chunk.map((site) => {
        const data: SiteData = { site, ...(earlier.has(site) ? { earlier: earlier.get(site) } : {}) };
        return { name: 's' as const, data, opts: { jobId: jobId(data, this.signer) } };
      });
      while ((await this.#retry(() => this.#queue.getWaitingCount(), signal)) + chunk.length > mostWaiting)
        await unlessAborted(delay(FULL_MS), signal);
      // Nothing reads the events; without this ten thousand are kept.
      await this.ask((client) => client.hset(this.#queue.toKey('meta'), 'opts.maxLenEvents', 100), signal);
      await this.#retry(() => this.#queue.addBulk(jobs), signal);
      const keys = [...KEPT_KEYS, ...jobs.map(({ opts }) => opts.jobId)].map((name) =>
        this.#queue.toKey(name),
      );
      await this.ask((client) => client.eval(RENEW, keys.length, ...keys, KEY_SECONDS, 0, ''), signal);
    }
  }

  /** Runs a command on data that travels beside the jobs, under keys of this queue. Waits while Redis is away. */
  ask<Value>(
    command: (client: Redis, keyOf: (name: 'handed' | 'earlier') => string) => Promise<Value>,
    signal?: AbortSignal,
  ): Promise<Value> {
    const { client } = this.#connection;
    return this.#retry(() => command(client, (name) => this.#queue.toKey(`beside:${name}`)), signal);
  }

  /** Whether no site waits, and no worker has a site. */
  async isEmpty(signal?: AbortSignal): Promise<boolean> {
    return (await this.#retry(() => this.#queue.getJobCountByTypes('waiting', 'active'), signal)) === 0;
  }

  /** Removes the queue when all sites are finished: no worker needs it any more. */
  async remove(): Promise<void> {
    await this.#retry(() => this.#queue.obliterate({ force: true }));
    await this.ask((client, keyOf) => client.del(keyOf('handed'), keyOf('earlier')));
  }

  /**
   * Crawls the sites of the queue until the signal aborts; sites that were started are finished. Rejects with the
   * reason of `crawlEnd` as soon as that aborts.
   *
   * @param crawl - called with a site, how often a worker died with it, and its archive of the earlier crawl
   */
  async work(
    crawl: (site: string, deaths: number, earlier: EarlierArchive | undefined) => Promise<void>,
    { atOnce, signal, crawlEnd }: WorkOptions,
  ): Promise<void> {
    const { name, stalledMs = this.#lockMs / 2 } = this.#options;
    const crawlJob = async (job: SiteJob): Promise<undefined> => {
      // Redis deletes the list of active jobs when it is empty, and a new list has no expiry.
      this.#connection.client.expire(this.#queue.toKey('active'), KEY_SECONDS).catch(() => {});
      if (isSiteOf(job, this.signer)) await crawl(job.data.site, job.stalledCounter, job.data.earlier);
      else this.#warnOf(job.id);
    };
    const worker = new this.#bullmq.Worker<SiteData, undefined, 's'>(name, crawlJob, {
      ...this.#shared,
      concurrency: atOnce,
      lockDuration: this.#lockMs,
      lockRenewTime: Math.min(this.#lockMs / 2, LONGEST_TIMER_MS),
      stalledInterval: Math.min(stalledMs, LONGEST_TIMER_MS),
      // BullMQ would fail a job that comes back too often; here the coordinator decides about such a site.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      drainDelay: WAIT_SECONDS,
    });
    worker.on('error', (error) => {
      if (error instanceof SyntaxError) this.#removeUnreadable().catch(() => {});
    });
    const stopped = new Promise<void>((resolve) => void onAbort(signal, () => resolve()));
    try {
      const closing = stopped.then(() => worker.close());
      await this.#unlessLost(closing, crawlEnd);
    } finally {
      const { late } = this.#connection;
      await limited(worker.close(true), CLOSE_MS, () => late(CLOSE_MS / 1000)).catch(() => {});
    }
  }

  #warnOf(id = ''): void {
    this.#options.warn?.(
      `the queue had a job that is not of this crawl (${clip(id, MOST_SHOWN)}), which was removed.`,
    );
  }

  /** Removes what is not JSON: BullMQ takes such a job, throws, and never ends it. */
  async #removeUnreadable(): Promise<void> {
    const { client } = this.#connection;
    const active = this.#queue.toKey('active');
    for (const id of await client.lrange(active, 0, -1)) {
      const isReadable = await this.#queue.getJob(id).then(
        () => true,
        (error: unknown) => !(error instanceof SyntaxError),
      );
      // If several workers find the job, the one that removes it reports it.
      if (isReadable || (await client.lrem(active, 0, id)) === 0) continue;
      await client.del(this.#queue.toKey(id), this.#queue.toKey(`${id}:lock`));
      this.#warnOf(id);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const { late, client } = this.#connection;
    // For the keys that were written since the last renewal.
    if (!this.#outage.signal.aborted)
      await limited(this.#renew(), CLOSE_MS, () => late(CLOSE_MS / 1000)).catch(() => {});
    await limited(this.#queue.close(), CLOSE_MS, () => late(CLOSE_MS / 1000)).catch(() => {});
    client.disconnect();
  }

  /** Runs a command, and repeats it while the server is away, up to the limit of an outage. */
  async #retry<Value>(command: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    for (;;) {
      signal?.throwIfAborted();
      try {
        return await this.#unlessLost(command(), signal);
      } catch (error) {
        if (!isConnectionTrouble(error) || this.#closing.signal.aborted)
          throw this.#connection.refusal(error);
        await this.#unlessLost(delay(RETRY_MS), signal);
      }
    }
  }

  #unlessLost<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    return unlessAborted(unlessAborted(promise, this.#outage.signal), signal);
  }
}

/** BullMQ refuses URLs as ids. Only a process that has the key can make the id of a site. */
function jobId({ site, earlier = '' }: SiteData, signer: Signer): string {
  return `s-${signer.sign('job', [site, earlier]).slice(0, 32)}`;
}

function isSiteOf({ id, data }: SiteJob, signer: Signer): boolean {
  const { site, earlier = '' }: Readonly<Record<string, unknown>> = Object(data);
  const isEarlier = typeof earlier === 'string' || typeof earlier === 'number';
  return typeof site === 'string' && isEarlier && id === jobId({ site, earlier }, signer);
}

function* chunksOf(sites: Iterable<string>, size: number): Generator<readonly string[]> {
  let chunk: string[] = [];
  for (const site of sites) {
    chunk.push(site);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

interface WorkOptions {
  readonly atOnce: number;
  readonly signal: AbortSignal;
  readonly crawlEnd?: AbortSignal | undefined;
}

interface SiteData {
  readonly site: string;
  readonly earlier?: EarlierArchive | undefined;
}

type SiteJob = BullJob<SiteData, undefined, 's'>;
