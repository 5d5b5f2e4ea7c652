/** `usp ls`: the sitemaps and pages of one site or several, in turn. */

import {
  KNOWN_PATHS,
  type ProgressEvent,
  type Sitemap,
  type SitemapOptions,
  saveTree,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  streamPages,
  streamSitemap,
  type WebClient,
} from '../../index.ts';
import { bytes, count, elapsed, number, pagesInWords } from '../../problems/wording.ts';
import { withoutUserinfo } from '../../url.ts';
import { looksLikeSitemap } from '../args/address.ts';
import { type CrawlFlags, crawlOptions } from '../args/option-flags.ts';
import { type ExitCode, worst } from '../exit-codes.ts';
import type { PageFilter } from '../filter/page-filter.ts';
import { SitemapFilter, type SitemapFilterOptions } from '../filter/page-filter.ts';
import type { CliIO } from '../io.ts';
import { detailProblems, listProblems } from '../messages/document-problems.ts';
import { Interrupted, UsageError } from '../messages/failure.ts';
import { ProgressLine } from '../messages/progress-line.ts';
import { noneFoundInWords, report } from '../messages/report.ts';
import type { Reporter, Verbosity } from '../messages/reporter.ts';
import { exitCodeOf, resultOfStream, resultOfTree, type SiteResult } from '../messages/site-result.ts';
import { type ListedSite, Listing, type ListingOptions } from '../output/listing.ts';
import { checkDistinct, checkWritable } from '../output/output.ts';
import { openWarc } from './open-warc.ts';

/** The options of `usp ls`. */
export interface LsOptions extends ListingOptions, SitemapFilterOptions, CrawlFlags, Verbosity {
  /** Each URL is a sitemap, not a homepage. */
  readonly sitemap?: boolean | undefined;
  readonly save?: string | undefined;
}

/** Lists the sites in turn. */
export async function ls(
  sites: readonly URL[],
  options: LsOptions,
  io: CliIO,
  reporter: Reporter,
): Promise<ExitCode> {
  await checkDistinct({ '-o': options.output, '--save': options.save, '-l': options.logFile });
  if (options.save !== undefined) {
    if (sites.length > 1) throw new UsageError('--save takes one site, since a file holds one tree.');
    await checkWritable(options.save);
  }
  const webClient = options.fromWarc === undefined ? undefined : await openWarc(options.fromWarc);
  const listing = await Listing.open(options, io);
  try {
    const codes: ExitCode[] = [];
    let readable = 0;
    for (const site of sites) {
      const world = { io, reporter, listing, webClient };
      const result = await new Site(site, options, world, sites.length > 1).list();
      readable += result.readable;
      codes.push(exitCodeOf(result, options, knownPathCount(options, result)));
    }
    if (readable > 0 || options.output === undefined) await listing.finish();
    else reporter.say(`${options.output} was not written.`);
    return worst(codes);
  } finally {
    await listing.discard();
  }
}

/** How many known paths are requested for a site that declares no sitemap. */
export function knownPathCount(
  { sitemap, known, knownPath = [] }: Pick<LsOptions, 'sitemap' | 'known' | 'knownPath'>,
  { problems }: SiteResult,
): number {
  if (sitemap === true) return 0;
  const isUnsure = problems.some(({ code }) => code === 'robots-txt-failed');
  const isLeftOut = known === false || (known === 'if-none-declared' && isUnsure);
  return (isLeftOut ? 0 : KNOWN_PATHS.length) + knownPath.length;
}

/** One site on its way through the command. */
class Site {
  readonly #url: URL;
  readonly #options: LsOptions;
  readonly #io: CliIO;
  readonly #reporter: Reporter;
  readonly #listing: Listing;
  readonly #webClient: WebClient | undefined;
  readonly #progress: ProgressLine = new ProgressLine();
  readonly #sitemaps: SitemapFilter;
  readonly #pages: PageFilter;
  readonly #isOneOfSeveral: boolean;

  constructor(
    url: URL,
    options: LsOptions,
    world: {
      readonly io: CliIO;
      readonly reporter: Reporter;
      readonly listing: Listing;
      readonly webClient: WebClient | undefined;
    },
    isOneOfSeveral: boolean,
  ) {
    this.#isOneOfSeveral = isOneOfSeveral;
    this.#url = url;
    this.#options = options;
    this.#io = world.io;
    this.#reporter = world.reporter;
    this.#listing = world.listing;
    this.#webClient = world.webClient;
    this.#sitemaps = new SitemapFilter(options);
    // Counted for the closing line of -v only, and not where a tree counts them itself.
    this.#pages = world.listing.filter({ distinct: world.reporter.isVerbose });
  }

