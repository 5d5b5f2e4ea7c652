/**
 * Which process this is, so that another one can tell later whether it still runs. A process id alone is used again, and
 * a start time alone begins anew with every boot.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

/** A process. */
export interface ProcessIdentity {
  readonly host: string;
  /** Of the boot of the host, where the system names it. */
  readonly boot?: string | undefined;
  /** The space that the process id belongs to, where the system names it: containers have their own. */
  readonly space?: string | undefined;
  readonly pid: number;
  /** When the process was started, as the system counts it. */
  readonly started?: string | undefined;
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  const { pid } = process;
  return { host: hostname(), boot: bootOf(), space: spaceOf(), pid, started: startOf(pid) };
}

/**
 * What has become of a process. `elsewhere`: it belongs to another host or container, of which nothing is known here.
 *
 * @param notedAt - when its identity was written down, in milliseconds since the epoch
 */
export function fateOf(
  other: ProcessIdentity,
  notedAt: number = Number.POSITIVE_INFINITY,
): 'running' | 'dead' | 'elsewhere' {
  if (other.host !== hostname()) return 'elsewhere';
  const space = spaceOf();
  if (space !== undefined && other.space !== undefined && space !== other.space) return 'elsewhere';
  const boot = bootOf();
  if (boot !== undefined && other.boot !== undefined) {
    if (boot !== other.boot) return 'dead';
  } else if (notedAt < Date.now() - uptime() * 1000 - CLOCK_TOLERANCE_MS) {
    // The host was started after that.
    return 'dead';
  }
  if (!isRunning(other.pid)) return 'dead';
  const started = startOf(other.pid);
  return started !== undefined && other.started !== undefined && started !== other.started
    ? 'dead'
    : 'running';
}

const CLOCK_TOLERANCE_MS = 60_000;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, and is another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

// Linux has these in files; elsewhere the process id has to do.
function bootOf(): string | undefined {
  return textOf('/proc/sys/kernel/random/boot_id')?.trim();
}

function spaceOf(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

function startOf(pid: number): string | undefined {
  // The name of the program is in parentheses, and may hold anything; the start is the 20th field behind it.
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

/** Reads an identity; undefined where the text is not one. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { host, boot, space, pid, started } = value as Record<string, unknown>;
  if (typeof host !== 'string' || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) {
    return undefined;
  }
  return {
    host,
    pid,
    boot: typeof boot === 'string' ? boot : undefined,
    space: typeof space === 'string' ? space : undefined,
    started: typeof started === 'string' ? started : undefined,
  };
}
