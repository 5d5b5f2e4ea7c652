/** `usp load`: a tree that `usp ls --save` (or `saveTree`) saved. Nothing is fetched. */
import { parsedUrl } from '../../url.ts';
import { inFlags } from '../args/option-flags.ts';
import { worst } from '../endings.ts';
import { savedTree } from '../input.ts';
import type { CommandRun } from '../io.ts';
import {
  detailProblems,
  exitCodeOf,
  problemsBeside,
  reportSite,
  resultOfTree,
} from '../messages/site-messages.ts';
import { Listing, type ListingOptions } from '../output/listing.ts';
import type { FlagsOf, LOAD, SAVED, Verbosity } from '../program/flags.ts';

interface LoadOptions extends FlagsOf<typeof LOAD>, FlagsOf<typeof SAVED>, ListingOptions, Verbosity {}

export const load: CommandRun<string, LoadOptions> = async (file, options, io, reporter) => {
  const listing = await Listing.open(options, io);
  const tree = await savedTree(
    file,
    io,
    { verify: options.verify, maxSitemaps: options.maxSitemaps, problemPositions: reporter.isVerbose },
    { 'archive-format': `usp load reads what usp ls --save wrote; usp parse ${file} reads a sitemap.` },
  );
  const pages = listing.filter();
  const base = (tree.kind === 'website' ? undefined : parsedUrl(tree.url)?.origin) ?? tree.url;
  await listing.printTree(tree, { base }, pages);
  detailProblems(tree, reporter, options);
  // What stopped the crawl did not stop the loading: it is reported, and is not a failure.
  const { stopped, problems, ...rest } = resultOfTree(tree);
  if (stopped !== undefined)
    reporter.say(`${tree.url}: saved before it was complete. ${inFlags(stopped.message, stopped.limit)}`);
  const result = { ...rest, problems: problemsBeside(stopped, problems), stopped: undefined };
  reportSite(reporter, { name: tree.url, result, pages, noneFound: 'no readable sitemap was saved.' });
  return worst([await listing.finish(reporter), exitCodeOf(result, options)]);
};
