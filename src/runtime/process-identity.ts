/**
 * Which process this is, so that another one can tell later whether it still runs. A process id alone is used again,
 * and a start time alone begins anew with every boot.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

export interface ProcessIdentity {
  readonly host: string;
  /** The id of the host's last boot, where the system has one. */
  readonly boot?: string | undefined;
  /** The space that the process id belongs to, where the system names it: containers have their own. */
  readonly space?: string | undefined;
  readonly pid: number;
  /** When the process was started, as the system counts it. */
  readonly started?: string | undefined;
}

export function ownIdentity(): ProcessIdentity {
  const { pid } = process;
  return { host: hostname(), boot: bootOf(), space: spaceOf(), pid, started: startOf(pid) };
}

/** `elsewhere`: the process belongs to another host or container, of which nothing is known here. */
type ProcessFate = 'running' | 'dead' | 'elsewhere';

/**
 * What has become of a process.
 *
 * @param notedAt - when its identity was written down, in milliseconds since the epoch
 * @param here - this process, written down in the same way
 */
export function fateOf(
  other: ProcessIdentity,
  notedAt: number = Number.POSITIVE_INFINITY,
  here: ProcessIdentity = ownIdentity(),
): ProcessFate {
  if (other.host !== here.host) return 'elsewhere';
  if (here.space !== undefined && other.space !== undefined && here.space !== other.space) return 'elsewhere';
  if (here.boot !== undefined && other.boot !== undefined) {
    if (here.boot !== other.boot) return 'dead';
  } else if (notedAt < Date.now() - uptime() * 1000 - CLOCK_TOLERANCE_MS) {
    // The host was started after that.
    return 'dead';
  }
  if (!isRunning(other.pid)) return 'dead';
  const startTime = startOf(other.pid);
  return startTime !== undefined && other.started !== undefined && startTime !== other.started
    ? 'dead'
    : 'running';
}

/** This process for the name of a file: hexadecimal digits and hyphens. What {@link fateOfMark} reads. */
export function ownMark(): string {
  const { host, boot, space, pid, started } = hashed(ownIdentity());
  return [host, boot ?? UNKNOWN, space ?? UNKNOWN, pid, started ?? UNKNOWN].join('-');
}

/**
 * What has become of the process that a mark names; undefined where the text is not one.
 *
 * @param notedAt - when it was written down, in milliseconds since the epoch
 */
export function fateOfMark(mark: string, notedAt: number): ProcessFate | undefined {
  const [, host = '', boot, space, pid, started] = MARK.exec(mark) ?? [];
  if (pid === undefined) return undefined;
  const unlessUnknown = (text: string | undefined): string | undefined =>
    text === UNKNOWN ? undefined : text;
  const other = {
    host,
    boot: unlessUnknown(boot),
    space: unlessUnknown(space),
    pid: Number(pid),
    started: unlessUnknown(started),
  };
  return fateOf(other, notedAt, hashed(ownIdentity()));
}

const UNKNOWN = '0';
const MARK = /^([\da-f]{12})-([\da-f]{12}|0)-([\da-f]{12}|0)-([1-9]\d{0,9})-(\d+)$/;

/** For names of files: the names of host, boot and space may have any length and any characters. */
function hashed(identity: ProcessIdentity): ProcessIdentity {
  const { host, boot, space } = identity;
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { ...identity, host: hash(host), boot: boot && hash(boot), space: space && hash(space) };
}

const CLOCK_TOLERANCE_MS = 60_000;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that has ended keeps its id until its parent asks for it, which never happens in some containers.
    return statOf(pid)?.[0] !== 'Z';
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
  return statOf(pid)?.[19];
}

/** The fields of `/proc/PID/stat` after the program's name, which is in parentheses and may have any characters. */
function statOf(pid: number): readonly string[] | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

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
