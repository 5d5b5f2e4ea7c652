/** What a command works with: its streams, its messages, and the options of its requests. */
import { SitemapException, type SitemapOptions, type WebClient, warcClient } from '../index.ts';
import { LONGEST_TIMER_MS } from '../runtime/time.ts';
import { crawlOptions } from './args/option-flags.ts';
import { TimeOver, UsageError } from './endings.ts';
import type { CliIO, CommandIO, Reporter } from './io.ts';
import type { CrawlFlags } from './program/flags.ts';

export interface CommandWorld {
  readonly io: CommandIO;
  readonly reporter: Reporter;
  /** What the flags say of requests, for the library. */
  readonly network: SitemapOptions;
}

/** @throws UsageError where a file of `--from-warc` cannot be read */
export async function openWorld(flags: CrawlFlags, io: CommandIO, reporter: Reporter): Promise<CommandWorld> {
  const webClient = await openWarc(flags, io);
  const { mapHost: mapHosts } = flags;
  const network = { ...crawlOptions(flags), mapHosts, webClient, signal: io.signal, logger: reporter.logger };
  return { io, reporter, network };
}

/**
 * The client for `--from-warc FILE`, once or more often. What is wrong with a file is reported before anything is
 * requested.
 */
async function openWarc({ fromWarc: files, timeout }: CrawlFlags, io: CliIO): Promise<WebClient | undefined> {
  if (files === undefined) return undefined;
  const time = timeout === undefined ? [] : [AbortSignal.timeout(Math.min(timeout * 1000, LONGEST_TIMER_MS))];
  try {
    const client = warcClient(files);
    const signal = AbortSignal.any([io.signal, ...time]);
    const request = { method: 'GET', redirect: 'manual', headers: {}, signal } as const;
    await client('about:blank', request).catch(unlessNotThere);
    return client;
  } catch (error) {
    if (error instanceof SitemapException) throw new UsageError(error.message, { cause: error });
    if (time.some((signal) => signal.reason === error)) {
      throw new TimeOver(`${files.join(', ')}: the time was over before all records were found (--timeout).`);
    }
    throw error;
  }
}

function unlessNotThere(error: unknown): void {
  if (!(error instanceof SitemapException && error.code === 'not-in-archive')) throw error;
}
