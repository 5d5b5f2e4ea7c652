/**
 * `usp diff`: what is new, changed or gone between two saved trees, two sitemap files, or two crawls. Nothing is fetched.
 */
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Field, Row } from '../../batch/output/table-file.ts';
import { diffPages } from '../../diff/diff-pages.ts';
import { COMPARED_FIELDS, type LoadTreeOptions, type Sitemap } from '../../index.ts';
import { isIndexKind } from '../../problems/kinds.ts';
import { count, list, number } from '../../problems/wording.ts';
import { fileTarget, temporaryBeside } from '../../runtime/files.ts';
import { EXIT, type ExitCode, UsageError } from '../endings.ts';
import { checkLocalSitemap, fileSitemap, treeIfSaved } from '../input.ts';
import type { CommandIO, CommandRun, Reporter } from '../io.ts';
import {
  CHANGE_SIGNS,
  type ChangeType,
  changesInWords,
  openChangeListing,
  reportChanges,
} from '../output/change-listing.ts';
import { ListingOutput, unwritable } from '../output/output.ts';
import type { ChangeFlags, FlagsOf, SAVED } from '../program/flags.ts';

type DiffOptions = ChangeFlags & FlagsOf<typeof SAVED>;

export const diff: CommandRun<readonly [string, string], DiffOptions> = async (
  [earlier, later],
  options,
  io,
  reporter,
) => {
  const areCrawls = await Promise.all([earlier, later].map((path) => isCrawlFolder(path)));
  if (areCrawls.every(Boolean)) return diffCrawlFolders([earlier, later], options, io, reporter);
  if (areCrawls.some(Boolean)) throw new UsageError('A crawl is compared with another crawl: two folders.');
  if (options.format === 'parquet') throw new UsageError('Only two crawls are compared as parquet.');
  const listing = await openChangeListing(options, io);
  const { include, exclude, compare, maxSitemaps } = options;
  const before = await readTree(earlier, { maxSitemaps }, io);
  const after = await readTree(later, { maxSitemaps }, io);
  const changes = diffPages(before, after, {
    include,
    exclude,
    compare,
    // Only this format shows how many are the same, and counting them reads documents that need not be read.
    countSame: options.format === 'json',
    signal: io.signal,
  });
  const printed = await listing.print(changes);
  await listing.finish();
  reportChanges(reporter, before, after, changes.counts);
  return options.exitCode === true && printed > 0 ? EXIT.differences : EXIT.ok;
};

async function isCrawlFolder(path: string): Promise<boolean> {
  return (await stat(join(path, 'crawl.json')).catch(() => undefined)) !== undefined;
}

/** @throws UsageError for a file that is neither a saved tree nor a list of pages */
async function readTree(file: string, limits: LoadTreeOptions, io: CommandIO): Promise<Sitemap> {
  const hints: Record<string, string> = /^https?:\/\//i.test(file)
    ? { 'archive-unreadable': `usp ls ${file} --save FILE saves a site; usp diff compares two files.` }
    : {};
  const tree = (await treeIfSaved(file, io, limits, hints)) ?? (await fileSitemap(file, io));
  checkLocalSitemap(file, tree);
  const isIndex = isIndexKind(tree.kind);
  if (isIndex && tree.url.startsWith('file:')) {
    const what = tree.kind === 'index-xml' ? 'an index' : 'a robots.txt';
    throw new UsageError(`${file} is ${what}, which lists no pages.`, {
      hint: 'usp ls URL --save FILE saves a site with all its sitemaps, for usp diff.',
    });
  }
  return tree;
}

const NAMED = 20;

/** Why not all changes of a site are known, and which are not. */
const UNSETTLED = {
  incomplete: 'not complete in both crawls, without archives in both: no removals are known',
  cut: 'cut by --max-pages: not all changes are known',
} as const;

