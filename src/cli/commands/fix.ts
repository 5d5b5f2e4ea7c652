/** `usp fix`: sites, saved trees and files, however broken, as a valid set of sitemaps in a folder. */
import type { Sitemap } from '../../index.ts';
import { count, number } from '../../text/wording.ts';
import { blockedBy, hostsOf, type Opinions, requestedPages } from '../../write/opinions.ts';
import type { Repair } from '../../write/repair.ts';
import type { RepairResult } from '../../write/repair-run.ts';
import { TreeRepair } from '../../write/repair-tree.ts';
import { SitemapSet } from '../../write/sitemap-set.ts';
import type { RepairInput } from '../../write/source-documents.ts';
import { inFlags, namingFlag } from '../args/option-flags.ts';
import { EXIT, type ExitCode, Interrupted, UsageError, worst } from '../endings.ts';
import { checkLocalSitemap, checkUrl, distinctInputs, type InputUse, inputOf, openInput } from '../input.ts';
import type { CommandRun } from '../io.ts';
import type { SiteResult } from '../messages/site-messages.ts';
import { ListingOutput } from '../output/output.ts';
import { withHint } from '../output/set-errors.ts';
import { SetListing, ShownItems } from '../output/set-listing.ts';
import type { FIX, FlagsOf, SiteFlags, Verbosity } from '../program/flags.ts';
import { type ItemFormat, jsonDocument } from '../render/item-format.ts';
import { type CommandWorld, openWorld } from '../world.ts';

interface FixOptions extends FlagsOf<typeof FIX>, SiteFlags, Verbosity {
  readonly output: string;
  readonly format: 'text' | 'json';
  readonly url?: string | undefined;
}

