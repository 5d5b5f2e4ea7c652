/** `usp worker`, as a process group that can be killed or stopped. */
import type { Running } from './cli-binary.ts';
import { killGroup, startGroup } from './crawl-command.ts';

const WORK = ['--processes', '1', '--sites-at-once', '4', '--publish-every', '0.05'];

export class QueueWorker {
  readonly #run: Running & { readonly pid: number };

  /** @param path - the folder of the crawl */
  constructor(path: string, url: string) {
    this.#run = startGroup(['worker', '--queue', url, '-o', path, ...WORK]);
  }

  /** Sends a signal to the process and its children. */
  signal(signal: NodeJS.Signals): void {
    process.kill(-this.#run.pid, signal);
  }

  async kill(): Promise<void> {
    killGroup(this.#run.pid);
    await this.#run.finished;
  }

  /** How it ended by itself, and what it said. */
  async ended(): Promise<readonly [code: number | null, said: string]> {
    const { code, stderr } = await this.#run.finished;
    return [code, stderr];
  }
}
