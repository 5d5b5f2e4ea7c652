/** Workers of one crawl on Redis, each a process group that can be killed or stopped, and the one that fills the queue. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { openBullmqQueue } from '../../src/batch/bullmq-queue.ts';
import type { CrawlFolder } from '../../src/batch/crawl-folder.ts';
import { Journal } from '../../src/batch/journal.ts';
import { ROOT } from './cli-binary.ts';

/** What a worker does, of the same parts as the command. */
const PROGRAM = `
const [, , dist, path, url, leaseMs] = process.argv;
const load = (name) => import(dist + name + '.js');
const { CrawlFolder } = await load('batch/crawl-folder');
const { Journal } = await load('batch/journal');
const { Publisher } = await load('batch/publisher');
const { Coordinator } = await load('batch/coordinator');
const { WorkerFolder } = await load('batch/worker-folder');
const { forkCrawler } = await load('batch/forked-process');
const { openBullmqQueue } = await load('batch/bullmq-queue');
const folder = new CrawlFolder(path);
const publisher = new Publisher(folder, new Journal(folder), 'ndjson', { leaseMs: Number(leaseMs) });
const own = await WorkerFolder.create(folder);
const queue = await openBullmqQueue({ url, name: 'crawl' });
const settings = {
  flags: { retries: 0, known: false, proxy: false }, crawl: path, folder: own.path, format: 'ndjson',
  publishEveryMs: 50, archives: false, previous: undefined,
};
const coordinator = new Coordinator({
  queue, publisher, processes: 1, sitesAtOnce: 4,
  start: (sitesAtOnce) => forkCrawler(new URL(dist + 'cli/crawl-process.js').pathname, { ...settings, sitesAtOnce }),
  warn: (message) => process.stderr.write(message + '\\n'),
});
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
await coordinator.run(stop.signal);
await own.remove();
await queue.close();`;

/** How long a publisher is waited for that may be alive. */
const LEASE_MS = 1500;

export class QueueWorker {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  said = '';

  constructor(folder: CrawlFolder, url: string) {
    const dist = pathToFileURL(join(ROOT, 'dist/')).href;
    // A file, since the children of a process inherit its flags: that of `node -e` too.
    const file = join(folder.path, 'worker.mjs');
    writeFileSync(file, PROGRAM);
    this.#child = spawn(process.execPath, [file, dist, folder.path, url, String(LEASE_MS)], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr?.on('data', (data) => {
      this.said += data;
    });
    this.#exited = new Promise((resolve) => this.#child.once('close', resolve));
    onTestFinished(() => this.kill());
  }

  /** Whether it has ended by itself. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null;
  }

  /** Sends a signal to the process and its children. */
  signal(signal: NodeJS.Signals): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    process.kill(-this.#child.pid!, signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exited;
  }

  /** Lets it finish what it has; the exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    await this.#exited;
    return this.#child.exitCode;
  }
}

/** Adds the sites that are not finished, again and again, until all are: the queue may have lost them. */
export async function fillUntilDone(
  folder: CrawlFolder,
  url: string,
  sites: readonly string[],
  workers: readonly QueueWorker[],
): Promise<void> {
  const queue = await openBullmqQueue({ url, name: 'crawl' });
  const journal = new Journal(folder);
  try {
    for (;;) {
      await journal.read();
      const missing = sites.filter((site) => !journal.has(site));
      if (missing.length === 0) return;
      const ended = workers.find(({ hasEnded }) => hasEnded);
      if (ended !== undefined) throw new Error(`A worker has ended: ${ended.said}`);
      await queue.add(missing);
      await delay(250);
    }
  } finally {
    await queue.close();
  }
}
