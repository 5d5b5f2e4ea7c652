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
import { handOver } from '../../batch/handed-batches.ts';
import type { Batch } from '../../batch/journal.ts';
import { folderUnwritable } from '../../batch/open-crawl.ts';
import { loadPackages } from '../../batch/redis-connection.ts';
import { count } from '../../text/wording.ts';
import { type CrawlCommandFlags, checkPrevious } from '../args/crawl-command-flags.ts';
import { SECRET_ATTRIBUTES } from '../args/option-flags.ts';
import { EXIT, Interrupted, UsageError } from '../endings.ts';
import type { CliIO, CommandRun } from '../io.ts';
import { messenger } from '../messages/progress-line.ts';
import type { Verbosity, WorkFlags } from '../program/flags.ts';
import { withProcesses } from './crawl.ts';

interface WorkerOptions extends WorkFlags, Verbosity {
  readonly queue: string;
  readonly output: string;
}

/** How often crawl.json is looked at, and how long one is waited for. */
const LOOK_MS = 1_000;
const FOLDER_WAIT_MS = 600_000;

export const worker: CommandRun<undefined, WorkerOptions> = async (_none, options, io, reporter) => {
  const say = messenger(io, reporter, options.logFormat ?? 'text');
  const folder = folderOfCrawl(resolve(options.output));
  const { RedisQueue } = await import('../../batch/redis-queue.ts');
  // Not after ten minutes of waiting.
  await loadPackages();
  const description = await waitForCrawl(folder, io, say);
  checkVersion(folder, description, io);
  const flags = withSecrets(description, options);
  await checkPrevious(flags.previous);
  const { id: name, key } = description;
  const queue = await RedisQueue.open({ url: options.queue, name, key, warn: say, signal: io.signal });
  const over = new AbortController();
  const stop = AbortSignal.any([io.signal, over.signal]);
  const watching = watch(folder, over, stop);
  let finished = 0;
  try {
    await makeFolders(folder);
    const work = { folder, format: description.format, flags, options, io, say };
    const publish = async (batch: Batch): Promise<void> => {
      await handOver(folder, batch);
      finished += batch.sites.length;
    };
    await withProcesses({ ...work, publish, stop }, (crawler) =>
      queue.work((site, deaths) => crawler.crawl(site, deaths), { atOnce: crawler.atOnce, signal: stop }),
    );
  } catch (error) {
    throw folderUnwritable(options.output, error);
  } finally {
    over.abort();
    await queue.close();
    await watching;
  }
  say(`${count(finished, 'site')} finished by this worker.`);
  if (io.signal.aborted) throw new Interrupted('interrupted; the other workers go on.');
  return EXIT.ok;
};

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
    if (isFirst) say(`waiting up to 10 minutes for usp crawl --queue … -o ${folder.path}`);
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

/** What another version writes into the folder, or expects there, is not known. */
function checkVersion(folder: CrawlFolder, { version }: CrawlDescription, io: CliIO): void {
  if (version === io.version) return;
  throw new UsageError(
    `The crawl in ${folder.path} runs with version ${version}, and this worker is ${io.version}.`,
    {
      hint: 'install the same version on every machine, and start usp crawl first.',
    },
  );
}

/** The flags of the crawl. Those that may hold secrets are not in crawl.json: the worker is given them itself. */
function withSecrets({ options }: CrawlDescription, given: WorkerOptions): CrawlCommandFlags {
  const missing = SECRET_ATTRIBUTES.filter(
    (name) => options[name] === true && Reflect.get(given, name) === undefined,
  );
  if (missing.length > 0) {
    throw new UsageError(
      `The crawl has ${missing.map((name) => `--${name}`).join(', ')}, whose values are not in crawl.json.`,
      { hint: 'give the worker the same ones.' },
    );
  }
  const secrets = Object.entries(given).filter(
    ([name, value]) => SECRET_ATTRIBUTES.includes(name) && value !== undefined,
  );
  return { ...options, ...Object.fromEntries(secrets) };
}
