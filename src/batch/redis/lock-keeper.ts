/** The jobs that this process has, and their locks: renewed together, and given up when they may have expired. */
import type { LockedJob } from './locked-job.ts';

/** Extends locks with one command; returns the ids of those that could not be extended. */
export type ExtendLocks = (ids: string[], tokens: string[], ms: number) => Promise<readonly string[]>;

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
