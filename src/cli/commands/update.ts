/**
 * `usp update`: reads a saved site again, prints what changed, and saves it.
 *
 * What it prints adds up to the pages that the archive lists: see saved-site.ts for why that holds whatever
 * happens in between, and the option `staleIfError` for what could not be read.
 */
import { keptOriginOf, rememberPageFilters, updatedPages, wasDecided } from '../../diff/diff-pages.ts';
import { LeftOutCounts } from '../../filter/filter-pages.ts';
import { robotsVerdicts, type Sitemap, type SitemapOptions, walkTree } from '../../index.ts';
import { isPagesKind } from '../../parse/model/kinds.ts';
import { count } from '../../text/wording.ts';
import { EXIT, type ExitCode, worst } from '../endings.ts';
import { closedAtEnd } from '../input.ts';
import type { CommandIO, CommandRun, Reporter } from '../io.ts';
import { resultOfTree, type SiteResult } from '../messages/site-messages.ts';
import { type ChangeListing, openChangeListing, reportChanges, rowsOf } from '../output/change-listing.ts';
import { checkWritable } from '../output/output.ts';
import { checkAgent, leftOutSentences, SitemapFilter } from '../page-filter.ts';
import type { AGENT, ChangeFlags, FlagsOf, SiteFlags, UPDATE, Verbosity } from '../program/flags.ts';
import { callAgain, type FileLock, firstCall, lockFile, SavedSite } from '../saved-site.ts';
import { SiteCrawl } from '../site-crawl.ts';
import { openWorld } from '../world.ts';

interface UpdateOptions
  extends FlagsOf<typeof UPDATE>,
    ChangeFlags,
    FlagsOf<typeof AGENT>,
    SiteFlags,
    Verbosity {}

/** Reads a saved site again. @param url - of the site; needed the first time */
export const update: CommandRun<readonly [string, URL | undefined], UpdateOptions> = async (
  [file, url],
  options,
  io,
  reporter,
) => {
  const lock = options.dryRun === true ? undefined : await lockFile(file);
  io.onEnd(async () => lock?.release());
  const saved = await SavedSite.open(file, io, options.maxDepth);
  if (lock !== undefined) await checkWritable(file);
  return readAgain({ file, url, options, io, reporter, lock, saved });
};

const DAY = 24 * 60 * 60 * 1000;

type KeptPageFilters = Parameters<typeof rememberPageFilters>[1];

interface UpdateContext {
  readonly file: string;
  readonly url: URL | undefined;
  readonly options: UpdateOptions;
  readonly io: CommandIO;
  readonly reporter: Reporter;
  /** Absent where nothing is saved. */
  readonly lock: FileLock | undefined;
  readonly saved: SavedSite;
}

async function readAgain(context: UpdateContext): Promise<ExitCode> {
  const { options, io, saved, reporter, lock } = context;
  const crawl = await crawlOf(context);
  const listing = await openChangeListing(options, io);
  let rowCount = await printPending(context, listing);
  const after = await crawl.showing(
    () => crawl.tree({ previous: saved.last, staleIfError: true }),
    () => `interrupted at ${crawl.name}; nothing was saved.`,
  );
  closedAtEnd(after, io);
  const result = resultOfRun(after);
  // Stale sitemaps are named where the changes are counted.
  const reportedResult = { ...result, problems: result.problems.filter(({ code }) => code !== 'stale') };
  const noneFound = saved.last === undefined ? undefined : 'no sitemap could be read.';
  const code = crawl.report(result, { reportedResult, noneFound });
  const isWorthSaving = wasDecided(saved.last, after);
  if (isWorthSaving) {
    rememberPageFilters(after, filtersNow(context));
    if (lock !== undefined) await saved.save(after);
    rowCount += await print(context, listing, saved.last, after);
  } else reporter.say('Nothing was read, and nothing was saved.');
  if (isWorthSaving || saved.hasPending) await listing.finish();
  if (lock === undefined) reporter.say('Nothing was saved (--dry-run).');
  else {
    await lock.check();
    await saved.putInPlace();
  }
  return options.exitCode === true && rowCount > 0 ? worst([code, EXIT.differences]) : code;
}

