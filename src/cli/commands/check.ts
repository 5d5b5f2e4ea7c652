/** `usp check`: what is wrong with the sitemaps of sites, saved trees and files. */

import { joinedRequests } from '../../check/check-pages.ts';
import { type CheckTreeOptions, checkTree } from '../../check/check-tree.ts';
import { isFailing } from '../../check/configuration.ts';
import type { CheckSummary } from '../../check/index.ts';
import {
  KNOWN_PATHS,
  loadTree,
  type Sitemap,
  SitemapException,
  type SitemapOptions,
  sitemapFromFile,
  sitemapFromStream,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  type WebClient,
} from '../../index.ts';
import { count } from '../../problems/wording.ts';
import { fileTrouble, ReplacedFile } from '../../runtime/files.ts';
import { withoutUserinfo } from '../../url.ts';
import { looksLikeSitemap } from '../args/address.ts';
import { type CheckInput, checkInput } from '../args/check-inputs.ts';
import { type CheckSettings, checkSettings, type RuleFlags } from '../args/check-settings.ts';
import { type CrawlFlags, crawlOptions } from '../args/option-flags.ts';
import { EXIT, type ExitCode, worst } from '../exit-codes.ts';
import { PageFilter, SitemapFilter, type SitemapFilterOptions } from '../filter/page-filter.ts';
import type { CliIO } from '../io.ts';
import { Interrupted, UsageError } from '../messages/failure.ts';
import { ProgressLine } from '../messages/progress-line.ts';
import { noneFoundInWords, report } from '../messages/report.ts';
import type { Reporter, Verbosity } from '../messages/reporter.ts';
import { exitCodeOf, resultOfTree } from '../messages/site-result.ts';
import { FindingListing, type FindingListingOptions } from '../output/finding-listing.ts';
import { checkDistinct, checkWritable, unwritable } from '../output/output.ts';
import { knownPathCount } from './ls.ts';
import { openWarc } from './open-warc.ts';
import { interruptibleChunks } from './parse.ts';

/** The options of `usp check`. */
export interface CheckCommandOptions
  extends FindingListingOptions,
    RuleFlags,
    Omit<SitemapFilterOptions, 'since'>,
    CrawlFlags,
    Verbosity {
  /** Each URL is a sitemap, not a homepage. */
  readonly sitemap?: boolean | undefined;
  /** The address of the file. */
  readonly url?: string | undefined;
  readonly now?: Date | undefined;
  readonly pages?: number | 'all' | undefined;
  readonly strict?: boolean | undefined;
}

/** Checks the inputs in turn; local files are checked together, as parts of one site. */
export async function check(
  inputs: readonly string[],
  options: CheckCommandOptions,
  io: CliIO,
  reporter: Reporter,
): Promise<ExitCode> {
  const { output, writeBaseline, logFile } = options;
  const settings = await checkSettings(options);
  checkUrl(inputs, options.url);
  await checkDistinct({ '-o': output, '--write-baseline': writeBaseline, '-l': logFile });
  for (const input of inputs) {
    if (/^https?:/i.test(input)) continue;
    await checkDistinct({ 'the input': input, '-o': output });
    await checkDistinct({ 'the input': input, '--write-baseline': writeBaseline });
  }
  if (writeBaseline !== undefined) await checkWritable(writeBaseline);
  const webClient = options.fromWarc === undefined ? undefined : await openWarc(options.fromWarc);
  const locals = new Set<string>();
  const listing = await FindingListing.open(options, io, (document) => locals.has(document));
  try {
    const run = new CheckRun({ options, settings, io, reporter, listing, locals, webClient });
    await run.all(inputs);
    // Nothing that could be opened: there is no result, and a file stays what it was.
    if (run.summaries.length === 0) return worst(run.codes);
    const summary = merged(run.summaries);
    await listing.finish(summary, settings.baseline?.hidden);
    reportBaseline(settings, options, reporter);
    if (writeBaseline !== undefined && settings.writer !== undefined) {
      await write(writeBaseline, settings.writer.toString());
      reporter.say(`${writeBaseline}: ${count(settings.writer.total, 'known finding')} written.`);
      return worst(run.codes);
    }
    return worst([...run.codes, isFailing(summary, settings) ? EXIT.differences : EXIT.ok]);
  } finally {
    await listing.discard();
  }
}

