/** The real binary, built if need be, run as a process of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '../../scripts/surroundings.js';
import { waitingFor } from './waits.ts';

/** The folder of the package. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));
/** A module of the sources is in `src/x.ts`, and what the compiler made of it in `x.js` here. */
export const COMPILED: string = join(ROOT, '.build/');
/** What `usp` is linked to: in our own folder, or in that of an installed package. */
export const BINARY: string = join(process.env['TEST_PACKAGE'] ?? ROOT, 'dist/cli/main.js');

/** The binary as a command of a shell: a `$` in a path is not a variable. */
export const USP_IN_SHELL: string = [process.execPath, BINARY].map(shellQuoted).join(' ');

/** A text as one word of a shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Builds the binary where it is missing or older than its source: one test file at a time, the others wait. */
export async function build(): Promise<void> {
  const lock = join(tmpdir(), `usp-build-${createHash('sha1').update(ROOT).digest('hex').slice(0, 12)}.lock`);
  for (;;) {
    if (isBuilt() && !existsSync(lock)) return;
    try {
      closeSync(openSync(lock, 'wx'));
      break;
    } catch {
      // Another process builds. A lock whose holder is gone must not stop the others.
      const age = existsSync(lock) ? Date.now() - statSync(lock).mtimeMs : 0;
      if (age > 120_000) rmSync(lock, { force: true });
      await delay(100);
    }
  }
  try {
    if (isBuilt()) return;
    const build = spawnSync(process.execPath, ['scripts/build.js'], { cwd: ROOT, encoding: 'utf8' });
    if (build.status !== 0)
      throw new Error(
        `The sources do not compile, so there is nothing to test:\n${build.stdout}${build.stderr}`,
      );
  } finally {
    rmSync(lock, { force: true });
  }
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running `usp`, what it wrote so far, and how it ends. */
export interface Running {
  readonly child: ChildProcess;
  readonly written: { stdout: string; stderr: string };
  readonly finished: Promise<Finished>;
}

export interface SpawnedOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts the binary. */
export function start(argv: readonly string[], options: SpawnedOptions = {}): Running {
  return watched(
    spawn(process.execPath, [BINARY, ...argv], { cwd: options.cwd ?? ROOT, env: environment(options.env) }),
  );
}

/** Starts a line of POSIX shell, in which `usp` is the binary. */
export function startShell(line: string, options: SpawnedOptions = {}): Running {
  const usp = `usp() { ${USP_IN_SHELL} "$@"; };`;
  return watched(
    spawn('sh', ['-c', `${usp} ${line}`], { cwd: options.cwd ?? ROOT, env: environment(options.env) }),
  );
}

/** Runs the binary to its end. */
export function runBinary(argv: readonly string[], options: SpawnedOptions = {}): Promise<Finished> {
  return start(argv, options).finished;
}

/** Watches a child: what it writes, and how it ends. */
export function watched(child: ChildProcess): Running {
  const written = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString('utf8');
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString('utf8');
  });
  const ended = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...written }));
  });
  const command = child.spawnargs.join(' ');
  const finished = waitingFor(() => `the end of ${command} (stderr so far: ${written.stderr})`, ended);
  return { child, written, finished };
}

// What a CI says of itself is not what is tested.
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { CI: _ci, NO_COLOR: _noColour, ...env } = process.env;
  return { ...env, ...more };
}

/**
 * Waits until a process waits: it sleeps most of half a second, and does next to nothing; at most 20 seconds. Where the
 * system does not say what a process does, some time passes instead.
 */
export async function idle({ pid }: ChildProcess, otherwiseMs: number): Promise<void> {
  if (!existsSync('/proc/self/stat')) return delay(otherwiseMs);
  const end = Date.now() + 20_000;
  let looks: (readonly [state: string, ticks: number])[] = [];
  await until(() => {
    const look = workOf(pid);
    if (look === undefined) return true;
    looks = [...looks.slice(-24), look];
    const sleeping = looks.filter(([state]) => state === 'S').length;
    // One tick is 10 ms: Node has not started with fewer than these.
    return Date.now() > end || (sleeping > 12 && look[1] > 4 && look[1] - looks[0]![1] <= 1);
  }, 'a process that waits');
}

/** The state of a process, and how much it has worked so far, in ticks; undefined where it has ended. */
function workOf(pid: number | undefined): readonly [state: string, ticks: number] | undefined {
  try {
    const [state = 'Z', ...more] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state === 'Z' ? undefined : [state, Number(more[10]) + Number(more[11])];
  } catch {
    return undefined;
  }
}

/** Waits until something is so. */
export async function until(isSo: () => boolean, what: string, withinMs = 100_000): Promise<void> {
  for (const end = Date.now() + withinMs; !isSo(); await delay(20)) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
  }
}
