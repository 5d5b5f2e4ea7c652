/**
 * A lock in a folder that many machines may share, with a number that grows each time that it is taken.
 *
 * The lock with number n is the file `<name>-n.lock`; the process that creates it, which the file system lets only one
 * do, holds the lock. It is released by `<name>-n.free` beside it, or left by `<name>-n.left`, as after a death. The
 * file with the highest number is never removed, so numbers never come back; a process that creates a lower one sees
 * the higher one and withdraws.
 *
 * A holder that is gone is replaced: on the same machine at once, on another one when it has shown no sign of life for
 * the time of the lease, as measured by the one that waits. So a holder that was only stopped for long may come back
 * and still believe that it holds the lock. What it does then must have no effect; journal.ts says how the number and a
 * new file behind the same name achieve that.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createOwned, ownerOf, showLife } from '../runtime/files.ts';
import { ownIdentity, type ProcessIdentity } from '../runtime/process-identity.ts';

export interface HeldLock {
  /** Higher than that of every holder before. */
  readonly number: number;
  /** Whether the holder before did not release the lock: it may have left something half done. */
  readonly isAfterDeath: boolean;
  /** Whether no other holder has replaced this one. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
  /** Leaves the lock to the next one, which finds it as after a death. Never rejects. */
  abandon(): Promise<void>;
}

export interface FencedLockOptions {
  /** How long a holder that may be alive is waited for without a sign of life. @default 30000 */
  readonly leaseMs?: number | undefined;
}

const LEASE_MS = 30_000;
/** Signs of life come so many times within the lease. */
const SIGNS = 6;
const POLL_MS = 50;

/** A lock that is taken, and how its holder ended its work. */
type End = 'lock' | 'free' | 'left';

export class FencedLock {
  readonly #folder: string;
  readonly #name: string;
  readonly #leaseMs: number;
  /** The last sign of life of a holder, and when it was first seen. */
  #seen: { readonly sign: string; readonly since: number } | undefined;

  constructor(folder: string, name: string, { leaseMs = LEASE_MS }: FencedLockOptions = {}) {
    this.#folder = folder;
    this.#name = name;
    this.#leaseMs = leaseMs;
  }

  /**
   * Waits for the lock.
   *
   * @param above - the number is higher than this one, even if the folder has been emptied
   */
  async acquire(above = 0): Promise<HeldLock> {
    for (;;) {
      const held = await this.tryAcquire(above);
      if (!('host' in held)) return held;
      await delay(POLL_MS * (0.5 + Math.random()));
    }
  }

  /** The lock, or who has it. */
  async tryAcquire(above = 0): Promise<HeldLock | ProcessIdentity> {
    for (;;) {
      const before = await this.#state();
      const holder = before.ended === undefined ? await this.#livingHolder(before.number) : undefined;
      if (holder !== undefined) return holder;
      const number = Math.max(before.number, above) + 1;
      if (!(await createOwned(this.#path(number, 'lock'), JSON.stringify(ownIdentity())))) {
        // Another process was faster. A file system that caches lists of files (NFS) may show its file later.
        await delay(POLL_MS * Math.random());
        continue;
      }
      if ((await this.#state()).number > number) {
        await rm(this.#path(number, 'lock'), { force: true });
        continue;
      }
      await this.#removeBelow(number);
      return this.#held(number, before.ended !== 'free');
    }
  }

  #held(number: number, isAfterDeath: boolean): HeldLock {
    const stop = showLife(this.#path(number, 'lock'), this.#leaseMs / SIGNS);
    return {
      number,
      isAfterDeath,
      isHeld: async () => (await this.#state()).number === number,
      release: async () => {
        stop();
        await writeFile(this.#path(number, 'free'), '');
      },
      abandon: async () => {
        stop();
        // On a full disk the others wait for the lease.
        await writeFile(this.#path(number, 'left'), '').catch(() => {});
      },
    };
  }

  /** The highest number, and how its holder ended its work; undefined where it has not. */
  async #state(): Promise<{ readonly number: number; readonly ended: End | undefined }> {
    let number = 0;
    const ended = new Map<number, End>([[0, 'free']]);
    for (const file of await this.#files()) {
      if (file.end === 'lock') number = Math.max(number, file.number);
      else if (file.end === 'free' || !ended.has(file.number)) ended.set(file.number, file.end);
    }
    return { number, ended: ended.get(number) };
  }

  /** Who holds the lock; undefined where that process is gone, or has shown no sign of life for too long. */
  async #livingHolder(number: number): Promise<ProcessIdentity | undefined> {
    const owner = await ownerOf(this.#path(number, 'lock'));
    if (owner?.fate === 'dead') return undefined;
    const sign = `${number} ${owner?.changedAt}`;
    if (this.#seen?.sign !== sign) this.#seen = { sign, since: performance.now() };
    if (performance.now() - this.#seen.since > this.#leaseMs) return undefined;
    return owner?.identity ?? { host: 'unknown', pid: 0 };
  }

  async #removeBelow(number: number): Promise<void> {
    for (const file of await this.#files()) {
      if (file.number < number) await rm(join(this.#folder, file.name), { force: true });
    }
  }

  async #files(): Promise<readonly { name: string; number: number; end: End }[]> {
    const pattern = new RegExp(`^${this.#name}-(\\d+)\\.(lock|free|left)$`);
    return (await readdir(this.#folder)).flatMap((name) => {
      const [, digits, end] = pattern.exec(name) ?? [];
      return end === undefined ? [] : [{ name, number: Number(digits), end: end as End }];
    });
  }

  #path(number: number, end: End): string {
    return join(this.#folder, `${this.#name}-${String(number).padStart(8, '0')}.${end}`);
  }
}
