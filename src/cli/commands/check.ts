/** `usp check`: what is wrong with the sitemaps of sites, saved trees and files. */
import { ABORTED, joinedSummary } from '../../check/check-summary.ts';
import { type CheckTreeOptions, checkTree } from '../../check/check-tree.ts';
import { isFailing } from '../../check/configuration.ts';
import type { CheckSummary } from '../../check/index.ts';
import type { Sitemap } from '../../index.ts';
import { isNeverRequested } from '../../problems/catalogue.ts';
import { onAbort } from '../../runtime/abort.ts';
import { ReplacedFile } from '../../runtime/files.ts';
import { count } from '../../text/wording.ts';
import { type CheckSettings, checkSettings, type RuleFlags } from '../args/check-settings.ts';
import { EXIT, type ExitCode, Interrupted, isDamage, UsageError, worst } from '../endings.ts';
import { checkUrl, distinctInputs, forEachInput, type InputUse, inputOf, openInput } from '../input.ts';
import type { CommandIO, CommandRun, Reporter } from '../io.ts';
import type { SiteResult } from '../messages/site-messages.ts';
import { checkCsvFlags, checkWritable, ListingOutput, unwritable } from '../output/output.ts';
import type { CHECK, CSV, FlagsOf, SiteFlags, Verbosity } from '../program/flags.ts';
import {
  FINDING_FORMATS,
  type FindingFormatName,
  type FindingWriter,
  isFindingFormat,
} from '../render/finding-formats.ts';
import { type CommandWorld, openWorld } from '../world.ts';

interface CheckOptions extends FlagsOf<typeof CHECK>, FlagsOf<typeof CSV>, RuleFlags, SiteFlags, Verbosity {
  readonly format: FindingFormatName;
  readonly url?: string | undefined;
}

/** Checks one input after the other; local files are checked together at the end, as parts of one site. */
export const check: CommandRun<readonly string[], CheckOptions> = async (texts, options, io, reporter) => {
  const { writeBaseline } = options;
  const settings = await checkSettings(options, io);
  const inputs = distinctInputs(texts);
  checkUrl(options.url, inputs);
  if (writeBaseline !== undefined) await checkWritable(writeBaseline);
  const world = await openWorld(options, io, reporter);
  const locals = new Set<string>();
  const outputs: FindingOutput[] = [];
  const choices: readonly OutputChoice[] = [options, ...(options.also ?? []).map(otherOutput)];
  checkCsvFlags(
    options,
    choices.map(({ format }) => format),
  );
  for (const each of choices) outputs.push(await openedOutput({ ...options, ...each }, locals, io));
  // What was found until the user interrupts is printed; half a document of JSON is of no use.
  if (!/^(?:json|sarif)$/.test(options.format))
    onAbort(io.signal, () => void outputs[0]?.listing.interrupt());
  const codes: ExitCode[] = [];
  const summaries: CheckSummary[] = [];
  const damaged: Error[] = [];
  await checkInputs(inputs, { ...world, options, settings, outputs, locals, codes, summaries, damaged });
  // Nothing could be opened: there is no result, and a file stays what it was.
  if (summaries.length === 0) return worst(codes);
  const summary = joinedSummary(summaries);
  for (const { listing, writer } of outputs) {
    await listing.add(writer.end?.({ summary, hidden: settings.baseline?.hidden }) ?? '');
    await listing.finish();
  }
  // A site that is down has lost none of its known findings, nor has the rest of an archive that is damaged.
  const isNothingRead = summary.documents === 0 && worst(codes) !== EXIT.ok;
  const isUnread = isNothingRead || damaged.length > 0;
  if (!isUnread) reportBaseline(settings, options, reporter);
  if (writeBaseline !== undefined && settings.writer !== undefined) {
    if (isUnread) {
      const what = isNothingRead ? 'no document' : 'not every document';
      reporter.error(`${writeBaseline} was not written: ${what} could be read.`);
      return worst(codes);
    }
    await ReplacedFile.write(writeBaseline, settings.writer.toString()).catch((cause: unknown) => {
      throw unwritable(writeBaseline, cause);
    });
    reporter.say(`${writeBaseline}: ${count(settings.writer.total, 'known finding')} written.`);
    return worst(codes);
  }
  return worst([...codes, isFailing(summary.counts, settings) ? EXIT.differences : EXIT.ok]);
};

/** What is written in one format, to one place. */
interface FindingOutput {
  readonly listing: ListingOutput;
  readonly writer: FindingWriter;
}

type OutputChoice = Pick<CheckOptions, 'format' | 'output' | 'all' | 'bom' | 'separator'>;

