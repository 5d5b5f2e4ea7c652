/**
 * `usp update`: reads a saved site again, prints what changed, and saves it.
 *
 * What it prints adds up to the pages that the archive lists: see update/saved-site.ts for why that holds whatever
 * happens in between, and the option `staleIfError` for what could not be read.
 */
import { rememberPageFilters, updatedPages, wasDecided } from '../../diff/diff-pages.ts';
import type { ComparedField } from '../../index.ts';
import {
  KNOWN_PATHS,
  robotsVerdicts,
  type Sitemap,
  type SitemapOptions,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  type TreeOrigin,
  walkTree,
} from '../../index.ts';
import { count } from '../../problems/wording.ts';
import { withoutUserinfo } from '../../url.ts';
import { type CrawlFlags, crawlOptions } from '../args/option-flags.ts';
import { EXIT, type ExitCode, worst } from '../exit-codes.ts';
import { checkAgent, PageFilter, SitemapFilter, type SitemapFilterOptions } from '../filter/page-filter.ts';
import { openWarc } from '../input.ts';
import type { CliIO } from '../io.ts';
import { reportChanges } from '../messages/change-summary.ts';
import { Interrupted } from '../messages/endings.ts';
import { ProgressLine } from '../messages/progress-line.ts';
import type { Reporter, Verbosity } from '../messages/reporter.ts';
import { noneFoundInWords, report } from '../messages/site-messages.ts';
import { exitCodeOf, resultOfTree, type SiteResult } from '../messages/site-result.ts';
import { ChangeListing, type ChangeListingOptions } from '../output/change-listing.ts';
import { checkDistinct, checkWritable } from '../output/output.ts';
import { LockFile } from '../update/lock-file.ts';
import { callAgain, firstCall, type UpdateCall } from '../update/remembered.ts';
import { SavedSite } from '../update/saved-site.ts';

export interface UpdateOptions extends ChangeListingOptions, CrawlFlags, SitemapFilterOptions, Verbosity {
  /** The URL is a sitemap, not a homepage. */
  readonly sitemap?: boolean | undefined;
  readonly trustLastmod?: boolean | undefined;
  readonly goneAfter?: number | undefined;
  /** Days. */
  readonly maxStale?: number | undefined;
  readonly dryRun?: boolean | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** Whose rules of robots.txt count. */
  readonly agent?: string | undefined;
  readonly onlyAllowed?: boolean | undefined;
  readonly compare?: readonly ComparedField[] | undefined;
  readonly exitCode?: boolean | undefined;
  readonly strict?: boolean | undefined;
}

/** Reads a saved site again. @param url - of the site; needed the first time */
export async function update(
  [file, url]: readonly [string, URL | undefined],
  options: UpdateOptions,
  io: CliIO,
  reporter: Reporter,
): Promise<ExitCode> {
  await checkDistinct({ '<file>': file, '-o': options.output, '-l': options.logFile });
  const lock = options.dryRun === true ? undefined : await LockFile.take(file);
  let saved: SavedSite | undefined;
  try {
    saved = await SavedSite.open(file, io);
    if (lock !== undefined) await checkWritable(file);
    return await new Update({ file, url, options, io, reporter, lock, saved }).run();
  } finally {
    saved?.close();
    await lock?.release();
  }
}

const DAY = 24 * 60 * 60 * 1000;

type KeptPageFilters = NonNullable<TreeOrigin['pages']>;

interface UpdateParts {
  readonly file: string;
  readonly url: URL | undefined;
  readonly options: UpdateOptions;
  readonly io: CliIO;
  readonly reporter: Reporter;
  /** Absent where nothing is saved. */
  readonly lock: LockFile | undefined;
  readonly saved: SavedSite;
}

class Update {
  readonly #parts: UpdateParts;
  readonly #progress = new ProgressLine();
  readonly #sitemaps: SitemapFilter;

  constructor(parts: UpdateParts) {
    this.#parts = parts;
    this.#sitemaps = new SitemapFilter(parts.options);
  }

  async run(): Promise<ExitCode> {
    const { options, io, saved, reporter, lock, file } = this.#parts;
    const call = await this.#call();
    const listing = await ChangeListing.open(options, io);
    let after: Sitemap | undefined;
    try {
      let printed = await this.#printPending(listing);
      after = await this.#read(call);
      const result = resultOfRun(after);
      this.#report(call, result);
      const code = exitCodeOf(result, options, this.#knownPaths(call));
      const isWorthSaving = wasDecided(saved.last, after);
      if (isWorthSaving) {
        rememberPageFilters(after, this.#filters());
        if (lock !== undefined) await saved.save(after);
        printed += await this.#print(listing, saved.last, after);
      } else reporter.say('Nothing was read, and nothing was saved.');
      if (isWorthSaving || saved.hasPending) await listing.finish();
      if (lock === undefined) reporter.say('Nothing was saved (--dry-run).');
      else {
        await lock.check(file);
        await saved.putInPlace();
      }
      return options.exitCode === true && printed > 0 ? worst([code, EXIT.differences]) : code;
    } finally {
      after?.close();
      await listing.discard();
    }
  }

  /** What runs before may have printed in part, each as it was. */
  async #printPending(listing: ChangeListing): Promise<number> {
    const { trees } = this.#parts.saved;
    let printed = 0;
    for (const [number, tree] of trees.entries()) {
      const after = trees[number + 1];
      if (after === undefined) continue;
      this.#parts.reporter.say(
        'The last run did not end: its changes are printed once more, before those of this run.',
      );
      printed += await this.#print(listing, tree, after);
    }
    return printed;
  }

