/** Who holds a lock: enough to know, on the same machine, whether that process is still there. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';

/** A process on a machine that was started once. */
export interface LockHolder {
  readonly host: string;
  /** Which start of the machine; empty where the system does not say. */
  readonly boot: string;
  /** The space that the process id belongs to: containers have their own. */
  readonly space: string;
  readonly pid: number;
  /** When the process started, in the system's own words; empty where it does not say. */
  readonly started: string;
}

/** This process. */
export function thisHolder(): LockHolder {
  const { pid } = process;
  return { host: hostname(), boot: bootOf(), space: spaceOf(), pid, started: startOf(pid) };
}

/** Whether a process is gone for certain. One on another machine, or in another container, never is. */
export function isGone(holder: LockHolder): boolean {
  const { host, boot, space } = thisHolder();
  if (holder.host !== host || holder.space !== space) return false;
  if (holder.boot !== boot) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it is there, and another user's.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
  // Another process may have its number by now.
  return holder.started !== '' && startOf(holder.pid) !== holder.started;
}

/** A holder from its JSON; undefined where it is not one. */
export function parseHolder(text: string): LockHolder | undefined {
  try {
    const { host, boot, space, pid, started } = JSON.parse(text) as Partial<LockHolder>;
    if (typeof host !== 'string' || typeof pid !== 'number') return undefined;
    return { host, boot: boot ?? '', space: space ?? '', pid, started: started ?? '' };
  } catch {
    return undefined;
  }
}

function bootOf(): string {
  return readOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

function spaceOf(): string {
  return readOr('', () => readlinkSync('/proc/self/ns/pid'));
}

/** The 22nd field of `/proc/<pid>/stat`; the second is a name in parentheses, which may have spaces. */
function startOf(pid: number): string {
  return readOr('', () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  });
}

function readOr(otherwise: string, read: () => string): string {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