function checkUrl(inputs: readonly string[], url: string | undefined): void {
  if (url === undefined) return;
  if (inputs.length > 1)
    throw new UsageError('--url is the address of one file, and there are several inputs.');
  if (!URL.canParse(url)) {
    throw new UsageError(`--url needs an absolute URL, not "${url}".`, {
      hint: 'as https://example.org/sitemap.xml',
    });
  }
}

type LocalInput = Exclude<CheckInput, { readonly type: 'site' }>;

interface CheckWorld {
  readonly options: CheckCommandOptions;
  readonly settings: CheckSettings;
  readonly io: CliIO;
  readonly reporter: Reporter;
  readonly listing: FindingListing;
  /** The names of documents that are files. */
  readonly locals: Set<string>;
  readonly webClient: WebClient | undefined;
}

/** One run over all inputs. */
class CheckRun {
  readonly codes: ExitCode[] = [];
  readonly summaries: CheckSummary[] = [];
  readonly #world: CheckWorld;

  constructor(world: CheckWorld) {
    this.#world = world;
  }

  async all(inputs: readonly string[]): Promise<void> {
    const files: LocalInput[] = [];
    for (const text of inputs) {
      await this.#orUsageError(async () => {
        const input = checkInput(text);
        if (input.type === 'site') await this.#site(input.url);
        else files.push(input);
      });
    }
    await this.#files(files);
  }

  /** What cannot be opened does not keep the other inputs from being checked. */
  async #orUsageError(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#world.reporter.error(error.message, error.hint);
      this.#world.reporter.stack(error);
      this.codes.push(EXIT.badUsage);
    }
  }

  async #site(url: URL): Promise<void> {
    const { options, io, reporter } = this.#world;
    const isSitemap = options.sitemap === true;
    const plain = withoutUserinfo(url);
    const name = isSitemap || options.normalize === false ? plain.href : `${plain.origin}/`;
    if (!isSitemap && looksLikeSitemap(url)) {
      reporter.hint(
        `${plain.href} looks like a sitemap: --sitemap checks it and those below. Now all of ${name}`,
      );
    }
    const progress = new ProgressLine();
    const sitemaps = new SitemapFilter(options);
    try {
      if (!reporter.isQuiet) await progress.show(io, url.host);
      const fetchTree = isSitemap ? sitemapFromUrl : sitemapTreeForHomepage;
      const tree = await fetchTree(url, {
        ...this.#library(),
        recurseCallback: sitemaps.callback,
        onProgress: (event) => progress.listener(event),
      });
      try {
        progress.hide();
        this.codes.push(this.#reportSite(name, tree, sitemaps));
        await this.#check([tree], { site: url });
      } finally {
        tree.close();
      }
    } catch (error) {
      if (io.signal.aborted) throw new Interrupted(`interrupted at ${name}`);
      throw error;
    } finally {
      progress.hide();
    }
  }

  /** The options of the library for everything that is requested. */
  #library(): SitemapOptions {
    const { options, io, reporter, webClient } = this.#world;
    return { ...crawlOptions(options), webClient, signal: io.signal, logger: reporter.logger };
  }

  /** Says what no finding says: that there is nothing to check, or what stopped it. */
  #reportSite(name: string, tree: Sitemap, sitemaps: SitemapFilter): ExitCode {
    const { options, reporter } = this.#world;
    const result = resultOfTree(tree);
    report(reporter, {
      name,
      result: {
        ...result,
        invalid: [],
        incomplete: [],
        problems: result.readable > 0 ? [] : result.problems,
      },
      pages: new PageFilter({}, undefined),
      sitemaps,
      noneFound: noneFoundInWords(options, result, KNOWN_PATHS.length),
      timeout: options.timeout,
      maxSitemaps: options.maxSitemaps,
    });
    return exitCodeOf(result, options, knownPathCount(options, result));
  }

  async #files(inputs: readonly LocalInput[]): Promise<void> {
    const trees: Sitemap[] = [];
    const names = new Map<Sitemap, string>();
    const opened: Sitemap[] = [];
    try {
      for (const input of inputs) {
        await this.#orUsageError(async () => {
          const { tree, name, isArchive } = await this.#open(input);
          opened.push(tree);
          if (isArchive) await this.#check([tree]);
          else {
            trees.push(tree);
            names.set(tree, name);
            this.#world.locals.add(name);
          }
        });
      }
      if (trees.length > 0) await this.#check(trees, { names });
    } finally {
      for (const tree of opened) tree.close();
    }
  }

  async #open(input: LocalInput): Promise<{ tree: Sitemap; name: string; isArchive: boolean }> {
    const { options, io, reporter } = this.#world;
    const { url } = options;
    if (input.type === 'stdin') {
      if (io.isTerminal.stdin) reporter.hint('reading a sitemap from the terminal; Ctrl-D ends it.');
      return {
        tree: await sitemapFromStream(interruptibleChunks(io), { url }),
        name: url ?? 'stdin',
        isArchive: false,
      };
    }
    const { path: name, isRegular } = input;
    const saved = isRegular ? await readArchive(name) : undefined;
    if (saved !== undefined) return { tree: saved, name, isArchive: true };
    return { tree: await readSitemap(name, url), name, isArchive: false };
  }

  async #check(
    trees: readonly Sitemap[],
    { names, site }: Pick<CheckTreeOptions, 'names' | 'site'> = {},
  ): Promise<void> {
    const { options, settings, io, listing } = this.#world;
    const found = checkTree(trees, {
      ...{ names, site },
      network: this.#library(),
      now: options.now,
      agent: settings.agent,
      adjust: settings.adjust,
      pages: options.pages,
      signal: io.signal,
    });
    for await (const finding of found) await listing.print(finding);
    this.summaries.push(found.summary);
    const isCut = found.summary.stopped !== undefined && trees.every(({ stopped }) => stopped === undefined);
    if (isCut) {
      this.#world.reporter.say('Not all pages were requested: the time was over (--timeout).');
      this.codes.push(EXIT.stopped);
    }
  }
}

