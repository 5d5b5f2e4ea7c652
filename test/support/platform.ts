/**
 * What some tests need of the system. Where it is missing they are not collected (collected.ts). Servers and programs that
 * can be installed are in real-servers.ts.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestRunner } from 'vitest';

const { platform } = process;

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

/** Skips the current test where a server cannot listen at an address of loopback. */
export function needAddress(address: string): void {
  // Linux and Windows have all of 127.0.0.0/8. macOS has only what its interface lists.
  if (platform !== 'darwin' || !address.startsWith('127.')) return;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  if (own.some((each) => each.address === address)) return;
  TestRunner.getCurrentTest()?.context.skip(`needs ${address}: sudo ifconfig lo0 alias ${address}`);
}

/** Windows lets only some users make symbolic links. */
export const HAS_LINKS: boolean = canLink();

function canLink(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'usp-links-'));
  try {
    symlinkSync('nowhere', join(folder, 'link'));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a small file system can be mounted: root outside of most containers. */
export function canMount(): boolean {
  if (!IS_LINUX || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'usp-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
