/**
 * The queue on Redis or Valkey, for any number of machines: BullMQ's lists and locks, jobs taken one at a time.
 *
 * A worker renews the locks of its jobs. Where it dies the locks expire, and the workers that are left put its jobs
 * back: that is a death for each of these sites. BullMQ would fail a job that comes back too often; here that has no
 * limit, since the caller decides what becomes of such a site.
 *
 * Nothing in Redis is needed: whatever is lost there, `sites.ndjson` says what is finished.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job as BullJob, Queue as BullQueue, Worker } from 'bullmq';
import { unlessAborted } from '../runtime/abort.ts';
import { inTurn } from '../runtime/time.ts';
import type { Job, Queue } from './queue.ts';
import {
  type Connection,
  connect,
  isConnectionTrouble,
  limited,
  loadPackages,
  redisAddress,
} from './redis-connection.ts';

export interface BullmqQueueOptions {
  /** `redis://`, `rediss://`, `valkey://` or `valkeys://`, or `unix://` and a path; with `?lock=` and `?outage=`, in seconds. */
  readonly url: string;
  /** Workers with the same name share the queue. */
  readonly name: string;
  /** Signs the jobs: only those that have the same key are taken for sites of the crawl. */
  readonly key: string;
  /** Called with a sentence where something in the queue is not a job of the crawl, and was removed. */
  readonly warn?: ((message: string) => void) | undefined;
  /** How often this worker looks for locks that have expired. @default half of the time of a lock */
  readonly stalledMs?: number | undefined;
  /** How long the first connection may take. @default 10_000 */
  readonly connectMs?: number | undefined;
  /** @default 10_000 */
  readonly mostWaiting?: number | undefined;
}

const PREFIX = 'usp';
/** The most jobs that wait at a time: Redis stays small whatever the number of sites. */
const MOST_WAITING = 10_000;
/** How long one command waits for a job in an empty queue, in seconds. */
const WAIT_SECONDS = 1;

/**
 * Opens a queue on Redis.
 *
 * @throws SitemapException with code `bad-option`, `queue-packages-missing`, `queue-unreachable`, `queue-refused` or
 * `queue-too-old`
 */
