/** `usp report`: a site, or a saved tree, as one HTML file. */
import { statSync } from 'node:fs';
import { fileTrouble } from '../../files.ts';
import {
  KNOWN_PATHS,
  loadTree,
  reportHtml,
  type Sitemap,
  SitemapException,
  sitemapFromUrl,
  sitemapTreeForHomepage,
} from '../../index.ts';
import { withoutUserinfo } from '../../url.ts';
import { parseAddress } from '../args/address.ts';
import { type CrawlFlags, crawlOptions } from '../args/crawl-flags.ts';
import type { ExitCode } from '../exit-codes.ts';
import { PageFilter } from '../filter/page-filter.ts';
import type { CliIO } from '../io.ts';
import { Interrupted, UsageError } from '../messages/failure.ts';
import { noneFoundInWords } from '../messages/none-found.ts';
import { ProgressLine } from '../messages/progress-line.ts';
import { report as reportSite } from '../messages/report.ts';
import type { Reporter, Verbosity } from '../messages/reporter.ts';
import { exitCodeOf, resultOfTree, type SiteResult } from '../messages/site-result.ts';
import { bytes } from '../messages/wording.ts';
import { openInBrowser } from '../output/open-in-browser.ts';
import { checkDistinct, openOutput } from '../output/open-output.ts';
import { openWarc } from './open-warc.ts';

/** The options of `usp report`. */
export interface ReportCommandOptions extends CrawlFlags, Verbosity {
  readonly sitemap?: boolean | undefined;
  readonly output?: string | undefined;
  readonly before?: string | undefined;
  readonly open?: boolean | undefined;
  readonly strict?: boolean | undefined;
}

/** Writes the report. A site that cannot be read gets one too, which says so. */
export async function report(
  site: string,
  options: ReportCommandOptions,
  io: CliIO,
  reporter: Reporter,
): Promise<ExitCode> {
  const { output: file } = options;
  const isFile = file !== undefined && file !== '-';
  if (!isFile && options.open === true) throw new UsageError('--open needs -o FILE: a browser opens files.');
  if (!isFile && io.isTerminal.stdout) {
    throw new UsageError('A report is a file of HTML, not for a terminal.', {
      hint: `usp report ${site} -o report.html`,
    });
  }
  await checkDistinct({ '-o': file, '-l': options.logFile });
  const input = isExisting(site) ? undefined : parseAddress(site);
  const output = await openOutput(file, io);
  const open: Sitemap[] = [];
  try {
    const before = options.before === undefined ? undefined : await saved(options.before);
    if (before !== undefined) open.push(before);
    const tree = input === undefined ? await saved(site) : await crawled(input, options, io, reporter);
    open.push(tree);
    let size = 0;
    for await (const piece of reportHtml(tree, { before, signal: io.signal })) {
      size += Buffer.byteLength(piece);
      await output.write(piece);
    }
    await output.finish();
    if (isFile) reporter.say(`${file}: ${bytes(size)}.`);
    if (isFile && options.open === true) await openInBrowser(file, io.env);
    const result = resultOfTree(tree);
    // What stopped the crawl of a saved tree did not stop the report.
    const shown = input === undefined ? { ...result, stopped: undefined } : result;
    return exitCodeOf(shown, options, knownPathCount(options));
  } catch (error) {
    if (io.signal.aborted) throw new Interrupted(`interrupted at ${site}; no report was written.`);
    throw error;
  } finally {
    for (const tree of open) tree.close();
    await output.discard();
  }
}

function isExisting(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

async function saved(file: string): Promise<Sitemap> {
  try {
    return await loadTree(file);
  } catch (error) {
    if (!(error instanceof SitemapException)) throw error;
    if (error.code === 'archive-unreadable')
      throw new UsageError(`${file} cannot be read: ${fileTrouble(error.cause)}.`, { cause: error });
    throw new UsageError(error.message, {
      hint: error.code === 'archive-format' ? 'usp ls URL --save FILE saves a site.' : undefined,
      cause: error,
    });
  }
}

/** Reads a site, and says what went wrong. */
async function crawled(
  url: URL,
  options: ReportCommandOptions,
  io: CliIO,
  reporter: Reporter,
): Promise<Sitemap> {
  const webClient = options.fromWarc === undefined ? undefined : await openWarc(options.fromWarc);
  const progress = new ProgressLine();
  if (!reporter.isQuiet) await progress.show(io, url.host);
  try {
    const fetchTree = options.sitemap === true ? sitemapFromUrl : sitemapTreeForHomepage;
    const tree: Sitemap = await fetchTree(url, {
      ...crawlOptions(options),
      webClient,
      signal: io.signal,
      logger: reporter.logger,
      onProgress: progress.listener,
    });
    progress.hide();
    sayWhatIsMissing(withoutUserinfo(url).href, resultOfTree(tree), options, reporter);
    return tree;
  } finally {
    progress.hide();
  }
}

function sayWhatIsMissing(
  name: string,
  result: SiteResult,
  options: ReportCommandOptions,
  reporter: Reporter,
): void {
  const { timeout, maxSitemaps } = options;
  reportSite(reporter, {
    name,
    result,
    pages: new PageFilter({}, undefined, { distinct: false }),
    noneFound: noneFoundInWords(options, result, KNOWN_PATHS.length),
    timeout,
    maxSitemaps,
  });
}

/** How many known paths are requested. */
function knownPathCount({ sitemap, known, knownPath = [] }: ReportCommandOptions): number {
  if (sitemap === true) return 0;
  return (known === false ? 0 : KNOWN_PATHS.length) + knownPath.length;
}
