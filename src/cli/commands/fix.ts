/** `usp fix`: sites, saved trees and files, however broken, as a valid set of sitemaps in a folder. */

import { type Sitemap, SitemapException } from '../../index.ts';
import { count } from '../../problems/wording.ts';
import { blockedBy, hostsOf, type Opinions, requestedPages } from '../../write/opinions.ts';
import { type RepairInput, TreeRepair } from '../../write/repair-tree.ts';
import { SitemapSet } from '../../write/sitemap-set.ts';
import { inFlags } from '../args/option-flags.ts';
import { EXIT, type ExitCode, worst } from '../exit-codes.ts';
import { checkIsSitemap, checkUrl, inputOf, openWarc } from '../input.ts';
import { Interrupted, UsageError } from '../messages/endings.ts';
import type { CommandRun } from '../messages/reporter.ts';
import { exitCodeOf, type SiteResult } from '../messages/site-result.ts';
import { RepairListing } from '../output/repair-listing.ts';
import type { FIX, FlagsOf, Verbosity } from '../program/flags.ts';
import { type CommandWorld, networkOptions, openInput, type SiteFlags } from '../site-crawl.ts';

interface FixOptions extends FlagsOf<typeof FIX>, SiteFlags, Verbosity {
  readonly output: string;
  readonly format: 'text' | 'json';
  readonly url?: string | undefined;
}

export const fix: CommandRun<readonly string[], FixOptions> = async (inputs, options, io, reporter) => {
  checkOptions(inputs, options);
  const listing = await RepairListing.open(options, io);
  const webClient = await openWarc(options, io);
  const world = { io, reporter, webClient };
  try {
    const set = await SitemapSet.open(options.output, { force: options.force, signal: io.signal });
    io.onEnd(() => set.discard());
    return await write(await openInputs(inputs, options, world), set, listing, options, world);
  } catch (error) {
    if (io.signal.aborted) throw new Interrupted(`interrupted; ${options.output} is as it was.`);
    throw withHint(error);
  }
};

async function write(
  opened: OpenedInputs,
  set: SitemapSet,
  listing: RepairListing,
  options: FixOptions,
  world: CommandWorld,
): Promise<ExitCode> {
  const { io, reporter } = world;
  const { output: directory } = options;
  if (opened.readable === 0) {
    reporter.error('there is no sitemap to repair.');
    return codeOfNothing(opened.codes);
  }
  const repair = await TreeRepair.open(opened.inputs, {
    ...options,
    layout: options.layout ?? 'keep',
    baseUrl: options.base,
    opinions: await opinionsOf(opened, options, world),
    signal: io.signal,
  });
  const missing = [
    ...opened.missing,
    ...repair.unread.map(
      (url) => `${url} was not fetched, since its index is a file: add its file as an input.`,
    ),
  ];
  if (missing.length > 0 && options.partial !== true) {
    for (const message of missing.slice(0, MOST_SHOWN)) reporter.say(message);
    if (missing.length > MOST_SHOWN)
      reporter.say(`… and ${count(missing.length - MOST_SHOWN, 'more of these', 'more of these')}.`);
    const what = count(missing.length, 'part');
    reporter.error(
      `${what} of the input could not be read; nothing was written.`,
      '--partial writes the rest.',
    );
    return EXIT.incomplete;
  }
  await repair.survey();
  for await (const repairs of repair.write(set)) await listing.print(repairs);
  const { result } = repair;
  missing.push(...result.unfollowed);
  if (result.pagesWritten === 0) {
    await listing.finish({ ...result, directory, missing, removed: [], kept: [] });
    reporter.error(`there is no page to write; nothing was written, and ${directory} is as it was.`);
    return codeOfNothing(opened.codes);
  }
  const isKept = missing.length > 0 ? repair.isKept : undefined;
  const { removed, kept } = await set.commit(isKept);
  await listing.finish({ ...result, directory, missing, removed, kept });
  return worst(opened.codes);
}

/** Where an input says why nothing could be written, such as a limit that stopped its reading, that is the reason. */
function codeOfNothing(codes: readonly ExitCode[]): ExitCode {
  const code = worst(codes);
  return code === EXIT.ok ? EXIT.noneFound : code;
}

/** The rest of what is missing is counted. */
const MOST_SHOWN = 20;

