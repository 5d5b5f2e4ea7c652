/** `usp crawl`: many sites into one folder, on one machine or by workers. */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { forkCrawler, type ProcessSettings } from '../../batch/child-process.ts';
import { Coordinator } from '../../batch/coordinator.ts';
import { type CrawlDescription, type CrawlFolder, createWorkerFolder } from '../../batch/crawl-folder.ts';
import type { Batch, CrawlCounts } from '../../batch/journal.ts';
import { folderUnwritable, OpenCrawl } from '../../batch/open-crawl.ts';
import type { TableFormat } from '../../batch/output/table-file.ts';
import { queueSecret } from '../../batch/queue-signature.ts';
import { defaultOf, OPTIONS, OWN_DEFAULTS } from '../../options/option-table.ts';
import { onAbort, unlessAborted } from '../../runtime/abort.ts';
import { count, number } from '../../text/wording.ts';
import { shownUrl } from '../../url.ts';
import {
  type CrawlCommandFlags,
  checkPrevious,
  checkSameFlags,
  givenFlags,
  shownFlags,
  siteOptions,
} from '../args/crawl-command-flags.ts';
import { crawlOptions } from '../args/option-flags.ts';
import { nameOfList } from '../args/row-text.ts';
import { SiteList } from '../args/site-list.ts';
import { EXIT, type ExitCode, Interrupted, UsageError } from '../endings.ts';
import type { CliIO, CommandRun, Reporter } from '../io.ts';
import { crawlProgress, messenger } from '../messages/progress-line.ts';
import { checkAgent } from '../page-filter.ts';
import type { CRAWL, FlagsOf, PAGE_FILTERS, QUEUE, Verbosity, WorkFlags } from '../program/flags.ts';

interface CrawlOptions
  extends Omit<CrawlCommandFlags, 'since' | 'until'>,
    FlagsOf<typeof CRAWL>,
    FlagsOf<typeof QUEUE>,
    WorkFlags,
    Pick<FlagsOf<typeof PAGE_FILTERS>, 'since' | 'until'>,
    Verbosity {
  readonly output: string;
  readonly format: TableFormat;
}

const MOST_NAMES = 100;
const SECOND = 1000;
const PUBLISH_EVERY_S = 30;

export const crawl: CommandRun<string, CrawlOptions> = async (path, options, io, reporter) => {
  const folder = resolve(options.output);
  const previous = await previousFolder(options, folder);
  const say = messenger(io, reporter, options.logFormat ?? 'text');
  const list = await readList(path, options, io, say);
  const { since, until } = options;
  const times = { since: since?.toISOString(), until: until?.toISOString() };
  const flags = givenFlags({ ...options, previous, ...times });
  // A mistake is reported before there is a folder, or a process.
  siteOptions(flags);
  const open = await openFolder(folder, flags, options, io);
  try {
    const { retryFailed = false, verify: verifyRows = false } = options;
    for (const part of await open.journal.forget({ retryFailed, verifyRows }))
      say(`${part} is missing or damaged: its sites are crawled again.`);
    const isUnfinished = (site: string): boolean => !open.journal.has(site);
    const flagsWithTimes = keepTimes(flags, options, open.description);
    return await crawlList({ list, isUnfinished, open, options, io, say, flags: flagsWithTimes }, reporter);
  } catch (error) {
    throw folderUnwritable(options.output, error);
  } finally {
    await open.close();
  }
};

/** The folder of the earlier crawl, if there is one. @throws UsageError if it cannot be used */
async function previousFolder(options: CrawlOptions, folder: string): Promise<string | undefined> {
  const previous = options.previous === undefined ? undefined : resolve(options.previous);
  if (options.archives !== true && previous === folder)
    throw new UsageError('--previous and -o name the same folder.');
  if (options.freshOnly === true && previous === undefined)
    throw new UsageError('--fresh-only needs --previous.');
  checkAgent(options);
  await checkPrevious(previous);
  return previous;
}

/** @throws UsageError if the folder has a crawl with other flags */
function openFolder(
  folder: string,
  flags: CrawlCommandFlags,
  options: CrawlOptions,
  { version }: CliIO,
): Promise<OpenCrawl> {
  const { since, until, format } = options;
  return OpenCrawl.open(folder, (earlier) => {
    const { sinceText = since?.text, untilText = until?.text } = earlier?.options ?? {};
    const publicFlags = shownFlags(keepTimes(flags, options, earlier));
    const crawl = { version, format, options: { ...publicFlags, sinceText, untilText } };
    if (earlier !== undefined) checkSameFlags(folder, earlier, crawl);
    return crawl;
  });
}