/** The folders of two crawls: what changed in all their sites. What that needs is loaded here. */
async function diffCrawlFolders(
  [before, after]: readonly [string, string],
  options: ChangeFlags,
  io: CommandIO,
  reporter: Reporter,
): Promise<ExitCode> {
  const { CHANGE_COLUMNS, diffCrawls } = await import('../../batch/diff-crawls.ts');
  const { include = [], exclude = [], compare = COMPARED_FIELDS, only } = options;
  const unsettled: Record<keyof typeof UNSETTLED, { count: number; readonly named: string[] }> = {
    incomplete: { count: 0, named: [] },
    cut: { count: 0, named: [] },
  };
  let otherFlags: readonly string[] = [];
  const counts = { added: 0, removed: 0, changed: 0, unknown: 0 };
  const changes = diffCrawls(before, after, {
    compare,
    include,
    exclude,
    signal: io.signal,
    onUnsettled(site, why) {
      const sites = unsettled[why];
      sites.count++;
      if (sites.named.length < NAMED) sites.named.push(site);
    },
    onOtherFlags(flags) {
      otherFlags = flags;
    },
    onUnknown(pages) {
      counts.unknown += pages;
    },
  });
  const output = await changeWriter(CHANGE_COLUMNS, options, io);
  let printed = 0;
  for await (const rows of changes) {
    for (const [type] of rows) counts[type as ChangeType]++;
    const chosen = only === undefined ? rows : rows.filter(([type]) => only.some((kind) => kind === type));
    printed += chosen.length;
    await output.write(chosen);
  }
  await output.finish();
  reporter.say(`${changesInWords(counts)}.`);
  for (const why of ['incomplete', 'cut'] as const) {
    const sites = unsettled[why];
    if (sites.count === 0) continue;
    const more = sites.count > NAMED ? ` and ${number(sites.count - NAMED)} more` : '';
    reporter.say(`${count(sites.count, 'site')} ${UNSETTLED[why]} of ${sites.named.join(', ')}${more}.`);
  }
  if (otherFlags.length > 0) {
    const are = otherFlags.length === 1 ? 'is' : 'are';
    reporter.say(
      `${list(otherFlags)} ${are} not the same in both crawls: what only one of them leaves out is unknown.`,
    );
  }
  return options.exitCode === true && printed > 0 ? EXIT.differences : EXIT.ok;
}

interface ChangeWriter {
  write(rows: readonly Row[]): Promise<void>;
  finish(): Promise<unknown>;
}

async function changeWriter(
  columns: readonly Field[],
  options: ChangeFlags,
  io: CommandIO,
): Promise<ChangeWriter> {
  const { format } = options;
  if (format === 'parquet') return parquetWriter(columns, options.output, io);
  if (format !== 'changes' && format !== 'ndjson' && format !== 'csv') {
    throw new UsageError(`Two crawls are compared as changes, ndjson, csv or parquet, not as ${format}.`);
  }
  const output = await ListingOutput.open(options, io);
  const { LINE_FORMATS } = await import('../../batch/output/line-table.ts');
  const names = columns.map(({ name }) => name);
  const textOf = (rows: readonly Row[]): string =>
    format === 'changes'
      ? rows.map(([type, , , url]) => `${CHANGE_SIGNS[type as ChangeType][0]} ${String(url)}\n`).join('')
      : LINE_FORMATS[format].lines(names, rows);
  if (format === 'csv') await output.write(LINE_FORMATS.csv.header(names));
  return {
    write: (rows) => output.write(textOf(rows)),
    finish: () => output.finish(),
  };
}

/** Written beside its name, which it takes at the end. */
async function parquetWriter(
  columns: readonly Field[],
  path: string | undefined,
  io: CommandIO,
): Promise<ChangeWriter> {
  if (path === undefined || path === '-') throw new UsageError('-f parquet needs -o FILE.');
  const fail = (cause: unknown): never => {
    throw unwritable(path, cause);
  };
  try {
    const target = await fileTarget(path);
    const temporary = temporaryBeside(target.path);
    const { createTable } = await import('../../batch/output/parts.ts');
    const table = await createTable(temporary, 'parquet', columns);
    io.onEnd(async () => {
      await table.discard();
      await rm(temporary, { force: true });
    });
    return {
      write: (rows) => table.write(rows).catch(fail),
      finish: async () => {
        await table.finish().catch(fail);
        await rename(temporary, target.path).catch(fail);
      },
    };
  } catch (cause) {
    return fail(cause);
  }
}
