/** `usp worker`, as a process group that shares no folder with others, and can be killed or stopped. */
import type { Running } from './cli-binary.ts';
import { apart, type GroupOptions, killGroup, type Started, startGroup } from './crawl-command.ts';

const WORK = ['--processes', '1', '--sites-at-once', '4', '--publish-every', '0.05'];

export function workerCommand(url: string): readonly string[] {
  return ['worker', '--queue', url, ...WORK];
}

export class QueueWorker implements Started {
  readonly #run: Running & { readonly pid: number };

  /** @param options - how it is started, where it may see the temporary folder of others */
  constructor(url: string, options: GroupOptions = apart()) {
    this.#run = startGroup(workerCommand(url), options);
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