function checkOptions(inputs: readonly string[], options: FixOptions): void {
  const { layout, by, base, url } = options;
  if (by !== undefined && layout !== 'new')
    throw new UsageError('--by divides pages anew.', { hint: `--layout new --by ${by}` });
  checkUrl(url, inputs);
  const asking = options.dropDead === true ? '--drop-dead' : '--lastmod-from-head';
  if ((options.dropDead === true || options.lastmodFromHead === true) && options.pages === undefined)
    throw new UsageError(`${asking} needs --pages: how many pages to request.`, {
      hint: `${asking} --pages all`,
    });
  if (base !== undefined && !/^https?:\/\/[^/?#]+[^?#]*$/i.test(base))
    throw new UsageError(`--base needs an http or https URL, not "${base}".`, {
      hint: 'as https://example.org/',
    });
}

const HINTS: Readonly<Record<string, string>> = {
  'directory-not-empty':
    '--force writes there all the same; files that are not of an earlier set stay as they are.',
  'file-exists': 'give -o another folder, or move that file away.',
  'directory-in-use': 'wait for its end, or give -o another folder.',
};

function withHint(error: unknown): unknown {
  if (!(error instanceof SitemapException) || !Object.hasOwn(HINTS, error.code)) return error;
  const [message = ''] = error.message.split(' Choose ');
  return new UsageError(message, { hint: HINTS[error.code], cause: error });
}

async function opinionsOf(
  { inputs, site }: OpenedInputs,
  options: FixOptions,
  world: CommandWorld,
): Promise<Opinions> {
  const { dropTracking, https, canonicalSlash, dropOtherHosts, dropBlocked, base, agent } = options;
  const trees = inputs.map(({ tree }) => tree);
  const hosts = dropOtherHosts === true ? hostsOf(trees, base) : undefined;
  if (hosts?.size === 0)
    throw new UsageError('--drop-other-hosts needs --base: a file does not say where it belongs.');
  const blocked = dropBlocked === true ? await blockedBy(trees, { baseUrl: base, agent }) : undefined;
  const opinions = { dropTracking, https, canonicalSlash, hosts, blocked };
  const { dropDead, lastmodFromHead, pages } = options;
  if (dropDead !== true && lastmodFromHead !== true) return opinions;
  const network = networkOptions(options, world);
  const requested = await requestedPages(trees, { pages, network, site, agent, signal: world.io.signal });
  if (requested.stopped !== undefined)
    world.reporter.say('Not all pages were requested: the time was over (--timeout).');
  return {
    ...opinions,
    ...(dropDead === true && { dead: requested.dead }),
    ...(lastmodFromHead === true && { lastModified: requested.lastModified }),
  };
}

const OPENING = {
  does: 'repairs',
  undone: '; nothing was written.',
  // What is missing is said once, in the end.
  said: (result: SiteResult): SiteResult =>
    result.readable > 0 ? { ...result, invalid: [], incomplete: [], problems: [] } : result,
};

interface OpenedInputs {
  readonly codes: ExitCode[];
  /** What could not be read, in sentences. */
  readonly missing: string[];
  readonly inputs: RepairInput[];
  readable: number;
  /** The first site, with the user and password that it needs. */
  site: URL | undefined;
}

/** @throws UsageError for what cannot be opened: a set without it would lose pages */
async function openInputs(
  texts: readonly string[],
  options: FixOptions,
  world: CommandWorld,
): Promise<OpenedInputs> {
  const opened: OpenedInputs = { codes: [], missing: [], inputs: [], readable: 0, site: undefined };
  for (const text of texts) {
    const input = inputOf(text);
    if (input.type === 'site') opened.site ??= input.url;
    const { tree, type, name, result, code } = await openInput(input, options, world, OPENING);
    opened.inputs.push(type === 'file' ? { tree, fileName: name } : { tree });
    if (type !== 'site') checkIsSitemap(name, tree);
    if (type === 'archive') opened.codes.push(exitCodeOf({ ...result, stopped: undefined }, {}));
    if (code !== undefined) opened.codes.push(code);
    // A robots.txt among files is only asked about pages.
    opened.readable += result.readable;
    opened.missing.push(...missingOf(name, tree, result));
  }
  return opened;
}

function missingOf(
  name: string,
  { kind }: Sitemap,
  { invalid, incomplete, problems, complete, stopped }: SiteResult,
): readonly string[] {
  // What is its own ancestor was read where it is that.
  const unread = invalid.filter(({ code }) => code !== 'recursion');
  const missing = [
    ...unread.map(({ reason, option }) => inFlags(reason, option)),
    ...incomplete.flatMap(({ url, problems: found }) =>
      found.map(({ message }) => `${url || name}: ${message}`),
    ),
    ...(stopped === undefined ? [] : [`${name}: ${inFlags(stopped.message, stopped.limit)}`]),
  ];
  if (complete || missing.length > 0 || kind === 'robots-txt') return missing;
  const failed = problems.filter(({ failure }) => failure !== undefined).map(({ message }) => message);
  if (failed.length > 0 || unread.length < invalid.length) return failed;
  return [`${name} was not read whole.`];
}
