/** The queue on Redis, once all is connected; bullmq-queue.ts opens it, and has the whole picture. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Queue as BullQueue, Worker } from 'bullmq';
import type { Job, Queue } from '../queue.ts';
import type { Connection } from './connect.ts';
import { LockKeeper } from './lock-keeper.ts';
import { type JobQueue, LockedJob, type SiteData } from './locked-job.ts';
import { isConnectionTrouble, limited, unlessAborted } from './waiting.ts';

/** Sites that are added with one command. */
const CHUNK = 500;
/** Between two looks at a queue that is full. */
const FULL_MS = 250;

/** Where the job still exists, one expired lock less counts as a death. */
const NOT_A_DEATH = `if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HINCRBY', KEYS[1], 'stc', -1) end`;

/** What the queue is made of. */
export interface RedisQueueParts {
  readonly connection: Connection;
  readonly queue: BullQueue<SiteData, undefined, 's'>;
  readonly worker: Worker<SiteData, undefined, 's'>;
  readonly lockMs: number;
  readonly outageMs: number;
  readonly mostWaiting: number;
}

export class RedisQueue implements Queue, JobQueue {
  readonly #parts: RedisQueueParts;
  readonly #locks: LockKeeper;
  readonly #id = randomUUID();
  /** Requests for a job that nothing waits for any more. */
  readonly #abandoned = new Set<Promise<unknown>>();
  #tokens = 0;
  #turn: Promise<void> = Promise.resolve();
  #hasEnded = false;
  #wasEmpty = false;
  #isClosed = false;

  constructor(parts: RedisQueueParts) {
    this.#parts = parts;
    // What goes wrong is reported by the command that waits for it.
    parts.queue.on('error', () => {});
    parts.worker.on('error', () => {});
    this.#locks = new LockKeeper(parts.lockMs, (ids, tokens, ms) =>
      parts.worker.extendJobLocks(ids, tokens, ms),
    );
  }

  async start(): Promise<void> {
    const { worker } = this.#parts;
    await this.persist(() => worker.waitUntilReady());
    await worker.startStalledCheckTimer();
  }

  async add(sites: Iterable<string> | AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
    for await (const chunk of chunksOf(sites, Math.min(CHUNK, Math.ceil(this.#parts.mostWaiting / 4)))) {
      await this.#room(chunk.length, signal);
      const jobs = chunk.map((site) => ({
        name: 's' as const,
        data: { site },
        opts: { jobId: jobId(site) },
      }));
      await this.persist(() => this.#parts.queue.addBulk(jobs), signal);
    }
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
  }

  async take(signal: AbortSignal): Promise<Job | undefined> {
    // One asks at a time: where there is no job for the first, there is none for the others.
    const before = this.#turn;
    let free = (): void => {};
    this.#turn = new Promise((resolve) => {
      free = () => before.then(resolve);
    });
    try {
      await unlessAborted(before, signal).catch(() => {});
      while (!signal.aborted && !this.#isClosed) {
        // Those that ask after the one that found the queue empty do not wait as long as it did.
        if (this.#hasEnded && this.#wasEmpty && (await this.#isEmpty())) return undefined;
        const job = await this.#next(signal);
        this.#wasEmpty = job === undefined;
        if (job !== undefined) return job;
      }
      return undefined;
    } finally {
      free();
    }
  }

  async remove(): Promise<void> {
    await this.persist(() => this.#parts.queue.obliterate({ force: true }));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#locks.stop();
    const { worker, queue, connection, lockMs } = this.#parts;
    const leave = async (): Promise<void> => {
      await Promise.allSettled(this.#locks.held.map((job) => job.giveBack({ died: false })));
      await Promise.allSettled(this.#abandoned);
    };
    // Where Redis is away the locks expire by themselves.
    await limited(leave(), Math.min(lockMs, 5000), () => connection.late(5)).catch(() => {});
    await limited(worker.close(true), 5000, () => connection.late(5)).catch(() => {});
    await limited(queue.close(), 5000, () => connection.late(5)).catch(() => {});
    connection.client.disconnect();
  }

  async persist<Value>(command: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const { connection, outageMs } = this.#parts;
    const until = performance.now() + outageMs;
    for (;;) {
      signal?.throwIfAborted();
      const left = until - performance.now();
      try {
        const late = () => connection.late(outageMs / 1000);
        return await unlessAborted(limited(command(), Math.max(left, 1), late), signal);
      } catch (error) {
        if (!isConnectionTrouble(error) || this.#isClosed || left <= 0) throw error;
        await delay(Math.min(200, left));
      }
    }
  }

  release(job: LockedJob): void {
    this.#locks.remove(job);
  }

  notADeath(id: string): void {
    const { connection, queue } = this.#parts;
    connection.client.eval(NOT_A_DEATH, 1, queue.toKey(id)).catch(() => {});
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
      const held = new LockedJob(job, token, this, takenAt);
      this.#locks.add(held);
      return held;
    } catch (error) {
      const late = asked.then(
        (job) => job?.moveToWait(token),
        () => {},
      );
      this.#abandoned.add(late);
      late.catch(() => {}).finally(() => this.#abandoned.delete(late));
      if (signal.aborted) return undefined;
      if (!isConnectionTrouble(error)) throw error;
      await delay(200);
      return undefined;
    }
  }

  async #room(wanted: number, signal: AbortSignal | undefined): Promise<void> {
    const { queue, mostWaiting } = this.#parts;
    for (;;) {
      const waiting = await this.persist(() => queue.getWaitingCount(), signal);
      if (waiting + wanted <= mostWaiting) return;
      await delay(FULL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  async #isEmpty(): Promise<boolean> {
    const { queue } = this.#parts;
    return (await this.persist(() => queue.getJobCountByTypes('waiting', 'active', 'delayed'))) === 0;
  }
}

/** URLs are refused as ids. */
function jobId(site: string): string {
  return `s-${createHash('sha256').update(site).digest('hex').slice(0, 32)}`;
}

async function* chunksOf(
  sites: Iterable<string> | AsyncIterable<string>,
  size: number,
): AsyncGenerator<readonly string[]> {
  let chunk: string[] = [];
  for await (const site of sites) {
    chunk.push(site);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