  /** What pages are seen through: what is given, else what the file remembers. */
  #filters(): KeptPageFilters {
    const { include, exclude, agent, onlyAllowed } = this.#parts.options;
    const known = filtersOf(this.#parts.saved.last);
    return {
      include: include ?? known.include,
      exclude: exclude ?? known.exclude,
      agent: agent ?? known.agent,
      onlyAllowed: onlyAllowed ?? known.onlyAllowed,
    };
  }

  async #call(): Promise<UpdateCall> {
    const { file, url, options, saved } = this.#parts;
    const { sitemap, trustLastmod, goneAfter, maxStale } = options;
    const library: SitemapOptions = {
      ...crawlOptions(options),
      webClient: await openWarc(options, this.#parts.io),
      recurseCallback: this.#sitemaps.callback,
      trustLastmod,
      goneAfter,
      maxStaleMs: maxStale === undefined ? undefined : maxStale * DAY,
    };
    const given = { file, url, isSitemap: sitemap === true, options: library };
    const call = saved.last === undefined ? firstCall(given) : callAgain(saved.last.origin, given);
    const { useRobots: robots } = call.options;
    checkAgent({ ...this.#filters(), robots, sitemap: call.call === 'sitemap' });
    return call;
  }

  async #read({ call, url, options }: UpdateCall): Promise<Sitemap> {
    const { io, reporter, saved } = this.#parts;
    const fetchTree = call === 'sitemap' ? sitemapFromUrl : sitemapTreeForHomepage;
    if (!reporter.isQuiet) await this.#progress.show(io, url.host);
    try {
      return await fetchTree(url, {
        ...options,
        previous: saved.last,
        staleIfError: true,
        signal: io.signal,
        logger: reporter.logger,
        onProgress: this.#progress.listener,
      });
    } catch (error) {
      if (!io.signal.aborted) throw error;
      throw new Interrupted(`interrupted at ${nameOf(url)}; nothing was saved.`);
    } finally {
      this.#progress.hide();
    }
  }

  #report({ url, options }: UpdateCall, result: SiteResult): void {
    const { reporter, options: flags, saved } = this.#parts;
    report(reporter, {
      name: nameOf(url),
      // Stale sitemaps are named where the changes are counted.
      result: { ...result, problems: result.problems.filter(({ code }) => code !== 'stale') },
      pages: new PageFilter({}, undefined),
      sitemaps: this.#sitemaps,
      noneFound:
        saved.last === undefined
          ? noneFoundInWords(flags, result, KNOWN_PATHS.length)
          : 'no sitemap could be read.',
      timeout: options.maxTimeMs === undefined ? undefined : options.maxTimeMs / 1000,
      maxSitemaps: options.maxSitemaps,
    });
  }

  #knownPaths({ call, options }: UpdateCall): number {
    if (call === 'sitemap') return 0;
    const { useKnownPaths, extraKnownPaths = [] } = options;
    return (useKnownPaths === false ? 0 : KNOWN_PATHS.length) + extraKnownPaths.length;
  }

  async #print(listing: ChangeListing, before: Sitemap | undefined, after: Sitemap): Promise<number> {
    const { options, io, reporter } = this.#parts;
    const { agent } = this.#filters();
    const verdictOf = agent === undefined ? undefined : await robotsVerdicts(after, agent);
    const changes = await updatedPages(before, after, {
      compare: options.compare,
      countSame: options.format === 'json',
      signal: io.signal,
      filters: { before: filtersOf(before), after: filtersOf(after) },
      onDamaged: (url) =>
        reporter.say(
          `${url} is damaged in the archive: its pages are printed as added, and which were removed is not known.`,
        ),
    });
    const printed = await listing.print(changes, verdictOf);
    if (before === undefined) {
      const { readable } = resultOfTree(after);
      reporter.say(
        `${count(changes.counts.added, 'page')} in ${count(readable, 'sitemap')}, read for the first time.`,
      );
    } else reportChanges(reporter, { before, after, counts: changes.counts });
    return printed;
  }
}

function filtersOf(tree: Sitemap | undefined): KeptPageFilters {
  return tree?.origin?.pages ?? { include: [], exclude: [] };
}

/** The result of a run: what is stale was not read by it. */
function resultOfRun(tree: Sitemap): SiteResult {
  const result = resultOfTree(tree);
  const nodes = Array.from(walkTree(tree), ({ sitemap }) => sitemap);
  const stale = nodes.filter(({ freshness }) => freshness === 'stale');
  const staleReadable = stale.filter(({ kind }) => kind !== 'robots-txt').length;
  // The failure behind each is in its problems. Those of an index are known; a page document is read for them.
  const indexes = stale.filter(({ kind }) => !kind.startsWith('pages-'));
  const telling = indexes.length > 0 ? indexes : stale;
  const problems = telling.flatMap((node) => node.problems.filter(({ code }) => code === 'stale'));
  return {
    ...result,
    readable: result.readable - staleReadable,
    problems: [...result.problems, ...problems],
  };
}

function nameOf(url: URL): string {
  return withoutUserinfo(url).href;
}