export const fix: CommandRun<readonly string[], FixOptions> = async (texts, options, io, reporter) => {
  const inputs = distinctInputs(texts);
  checkOptions(inputs, options);
  const output = await ListingOutput.open({ format: options.format }, io);
  const listing: RepairListing = new SetListing(repairFormat(options, output), output);
  const world = await openWorld(options, io, reporter);
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
  sources: OpenedInputs,
  set: SitemapSet,
  listing: RepairListing,
  options: FixOptions,
  world: CommandWorld,
): Promise<ExitCode> {
  const { io, reporter } = world;
  const { output: directory } = options;
  if (sources.readable === 0) {
    reporter.error('there is no sitemap to repair.');
    return codeOfNothing(sources.codes);
  }
  const repair = await TreeRepair.open(sources.inputs, {
    ...options,
    layout: options.layout ?? 'keep',
    baseUrl: options.base,
    opinions: await opinionsOf(sources, options, world),
    signal: io.signal,
  });
  const missing = [
    ...sources.missing,
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
  const run = repair.write(set);
  for await (const repairs of run) {
    for (const repair of repairs) listing.add(namingFlag(repair));
    await listing.print();
  }
  const { result } = run;
  missing.push(...result.unfollowed);
  if (result.pagesWritten === 0) {
    await listing.finish({ ...result, directory, missing, removed: [], kept: [] });
    reporter.error(`there is no page to write; nothing was written, and ${directory} is as it was.`);
    return codeOfNothing(sources.codes);
  }
  const isKept = missing.length > 0 ? run.isKept : undefined;
  const { removed, kept } = await set.commit(isKept);
  await listing.finish({ ...result, directory, missing, removed, kept });
  return worst(sources.codes);
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
  if ((options.dropDead === true || options.lastmodFromHead === true) && options.requestPages === undefined)
    throw new UsageError(`${asking} needs --request-pages: how many pages to request.`, {
      hint: `${asking} --request-pages all`,
    });
  if (base !== undefined && !/^https?:\/\/[^/?#]+[^?#]*$/i.test(base))
    throw new UsageError(`--base needs an http or https URL, not "${base}".`, {
      hint: 'as https://example.org/',
    });
}

async function opinionsOf(
  { inputs, site, codes }: OpenedInputs,
  options: FixOptions,
  world: CommandWorld,
): Promise<Opinions> {
  const { dropTracking, https, canonicalSlash, dropOtherHosts, dropBlocked, base, agent } = options;
  const trees = inputs.map(({ tree }) => tree);
  const hosts = dropOtherHosts === true ? hostsOf(trees, base) : undefined;
  if (hosts?.isEmpty === true)
    throw new UsageError('--drop-other-hosts needs --base: a file does not say where it belongs.');
  const blocked = await blockedBy(trees, { baseUrl: base, agent });
  const opinions = { dropTracking, https, canonicalSlash, hosts, blocked, dropBlocked };
  const { dropDead, lastmodFromHead, requestPages } = options;
  if (dropDead !== true && lastmodFromHead !== true) return opinions;
  const { network, io } = world;
  const requested = await requestedPages(trees, {
    requestPages,
    network,
    site,
    robotsAgent: agent,
    signal: io.signal,
  });
  if (requested.stopped !== undefined) {
    world.reporter.say('Not all pages were requested: the time was over (--timeout).');
    codes.push(EXIT.stopped);
  }
  return {
    ...opinions,
    ...(dropDead === true && { dead: requested.dead }),
    ...(lastmodFromHead === true && { lastModified: requested.lastModified }),
  };
}

const INPUT_USE: InputUse = {
  does: 'repairs',
  // What is missing is reported once, at the end.
  reportedResult: (result: SiteResult): SiteResult =>
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
  const sources: OpenedInputs = { codes: [], missing: [], inputs: [], readable: 0, site: undefined };
  for (const text of texts) {
    const input = inputOf(text, world.reporter);
    if (input.type === 'site') sources.site ??= input.url;
    const { tree, type, name, result, code } = await openInput(input, options, world, INPUT_USE);
    sources.inputs.push(type === 'file' ? { tree, fileName: name } : { tree });
    if (type !== 'site') checkLocalSitemap(name, tree);
    // A file may be a robots.txt, which is only asked about pages.
    if (type !== 'file') sources.codes.push(code);
    sources.readable += result.readable;
    sources.missing.push(...missingOf(name, tree, result));
  }
  return sources;
}

function missingOf(
  name: string,
  { kind }: Sitemap,
  { invalid, incomplete, problems, complete, stopped }: SiteResult,
): readonly string[] {
  // A recursive sitemap was read where it is the ancestor.
  const unreadable = invalid.filter(({ code }) => code !== 'recursion');
  const missing = [
    ...unreadable.map(({ reason, option }) => inFlags(reason, option)),
    ...incomplete.map(({ url, problems: siteProblems }) => {
      return `${url || name}: ${siteProblems.map(({ message, option }) => inFlags(message, option)).join(' ')}`;
    }),
    ...(stopped === undefined ? [] : [`${name}: ${inFlags(stopped.message, stopped.limit)}`]),
  ];
  if (complete || missing.length > 0 || kind === 'robots-txt') return missing;
  const failed = problems.filter(({ failure }) => failure !== undefined).map(({ message }) => message);
  if (failed.length > 0 || unreadable.length < invalid.length) return failed;
  return [`${name} was not read to its end.`];
}

/** What is printed at the end, once everything is written. */
interface RepairSummary extends RepairResult {
  readonly directory: string;
  readonly missing: readonly string[];
  readonly removed: readonly string[];
  /** Files of an earlier set that stay, since something could not be read. */
  readonly kept: readonly string[];
}

type RuleCount = Record<Repair['action'], number>;
/** The most frequent rule first. */
type RuleCounts = readonly (readonly [rule: string, count: RuleCount])[];

/** As many of a rule are shown in text, unless all are wanted. */
const MOST_OF_RULE = 10;

type RepairListing = SetListing<Repair, RepairSummary>;

function repairFormat(options: FixOptions, output: ListingOutput): ItemFormat<Repair, void, RepairSummary> {
  const rules = new Map<string, RuleCount>();
  const shownItems = new ShownItems(options);
  let lastDocument: string | undefined;
  const repairLine = (repair: Repair): string => {
    const { rule, action, message, document, line, column, page } = repair;
    if (!shownItems.isShown(rule, MOST_OF_RULE)) return '';
    const head = document === lastDocument ? '' : `${lastDocument === undefined ? '' : '\n'}${document}\n`;
    lastDocument = document;
    const place = line === undefined ? '' : `${line}:${column}`;
    const about = page === undefined || message.includes(page) ? '' : ` ${page}`;
    const what = output.paint(action === 'dropped' ? 'red' : 'yellow', action);
    return `${head}  ${place.padEnd(8)} ${what}  ${message}${about}  ${output.paint('dim', rule)}\n`;
  };
  const format: ItemFormat<Repair, void, RepairSummary> =
    options.format === 'json'
      ? jsonDocument(
          'repairs',
          (repair) => repair,
          (summary) => jsonSummary(summary, byFrequency(rules)),
        )
      : {
          item: repairLine,
          end: (summary) => textSummary(summary, byFrequency(rules), { isCut: shownItems.hidden.size > 0 }),
        };
  return {
    ...format,
    item(repair) {
      const counts = rules.get(repair.rule) ?? { dropped: 0, changed: 0 };
      rules.set(repair.rule, counts);
      counts[repair.action] += repair.count ?? 1;
      return format.item(repair);
    },
  };
}

function byFrequency(rules: ReadonlyMap<string, RuleCount>): RuleCounts {
  const total = ({ dropped, changed }: RuleCount): number => dropped + changed;
  return [...rules].sort(([, a], [, b]) => total(b) - total(a));
}

function jsonSummary(summary: RepairSummary, rules: RuleCounts): object {
  const { directory, missing, removed, kept, files, pagesRead, pagesWritten, robots, left } = summary;
  return {
    rules: Object.fromEntries(rules),
    directory,
    pages: { read: pagesRead, written: pagesWritten },
    files,
    removed,
    kept,
    robots: robots.map((url) => `Sitemap: ${url}`),
    left,
    missing,
  };
}

function textSummary(
  summary: RepairSummary,
  rules: RuleCounts,
  { isCut }: { readonly isCut: boolean },
): string {
  const { directory, missing, removed, kept, files, pagesRead, pagesWritten, robots, left } = summary;
  const lines: string[] = [];
  if (rules.length === 0) lines.push('Nothing had to be repaired.');
  else {
    lines.push('', 'dropped  changed  rule');
    for (const [rule, { dropped, changed }] of rules)
      lines.push(`${shownNumber(dropped, 7)}  ${shownNumber(changed, 7)}  ${rule}`);
    if (isCut) lines.push(`The first ${MOST_OF_RULE} of each rule are shown; --all shows all of them.`);
  }
  const pageCounts = `${number(pagesWritten)} of ${count(pagesRead, 'page')}`;
  lines.push('', `${directory}: ${pageCounts} in ${count(files.length, 'file')}.`);
  for (const { name, pages, from } of files) {
    const what = pages === 0 ? 'index' : count(pages, 'page');
    lines.push(`  ${name}  ${what}${from === undefined || from === name ? '' : `, from ${from}`}`);
  }
  for (const name of removed) lines.push(`  ${name}  removed: an earlier run wrote it`);
  for (const name of kept) lines.push(`  ${name}  kept as an earlier run wrote it`);
  for (const { rule, count: times, page } of left) {
    const [are, them] = times === 1 ? ['is', 'it'] : ['are', 'them'];
    lines.push('', `${count(times, 'error')} ${are} left: robots.txt forbids fetching ${page}  ${rule}`);
    lines.push(`--drop-blocked drops ${them}; if search engines should read ${them}, change robots.txt.`);
  }
  if (missing.length > 0) lines.push('', 'Missing, or incomplete:', ...missing.map((each) => `  ${each}`));
  if (robots.length > 0) lines.push('', 'For robots.txt:', ...robots.map((url) => `Sitemap: ${url}`));
  return `${lines.join('\n')}\n`;
}

function shownNumber(value: number, width: number): string {
  return (value === 0 ? '' : number(value)).padStart(width);
}
