/**
 * Prints changes in a format, and a sentence with their numbers, for every command that compares.
 */
import { rm } from 'node:fs/promises';
import type { Field, FieldType } from '../../batch/output/table-file.ts';
import { type ChangeRow, rowOfChange } from '../../diff/page-change.ts';
import type { ComparedField, DiffCounts, PageDiff, RobotsVerdict, Sitemap } from '../../index.ts';
import { fileTarget, replaceFile, temporaryBeside } from '../../runtime/files.ts';
import type { CsvCell } from '../../text/csv-lines.ts';
import { count, number } from '../../text/wording.ts';
import { inFlags } from '../args/option-flags.ts';
import { CHANGE_TYPES } from '../args/option-values.ts';
import { UsageError } from '../endings.ts';
import type { Colour, CommandIO, Reporter } from '../io.ts';
import type { ChangeFlags } from '../program/flags.ts';
import type { Style } from '../render/formats.ts';
import { csvOf, type ItemFormat, jsonDocument, ndjsonOf } from '../render/item-format.ts';
import { checkCsvFlags, ListingOutput, unwritable } from './output.ts';

type ChangeType = ChangeRow['type'];

interface ChangeFormat extends ItemFormat<ChangeRow, Style, DiffCounts> {
  /** The kinds that it shows where the user does not say which. @default all */
  readonly types?: readonly ChangeType[];
}

/** `pages`: the URLs that were added or changed, one per line: what a crawler is to fetch. */
const urls: ChangeFormat = {
  types: ['added', 'changed'],
  item: ({ url }) => `${url}\n`,
};

const CHANGE_SIGNS: Readonly<Record<ChangeType, readonly [string, Colour]>> = {
  added: ['+', 'green'],
  removed: ['-', 'red'],
  changed: ['~', 'cyan'],
};

/** `changes`: a line for each page, `+` added, `-` removed, `~` changed with what changed. */
const text: ChangeFormat = {
  item(row, { paint }) {
    const [sign, colour] = CHANGE_SIGNS[row.type];
    const what = row.fields?.map((field) => difference(field, row)).join(', ');
    return `${paint(colour, `${sign} ${row.url}`)}${what === undefined ? '' : `  ${what}`}\n`;
  },
};

/** A field as sitemaps name it, with its values where both are known. */
function difference(field: ComparedField, row: ChangeRow): string {
  switch (field) {
    case 'lastModified':
      return `lastmod ${date(row.lastModifiedBefore)} → ${date(row.lastModified)}`;
    case 'priority':
      return `priority ${row.priorityBefore} → ${row.priority}`;
    case 'changeFrequency':
      return `changefreq ${row.changeFrequencyBefore ?? 'none'} → ${row.changeFrequency ?? 'none'}`;
    case 'newsStory':
      return 'news';
    default:
      return field;
  }
}

/** A date without the parts that say nothing: midnight, and milliseconds. */
function date(value: Date | undefined): string {
  return value?.toISOString().replace(/T00:00:00\.000Z$|\.000(?=Z$)/, '') ?? 'none';
}

function judged(row: ChangeRow, { verdictOf }: Style): object {
  return verdictOf === undefined ? row : { ...row, ...verdictOf(row.url) };
}

/** The columns of every table of changes, in order. */
const TYPES = {
  type: 'text',
  site: 'text',
  sitemap: 'text',
  url: 'text',
  fields: { list: 'text' },
  lastModified: 'timestamp',
  priority: 'number',
  changeFrequency: 'text',
  lastModifiedBefore: 'timestamp',
  priorityBefore: 'number',
  changeFrequencyBefore: 'text',
} as const satisfies Readonly<Record<keyof ChangeRow, FieldType>>;

// `Object.keys` does not know the names.
const NAMES = Object.keys(TYPES) as readonly (keyof ChangeRow)[];
const ALWAYS: readonly string[] = ['type', 'sitemap', 'url', 'priority'];
const COLUMNS: readonly Field[] = NAMES.map((name) => ({
  name,
  type: TYPES[name],
  isRequired: ALWAYS.includes(name),
}));
const VERDICT: readonly Field[] = [
  { name: 'allowed', type: 'boolean', isRequired: false },
  { name: 'rule', type: 'text', isRequired: false },
  { name: 'ruleLine', type: 'number', isRequired: false },
];

const CELLS = Object.fromEntries(NAMES.map((name) => [name, (row: ChangeRow) => cell(row[name])]));

function cell(value: ChangeRow[keyof ChangeRow]): CsvCell {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? value.join(' ') : value;
}

const LINE_FORMATS: ReadonlyMap<string, () => ChangeFormat> = new Map(
  Object.entries({
    changes: () => text,
    pages: () => urls,
    ndjson: () => ndjsonOf(judged),
    csv: () => csvOf(CELLS, ({ url }) => url),
    json: () => jsonDocument('changes', judged, (counts) => ({ counts })),
  }),
);

interface Changes extends AsyncIterable<ChangeRow> {
  readonly counts: DiffCounts;
}

/** The rows of a comparison of two trees, as that of two crawls gives them. */
export function rowsOf(diff: PageDiff, { kind, url }: Sitemap): Changes {
  const site = kind === 'website' ? url : undefined;
  return {
    get counts() {
      return diff.counts;
    },
    async *[Symbol.asyncIterator]() {
      for await (const change of diff) yield rowOfChange(change, site);
    },
  };
}

type VerdictOf = Style['verdictOf'];

export interface ChangeListing {
  /**
   * Prints the changes as they are found, behind those that were printed before; returns how many.
   *
   * @param verdictOf - whether the agent may fetch a page, if there is an agent
   */
  print(diff: Changes, verdictOf?: (url: string) => RobotsVerdict): Promise<number>;
  finish(): Promise<void>;
}

