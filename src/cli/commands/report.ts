/** `usp report`: a site, a saved tree or a sitemap as one HTML file. */
import { isFailing } from '../../check/configuration.ts';
import type { Sitemap } from '../../index.ts';
import { dataUrlOf, reportHtml } from '../../report/report-html.ts';
import { readWhole } from '../../runtime/file-input.ts';
import { fileTrouble } from '../../runtime/files.ts';
import { bytes } from '../../text/wording.ts';
import { checkSettings, type RuleFlags } from '../args/check-settings.ts';
import { EXIT, type ExitCode, Interrupted, UsageError, worst } from '../endings.ts';
import { checkLocalSitemap, distinctInputs, inputOf, openInput, savedTree } from '../input.ts';
import type { CommandRun } from '../io.ts';
import { commandLine } from '../messages/command-line.ts';
import { openOutput } from '../output/output.ts';
import type { FlagsOf, REPORT, SiteFlags, Verbosity } from '../program/flags.ts';
import { openWorld } from '../world.ts';

interface ReportCommandOptions extends FlagsOf<typeof REPORT>, RuleFlags, SiteFlags, Verbosity {}

/** Writes the report. A site that cannot be read gets one too, which says so. */
export const report: CommandRun<readonly string[], ReportCommandOptions> = async (
  texts,
  options,
  io,
  reporter,
) => {
  const { output: file } = options;
  const isFile = file !== undefined && file !== '-';
  if (!isFile && io.isTerminal.stdout) {
    throw new UsageError('A report is a file of HTML, not for a terminal.', {
      hint: commandLine('usp', 'report', ...texts, '-o', 'report.html'),
    });
  }
  const settings = await checkSettings(options, io);
  const inputs = distinctInputs(texts).map((text) => inputOf(text, reporter));
  if (inputs.length > 1 && options.before !== undefined)
    throw new UsageError('--before is for one input, and there are several.');
  const logo = options.logo === undefined ? undefined : await logoOf(options.logo, io.signal);
  const output = await openOutput(file, io);
  io.onEnd(() => output.discard());
  try {
    const hints = { 'archive-format': 'usp ls URL --save FILE saves a site.' };
    const limits = { maxSitemaps: options.maxSitemaps, maxDepth: options.maxDepth };
    const before =
      options.before === undefined ? undefined : await savedTree(options.before, io, limits, hints);
    const world = await openWorld(options, io, reporter);
    const names = new Map<Sitemap, string>();
    const trees: Sitemap[] = [];
    const codes: ExitCode[] = [];
    let site: URL | undefined;
    for (const input of inputs) {
      const { tree, type, name, code } = await openInput(input, options, world, { does: 'reports' });
      if (type !== 'site') checkLocalSitemap(name, tree);
      if (type !== 'file' && inputs.length > 1) {
        throw new UsageError(
          `A report is of one site or of sitemap files, and ${name} is one of several inputs.`,
          {
            hint: commandLine('usp', 'report', name, '-o', 'report.html'),
          },
        );
      }
      if (type === 'file') names.set(tree, name);
      if (input.type === 'site') site = input.url;
      trees.push(tree);
      codes.push(code);
    }
    const [onlyName] = names.size === 1 ? names.values() : [];
    // Findings are to look at: they end the command with 0 unless asked otherwise.
    const { failOn = 'never', maxWarnings } = settings;
    const counts = { error: 0, warning: 0, info: 0 };
    let size = 0;
    const pieces = reportHtml(trees, {
      before,
      title: options.title ?? onlyName,
      names,
      logo,
      network: world.network,
      site,
      now: options.now,
      robotsAgent: settings.agent,
      requestPages: options.requestPages,
      adjust(finding) {
        const adjusted = settings.adjust(finding);
        if (adjusted !== undefined) counts[adjusted.severity]++;
        return adjusted;
      },
      signal: io.signal,
    });
    for await (const piece of pieces) {
      size += Buffer.byteLength(piece);
      await output.write(piece);
    }
    await output.finish();
    if (isFile) reporter.say(`${file}: ${bytes(size)}.`);
    return worst([...codes, isFailing(counts, { failOn, maxWarnings }) ? EXIT.differences : EXIT.ok]);
  } catch (error) {
    if (io.signal.aborted)
      throw new Interrupted(`interrupted at ${texts.join(', ')}; no report was written.`);
    throw error;
  }
};

/** The image for the head, checked before anything is fetched. */
async function logoOf(file: string, signal: AbortSignal): Promise<Uint8Array> {
  const image = await readWhole(file, 1024 * 1024, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new UsageError(`--logo ${file} cannot be read: ${fileTrouble(error)}.`, { cause: error });
  });
  try {
    dataUrlOf(image);
  } catch (error) {
    throw new UsageError(`--logo ${file} is not a PNG, JPEG, GIF, WebP or SVG image of at most 256 KiB.`, {
      cause: error,
    });
  }
  return image;
}
