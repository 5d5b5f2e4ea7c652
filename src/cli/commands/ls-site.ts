/** A site in the listing of `usp ls`: streamed where the format allows it, as a tree where not. */
import { robotsVerdicts, type SitemapOptions, saveTree } from '../../index.ts';
import { bytes, count, describePages, elapsed, number } from '../../text/wording.ts';
import { withoutUserinfo } from '../../url.ts';
import type { ExitCode } from '../endings.ts';
import type { Reporter } from '../io.ts';
import {
  detailProblems,
  listProblems,
  resultOfStream,
  resultOfTree,
  type SiteResult,
} from '../messages/site-messages.ts';
import type { Listing, ListingOptions } from '../output/listing.ts';
import type { PageFilter } from '../page-filter.ts';
import type { FlagsOf, LOCAL, SAVE, SiteFlags, Verbosity } from '../program/flags.ts';
import { SiteCrawl } from '../site-crawl.ts';
import type { CommandWorld } from '../world.ts';

export interface LsOptions
  extends FlagsOf<typeof SAVE>,
    FlagsOf<typeof LOCAL>,
    ListingOptions,
    SiteFlags,
    Verbosity {}

/** How many sitemaps of an input could be read, and its exit code. */
export interface ListResult {
  readonly readable: number;
  readonly code: ExitCode;
}

export async function listSite(
  url: URL,
  options: LsOptions,
  world: CommandWorld,
  listing: Listing,
  isOne: boolean,
): Promise<ListResult> {
  const { reporter } = world;
  const { save, ordered, agent, sitemap, sample, listAlternates } = options;
  const crawl = new SiteCrawl(url, options, world);
  // Counted for the closing line of -v only, and not where a tree counts them itself.
  const pages = listing.filter({ distinct: reporter.isVerbose });
  const site = {
    base: sitemap === true ? crawl.url.origin : crawl.name,
    site: isOne ? undefined : crawl.name,
  };
  const more: SitemapOptions = {
    problemPositions: reporter.isVerbose,
    // A stream has no tree to show them on.
    onProgress(event) {
      if (event.type !== 'problems' || !reporter.isVerbose) return;
      listProblems(event.url, event, reporter, 'detail');
    },
  };
  // Pages are printed while documents are still arriving, and none is held.
  const streamed = async (): Promise<SiteResult> => {
    const stream = crawl.stream({ ...more, robotsAgent: agent, listAlternates });
    pages.site = stream.hosts;
    if (agent !== undefined) pages.verdictOf = (page) => stream.verdictOf(page);
    await listing.printPages(stream.batches(), site, pages);
    return resultOfStream(stream, crawl.progress.finished, pages);
  };
  const asTree = async (): Promise<SiteResult> => {
    const tree = await crawl.tree(more);
    try {
      const result = resultOfTree(tree);
      if (agent !== undefined) pages.verdictOf = await robotsVerdicts(tree, agent);
      if (save !== undefined && result.readable > 0) await saveTree(tree, save);
      await listing.printTree(tree, site, pages);
      detailProblems(tree, reporter, options);
      return result;
    } finally {
      tree.close();
    }
  };
  hint(crawl, options, reporter);
  const isStreamed = listing.isOfPages && save === undefined && ordered !== true && sample === undefined;
  const result = await crawl.showing(isStreamed ? streamed : asTree, () => {
    const { done, failed, known } = crawl.progress.totals;
    const pagesRead = listing.isOfPages && pages.read > 0 ? ` and ${count(pages.read, 'page')}` : '';
    return `interrupted at ${crawl.name}, after ${number(done + failed)} of ${count(known, 'sitemap')}${pagesRead}.`;
  });
  const code = crawl.report(result, { pages });
  reporter.detail(`${crawl.name}: ${totals(result, crawl, pages, listing.isOfPages)}.`);
  return { readable: result.readable, code };
}

function hint(crawl: SiteCrawl, { sitemap, normalize }: LsOptions, reporter: Reporter): void {
  const { url, name } = crawl;
  if (crawl.hintAtSitemap((href) => `usp ls --sitemap ${href} lists it alone`)) return;
  if (sitemap === true || normalize === false || url.pathname === '/') return;
  reporter.hint(
    `looking for the sitemaps of ${name}; --no-normalize looks below ${withoutUserinfo(url).href}`,
  );
}

function totals(
  { readable }: SiteResult,
  { progress }: SiteCrawl,
  { read, kept, distinct }: PageFilter,
  isOfPages: boolean,
): string {
  const parts = [count(readable, 'sitemap')];
  // The other formats count pages themselves, or not at all.
  if (isOfPages || read > 0)
    parts.push(kept === read ? describePages(read, distinct) : `${number(kept)} of ${count(read, 'page')}`);
  parts.push(`${bytes(progress.totals.bytes)} in ${elapsed(progress.elapsedMs)}`);
  return parts.join(', ');
}
