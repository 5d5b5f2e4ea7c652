/** `usp ls`: the sitemaps and pages of one site or several, in turn. */
import { type ProgressEvent, robotsVerdicts, type SitemapOptions, saveTree } from '../../index.ts';
import { bytes, count, elapsed, number, pagesInWords } from '../../problems/wording.ts';
import { withoutUserinfo } from '../../url.ts';
import { type ExitCode, worst } from '../exit-codes.ts';
import { checkAgent, type PageFilter } from '../filter/page-filter.ts';
import { openWarc } from '../input.ts';
import type { CliIO } from '../io.ts';
import { detailProblems, listProblems } from '../messages/document-problems.ts';
import { UsageError } from '../messages/endings.ts';
import type { Reporter, Verbosity } from '../messages/reporter.ts';
import { resultOfStream, resultOfTree, type SiteResult } from '../messages/site-result.ts';
import { type ListedSite, Listing, type ListingOptions } from '../output/listing.ts';
import { checkDistinct, checkWritable } from '../output/output.ts';
import { type CommandWorld, SiteCrawl, type SiteFlags } from '../site-crawl.ts';

export interface LsOptions extends ListingOptions, SiteFlags, Verbosity {
  readonly save?: string | undefined;
}

export async function ls(
  sites: readonly URL[],
  options: LsOptions,
  io: CliIO,
  reporter: Reporter,
): Promise<ExitCode> {
  await checkDistinct({ '-o': options.output, '--save': options.save, '-l': options.logFile });
  checkAgent(options);
  if (options.save !== undefined) {
    if (sites.length > 1) throw new UsageError('--save takes one site, since a file holds one tree.');
    await checkWritable(options.save);
  }
  const webClient = await openWarc(options, io);
  const listing = await Listing.open(options, io);
  try {
    const codes: ExitCode[] = [];
    let readable = 0;
    for (const site of sites) {
      const crawl = new ListedSiteCrawl(
        site,
        options,
        { io, reporter, webClient },
        listing,
        sites.length > 1,
      );
      const listed = await crawl.list();
      readable += listed.readable;
      codes.push(listed.code);
    }
    if (readable > 0 || options.output === undefined) codes.push(await listing.finish(reporter));
    else reporter.say(`${options.output} was not written.`);
    return worst(codes);
  } finally {
    await listing.discard();
  }
}

class ListedSiteCrawl {
  readonly #options: LsOptions;
  readonly #reporter: Reporter;
  readonly #listing: Listing;
  readonly #crawl: SiteCrawl;
  readonly #pages: PageFilter;
  readonly #isOneOfSeveral: boolean;

  constructor(url: URL, options: LsOptions, world: CommandWorld, listing: Listing, isOneOfSeveral: boolean) {
    this.#options = options;
    this.#reporter = world.reporter;
    this.#listing = listing;
    this.#crawl = new SiteCrawl(url, options, world);
    // Counted for the closing line of -v only, and not where a tree counts them itself.
    this.#pages = listing.filter({ distinct: world.reporter.isVerbose });
    this.#isOneOfSeveral = isOneOfSeveral;
  }

  /** Lists it: how many sitemaps were readable, and the exit code. */
  async list(): Promise<{ readonly readable: number; readonly code: ExitCode }> {
    const { save, ordered } = this.#options;
    this.#hint();
    const isStreamed = this.#listing.isOfPages && save === undefined && ordered !== true;
    const result = await this.#crawl.showing(
      () => (isStreamed ? this.#stream() : this.#tree()),
      () => this.#interruption(),
    );
    const code = this.#crawl.report(result, { pages: this.#pages });
    this.#detailTotals(result);
    return { readable: result.readable, code };
  }

  #hint(): void {
    const { url, name } = this.#crawl;
    if (this.#crawl.hintAtSitemap((href) => `usp ls --sitemap ${href} lists it alone`)) return;
    const { sitemap, normalize } = this.#options;
    if (sitemap === true || normalize === false || url.pathname === '/') return;
    this.#reporter.hint(
      `looking for the sitemaps of ${name}; --no-normalize looks below ${withoutUserinfo(url).href}`,
    );
  }

  // Pages are printed while documents are still arriving, and none is held.
  async #stream(): Promise<SiteResult> {
    const { agent } = this.#options;
    const stream = this.#crawl.stream({ ...this.#more, agent });
    if (agent !== undefined) this.#pages.verdictOf = (url) => stream.verdictOf(url);
    await this.#listing.printPages(stream.batches(), this.#listed, this.#pages);
    return resultOfStream(stream, {
      read: this.#crawl.progress.finished,
      pages: this.#pages.read,
      hadEnough: this.#pages.isFull,
    });
  }

  async #tree(): Promise<SiteResult> {
    const { save, agent } = this.#options;
    const tree = await this.#crawl.tree(this.#more);
    try {
      const result = resultOfTree(tree);
      if (agent !== undefined) this.#pages.verdictOf = await robotsVerdicts(tree, agent);
      if (save !== undefined && result.readable > 0) await saveTree(tree, save);
      await this.#listing.printTree(tree, this.#listed, this.#pages);
      detailProblems(tree, this.#reporter, this.#options);
      return result;
    } finally {
      tree.close();
    }
  }

  get #more(): SitemapOptions {
    return { onProgress: (event) => this.#onProgress(event), problemPositions: this.#reporter.isVerbose };
  }

  // A stream has no tree to show them on.
  #onProgress(event: ProgressEvent): void {
    if (event.type !== 'problems' || !this.#reporter.isVerbose) return;
    const { url: name, problems, problemCount } = event;
    listProblems({ name, problems, problemCount }, this.#reporter, (line) => this.#reporter.detail(line));
  }

  get #listed(): ListedSite {
    const { url, name } = this.#crawl;
    const base = this.#options.sitemap === true ? url.origin : name;
    return { base, site: this.#isOneOfSeveral ? name : undefined };
  }

  #interruption(): string {
    const { done, failed, known } = this.#crawl.progress.totals;
    const pages =
      this.#listing.isOfPages && this.#pages.read > 0 ? ` and ${count(this.#pages.read, 'page')}` : '';
    const { name } = this.#crawl;
    return `interrupted at ${name}, after ${number(done + failed)} of ${count(known, 'sitemap')}${pages}.`;
  }

  #detailTotals({ readable }: SiteResult): void {
    const { totals, elapsedMs } = this.#crawl.progress;
    const { read, kept, distinct } = this.#pages;
    const parts = [count(readable, 'sitemap')];
    // The other formats count pages themselves, or not at all.
    if (this.#listing.isOfPages || read > 0)
      parts.push(kept === read ? pagesInWords(read, distinct) : `${number(kept)} of ${count(read, 'page')}`);
    parts.push(`${bytes(totals.bytes)} in ${elapsed(elapsedMs)}`);
    this.#reporter.detail(`${this.#crawl.name}: ${parts.join(', ')}.`);
  }
}