/** Crawls the sites of a list that are not finished. */
async function crawlList(work: Work, reporter: Reporter): Promise<ExitCode> {
  const { list, isUnfinished, open, say } = work;
  const areFinished = (many: number): string =>
    `${number(many)} of ${count(list.size, 'site')} ${many === 1 ? 'is' : 'are'} finished`;
  const remaining = list.countOf(isUnfinished);
  const all = open.journal.counts.sites + remaining;
  await open.describe({ state: remaining === 0 ? 'done' : 'running', sites: list.size });
  if (remaining < list.size) say(`${areFinished(list.size - remaining)} already.`);
  // Where workers crawl the sites, there is none.
  let crawler: Coordinator | undefined;
  const onStart = (coordinator: Coordinator): void => {
    crawler = coordinator;
  };
  const progress = progressOf(work, all, reporter, () => crawler);
  if (remaining > 0) {
    await progress.show();
    try {
      const { queue } = work.options;
      await (queue === undefined ? crawlHere(work, onStart) : handToWorkers(work, queue, all));
    } finally {
      progress.hide();
    }
  }
  const unfinished = list.countOf(isUnfinished);
  await open.describe({ state: unfinished === 0 ? 'done' : 'stopped' });
  progress.finish();
  if (unfinished === 0) return EXIT.ok;
  throw new Interrupted(
    `interrupted: ${areFinished(list.size - unfinished)}. Run the same command again to continue.`,
  );
}

function progressOf(
  { open, options, io }: Work,
  all: number,
  reporter: Reporter,
  crawler: () => Coordinator | undefined,
): ReturnType<typeof crawlProgress> {
  const countsNow = (): CrawlCounts => open.journal.counts.plus(crawler()?.unpublished ?? []);
  const running = (): ReadonlyMap<string, number> => crawler()?.running ?? new Map();
  const siteMs = crawlOptions(options).maxTimeMs ?? Number(defaultOf(OPTIONS.maxTimeMs, 'sites'));
  return crawlProgress(io, reporter, options.logFormat ?? 'text', { countsNow, all, running, siteMs });
}

/** What `usp crawl` and `usp worker` crawl with. */
interface ProcessWork {
  readonly folder: Pick<CrawlFolder, 'temporary'>;
  /** The folder of the crawl, where children put archives. A worker has them with its parts. */
  readonly crawl?: string;
  /** The folder of the earlier crawl, if there is one. A worker has copies of its archives with its parts. */
  readonly previous?: string | undefined;
  readonly format: TableFormat;
  readonly publish: (batch: Batch, workerFolder: string) => Promise<void>;
  readonly flags: CrawlCommandFlags;
  readonly options: WorkFlags;
  readonly io: CliIO;
  readonly say: (message: string) => void;
  /** Aborted where nothing that is at work here is needed any more. */
  readonly crawlEnd?: AbortSignal;
}

interface Work extends Omit<ProcessWork, 'folder' | 'format' | 'publish'> {
  readonly options: CrawlOptions;
  readonly list: SiteList;
  readonly open: OpenCrawl;
  readonly isUnfinished: (site: string) => boolean;
}

/** On this machine alone: as many sites of the list at once as all processes take. */
async function crawlHere(
  { list, isUnfinished, open, ...work }: Work,
  onStart: (crawler: Coordinator) => void,
): Promise<void> {
  const { folder, journal, description } = open;
  const { format } = description;
  const sites = list.sites(isUnfinished);
  const publish = (batch: Batch): Promise<void> => journal.publish(batch);
  const { previous } = work.flags;
  await withProcesses({ ...work, folder, crawl: folder.path, previous, format, publish }, async (crawler) => {
    onStart(crawler);
    const crawlEach = async (): Promise<void> => {
      for (let next = sites.next(); !next.done; next = sites.next()) {
        await crawler.crawl(next.value);
        if (work.io.signal.aborted) return;
      }
    };
    await Promise.all(Array.from({ length: crawler.atOnce }, crawlEach));
  });
}

