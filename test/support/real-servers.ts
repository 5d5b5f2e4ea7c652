/**
 * Real servers and proxies, as Debian packages them, on loopback: each test starts its own, or those of a file share
 * one, on a port of its own, with a configuration in a temporary folder, and without root. Where a program is not
 * installed, its tests are skipped, and their title says what to install.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { closedPort } from '../server/raw-server.ts';
import { describeUnless } from './collected.ts';
import { type AtEnd, folderUntil } from './folder.ts';
import { onPath } from './on-path.ts';
import { canChangeUser, withRealClock } from './platform.ts';

/** The programs that tests know, with the Debian package of each. */
const PACKAGES = {
  nginx: 'nginx-light',
  apache2: 'apache2',
  lighttpd: 'lighttpd',
  squid: 'squid',
  tinyproxy: 'tinyproxy-bin',
  microsocks: 'microsocks',
  'redis-server': 'redis-server',
  sqlite3: 'sqlite3',
  wget: 'wget',
  rclone: 'rclone',
  'valkey-server': 'valkey-server',
} as const;

export type Program = keyof typeof PACKAGES;

/** Those that change their user if root starts them, as these tests configure them. */
const CHANGE_USER: ReadonlySet<Program> = new Set(['nginx', 'apache2', 'lighttpd', 'squid']);

/** Where a program is installed: Debian puts servers where an ordinary user's PATH does not look. */
const pathOf = (program: Program): string | undefined =>
  onPath(program, '/usr/sbin', '/usr/local/sbin', '/sbin');

/** A `describe` for tests that need a program, and files of it: one skipped test with a sentence where they are missing. */
export function describeWith(
  program: Program,
  title: string,
  body: () => void,
  files: readonly string[] = [],
): void {
  const isThere = pathOf(program) !== undefined && files.every((file) => existsSync(file));
  let missing: string | undefined;
  if (!isThere) missing = `${program} is not installed: apt-get install ${PACKAGES[program]}`;
  else if (CHANGE_USER.has(program) && !canChangeUser())
    missing = `${program} is not started: root cannot change the user here, or TMPDIR is private`;
  describeUnless(missing, title, body);
}

/** A folder that is removed when the test ends; every user may read it, since a server may change its user. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = folderUntil(atEnd);
  chmodSync(folder, 0o755);
  return folder;
}

export interface RealServer {
  readonly port: number;
  /** `http://127.0.0.1:12345` */
  readonly origin: string;
  readonly folder: string;
  /** The lines of a log file in the folder. */
  logged(file: string): readonly string[];
  /** Ends the process, its children included; its port refuses connections then. */
  stop(): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
}

export interface ServerCommand {
  readonly program: Program;
  /** Writes the configuration, and returns the arguments; the program runs in the folder, and must stay in the foreground. */
  readonly configure: (place: { readonly folder: string; readonly port: number }) => readonly string[];
  /** @default a new one */
  readonly folder?: string;
  /** @default when the test ends */
  readonly atEnd?: AtEnd | undefined;
}

/** Starts a program and waits until its port accepts connections. */
export async function startRealServer({
  program,
  configure,
  atEnd = onTestFinished,
  folder = temporaryFolder(atEnd),
}: ServerCommand): Promise<RealServer> {
  const path = pathOf(program);
  if (path === undefined) throw new Error(`${program} is not installed.`);
  const port = await closedPort();
  const args = configure({ folder, port });
  let running: ChildProcess | undefined;

  const stop = async (): Promise<void> => {
    const child = running;
    running = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    // Its own process group: a server may have workers.
    process.kill(-child.pid, 'SIGTERM');
    const isOver = await Promise.race([exited.then(() => true), delay(5_000, false, { ref: false })]);
    if (!isOver) process.kill(-child.pid, 'SIGKILL');
    await exited;
  };
  const start = async (): Promise<void> => {
    const child = spawn(path, args, {
      cwd: folder,
      detached: true,
      env: withRealClock(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running = child;
    let said = '';
    child.stderr.on('data', (data) => {
      said += data;
    });
    for (const until = performance.now() + 60_000; !(await accepts(port)); await delay(10)) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > until) {
        await stop();
        throw new Error(`${program} did not start: ${said}`);
      }
    }
  };
  atEnd(stop);
  await start();
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    folder,
    logged(file) {
      const log = join(folder, file);
      return existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
        : [];
    },
    stop,
    start,
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