interface ChangeWriter {
  readonly types?: readonly ChangeType[] | undefined;
  /** Rows of one comparison follow. */
  begin(verdictOf: VerdictOf): Promise<void>;
  write(row: ChangeRow): Promise<void>;
  /** Shows all rows so far: what is said about them follows. */
  flush?(): Promise<void>;
  finish(counts: DiffCounts | undefined): Promise<void>;
}

/** @throws UsageError where the output cannot be written */
export async function openChangeListing(options: ChangeFlags, io: CommandIO): Promise<ChangeListing> {
  checkCsvFlags(options, [options.format]);
  const isTable = options.format === 'parquet';
  const writer = await (isTable ? parquetWriter(options.output, io) : lineWriter(options, io));
  const types = options.only ?? writer.types ?? CHANGE_TYPES;
  let counts: DiffCounts | undefined;
  return {
    async print(diff, verdictOf) {
      let rowCount = 0;
      await writer.begin(verdictOf);
      for await (const row of diff) {
        if (!types.includes(row.type)) continue;
        rowCount++;
        await writer.write(row);
      }
      await writer.flush?.();
      counts = counts === undefined ? diff.counts : sum(counts, diff.counts);
      return rowCount;
    },
    finish: () => writer.finish(counts),
  };
}

async function lineWriter(options: ChangeFlags, io: CommandIO): Promise<ChangeWriter> {
  const output = await ListingOutput.open(options, io);
  const format = LINE_FORMATS.get(options.format)!();
  let style: Style | undefined;
  return {
    types: format.types,
    async begin(verdictOf) {
      const isFirst = style === undefined;
      style = { paint: output.paint, verdictOf, shorten: (url) => url, isShort: false, ...output.csv };
      if (isFirst) await output.add(format.begin?.(style) ?? '');
    },
    async write(row) {
      if (style !== undefined) await output.add(format.item(row, style));
    },
    flush: () => output.write(''),
    async finish(counts) {
      if (counts !== undefined) await output.add(format.end?.(counts) ?? '');
      await output.finish();
    },
  };
}

/** Written beside its name, which it takes at the end. What it needs is loaded here. */
async function parquetWriter(path: string | undefined, io: CommandIO): Promise<ChangeWriter> {
  if (path === undefined || path === '-') throw new UsageError('-f parquet needs -o FILE.');
  const fail = (cause: unknown): never => {
    throw unwritable(path, cause);
  };
  const target = await fileTarget(path).catch(fail);
  const temporary = temporaryBeside(target.path);
  const { createTable } = await import('../../batch/output/parts.ts');
  const table = await createTable(temporary, 'parquet', [...COLUMNS, ...VERDICT]).catch(fail);
  io.onEnd(async () => {
    await table.discard();
    await rm(temporary, { force: true });
  });
  let verdictOf: VerdictOf;
  return {
    async begin(style) {
      verdictOf = style;
    },
    async write(row) {
      const { allowed, rule, ruleLine } = verdictOf?.(row.url) ?? {};
      await table.write([[...NAMES.map((name) => row[name]), allowed, rule, ruleLine]]).catch(fail);
    },
    async finish() {
      await table.finish().catch(fail);
      await replaceFile(temporary, target.path).catch(fail);
    },
  };
}

function sum(a: DiffCounts, b: DiffCounts): DiffCounts {
  return {
    added: a.added + b.added,
    removed: a.removed + b.removed,
    changed: a.changed + b.changed,
    same: b.same,
    unknown: a.unknown + b.unknown,
  };
}

/** `2 pages added, 1 removed, 0 changed` */
export function describeChanges(counts: Omit<DiffCounts, 'same'>): string {
  const { added, removed, changed, unknown } = counts;
  const claimed = `${count(added, 'page')} added, ${number(removed)} removed, ${number(changed)} changed`;
  return unknown === 0 ? claimed : `${claimed}, ${number(unknown)} unknown`;
}

/** The messages at the end of a comparison: the number of changes, unknown pages, stale sitemaps. */
export function reportChanges(reporter: Reporter, before: Sitemap, after: Sitemap, counts: DiffCounts): void {
  const { unknown } = counts;
  reporter.say(`${describeChanges(counts)}.`);
  if (unknown > 0) {
    const more = reporter.isVerbose ? '' : ' (-v names what was not read)';
    reporter.say(
      `${count(unknown, 'page is', 'pages are')} unknown: ` +
        `a sitemap that lists ${unknown === 1 ? 'it' : 'them'} was not read in both trees${more}.`,
    );
    reportUnread(reporter, 'before', before);
    reportUnread(reporter, 'after', after);
  }
  const stale = sitemapsOf(after).filter(({ freshness }) => freshness === 'stale');
  if (stale.length === 0) return;
  reporter.say(
    `${count(stale.length, 'sitemap is', 'sitemaps are')} stale: not readable this time, and shown as read before.`,
  );
  for (const { url, staleness } of stale) {
    const { since, runs = 1, reason = '' } = staleness ?? {};
    reporter.say(`  ${url}, since ${since?.toISOString()}, in ${count(runs, 'run')}: ${reason}`);
  }
}

function reportUnread(reporter: Reporter, when: string, tree: Sitemap): void {
  for (const node of sitemapsOf(tree)) {
    if (node.kind === 'invalid') reporter.detail(`  ${when}: ${inFlags(node.reason, node.option)}`);
    else if (node.truncated) reporter.detail(`  ${when}: ${node.url} is truncated.`);
  }
  const { stopped } = tree;
  if (stopped !== undefined) reporter.detail(`  ${when}: ${inFlags(stopped.message, stopped.limit)}`);
}

function sitemapsOf(tree: Sitemap): readonly Sitemap[] {
  return [tree, ...tree.allSitemaps()];
}