/** `--also sarif=findings.sarif` */
function otherOutput(text: string): OutputChoice {
  const [, format = '', output = ''] = /^(\w+)=(.+)$/s.exec(text) ?? [];
  if (isFindingFormat(format)) return { format, output };
  throw new UsageError('--also needs a format and a file.', {
    hint: `as --also sarif=findings.sarif; formats: ${Object.keys(FINDING_FORMATS).join(', ')}`,
  });
}

async function openedOutput(
  options: OutputChoice,
  locals: ReadonlySet<string>,
  io: CommandIO,
): Promise<FindingOutput> {
  const listing = await ListingOutput.open(options, io);
  const writer = FINDING_FORMATS[options.format]({
    all: options.all,
    paint: listing.paint,
    version: io.version,
    isLocal: (document) => locals.has(document),
  });
  await listing.add(writer.begin?.(listing.csv) ?? '');
  return { listing, writer };
}

interface CheckWorld extends CommandWorld {
  readonly options: CheckOptions;
  readonly settings: CheckSettings;
  readonly outputs: readonly FindingOutput[];
  readonly locals: Set<string>;
  readonly codes: ExitCode[];
  readonly summaries: CheckSummary[];
  /** The errors of archives that turned out to be damaged. */
  readonly damaged: Error[];
}

const INPUT_USE: InputUse = {
  does: 'checks',
  // Other failures are findings. Sitemaps that were not requested are not, and are reported here.
  reportedResult: (result: SiteResult): SiteResult => ({
    ...result,
    invalid: result.invalid.filter(({ code }) => code !== 'limit' && isNeverRequested(code)),
    incomplete: [],
    problems: result.readable > 0 ? [] : result.problems,
  }),
};

async function checkInputs(inputs: readonly string[], world: CheckWorld): Promise<void> {
  const { options, locals, codes, summaries, io, reporter } = world;
  const files = new Map<Sitemap, string>();
  const unopened = await forEachInput(inputs, world, async (text) => {
    const input = inputOf(text, reporter);
    const pendingTree = openInput(input, options, world, INPUT_USE);
    const { tree, type, name, code } = await pendingTree.catch(async (error: unknown) => {
      if (io.signal.aborted) await endInterrupted(world, summaries);
      throw error;
    });
    // What is wrong with a file or a saved tree is a finding.
    if (type === 'site') codes.push(code);
    if (type === 'file') {
      files.set(tree, name);
      locals.add(name);
      return;
    }
    // Closed before the next input.
    await checkTrees([tree], world, input.type === 'site' ? { site: input.url, name } : {}).finally(() =>
      tree.close(),
    );
  });
  codes.push(unopened);
  if (files.size > 0) await checkTrees([...files.keys()], world, { names: files });
}

/** Prints what was found until the user interrupted. */
async function endInterrupted({ outputs }: CheckWorld, summaries: readonly CheckSummary[]): Promise<void> {
  const summary = { ...joinedSummary(summaries), complete: false, stopped: ABORTED };
  for (const { listing, writer } of outputs) await listing.interrupt(writer.end?.({ summary }));
}

async function checkTrees(
  trees: readonly Sitemap[],
  world: CheckWorld,
  { names, site, name }: Pick<CheckTreeOptions, 'names' | 'site'> & { readonly name?: string },
): Promise<void> {
  const { options, settings, io, reporter, outputs, codes, summaries, damaged } = world;
  const findings = checkTree(trees, {
    names,
    site,
    network: world.network,
    now: options.now,
    robotsAgent: settings.agent,
    adjust: settings.adjust,
    requestPages: options.requestPages,
    signal: io.signal,
  });
  try {
    for await (const finding of findings)
      for (const { listing, writer } of outputs) await listing.add(writer.item(finding, listing.csv));
  } catch (error) {
    // Print what was found, unless the output itself was interrupted.
    if (io.signal.aborted && !(error instanceof Interrupted)) {
      await endInterrupted(world, [...summaries, findings.summary]);
    }
    // What was found in it counts, and the other inputs are checked.
    if (isDamage(error)) {
      summaries.push(findings.summary);
      damaged.push(error);
    }
    throw io.signal.aborted && name !== undefined ? new Interrupted(`interrupted at ${name}`) : error;
  }
  summaries.push(findings.summary);
  const isCut = findings.summary.stopped !== undefined && trees.every(({ stopped }) => stopped === undefined);
  if (isCut) {
    reporter.say('Not all pages were requested: the time was over (--timeout).');
    codes.push(EXIT.stopped);
  }
}

function reportBaseline(
  { baseline }: CheckSettings,
  { baseline: file }: RuleFlags,
  reporter: Reporter,
): void {
  if (baseline === undefined || baseline.gone === 0) return;
  reporter.say(
    `${file}: ${count(baseline.gone, 'known finding is', 'known findings are')} gone; --write-baseline writes it anew.`,
  );
}
