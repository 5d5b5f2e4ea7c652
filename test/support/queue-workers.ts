/** `usp worker`, as a process group that can be killed or stopped. */
import type { Running } from './cli-binary.ts';
import { killGroup, type Started, startGroup } from './crawl-command.ts';

const WORK = ['--processes', '1', '--sites-at-once', '4', '--publish-every', '0.05'];

/** @param path - the folder of the crawl */
export function workerCommand(path: string, url: string): readonly string[] {
  return ['worker', '--queue', url, '-o', path, ...WORK];
}

export class QueueWorker implements Started {
  readonly #run: Running & { readonly pid: number };

  /** @param path - the folder of the crawl */
  constructor(path: string, url: string) {
    this.#run = startGroup(workerCommand(path, url));
  }

  /** Sends a signal to the process and its children. */
  signal(signal: NodeJS.Signals): void {
    process.kill(-this.#run.pid, signal);
  }

  /** Kills it. */
  stop(): void {
    killGroup(this.#run.pid);
  }

  /** How it ended, and what it said. */
  get finished(): Running['finished'] {
    return this.#run.finished;
  }
}