export async function openBullmqQueue(options: BullmqQueueOptions): Promise<RedisQueue> {
  const { name, connectMs = 10_000, mostWaiting = MOST_WAITING } = options;
  const address = redisAddress(options.url);
  const { lockMs, outageMs } = address;
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
  const { key, warn = () => {} } = options;
  const opened = new RedisQueue({ connection, queue, worker, lockMs, outageMs, mostWaiting, key, warn });
  try {
    await opened.start();
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

const MOST_SHOWN = 60;

const REMOVE = `
redis.call('LREM', KEYS[1], 0, ARGV[1])
redis.call('SREM', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3], KEYS[4])`;

const CHUNK = 500;
/** Between two looks at a queue that is full. */
const FULL_MS = 250;

interface RedisQueueParts {
  readonly connection: Connection;
  readonly queue: BullQueue<SiteData, undefined, 's'>;
  readonly worker: Worker<SiteData, undefined, 's'>;
  readonly lockMs: number;
  readonly outageMs: number;
  readonly mostWaiting: number;
  readonly key: string;
  readonly warn: (message: string) => void;
}

export class RedisQueue implements Queue {
  readonly #parts: RedisQueueParts;
  /** The jobs that this process has; their locks are renewed together. */
  readonly #held = new Set<LockedJob>();
  readonly #renewing: NodeJS.Timeout;
  #isRenewing = false;
  readonly #id = randomUUID();
  /** Requests for a job that nothing waits for any more. */
  readonly #abandoned = new Set<Promise<unknown>>();
  #tokens = 0;
  readonly #inTurn = inTurn();
  #isClosed = false;

  constructor(parts: RedisQueueParts) {
    this.#parts = parts;
    // What goes wrong is reported by the command that waits for it.
    parts.queue.on('error', () => {});
    parts.worker.on('error', () => {});
    this.#renewing = setInterval(() => void this.#renew(), parts.lockMs / 8);
  }

  async start(): Promise<void> {
    const { worker } = this.#parts;
    await this.#persist(() => worker.waitUntilReady());
    await worker.startStalledCheckTimer();
  }

  async add(sites: Iterable<string>, signal?: AbortSignal): Promise<void> {
    for (const chunk of chunksOf(sites, Math.min(CHUNK, Math.ceil(this.#parts.mostWaiting / 4)))) {
      await this.#room(chunk.length, signal);
      const jobs = chunk.map((site) => ({
        name: 's' as const,
        data: { site },
        opts: { jobId: jobId(site, this.#parts.key) },
      }));
      await this.#persist(() => this.#parts.queue.addBulk(jobs), signal);
    }
  }

  take(signal: AbortSignal): Promise<Job | undefined> {
    // One asks at a time: where there is no job for the first, there is none for the others.
    return this.#inTurn(async () => {
      let workedAt = performance.now();
      while (!signal.aborted && !this.#isClosed) {
        try {
          const job = await this.#next(signal);
          if (job !== undefined) return job;
          workedAt = performance.now();
        } catch (error) {
          const { connection, outageMs } = this.#parts;
          if (!isConnectionTrouble(error)) throw connection.refused(error);
          if (performance.now() - workedAt >= outageMs) throw connection.late(outageMs / 1000, error);
          await delay(200);
        }
      }
      return undefined;
    });
  }

  /** All sites are finished: nothing of the queue is needed any more, by any worker. */
  async remove(): Promise<void> {
    await this.#persist(() => this.#parts.queue.obliterate({ force: true }));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#renewing);
    const { worker, queue, connection, lockMs } = this.#parts;
    const leave = async (): Promise<void> => {
      await Promise.allSettled([...this.#held].map((job) => job.giveBack({ died: false })));
      await Promise.allSettled(this.#abandoned);
    };
    // Where Redis is away the locks expire by themselves.
    await limited(leave(), Math.min(lockMs, 5000), () => connection.late(5)).catch(() => {});
    await limited(worker.close(true), 5000, () => connection.late(5)).catch(() => {});
    await limited(queue.close(), 5000, () => connection.late(5)).catch(() => {});
    connection.client.disconnect();
  }

  async #persist<Value>(command: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const { connection, outageMs } = this.#parts;
    const until = performance.now() + outageMs;
    let last: unknown;
    for (;;) {
      signal?.throwIfAborted();
      const left = until - performance.now();
      try {
        const late = () => connection.late(outageMs / 1000, last);
        return await unlessAborted(limited(command(), Math.max(left, 1), late), signal);
      } catch (error) {
        if (!isConnectionTrouble(error) || this.#isClosed || left <= 0) throw connection.refused(error);
        last = error;
        await delay(Math.min(200, left));
      }
    }
  }

  /** Renews the locks of all jobs together, and forgets those that may have expired. */
  async #renew(): Promise<void> {
    const { lockMs, worker } = this.#parts;
    const now = performance.now();
    for (const job of this.#held) if (now - job.renewedAt >= lockMs) this.#held.delete(job);
    const due = [...this.#held].filter((job) => now - job.renewedAt >= lockMs / 4);
    if (due.length === 0 || this.#isRenewing) return;
    this.#isRenewing = true;
    try {
      const ids = due.map(({ id }) => id);
      const tokens = due.map(({ token }) => token);
      const failed = new Set(await worker.extendJobLocks(ids, tokens, lockMs));
      for (const job of due) {
        if (failed.has(job.id)) this.#held.delete(job);
        else job.renewedAt = now;
      }
    } catch {
      // It is tried again at the next tick, until the locks expire.
    } finally {
      this.#isRenewing = false;
    }
  }

  async #next(signal: AbortSignal): Promise<LockedJob | undefined> {
    const { worker, outageMs, connection } = this.#parts;
    const token = `${this.#id}:${this.#tokens++}`;
    const takenAt = performance.now();
    const asked = worker.getNextJob(token, { block: true });
    try {
      const limit = limited(asked, outageMs, () => connection.late(outageMs / 1000));
      const job = await unlessAborted(limit, signal);
      if (job === undefined) return undefined;
      if (!isSiteOf(job, this.#parts.key)) {
        await this.#remove(job.id ?? '');
        return undefined;
      }
      const held = this.#locked(job, token, takenAt);
      this.#held.add(held);
      return held;
    } catch (error) {
      // What is not JSON: BullMQ has locked it, and throws.
      const unreadable = error instanceof SyntaxError ? await this.#lockedWith(token) : undefined;
      if (unreadable !== undefined) {
        await this.#remove(unreadable);
        return undefined;
      }
      const late = asked.then(
        (job) => job?.moveToWait(token),
        () => {},
      );
      this.#abandoned.add(late);
      late.catch(() => {}).finally(() => this.#abandoned.delete(late));
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  #locked(job: SiteJob, token: string, takenAt: number): LockedJob {
    const { id = '', data, stalledCounter } = job;
    const { site, deaths = 0 } = data;
    let isOver = false;
    const end = async (send: () => Promise<unknown>): Promise<void> => {
      if (isOver) return;
      await this.#persist(send).catch((error: unknown) => {
        if (!isNotOurs(error)) throw error;
      });
      isOver = true;
      this.#held.delete(locked);
    };
    const locked: LockedJob = {
      id,
      token,
      site,
      renewedAt: takenAt,
      deaths: deaths + stalledCounter,
      done: () => end(() => job.moveToCompleted(undefined, token, false)),
      giveBack: ({ died }) =>
        end(async () => {
          if (died) await job.updateData({ site, deaths: deaths + 1 });
          await job.moveToWait(token);
        }),
    };
    return locked;
  }

  async #lockedWith(token: string): Promise<string | undefined> {
    const { connection, queue } = this.#parts;
    for (const id of await this.#persist(() => connection.client.lrange(queue.toKey('active'), 0, -1))) {
      if ((await connection.client.get(`${queue.toKey(id)}:lock`)) === token) return id;
    }
    return undefined;
  }

  /** Removes what is not a job of the crawl, whatever BullMQ can make of it. */
  async #remove(id: string): Promise<void> {
    const { connection, queue, warn } = this.#parts;
    const keys = ['active', 'stalled', id, `${id}:lock`].map((name) => queue.toKey(name));
    await this.#persist(() => connection.client.eval(REMOVE, keys.length, ...keys, id));
    warn(`the queue had a job that is not of this crawl (${id.slice(0, MOST_SHOWN)}), which was removed.`);
  }

  async #room(wanted: number, signal: AbortSignal | undefined): Promise<void> {
    const { queue, mostWaiting } = this.#parts;
    for (;;) {
      const waiting = await this.#persist(() => queue.getWaitingCount(), signal);
      if (waiting + wanted <= mostWaiting) return;
      await delay(FULL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

/** URLs are refused as ids. The key is not in Redis, so only a process of the crawl can make the id of a site. */
function jobId(site: string, key: string): string {
  return `s-${createHmac('sha256', key).update(site).digest('hex').slice(0, 32)}`;
}

function isSiteOf({ id, data }: SiteJob, key: string): boolean {
  const found: unknown = data;
  if (typeof found !== 'object' || found === null) return false;
  const { site, deaths = 0 } = found as Record<string, unknown>;
  if (typeof site !== 'string' || id !== jobId(site, key)) return false;
  return typeof deaths === 'number' && Number.isSafeInteger(deaths) && deaths >= 0;
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

interface SiteData {
  readonly site: string;
  /** Deaths that were reported; others are noticed by the lock that expires. */
  readonly deaths?: number | undefined;
}

type SiteJob = BullJob<SiteData, undefined, 's'>;

interface LockedJob extends Job {
  readonly id: string;
  readonly token: string;
  /** When the lock was renewed for the last time, on the clock of this process. */
  renewedAt: number;
}

/** Whether the job is gone, or the lock is not ours: BullMQ has numbers for these. */
function isNotOurs(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && [-1, -2, -3, -6].includes(code);
}
