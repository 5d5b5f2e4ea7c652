/**
 * Changes in, the chosen format out, and how many they are in words: what every command that compares trees prints with.
 */
import type {
  ChangedPage,
  ComparedField,
  DiffCounts,
  EarlierPage,
  PageChange,
  RobotsVerdict,
  Sitemap,
} from '../../index.ts';
import type { CsvCell } from '../../problems/csv-lines.ts';
import { count, number } from '../../problems/wording.ts';
import { inFlags } from '../args/option-flags.ts';
import { CHANGE_TYPES } from '../args/option-values.ts';
import type { Colour, CommandIO, Reporter } from '../io.ts';
import type { ChangeFlags } from '../program/flags.ts';
import { csvOf, type LineFormat, ndjsonOf, type Style } from '../render/formats.ts';
import { ListingOutput } from './output.ts';

export type ChangeType = PageChange['type'];

interface ChangeFormat extends LineFormat<PageChange> {
  /** The kinds that it shows where the user does not say which. @default all */
  readonly types?: readonly ChangeType[];
  footer?(counts: DiffCounts): string;
}

/** `pages`: the URLs that were added or changed, one per line: what a crawler is to fetch. */
const urls: ChangeFormat = {
  types: ['added', 'changed'],
  line: ({ page }) => `${page.url}\n`,
};

export const CHANGE_SIGNS: Readonly<Record<ChangeType, readonly [string, Colour]>> = {
  added: ['+', 'green'],
  removed: ['-', 'red'],
  changed: ['~', 'cyan'],
};

/** `changes`: a line for each page, `+` added, `-` removed, `~` changed with what changed. */
const text: ChangeFormat = {
  line(change, { paint }) {
    const [sign, colour] = CHANGE_SIGNS[change.type];
    const what = change.type === 'changed' ? `  ${differences(change)}` : '';
    return `${paint(colour, `${sign} ${change.page.url}`)}${what}\n`;
  },
};

function differences({ fields, before, page }: ChangedPage): string {
  return fields.map((field) => difference(field, before, page)).join(', ');
}

/** The fields as sitemaps name them, each with its values where both are known. */
function difference(field: ComparedField, before: EarlierPage, after: EarlierPage): string {
  switch (field) {
    case 'lastModified':
      return `lastmod ${date(before.lastModified)} → ${date(after.lastModified)}`;
    case 'priority':
      return `priority ${before.priority} → ${after.priority}`;
    case 'changeFrequency':
      return `changefreq ${before.changeFrequency ?? 'none'} → ${after.changeFrequency ?? 'none'}`;
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

/** One document: the changes, then how many there are of each kind. */
function json(): ChangeFormat {
  let separator = '';
  return {
    header: () => '{"changes":[',
    line(change, style) {
      const text = separator + JSON.stringify(changeJson(change, style));
      separator = ',';
      return text;
    },
    footer: (counts) => `],"counts":${JSON.stringify(counts)}}\n`,
  };
}

/** A change as `diffPages` gives it, with the URL of the sitemap. */
function changeJson({ type, page, before, fields, sitemap }: PageChange, { verdictOf }: Style): object {
  const judged = verdictOf === undefined ? page : { ...page.toJSON(), ...verdictOf(page.url) };
  const was = before && {
    priority: before.priority,
    lastModified: before.lastModified?.toISOString(),
    changeFrequency: before.changeFrequency,
  };
  return { type, page: judged, before: was, fields, sitemap: sitemap.url };
}

const COLUMNS: Readonly<Record<string, (change: PageChange) => CsvCell>> = {
  type: ({ type }) => type,
  url: ({ page }) => page.url,
  sitemap: ({ sitemap }) => sitemap.url,
  fields: ({ fields }) => fields?.join(' '),
  lastModified: ({ page }) => page.lastModified?.toISOString(),
  lastModifiedBefore: ({ before }) => before?.lastModified?.toISOString(),
  priority: ({ page }) => page.priority,
  priorityBefore: ({ before }) => before?.priority,
  changeFrequency: ({ page }) => page.changeFrequency,
  changeFrequencyBefore: ({ before }) => before?.changeFrequency,
};

const CHANGE_FORMATS: Readonly<Record<string, () => ChangeFormat>> = {
  changes: () => text,
  pages: () => urls,
  ndjson: () => ndjsonOf(changeJson),
  csv: () => csvOf(COLUMNS, ({ page }) => page.url),
  json,
};

interface Changes extends AsyncIterable<PageChange> {
  readonly counts: DiffCounts;
}

export interface ChangeListing {
  /**
   * Prints the changes as they are found, behind those that were printed before; returns how many.
   *
   * @param verdictOf - whether the agent may fetch a page, where there is one
   */
  print(diff: Changes, verdictOf?: (url: string) => RobotsVerdict): Promise<number>;
  finish(): Promise<void>;
}

/** @throws UsageError where the output cannot be written */
export async function openChangeListing(options: ChangeFlags, io: CommandIO): Promise<ChangeListing> {
  const output = await ListingOutput.open(options, io);
  const format = CHANGE_FORMATS[options.format]!();
  const types = options.only ?? format.types ?? CHANGE_TYPES;
  let counts: DiffCounts | undefined;
  return {
    async print(diff, verdictOf) {
      const style = { paint: output.paint, verdictOf, shorten: (url: string) => url, isShort: false };
      let printed = 0;
      if (counts === undefined) await output.add(format.header?.(style) ?? '');
      for await (const change of diff) {
        if (!types.includes(change.type)) continue;
        printed++;
        await output.add(format.line(change, style));
      }
      await output.write('');
      counts = counts === undefined ? diff.counts : sum(counts, diff.counts);
      return printed;
    },
    async finish() {
      if (counts !== undefined) await output.add(format.footer?.(counts) ?? '');
      await output.finish();
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
export function changesInWords(counts: Omit<DiffCounts, 'same'>): string {
  const { added, removed, changed, unknown } = counts;
  const claimed = `${count(added, 'page')} added, ${number(removed)} removed, ${number(changed)} changed`;
  return unknown === 0 ? claimed : `${claimed}, ${number(unknown)} unknown`;
}

/** What is said about a comparison when it is done: how many changes, what is unknown, what is stale. */
export function reportChanges(reporter: Reporter, before: Sitemap, after: Sitemap, counts: DiffCounts): void {
  const { unknown } = counts;
  reporter.say(`${changesInWords(counts)}.`);
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