  /** The site as messages name it. */
  get #name(): string {
    const url = new URL(withoutUserinfo(this.#url).href);
    if (this.#options.sitemap === true) return url.href;
    return this.#options.normalize === false ? url.href : `${url.origin}/`;
  }

  async list(): Promise<SiteResult> {
    const { save, ordered, timeout, maxSitemaps } = this.#options;
    this.#hint();
    if (!this.#reporter.isQuiet) await this.#progress.show(this.#io, this.#url.host);
    try {
      const isStreamed = this.#listing.isOfPages && save === undefined && ordered !== true;
      const result = await (isStreamed ? this.#stream() : this.#tree());
      this.#progress.hide();
      report(this.#reporter, {
        name: this.#name,
        result,
        pages: this.#pages,
        sitemaps: this.#sitemaps,
        noneFound: noneFoundInWords(this.#options, result, KNOWN_PATHS.length),
        timeout,
        maxSitemaps,
      });
      this.#detailTotals(result);
      return result;
    } catch (error) {
      if (this.#io.signal.aborted) throw new Interrupted(this.#interruption());
      throw error;
    } finally {
      this.#progress.hide();
    }
  }

  #hint(): void {
    if (this.#options.sitemap === true || this.#options.normalize === false || this.#url.pathname === '/')
      return;
    const url = withoutUserinfo(this.#url).href;
    if (looksLikeSitemap(this.#url)) {
      this.#reporter.hint(
        `${url} looks like a sitemap: usp ls --sitemap ${url} lists it alone. Now for all of ${this.#name}`,
      );
    } else {
      this.#reporter.hint(`looking for the sitemaps of ${this.#name}; --no-normalize looks below ${url}`);
    }
  }

  // Pages are printed while documents are still arriving, and none is held.
  async #stream(): Promise<SiteResult> {
    const open = this.#options.sitemap === true ? streamSitemap : streamPages;
    const stream = open(this.#url, this.#library());
    await this.#listing.printPages(stream.batches(), this.#listed(), this.#pages);
    return resultOfStream(stream, {
      read: this.#progress.finished,
      pages: this.#pages.read,
      hadEnough: this.#pages.isFull,
    });
  }

  async #tree(): Promise<SiteResult> {
    const { sitemap: isSitemap, save } = this.#options;
    const fetchTree = isSitemap === true ? sitemapFromUrl : sitemapTreeForHomepage;
    const tree: Sitemap = await fetchTree(this.#url, this.#library());
    try {
      this.#progress.hide();
      const result = resultOfTree(tree);
      if (save !== undefined && result.readable > 0) await saveTree(tree, save);
      await this.#listing.printTree(tree, this.#listed(), this.#pages);
      detailProblems(tree, this.#reporter, this.#options);
      return result;
    } finally {
      tree.close();
    }
  }

  #library(): SitemapOptions {
    return {
      ...crawlOptions(this.#options),
      webClient: this.#webClient,
      recurseCallback: this.#sitemaps.callback,
      signal: this.#io.signal,
      logger: this.#reporter.logger,
      onProgress: (event) => this.#onProgress(event),
      problemPositions: this.#reporter.isVerbose,
    };
  }

  #onProgress(event: ProgressEvent): void {
    this.#progress.listener(event);
    // A stream has no tree to show them on.
    if (event.type !== 'problems' || !this.#reporter.isVerbose) return;
    const { url: name, problems, problemCount } = event;
    listProblems({ name, problems, problemCount }, this.#reporter, (line) => this.#reporter.detail(line));
  }

  #listed(): ListedSite {
    const base = this.#options.sitemap === true ? this.#url.origin : this.#name;
    return { base, site: this.#isOneOfSeveral ? this.#name : undefined };
  }

  #interruption(): string {
    const { done, failed, known } = this.#progress.totals;
    const pages =
      this.#listing.isOfPages && this.#pages.read > 0 ? ` and ${count(this.#pages.read, 'page')}` : '';
    return `interrupted at ${this.#name}, after ${number(done + failed)} of ${count(known, 'sitemap')}${pages}.`;
  }

  #detailTotals({ readable }: SiteResult): void {
    const { bytes: size } = this.#progress.totals;
    const { read, kept, distinct } = this.#pages;
    const parts = [count(readable, 'sitemap')];
    // The other formats count pages themselves, or not at all.
    if (this.#listing.isOfPages || read > 0)
      parts.push(kept === read ? pagesInWords(read, distinct) : `${number(kept)} of ${count(read, 'page')}`);
    parts.push(`${bytes(size)} in ${elapsed(this.#progress.elapsedMs)}`);
    this.#reporter.detail(`${this.#name}: ${parts.join(', ')}.`);
  }
}
