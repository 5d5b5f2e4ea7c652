/**
 * A lock that is a file: it says which process holds it, so that one that a dead process left is taken over. Nothing is
 * known here about the processes of other machines: such a holder is asked for signs of life, or never replaced. Where
 * a system does not say when a process was started (macOS, Windows), a process id may be used again: there, a holder of
 * this machine is asked for signs of life too.
 */
import { randomUUID } from 'node:crypto';
import { lstat, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createOwned, type Owner, ownerOf, showLife } from './files.ts';
import { ownIdentity } from './process-identity.ts';

export interface OwnedLock {
  /** Whether it is still there, and still that of this process. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** The process that has the lock; without `identity` if its file names none; undefined if others are always faster. */
export type LockHolder = Pick<Owner, 'identity' | 'fate'> | undefined;

interface OwnedLockOptions {
  /** A holder on another machine that gave no sign of life for this time is considered dead. @default never */
  readonly leaseMs?: number | undefined;
}

/** Another process may take the lock between two looks at it; then this is tried again. */
const ATTEMPTS = 10;
/** How many signs of life there are within a lease. */
const SIGNS = 6;
const POLL_MS = 200;
/** About as long as another process needs to remove a dead lock. */
const TAKING_MS = 20;
/** For a holder of this machine, where a process id is all that is known of it. */
const OWN_LEASE_MS = 30_000;

/** Takes the lock, or returns its holder. @throws what the file system says */
export async function takeLock(
  path: string,
  { leaseMs }: OwnedLockOptions = {},
): Promise<{ readonly lock: OwnedLock } | { readonly holder: LockHolder }> {
  // A key, so that a lock of the same process in another call is not taken for this one.
  const identity = ownIdentity();
  const text = `${JSON.stringify({ ...identity, key: randomUUID() })}\n`;
  const renewedMs = leaseMs ?? (identity.started === undefined ? OWN_LEASE_MS : undefined);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await createOwned(path, text)) return { lock: heldLock(path, text, renewedMs) };
    const owner = await ownerOf(path);
    if (owner === undefined) {
      const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
      if (isLink) throw new Error(`${path} is a link to a file that is not there`);
      continue;
    }
    const isUnsure = owner.fate === 'running' && owner.identity?.started === undefined;
    const watchedMs = isUnsure ? (leaseMs ?? OWN_LEASE_MS) : owner.fate === 'elsewhere' ? leaseMs : undefined;
    const fate = watchedMs === undefined ? owner.fate : await fateOfHolder(path, owner, watchedMs);
    if (fate === 'dead') await removeDead(path, owner.text);
    else if (fate !== 'gone') return { holder: owner };
  }
  return { holder: undefined };
}

function heldLock(path: string, text: string, leaseMs: number | undefined): OwnedLock {
  const stop = leaseMs === undefined ? () => {} : showLife(path, leaseMs / SIGNS);
  const isHeld = async (): Promise<boolean> => (await ownerOf(path))?.text === text;
  return {
    isHeld,
    async release() {
      stop();
      if (await isHeld()) await rm(path, { force: true });
    },
  };
}

/** What has become of a holder, as far as its file shows: the clocks of two machines are not compared. */
async function fateOfHolder(
  path: string,
  before: Owner,
  leaseMs: number,
): Promise<'running' | 'dead' | 'gone'> {
  const until = performance.now() + leaseMs;
  while (performance.now() < until) {
    await delay(POLL_MS);
    const now = await ownerOf(path);
    if (now?.text !== before.text) return 'gone';
    if (now.changedAt !== before.changedAt) return 'running';
  }
  return 'dead';
}

/**
 * Several processes may find the same dead lock, and one that comes late must not remove the lock of the first. So it
 * is removed by who holds a second lock, `PATH.taking`, and only if it is still the dead one: no other process changes
 * it then.
 */
async function removeDead(path: string, text: string): Promise<void> {
  const taking = await takeLock(`${path}.taking`);
  if (!('lock' in taking)) {
    await delay(TAKING_MS);
    return;
  }
  try {
    if ((await ownerOf(path))?.text === text) await rm(path, { force: true });
  } finally {
    await taking.lock.release();
  }
}
