/**
 * `usp update`: reads a saved site again, prints what changed, and saves it.
 *
 * The file is replaced only after the changes were written out, so every change is printed at least once, whatever
 * happens in between. What could not be read this time stays in the file as it was.
 */
import { diffPages } from '../../diff/diff-pages.ts';
import type { ComparedField } from '../../index.ts';
import {
  KNOWN_PATHS,
  loadTree,
  type Sitemap,
  SitemapException,
  type SitemapOptions,
  saveTree,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  walkTree,
} from '../../index.ts';
import { count } from '../../problems/wording.ts';
import { fileTrouble } from '../../runtime/files.ts';
import { withoutUserinfo } from '../../url.ts';
import { type CrawlFlags, crawlOptions } from '../args/option-flags.ts';
import { EXIT, type ExitCode, worst } from '../exit-codes.ts';
import { PageFilter, SitemapFilter, type SitemapFilterOptions } from '../filter/page-filter.ts';
import { openWarc } from '../input.ts';
import type { CliIO } from '../io.ts';
import { reportChanges } from '../messages/change-summary.ts';
import { Interrupted, UsageError } from '../messages/failure.ts';
import { ProgressLine } from '../messages/progress-line.ts';
import { noneFoundInWords, report } from '../messages/report.ts';
import type { Reporter, Verbosity } from '../messages/reporter.ts';
import { exitCodeOf, resultOfTree, type SiteResult } from '../messages/site-result.ts';
import { AllAdded } from '../output/all-added.ts';
import { ChangeListing, type ChangeListingOptions } from '../output/change-listing.ts';
import { checkDistinct, checkWritable } from '../output/output.ts';
import { LockFile } from '../update/lock-file.ts';
import { callAgain, firstCall, type UpdateCall } from '../update/remembered.ts';

/** The options of `usp update`. */
export interface UpdateOptions extends ChangeListingOptions, CrawlFlags, SitemapFilterOptions, Verbosity {
  /** The URL is a sitemap, not a homepage. */
  readonly sitemap?: boolean | undefined;
  readonly trustLastmod?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
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
  let before: Sitemap | undefined;
  try {
    before = await load(file);
    if (lock !== undefined) await checkWritable(file);
    return await new Update({ file, url, options, io, reporter, lock, before }).run();
  } finally {
    before?.close();
    await lock?.release();
  }
}

/** Limits are for files from others; this one is our own, and remembers the limit that it was made with. */
const MAX_SITEMAPS = 5_000_000;

/** The saved tree; undefined where there is no such file. */
async function load(file: string): Promise<Sitemap | undefined> {
  try {
    return await loadTree(file, { maxSitemaps: MAX_SITEMAPS });
  } catch (error) {
    if (!(error instanceof SitemapException)) throw error;
    const { cause } = error;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    if (error.code === 'archive-unreadable') {
      throw new UsageError(`${file} cannot be read: ${fileTrouble(cause)}.`, { cause: error });
    }
    const hint =
      error.code === 'archive-damaged'
        ? `move ${file} away and give the URL of the site, to start anew.`
        : undefined;
    throw new UsageError(error.message, { hint, cause: error });
  }
}

/** What an update is made of. */
interface UpdateParts {
  readonly file: string;
  readonly url: URL | undefined;
  readonly options: UpdateOptions;
  readonly io: CliIO;
  readonly reporter: Reporter;
  /** Absent where nothing is saved. */
  readonly lock: LockFile | undefined;
  /** Absent the first time. */
  readonly before: Sitemap | undefined;
}

/** One update on its way. */
class Update {
  readonly #parts: UpdateParts;
  readonly #progress = new ProgressLine();
  readonly #sitemaps: SitemapFilter;

  constructor(parts: UpdateParts) {
    this.#parts = parts;
    this.#sitemaps = new SitemapFilter(parts.options);
  }

  async run(): Promise<ExitCode> {
    const { options, io } = this.#parts;
    const call = await this.#call();
    const listing = await ChangeListing.open(options, io);
    let after: Sitemap | undefined;
    try {
      after = await this.#read(call);
      const result = resultOfRun(after);
      this.#report(call, result);
      const code = exitCodeOf(result, options, this.#knownPaths(call));
      if (!hasReadAnything(after)) {
        this.#parts.reporter.say(`Nothing was read, and nothing was saved.`);
        return code;
      }
      const printed = await this.#print(listing, after);
      await this.#save(after);
      return options.exitCode === true && printed > 0 ? worst([code, EXIT.differences]) : code;
    } finally {
      after?.close();
      await listing.discard();
    }
  }

  async #call(): Promise<UpdateCall> {
    const { file, url, options, before } = this.#parts;
    const { fromWarc, sitemap, trustLastmod } = options;
    const library: SitemapOptions = {
      ...crawlOptions(options),
      webClient: await openWarc(fromWarc, this.#parts.io),
      recurseCallback: this.#sitemaps.callback,
      trustLastmod,
    };
    const given = { file, url, isSitemap: sitemap === true, options: library };
    return before === undefined ? firstCall(given) : callAgain(before.origin, given);
  }

  async #read({ call, url, options }: UpdateCall): Promise<Sitemap> {
    const { io, reporter, before } = this.#parts;
    const fetchTree = call === 'sitemap' ? sitemapFromUrl : sitemapTreeForHomepage;
    if (!reporter.isQuiet) await this.#progress.show(io, url.host);
    try {
      return await fetchTree(url, {
        ...options,
        previous: before,
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
    const { reporter, options: flags, before } = this.#parts;
    report(reporter, {
      name: nameOf(url),
      // Stale sitemaps are named where the changes are counted.
      result: { ...result, problems: result.problems.filter(({ code }) => code !== 'stale') },
      pages: new PageFilter({}, undefined),
      sitemaps: this.#sitemaps,
      noneFound:
        before === undefined
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

  /** Prints the changes, all of them; how many. */
  async #print(listing: ChangeListing, after: Sitemap): Promise<number> {
    const { options, io, reporter, before } = this.#parts;
    const { include, exclude, compare } = options;
    if (before === undefined) {
      const added = new AllAdded(after, { include, exclude });
      const printed = await listing.print(added);
      await listing.finish();
      const { readable } = resultOfTree(after);
      reporter.say(
        `${count(added.counts.added, 'page')} in ${count(readable, 'sitemap')}, read for the first time.`,
      );
      return printed;
    }
    const changes = diffPages(before, after, {
      ...{ include, exclude, compare, signal: io.signal },
      countSame: options.format === 'json',
      // What is damaged was requested again; that nothing can be said about its pages must not stop all later updates.
      damaged: 'unknown',
    });
    const printed = await listing.print(changes);
    await listing.finish();
    reportChanges(reporter, { before, after, counts: changes.counts });
    return printed;
  }

  async #save(after: Sitemap): Promise<void> {
    const { file, io, reporter, lock } = this.#parts;
    if (io.signal.aborted) throw new Interrupted('interrupted; nothing was saved.');
    if (lock === undefined) {
      reporter.say('Nothing was saved (--dry-run).');
      return;
    }
    await lock.check(file);
    await saveTree(after, file);
  }
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

/** Whether any document was read, or found to be the same. */
function hasReadAnything(tree: Sitemap): boolean {
  for (const { sitemap } of walkTree(tree)) {
    const { kind, freshness } = sitemap;
    if (kind !== 'website' && kind !== 'invalid' && freshness !== 'stale') return true;
  }
  return false;
}

function nameOf(url: URL): string {
  return withoutUserinfo(url).href;
}
