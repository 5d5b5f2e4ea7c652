/** `usp crawl`: as a process group of its own, which can be killed as a whole, or in this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { ChildCrawler, FromProcess, ProcessSettings, ToProcess } from '../../src/batch/child-process.ts';
import { serveCrawl } from '../../src/batch/serve-crawl.ts';
import { BINARY, type Finished, ROOT, type Running, watched } from './cli-binary.ts';
import { type Told, usp, type WorldOptions } from './cli-world.ts';
import { folder } from './folder.ts';
import type { LoopbackSites } from './loopback-sites.ts';
import { canMount } from './platform.ts';
import { isFull } from './tier.ts';

/** Writes a list of the sites with these numbers beside the folder of a crawl. */
export function listOf(sites: LoopbackSites, path: string, numbers: readonly number[]): string {
  const file = join(dirname(path), 'sites.txt');
  writeFileSync(file, numbers.map((number) => `${sites.homepage(number)}\n`).join(''));
  return file;
}

/** What all crawls of the tests have: no proxy, one attempt, quick publication, and lines that are easy to read. */
export const QUICK_CRAWL: readonly string[] = [
  '-f',
  'ndjson',
  '--retries',
  '0',
  '--no-known',
  '--publish-every',
  '0.05',
];

/** Starts a command in a process group of its own; killed when the test ends. */
export function startGroup(
  argv: readonly string[],
  { env = {}, before = [] }: GroupOptions = {},
): Running & { readonly pid: number } {
  const [program = process.execPath, ...args] = [...before, process.execPath, BINARY, ...argv];
  const child: ChildProcess = spawn(program, args, {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pid = child.pid!;
  onTestFinished(() => killGroup(pid));
  return { ...watched(child), pid };
}

export interface GroupOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A program that runs the command, and its arguments. */
  readonly before?: readonly string[];
}

/**
 * What makes a process share nothing with others: its temporary folder, where the folders of crawls are too, is its own in
 * a mount namespace. Where that cannot be made, or would hide this checkout or Node, only its temporary files are in a
 * folder of its own.
 */
export function apart(): GroupOptions {
  const isHidden = [ROOT, process.execPath].some((path) => !relative(tmpdir(), path).startsWith('..'));
  if (isHidden || !canMount()) return { env: { TMPDIR: folder() } };
  const script = 'mount -t tmpfs tmpfs "$0" && exec "$@"';
  return { before: ['unshare', '--mount', 'sh', '-c', script, tmpdir()] };
}

/** Kills a process and all that it started. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** The children of a process, on Linux. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Runs a command to its end. */
export function crawlToEnd(argv: readonly string[]): Promise<Finished> {
  return startGroup(argv).finished;
}

/**
 * Runs a command to its end in this process, and crawls its sites here too: a process costs half a second. A test about
 * children gives it `startCrawler: forkCrawler`: Node can run them, since tests have what is built (built-sources.ts).
 */
export function crawlHere(argv: readonly string[], options: WorldOptions = {}): Promise<Told> {
  // A worker that is a process has the same version.
  return usp(argv, { version: VERSION, startCrawler: crawlerHere, ...options });
}

/** Crawls sites in this process as a child process does: messages are JSON, and come later than they are sent. */
export function crawlerHere(settings: ProcessSettings): ChildCrawler {
  const [toChild, toParent] = [new EventEmitter(), new EventEmitter()];
  let isKilled = false;
  const sendTo = (receiver: EventEmitter, message: ToProcess | FromProcess): void => {
    const text = JSON.stringify(message);
    setImmediate(() => isKilled || receiver.emit('message', JSON.parse(text)));
  };
  const parent = {
    send: (message: FromProcess) => sendTo(toParent, message),
    onMessage: (listener: (message: ToProcess) => void) => void toChild.on('message', listener),
  };
  const served = serveCrawl(parent, JSON.parse(JSON.stringify(settings)) as ProcessSettings);
  const killed = new Promise<string>((resolve) => void toChild.once('kill', () => resolve('SIGKILL')));
  // After the last message.
  const ended = served.then(
    () => nextTurn(undefined),
    (error: Error) => nextTurn(error.message),
  );
  return {
    send: (message) => sendTo(toChild, message),
    onMessage: (listener) => void toParent.on('message', listener),
    exited: Promise.race([ended, killed]),
    // What it does goes on, and is not heard of.
    kill() {
      isKilled = true;
      toChild.emit('kill');
    },
  };
}

const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

/** A command that runs, wherever it does. */
export interface Started {
  readonly finished: Promise<Pick<Finished, 'code' | 'stderr'>>;
  /** Ends it, if it has not ended. */
  stop(): void;
}

/** A command that runs, and the process that it runs in. */
export type StartedProcess = Started & { readonly pid: number };

/** Starts a command where it is cheap: in this process in the fast tier, as a process group in the full one. */
export function started(argv: readonly string[]): StartedProcess {
  if (!isFull) return startedHere(argv);
  const { finished, pid } = startGroup(argv);
  return { pid, finished, stop: () => killGroup(pid) };
}

/** Starts a command in this process. */
export function startedHere(argv: readonly string[]): StartedProcess {
  const interruption = new AbortController();
  const stop = (): void => interruption.abort();
  onTestFinished(stop);
  return { pid: process.pid, finished: crawlHere(argv, { signal: interruption.signal }), stop };
}
