/** `usp worker`: crawls what `usp crawl --queue` hands out, until that crawl is done. */
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CrawlDescription,
  type CrawlFolder,
  folderOfCrawl,
  makeFolders,
  readDescription,
} from '../../batch/crawl-folder.ts';
import { Journal } from '../../batch/journal.ts';
import { unwritable } from '../../batch/open-crawl.ts';
import { Publisher } from '../../batch/publisher.ts';
import { count } from '../../problems/wording.ts';
import { type CrawlCommandFlags, SECRET_FLAGS } from '../args/crawl-command-flags.ts';
import { checkPrevious } from '../args/previous-crawl.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliIO } from '../io.ts';
import { messenger } from '../messages/crawl-progress.ts';
import { Interrupted, UsageError } from '../messages/failure.ts';
import type { Reporter, Verbosity } from '../messages/reporter.ts';
import { runProcesses, type WorkFlags } from './crawl.ts';

/** The options of `usp worker`. */
export interface WorkerOptions
  extends WorkFlags,
    Verbosity,
    Pick<CrawlCommandFlags, (typeof SECRET_FLAGS)[number]> {
  readonly queue: string;
  readonly output: string;
}

/** How often crawl.json is looked at, and how long one is waited for. */
const LOOK_MS = 1_000;
const FOLDER_WAIT_MS = 600_000;

/** Works until the crawl is done, or the user interrupts. */
export async function worker(options: WorkerOptions, io: CliIO, reporter: Reporter): Promise<ExitCode> {
  const say = messenger(io, reporter, options.logFormat ?? 'text');
  const folder = folderOfCrawl(resolve(options.output));
  const description = await waitForCrawl(folder, io, say);
  const flags = withSecrets(description, options);
  await checkPrevious(flags.previous);
  const { openBullmqQueue } = await import('../../batch/redis-queue.ts');
  const queue = await openBullmqQueue({ url: options.queue, name: description.id });
  const over = new AbortController();
  const stop = AbortSignal.any([io.signal, over.signal]);
  const watching = watch(folder, over, stop);
  let finished = 0;
  try {
    await makeFolders(folder);
    const journal = new Journal(folder);
    const publisher = new Publisher(folder, journal, description.format);
    await publisher.recover();
    const before = journal.size;
    const open = { folder, description };
    await runProcesses({ queue, open, publisher, flags, options, io, say, stop });
    await journal.read();
    finished = journal.size - before;
  } catch (error) {
    throw unwritable(options.output, error);
  } finally {
    over.abort();
    await queue.close();
    await watching;
  }
  say(`${count(finished, 'site')} finished by all workers since this one was started.`);
  if (io.signal.aborted) throw new Interrupted('interrupted; the other workers go on.');
  return EXIT.ok;
}

/** A worker may be started before the crawl is. */
async function waitForCrawl(
  folder: CrawlFolder,
  { signal }: CliIO,
  say: (message: string) => void,
): Promise<CrawlDescription> {
  const until = performance.now() + FOLDER_WAIT_MS;
  for (let isFirst = true; ; isFirst = false) {
    const found = await readDescription(folder);
    if (found !== undefined) return found;
    if (isFirst) say(`waiting for usp crawl --queue … -o ${folder.path}`);
    await delay(LOOK_MS, undefined, { signal });
    if (performance.now() < until) continue;
    throw new UsageError(`There is no crawl in ${folder.path}.`, {
      hint: 'start usp crawl <sites> --queue … -o with the same folder.',
    });
  }
}

/** Ends the work once crawl.json says that the crawl is done. */
async function watch(folder: CrawlFolder, over: AbortController, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const found = await readDescription(folder).catch(() => undefined);
    if (found?.state === 'done') over.abort();
    await delay(LOOK_MS, undefined, { signal: stop }).catch(() => {});
  }
}

/** The flags of the crawl. Those that may hold secrets are not in crawl.json: the worker is given them itself. */
function withSecrets({ options }: CrawlDescription, given: WorkerOptions): CrawlCommandFlags {
  const missing = SECRET_FLAGS.filter((name) => options[name] === true && given[name] === undefined);
  if (missing.length > 0) {
    throw new UsageError(
      `The crawl has ${missing.map((name) => `--${name}`).join(', ')}, whose values are not in crawl.json.`,
      { hint: 'give the worker the same ones.' },
    );
  }
  const secrets = SECRET_FLAGS.filter((name) => given[name] !== undefined);
  return { ...options, ...Object.fromEntries(secrets.map((name) => [name, given[name]])) };
}
