/** `usp worker`: crawls what `usp crawl --queue` hands out, until that crawl is done. */
import {
  type AnnouncedCrawl,
  announcements,
  DONE,
  waitForCrawl,
  watchCrawl,
} from '../../batch/announced-crawl.ts';
import { workersFolder } from '../../batch/crawl-folder.ts';
import {
  fetchEarlierArchive,
  forgetEarlierArchive,
  removeEarlierArchive,
} from '../../batch/earlier-archives.ts';
import { handOver } from '../../batch/handed-batches.ts';
import type { Batch } from '../../batch/journal.ts';
import { folderUnwritable } from '../../batch/open-crawl.ts';
import { queueSecret } from '../../batch/queue-signature.ts';
import { inTurn, Waiters } from '../../runtime/time.ts';
import { count } from '../../text/wording.ts';
import { type CrawlCommandFlags, givenFlags } from '../args/crawl-command-flags.ts';
import { SECRET_ATTRIBUTES } from '../args/option-flags.ts';
import { EXIT, Interrupted, UsageError } from '../endings.ts';
import type { CliIO, CommandRun } from '../io.ts';
import { messenger } from '../messages/progress-line.ts';
import type { Verbosity, WorkFlags } from '../program/flags.ts';
import { earlierIn, withProcesses } from './crawl.ts';

interface WorkerOptions extends WorkFlags, Verbosity {
  readonly queue: string;
}

/** The most batches that wait to be sent: then no more sites are taken. */
const MOST_UNSENT = 4;

export const worker: CommandRun<undefined, WorkerOptions> = async (_none, options, io, reporter) => {
  const say = messenger(io, reporter, options.logFormat ?? 'text');
  const { queue: url } = options;
  const { startedAt = performance.now() } = io;
  const { RedisQueue } = await import('../../batch/redis-queue.ts');
  const folder = await workersFolder();
  const announced = await announcements(url, queueSecret(io.env), io.signal);
  io.exitAtEnd?.();
  const crawlEnd = new AbortController();
  const end = new AbortController();
  let finished = 0;
  try {
    const crawl = await waitForCrawl(announced, { startedAt, signal: io.signal, say });
    if (crawl === undefined) return EXIT.ok;
    checkVersion(crawl, io);
    const flags = withSecrets(crawl, options);
    const { id: name, key } = crawl;
    const queue = await RedisQueue.open({ url, name, key, warn: say, signal: io.signal });
    const watching = watchCrawl(announced, crawl, crawlEnd, end.signal);
    const unsent = { batches: 0, waiters: new Waiters() };
    const inTheirTurn = inTurn();
    const publish = async (batch: Batch, workerFolder: string): Promise<void> => {
      unsent.batches++;
      await inTheirTurn(() => handOver(queue, workerFolder, batch, crawlEnd.signal));
      unsent.batches--;
      unsent.waiters.wake();
      finished += batch.sites.length;
      if (flags.previous === undefined) return;
      for (const { site } of batch.sites) await removeEarlierArchive(site, earlierIn(workerFolder));
    };
    const work = { folder, format: crawl.format, flags, options, io, say };
    try {
      await withProcesses({ ...work, publish, crawlEnd: crawlEnd.signal }, (crawler, workerFolder) =>
        queue.work(
          async (site, deaths, earlier) => {
            while (unsent.batches >= MOST_UNSENT) await unsent.waiters.wait(crawler.failed);
            const bytes = typeof earlier === 'number' ? earlier : 0;
            // Where Redis has lost it, or another worker has used it: a site without a line is offered again.
            if (bytes > 0 && !(await fetchEarlierArchive(queue, site, bytes, earlierIn(workerFolder))))
              return;
            await crawler.crawl(site, deaths, typeof earlier === 'string' ? earlier : undefined);
            await forgetEarlierArchive(queue, site, bytes);
          },
          // A worker that cannot write takes no further sites.
          {
            atOnce: crawler.atOnce,
            signal: io.signal,
            crawlEnd: AbortSignal.any([crawlEnd.signal, crawler.failed]),
          },
        ),
      );
    } catch (error) {
      // Each site has its line: what is still at work here is not needed.
      if (error !== DONE) throw folderUnwritable(folder.temporary, error);
    } finally {
      end.abort();
      await queue.close();
      await watching;
    }
  } finally {
    announced.close();
  }
  say(`${count(finished, 'site')} finished by this worker.`);
  if (io.signal.aborted) throw new Interrupted('interrupted; the other workers continue.');
  return EXIT.ok;
};

/** What another version writes into the folder, or expects there, is not known. */
function checkVersion({ version }: AnnouncedCrawl, io: CliIO): void {
  if (version === io.version) return;
  throw new UsageError(`The crawl runs with version ${version}, and this worker is ${io.version}.`, {
    hint: 'install the same version on every machine, and start usp crawl first.',
  });
}

/** The flags of the crawl. Those that may hold secrets are not in Redis: the worker is given them itself. */
function withSecrets({ options }: AnnouncedCrawl, workerOptions: WorkerOptions): CrawlCommandFlags {
  const missing = SECRET_ATTRIBUTES.filter(
    (name) => options[name] === true && Reflect.get(workerOptions, name) === undefined,
  );
  if (missing.length > 0) {
    throw new UsageError(
      `The crawl has ${missing.map((name) => `--${name}`).join(', ')}; such secrets are not in Redis.`,
      { hint: 'start the worker with the same flags and values.' },
    );
  }
  const secrets = Object.entries(workerOptions).filter(
    ([name, value]) => SECRET_ATTRIBUTES.includes(name) && value !== undefined,
  );
  return givenFlags({ ...options, ...Object.fromEntries(secrets) });
}
