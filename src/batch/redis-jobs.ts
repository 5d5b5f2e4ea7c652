/** The sites that this process has from Redis, and the locks on them. */
import type { Job as BullJob } from 'bullmq';
import type { Job } from './queue.ts';

export interface SiteData {
  readonly site: string;
  /** Deaths that were reported; others are noticed by the lock that expires. */
  readonly deaths?: number | undefined;
  readonly isAlone?: boolean | undefined;
  readonly diedAlone?: boolean | undefined;
}

export type SiteJob = BullJob<SiteData, undefined, 's'>;

export interface JobQueue {
  persist<Value>(command: () => Promise<Value>): Promise<Value>;
  release(job: LockedJob): void;
  /** The lock expired although this process is alive: that was not a death. */
  notADeath(id: string): void;
}

export class LockedJob implements Job {
  readonly id: string;
  readonly token: string;
  readonly site: string;
  readonly deaths: number;
  readonly diedAlone: boolean;
  /** When the lock was renewed for the last time, on the clock of this process. */
  renewedAt: number;
  readonly #job: SiteJob;
  readonly #queue: JobQueue;
  readonly #lost = new AbortController();
  #isOver = false;

  constructor(job: SiteJob, token: string, queue: JobQueue, takenAt: number) {
    const { site, deaths = 0, diedAlone = false } = job.data;
    this.id = job.id ?? '';
    this.token = token;
    this.site = site;
    this.deaths = Math.max(0, deaths + job.stalledCounter);
    // A lock expires with the whole worker, which has other sites too: that does not say which one is the reason.
    this.diedAlone = diedAlone;
    this.renewedAt = takenAt;
    this.#job = job;
    this.#queue = queue;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async startsAlone(): Promise<void> {
    if (this.#isOver) return;
    const data = { ...this.#job.data, isAlone: true };
    await this.#command(() => this.#job.updateData(data));
  }

  async done(): Promise<void> {
    await this.#end(() => this.#job.moveToCompleted(undefined, this.token, false));
  }

  async giveBack({ died }: { readonly died: boolean }): Promise<void> {
    const { site, isAlone = false, diedAlone = false } = this.#job.data;
    const reported = (this.#job.data.deaths ?? 0) + (died ? 1 : 0);
    await this.#end(async () => {
      if (died || isAlone) {
        await this.#job.updateData({
          site,
          deaths: reported,
          diedAlone: diedAlone || (died && isAlone),
        });
      }
      await this.#job.moveToWait(this.token);
    });
  }

  /** Another worker may have the job. */
  lose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#queue.release(this);
    this.#queue.notADeath(this.id);
    this.#lost.abort(new DOMException(`Another worker may have ${this.site}.`, 'AbortError'));
  }

  async #end(command: () => Promise<unknown>): Promise<void> {
    if (this.#isOver) return;
    await this.#command(command);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#queue.release(this);
  }

  async #command(command: () => Promise<unknown>): Promise<void> {
    try {
      await this.#queue.persist(command);
    } catch (error) {
      if (!isNotOurs(error)) throw error;
      this.lose();
    }
  }
}

/** Whether the job is gone, or the lock is not ours: BullMQ has numbers for these. */
function isNotOurs(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && [-1, -2, -3, -6].includes(code);
}

/** Extends locks with one command; returns the ids of those that could not be extended. */
type ExtendLocks = (ids: string[], tokens: string[], ms: number) => Promise<readonly string[]>;

/** Renews the locks of all jobs together, and gives up those that may have expired. */
export class LockKeeper {
  readonly #held = new Set<LockedJob>();
  readonly #extend: ExtendLocks;
  readonly #lockMs: number;
  readonly #timer: NodeJS.Timeout;
  #isRenewing = false;

  constructor(lockMs: number, extend: ExtendLocks) {
    this.#extend = extend;
    this.#lockMs = lockMs;
    this.#timer = setInterval(() => void this.#renew(), lockMs / 8);
  }

  get held(): readonly LockedJob[] {
    return [...this.#held];
  }

  add(job: LockedJob): void {
    this.#held.add(job);
  }

  remove(job: LockedJob): void {
    this.#held.delete(job);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    for (const job of this.#held) if (now - job.renewedAt >= this.#lockMs) job.lose();
    const due = this.held.filter((job) => now - job.renewedAt >= this.#lockMs / 4);
    if (due.length === 0 || this.#isRenewing) return;
    this.#isRenewing = true;
    try {
      const ids = due.map(({ id }) => id);
      const tokens = due.map(({ token }) => token);
      const failed = new Set(await this.#extend(ids, tokens, this.#lockMs));
      for (const job of due) {
        if (failed.has(job.id)) job.lose();
        else job.renewedAt = now;
      }
    } catch {
      // It is tried again at the next tick, until the locks expire.
    } finally {
      this.#isRenewing = false;
    }
  }
}
