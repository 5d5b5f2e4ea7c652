/** `usp parse`: one document from a file or stdin. Nothing is fetched. */

import type { Sitemap } from '../../index.ts';
import { isTruncated } from '../../problems/catalogue.ts';
import { count } from '../../problems/wording.ts';
import { EXIT, type ExitCode, worst } from '../exit-codes.ts';
import { checkUrl, fileSitemap, stdinSitemap } from '../input.ts';
import type { CliIO } from '../io.ts';
import { listProblems } from '../messages/document-problems.ts';
import type { Reporter, Verbosity } from '../messages/reporter.ts';
import { report } from '../messages/site-messages.ts';
import { exitCodeOf, resultOfTree } from '../messages/site-result.ts';
import { Listing, type ListingOptions } from '../output/listing.ts';

export interface ParseOptions extends ListingOptions, Verbosity {
  readonly url?: string | undefined;
}

export async function parse(
  file: string,
  options: ParseOptions,
  io: CliIO,
  reporter: Reporter,
): Promise<ExitCode> {
  const { url } = options;
  checkUrl(url);
  const name = file === '-' ? (url ?? 'stdin') : file;
  const listing = await Listing.open(options, io);
  try {
    const settings = { url, problemPositions: true };
    const sitemap = await (file === '-' ? stdinSitemap(io, reporter, settings) : fileSitemap(file, settings));
    try {
      const pages = listing.filter();
      await listing.printTree(sitemap, { base: url === undefined ? '' : new URL(url).origin }, pages);
      const result = resultOfTree(sitemap);
      const { problems, problemCount } = sitemap;
      if (sitemap.kind !== 'invalid') {
        listProblems({ name, problems, problemCount }, reporter, (line) => reporter.say(line));
      }
      const isRead = sitemap.kind !== 'invalid';
      report(reporter, {
        name,
        // A robots.txt counts like a sitemap, and an empty index is not a failure.
        // What is missing in it was listed among its problems.
        result: isRead ? { ...result, readable: 1, incomplete: [] } : { ...result, invalid: [] },
        pages,
        noneFound: isRead ? '' : sitemap.reason,
      });
      const children = sitemap.subSitemaps.length;
      if (isRead && listing.isOfPages) reportNoPages(reporter, sitemap, { name, url });
      if (children > 0) reporter.detail(`${name}: ${count(children, 'sitemap')} in it not fetched.`);
      if (!isRead) return EXIT.noneFound;
      const finished = await listing.finish(reporter);
      return worst([
        finished,
        exitCodeOf({ ...result, readable: 1, complete: !isTruncated(sitemap.problems) }, options),
      ]);
    } finally {
      sitemap.close();
    }
  } finally {
    await listing.discard();
  }
}

/** An index and a robots.txt have no pages of their own: says why nothing was printed. */
function reportNoPages(
  reporter: Reporter,
  { kind, subSitemaps }: Sitemap,
  { name, url = '<url>' }: { readonly name: string; readonly url: string | undefined },
): void {
  if (kind !== 'index-xml' && kind !== 'robots-txt') return;
  const what = kind === 'index-xml' ? 'an index' : 'a robots.txt';
  reporter.say(`${name}: ${what} of ${count(subSitemaps.length, 'sitemap')}, which lists no pages.`);
  if (subSitemaps.length > 0) reporter.hint(`usp ls --sitemap ${url} follows them.`);
}