/** Crawls sites in child processes, and publishes what they have finished, until the work is over or is stopped. */
export async function withProcesses(
  work: ProcessWork,
  feed: (crawler: Coordinator, workerFolder: string) => Promise<void>,
): Promise<void> {
  const { folder, format, publish, flags, options, io, say, crawlEnd } = work;
  const ofSites = siteOptions(flags);
  const workerFolder = await createWorkerFolder(folder);
  const { sitesAtOnce = OWN_DEFAULTS.sitesAtOnce, processes = availableParallelism() } = options;
  const { startCrawler = forkCrawler } = io;
  const settings: ProcessSettings = {
    options: ofSites,
    crawl: work.crawl ?? workerFolder.path,
    folder: workerFolder.path,
    format,
    publishEveryMs: (options.publishEvery ?? PUBLISH_EVERY_S) * SECOND,
    archives: flags.archives === true,
    previous: flags.previous === undefined ? undefined : (work.previous ?? earlierIn(workerFolder.path)),
  };
  const crawler = new Coordinator({
    publish: (batch) => publish(batch, workerFolder.path),
    processes,
    sitesAtOnce,
    start: (atOnce) => startCrawler({ ...settings, options: { ...settings.options, sitesAtOnce: atOnce } }),
    warn: say,
  });
  const stopListening = onAbort(io.signal, () => {
    const { size } = crawler.running;
    if (size > 0) say(`finishing ${count(size, 'site')}; press Ctrl-C again to stop at once.`);
  });
  try {
    await unlessAborted(feed(crawler, workerFolder.path), crawler.failed);
    await unlessAborted(crawler.end({ isStopped: io.signal.aborted }), crawlEnd);
  } finally {
    stopListening();
    await crawler.close();
    await workerFolder.remove();
  }
}

/** Where a worker has the archives of the earlier crawl. */
export function earlierIn(workerFolder: string): string {
  return join(workerFolder, 'earlier');
}

async function handToWorkers(work: Work, url: string, all: number): Promise<void> {
  const { list, isUnfinished, open, io, say } = work;
  const { crawlByWorkers } = await import('../../batch/crawl-by-workers.ts');
  const { previous, ...options } = shownFlags(work.flags);
  const { signal } = io;
  say('waiting for workers: usp worker --queue …');
  // The parser of ioredis has a timer of a second after a large reply.
  io.exitAtEnd?.();
  await crawlByWorkers({
    ...{ url, secret: queueSecret(io.env), open, signal, warn: say },
    options: { ...options, ...(previous === undefined ? {} : { previous: true }) },
    previous: work.flags.previous,
    unfinished: () => list.sites(isUnfinished),
    isAllFinished: () => open.journal.counts.sites >= all && list.countOf(isUnfinished) === 0,
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

async function readList(
  path: string,
  options: CrawlOptions,
  io: CliIO,
  say: (message: string) => void,
): Promise<SiteList> {
  if (/^https?:\/\//i.test(path)) {
    throw new UsageError(`usp crawl takes a file with a list of sites, and ${shownUrl(path)} is one site.`, {
      hint: `usp ls ${shownUrl(path)}`,
    });
  }
  const list = await SiteList.read(path, options, io);
  const name = nameOfList(path);
  for (const { line, why } of list.bad.slice(0, MOST_NAMES)) say(`${name}, line ${line}: ${why}.`);
  if (list.badCount > MOST_NAMES) say(`… and ${count(list.badCount - MOST_NAMES, 'more line')}.`);
  if (list.badCount > 0 && options.strictList === true) {
    const are = list.badCount === 1 ? 'is not a site' : 'are not sites';
    throw new UsageError(`${count(list.badCount, 'line')} of ${name} ${are} (--strict-list).`);
  }
  if (list.size === 0) {
    throw new UsageError(`${name} has no sites.`, { hint: 'one URL or host per line; # starts a comment.' });
  }
  return list;
}

/** `--since 24h` means the time of the first run, in the runs that go on with it too; so does `--until`. */
function keepTimes(
  flags: CrawlCommandFlags,
  options: Pick<CrawlOptions, 'since' | 'until'>,
  earlier: CrawlDescription | undefined,
): CrawlCommandFlags {
  const before = earlier?.options ?? {};
  const names = (['since', 'until'] as const).filter(
    (name) => options[name] !== undefined && options[name].text === before[`${name}Text`],
  );
  return { ...flags, ...Object.fromEntries(names.map((name) => [name, before[name]])) };
}
