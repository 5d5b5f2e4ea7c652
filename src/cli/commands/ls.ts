/** `usp ls`: the sitemaps and pages of sites, saved trees and files, one after the other. */
import { hostsOfTree } from '../../filter/site-hosts.ts';
import { robotsVerdicts, type Sitemap } from '../../index.ts';
import { isIndexKind } from '../../parse/model/kinds.ts';
import { count } from '../../text/wording.ts';
import { parsedUrl } from '../../url.ts';
import { inFlags } from '../args/option-flags.ts';
import { EXIT, type ExitCode, UsageError, worst } from '../endings.ts';
import { checkUrl, distinctInputs, forEachInput, inputOf, type OpenedFile, openLocal } from '../input.ts';
import type { CommandRun, Reporter } from '../io.ts';
import {
  detailProblems,
  exitCodeOf,
  listProblems,
  problemsBeside,
  reportSite,
  resultOfTree,
} from '../messages/site-messages.ts';
import { Listing } from '../output/listing.ts';
import { checkWritable } from '../output/output.ts';
import { checkAgent, type PageFilter } from '../page-filter.ts';
import { openWorld } from '../world.ts';
import type { ListResult, LsOptions } from './ls-site.ts';

export const ls: CommandRun<readonly string[], LsOptions> = async (texts, options, io, reporter) => {
  const { save, output, url, verify, maxSitemaps, maxDepth, mapHost } = options;
  checkAgent(options);
  const names = distinctInputs(texts);
  checkUrl(url, names);
  const isOne = names.length === 1;
  if (save !== undefined) {
    if (!isOne) throw new UsageError('--save takes one site, since a file holds one tree.');
    await checkWritable(save);
  }
  const world = await openWorld(options, io, reporter);
  const listing = await Listing.open(options, io);
  const codes: ExitCode[] = [];
  let readable = 0;
  const unopened = await forEachInput(names, { io, reporter }, async (text) => {
    const input = inputOf(text, reporter);
    let output: ListResult;
    if (input.type === 'site') {
      // Loaded here: a file needs nothing of what fetches sites.
      const { listSite } = await import('./ls-site.ts');
      output = await listSite(input.url, options, world, listing, isOne);
    } else {
      if (save !== undefined) throw new UsageError('--save saves a site that is fetched, and not a file.');
      const file = await openLocal(
        input,
        { url, verify, maxSitemaps, maxDepth, mapHost, problemPositions: true },
        io,
        reporter,
      );
      output = await listLocal(file, options, listing, isOne, reporter).finally(() => file.tree.close());
    }
    readable += output.readable;
    codes.push(output.code);
  });
  if (readable > 0 || output === undefined || output === '-') codes.push(await listing.finish(reporter));
  else reporter.say(`${output} was not written.`);
  return worst([...codes, unopened]);
};

/** Lists a saved tree, or a document. Nothing is fetched. */
async function listLocal(
  file: OpenedFile,
  options: LsOptions,
  listing: Listing,
  isOne: boolean,
  reporter: Reporter,
): Promise<ListResult> {
  const { tree, type, name } = file;
  const pages = listing.filter();
  if (options.agent !== undefined) {
    if (tree.kind !== 'website')
      throw new UsageError(`--agent needs robots.txt, and ${name} is not of a whole site.`);
    pages.verdictOf = await robotsVerdicts(tree, options.agent);
  }
  if ((options.hosts ?? 'any') !== 'any' && hostsOfTree(tree).isEmpty)
    throw new UsageError('--hosts needs --url: a file does not say where it belongs.');
  const base = baseOf(tree);
  await listing.printTree(tree, { base, site: isOne ? undefined : name }, pages);
  if (options.stripUrl === true && base === '')
    reporter.say(
      `${name}: -u (--strip-url) stripped nothing, since its address is not known; --url says it.`,
    );
  if (type === 'file') return reportDocument(file, pages, options, listing, reporter);
  detailProblems(tree, reporter, options);
  // What stopped the crawl did not stop the loading: it is reported, and is not a failure.
  const { stopped, problems, ...rest } = resultOfTree(tree);
  if (stopped !== undefined)
    reporter.say(`${tree.url}: saved before it was complete. ${inFlags(stopped.message, stopped.limit)}`);
  const result = { ...rest, problems: problemsBeside(stopped, problems), stopped: undefined };
  reportSite(reporter, { name: tree.url, result, pages, noneFound: 'no readable sitemap was saved.' });
  return { readable: result.readable, code: exitCodeOf(result, options) };
}

/** What `--strip-url` removes. */
function baseOf({ kind, url }: Sitemap): string {
  if (kind === 'website') return url;
  return /^https?:/.test(url) ? (parsedUrl(url)?.origin ?? url) : '';
}

function reportDocument(
  { tree, name }: OpenedFile,
  pages: PageFilter,
  options: LsOptions,
  { isOfPages }: Listing,
  reporter: Reporter,
): ListResult {
  const result = resultOfTree(tree);
  if (tree.kind === 'invalid') {
    reportSite(reporter, { name, result: { ...result, invalid: [] }, pages, noneFound: tree.reason });
    return { readable: 0, code: EXIT.noneFound };
  }
  listProblems(name, tree, reporter, 'say');
  // A robots.txt counts like a sitemap, and an empty index is not a failure.
  const fileResult = { ...result, readable: 1 };
  // What is missing in it was listed among its problems.
  reportSite(reporter, { name, result: { ...fileResult, incomplete: [] }, pages, noneFound: '' });
  if (isOfPages) reportNoPages(reporter, tree, name, options.url);
  const { length: children } = tree.subSitemaps;
  if (children > 0)
    reporter.detail(
      `${name}: ${count(children, 'sitemap that it lists was', 'sitemaps that it lists were')} not fetched.`,
    );
  return { readable: 1, code: exitCodeOf(fileResult, options) };
}

/** An index and a robots.txt have no pages of their own: says why nothing was printed. */
function reportNoPages(
  reporter: Reporter,
  { kind, subSitemaps }: Sitemap,
  name: string,
  url: string = '<url>',
): void {
  if (!isIndexKind(kind)) return;
  const what = kind === 'index-xml' ? 'an index' : 'a robots.txt';
  reporter.say(`${name}: ${what} of ${count(subSitemaps.length, 'sitemap')}, which lists no pages.`);
  if (subSitemaps.length > 0) reporter.hint(`usp ls --sitemap ${url} follows them.`);
}
