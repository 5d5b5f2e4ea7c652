/** `usp parse`: one document from a file or stdin. Nothing is fetched. */
import type { Sitemap } from '../../index.ts';
import { isTruncated } from '../../problems/catalogue.ts';
import { isIndexKind } from '../../problems/kinds.ts';
import { count } from '../../problems/wording.ts';
import { EXIT, worst } from '../endings.ts';
import { checkUrl, fileSitemap, stdinSitemap } from '../input.ts';
import type { CommandRun, Reporter } from '../io.ts';
import { exitCodeOf, listProblems, reportSite, resultOfTree } from '../messages/site-messages.ts';
import { Listing, type ListingOptions } from '../output/listing.ts';

interface ParseOptions extends ListingOptions {
  readonly url?: string | undefined;
}

export const parse: CommandRun<string, ParseOptions> = async (file, options, io, reporter) => {
  const { url } = options;
  checkUrl(url);
  const name = file === '-' ? (url ?? 'stdin') : file;
  const listing = await Listing.open(options, io);
  const settings = { url, problemPositions: true };
  const sitemap = await (file === '-'
    ? stdinSitemap(io, reporter, settings)
    : fileSitemap(file, io, settings));
  const pages = listing.filter();
  await listing.printTree(sitemap, { base: url === undefined ? '' : new URL(url).origin }, pages);
  const result = resultOfTree(sitemap);
  if (sitemap.kind === 'invalid') {
    reportSite(reporter, { name, result: { ...result, invalid: [] }, pages, noneFound: sitemap.reason });
    return EXIT.noneFound;
  }
  const { problems, subSitemaps } = sitemap;
  listProblems(name, sitemap, reporter, 'say');
  // A robots.txt counts like a sitemap, and an empty index is not a failure.
  // What is missing in it was listed among its problems.
  const read = { ...result, readable: 1 };
  reportSite(reporter, { name, result: { ...read, incomplete: [] }, pages, noneFound: '' });
  if (listing.isOfPages) reportNoPages(reporter, sitemap, { name, url });
  if (subSitemaps.length > 0)
    reporter.detail(`${name}: ${count(subSitemaps.length, 'sitemap')} in it not fetched.`);
  return worst([
    await listing.finish(reporter),
    exitCodeOf({ ...read, complete: !isTruncated(problems) }, options),
  ]);
};

/** An index and a robots.txt have no pages of their own: says why nothing was printed. */
function reportNoPages(
  reporter: Reporter,
  { kind, subSitemaps }: Sitemap,
  { name, url = '<url>' }: { readonly name: string; readonly url: string | undefined },
): void {
  if (!isIndexKind(kind)) return;
  const what = kind === 'index-xml' ? 'an index' : 'a robots.txt';
  reporter.say(`${name}: ${what} of ${count(subSitemaps.length, 'sitemap')}, which lists no pages.`);
  if (subSitemaps.length > 0) reporter.hint(`usp ls --sitemap ${url} follows them.`);
}