/** A saved tree; undefined for any other file. */
async function readArchive(file: string): Promise<Sitemap | undefined> {
  try {
    return await loadTree(file);
  } catch (error) {
    if (!(error instanceof SitemapException)) throw error;
    if (error.code === 'archive-format') return undefined;
    if (error.code !== 'archive-unreadable') throw new UsageError(error.message, { cause: error });
    throw new UsageError(`${file} cannot be read: ${fileTrouble(error.cause)}.`, { cause: error });
  }
}

async function readSitemap(file: string, url: string | undefined): Promise<Sitemap> {
  try {
    return await sitemapFromFile(file, { url });
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    throw new UsageError(`${file} cannot be read: ${fileTrouble(cause ?? error)}.`, { cause: error });
  }
}

function reportBaseline(
  { baseline }: CheckSettings,
  { baseline: file }: RuleFlags,
  reporter: Reporter,
): void {
  if (baseline === undefined || baseline.gone === 0) return;
  reporter.say(
    `${file}: ${count(baseline.gone, 'known finding is', 'known findings are')} gone; --write-baseline writes it anew.`,
  );
}

async function write(path: string, content: string): Promise<void> {
  try {
    const file = await ReplacedFile.open(path);
    await file.write(content);
    await file.finish();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** The summary of several checks. */
function merged(summaries: readonly CheckSummary[]): CheckSummary {
  const [first, ...others] = summaries;
  if (others.length === 0) return first!;
  const sum = (field: 'error' | 'warning' | 'info' | 'documents' | 'pages'): number =>
    summaries.reduce((total, each) => total + each[field], 0);
  const rules: Record<string, number> = {};
  for (const each of summaries) {
    for (const [rule, times] of Object.entries(each.rules)) rules[rule] = (rules[rule] ?? 0) + (times ?? 0);
  }
  const stopped = summaries.find((each) => each.stopped !== undefined)?.stopped;
  const requestedPages = joinedRequests(summaries.flatMap((each) => each.requestedPages ?? []));
  return {
    error: sum('error'),
    warning: sum('warning'),
    info: sum('info'),
    documents: sum('documents'),
    pages: sum('pages'),
    rules,
    complete: summaries.every(({ complete }) => complete),
    ...(stopped !== undefined && { stopped }),
    ...(requestedPages !== undefined && { requestedPages }),
    worst: summaries
      .flatMap((each) => each.worst)
      .sort((a, b) => b.error - a.error || b.warning - a.warning || b.info - a.info)
      .slice(0, 10),
  };
}