/** What runs before may have printed in part, each as it was. */
async function printPending(context: UpdateContext, listing: ChangeListing): Promise<number> {
  const { trees } = context.saved;
  let rowCount = 0;
  for (const [number, tree] of trees.entries()) {
    const after = trees[number + 1];
    if (after === undefined) continue;
    context.reporter.say(
      'The last run did not end: its changes are printed once more, before those of this run.',
    );
    rowCount += await print(context, listing, tree, after);
  }
  return rowCount;
}

/** What pages are seen through: what is given, else what the file remembers. */
function filtersNow({ options, saved }: UpdateContext): KeptPageFilters {
  const { include, exclude, hosts, agent, onlyAllowed } = options;
  const savedFilters = filtersOf(saved.last);
  return {
    include: include ?? savedFilters.include,
    exclude: exclude ?? savedFilters.exclude,
    hosts: hosts ?? savedFilters.hosts,
    agent: agent ?? savedFilters.agent,
    onlyAllowed: onlyAllowed ?? savedFilters.onlyAllowed,
  };
}

/** The site as it was read before, and as it is to be read now. */
async function crawlOf(context: UpdateContext): Promise<SiteCrawl> {
  const { file, url, options, saved, io, reporter } = context;
  const { trustLastmod, goneAfter, maxStale } = options;
  const sitemaps = new SitemapFilter(options);
  const world = await openWorld(options, io, reporter);
  const library: SitemapOptions = {
    ...world.network,
    recurseCallback: sitemaps.callback,
    trustLastmod,
    goneAfter,
    maxStaleMs: maxStale === undefined ? undefined : maxStale * DAY,
  };
  const request = { file, url, isSitemap: options.sitemap === true, options: library };
  const call = saved.last === undefined ? firstCall(request) : callAgain(keptOriginOf(saved.last), request);
  const sitemap = call.call === 'sitemap';
  checkAgent({ ...filtersNow(context), robots: call.options.useRobots, sitemap });
  // With an own client, as that of --from-warc, no request goes anywhere.
  const { allowPrivateNetworks, webClient } = world.network;
  const isGuarded = url === undefined && allowPrivateNetworks !== true && webClient === undefined;
  const source = { file: isGuarded ? file : undefined };
  return new SiteCrawl(call.url, { ...options, sitemap }, world, call.options, sitemaps, source);
}

async function print(
  context: UpdateContext,
  listing: ChangeListing,
  before: Sitemap | undefined,
  after: Sitemap,
): Promise<number> {
  const { options, io, reporter } = context;
  const { agent } = filtersNow(context);
  const verdictOf = agent === undefined ? undefined : await robotsVerdicts(after, agent);
  const leftOut = new LeftOutCounts();
  const changes = await updatedPages(before, after, {
    leftOut,
    compare: options.compare,
    countSame: options.format === 'json',
    signal: io.signal,
    filters: { before: filtersOf(before), after: filtersOf(after) },
    onDamaged: (url) =>
      reporter.say(
        `${url} is damaged in the archive: its pages are printed as added, and which were removed is not known.`,
      ),
  });
  const rowCount = await listing.print(rowsOf(changes, after), verdictOf);
  if (before === undefined) {
    const { readable } = resultOfTree(after);
    reporter.say(
      `${count(changes.counts.added, 'page')} in ${count(readable, 'sitemap')}, read for the first time.`,
    );
    for (const sentence of leftOutSentences(leftOut.counts)) reporter.say(sentence);
  } else reportChanges(reporter, before, after, changes.counts);
  return rowCount;
}

function filtersOf(tree: Sitemap | undefined): KeptPageFilters {
  return (tree && keptOriginOf(tree)?.pages) ?? { include: [], exclude: [] };
}

/** The result of a run: what is stale was not read by it. */
function resultOfRun(tree: Sitemap): SiteResult {
  const result = resultOfTree(tree);
  const nodes = Array.from(walkTree(tree), ({ sitemap }) => sitemap);
  const stale = nodes.filter(({ freshness }) => freshness === 'stale');
  const staleReadable = stale.filter(({ kind }) => kind !== 'robots-txt').length;
  // The failure behind each is in its problems. Those of an index are known; a page document is read for them.
  const indexes = stale.filter(({ kind }) => !isPagesKind(kind));
  const telling = indexes.length > 0 ? indexes : stale;
  const problems = telling.flatMap((node) => node.problems.filter(({ code }) => code === 'stale'));
  return {
    ...result,
    readable: result.readable - staleReadable,
    problems: [...result.problems, ...problems],
  };
}
