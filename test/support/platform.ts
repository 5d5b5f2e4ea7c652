/**
 * What some tests need of the system. Where it is missing they are not collected (collected.ts). Servers and programs that
 * can be installed are in real-servers.ts.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestRunner } from 'vitest';

const { platform } = process;
/** A user without rights, as Linux and macOS number it. */
const NOBODY = 65_534;

/** Signals that a process can catch, modes of files, named pipes, /dev/null: not on Windows. */
export const IS_POSIX: boolean = platform !== 'win32';

/** What is in /proc, and file names like /dev/fd/3. */
export const IS_LINUX: boolean = platform === 'linux';

/** On Windows, `bash` may be the one of a virtual machine, which does not know our paths. */
export const HAS_BASH: boolean = IS_POSIX && spawnSync('bash', ['-c', 'exit 0']).status === 0;

/** A file that every write to fails, as on a full disk: only Linux has it. */
export const HAS_DEV_FULL: boolean = existsSync('/dev/full');

/** Why there is no terminal to test on: `script` of util-linux makes one. Elsewhere it has other options. */
export const NO_TERMINAL: string | undefined =
  HAS_BASH && spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') === true
    ? undefined
    : 'script of util-linux is not installed: apt-get install bsdutils';

/** The environment for programs that do not start or hang where libfaketime gives them another clock. */
export function withRealClock(): NodeJS.ProcessEnv {
  const { LD_PRELOAD: _, ...environment } = process.env;
  return environment;
}

/** Skips the current test where a server cannot listen at an address of loopback. */
export function needAddress(address: string): void {
  // Linux and Windows have all of 127.0.0.0/8. macOS has only what its interface lists.
  if (platform !== 'darwin' || !address.startsWith('127.')) return;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  if (own.some((each) => each.address === address)) return;
  TestRunner.getCurrentTest()?.context.skip(`needs ${address}: sudo ifconfig lo0 alias ${address}`);
}

/** Windows lets only some users make symbolic links. */
export const HAS_LINKS: boolean = works((folder) => symlinkSync('nowhere', join(folder, 'link')));

/** A small system may have no `mkfifo`. */
export const HAS_PIPES: boolean =
  IS_POSIX && works((folder) => execFileSync('mkfifo', [join(folder, 'pipe')]));

/** Whether a script in a folder for temporary files can be run: that file system may be mounted with `noexec`. */
export const CAN_RUN_TEMPORARY: boolean =
  IS_POSIX &&
  works((folder) => {
    writeFileSync(join(folder, 'script'), '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(join(folder, 'script'));
  });

/** Whether a process may have a thousand files open: `ulimit -n` may be lower. */
export const HAS_MANY_FILES: boolean = !IS_POSIX || works(openMany);

function openMany(): void {
  const files: number[] = [];
  try {
    for (let count = 0; count < 1_000; count++) files.push(openSync('/dev/null', 'r'));
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** Whether a file of mode 0 cannot be read: root may read it, except in a container without capabilities. */
export const MODES_COUNT: boolean =
  IS_POSIX &&
  !works((folder) => {
    writeFileSync(join(folder, 'file'), '', { mode: 0 });
    readFileSync(join(folder, 'file'));
  });

/**
 * Whether files can be given to other users: root can, except in a container without capabilities. Two are tried, since
 * the user `nobody` can give files to itself.
 */
export const CAN_CHOWN: boolean =
  IS_POSIX && works((folder) => [1, NOBODY].forEach((user) => void chownSync(folder, user, user)));

/**
 * Whether a server that root starts can change to another user, and read temporary files then: not in a container without
 * capabilities, and not if TMPDIR is private. Servers of other users keep their user.
 */
export function canChangeUser(): boolean {
  if (process.getuid?.() !== 0) return true;
  return works((folder) => {
    chmodSync(folder, 0o755);
    execFileSync('ls', [folder], { uid: NOBODY, gid: NOBODY, stdio: 'ignore' });
  });
}

/** Whether a small file system can be mounted: root outside of most containers. */
export function canMount(): boolean {
  if (!IS_LINUX || process.getuid?.() !== 0) return false;
  return works((folder) => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
  });
}

/** Tries something in a folder, and says whether it works here. */
function works(attempt: (folder: string) => unknown): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'usp-works-'));
  try {
    attempt(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
