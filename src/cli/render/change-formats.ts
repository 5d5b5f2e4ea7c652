/** The formats of changes, for every command that compares trees. */
import type {
  ChangedPage,
  ComparedField,
  DiffCounts,
  EarlierPage,
  PageChange,
  RobotsVerdict,
} from '../../index.ts';
import { type CsvCell, csvLines } from '../../problems/csv-lines.ts';
import { type Colour, painted } from '../io.ts';
import { VERDICT_COLUMNS, verdictCells } from './csv.ts';

type ChangeType = PageChange['type'];

interface ChangeStyle {
  readonly hasColour: boolean;
  /** `--agent`: whether it may fetch a page. */
  readonly verdictOf?: ((url: string) => RobotsVerdict) | undefined;
}

export interface ChangeFormat {
  /** The kinds that it shows where the user does not say which. @default all */
  readonly types?: readonly ChangeType[];
  /** Printed before the first change. */
  header?(style: ChangeStyle): string;
  change(change: PageChange, style: ChangeStyle): string;
  footer?(counts: DiffCounts): string;
}

/** `pages`: the URLs that were added or changed, one per line: what a crawler is to fetch. */
const urls: ChangeFormat = {
  types: ['added', 'changed'],
  change: ({ page }) => `${page.url}\n`,
};

const SIGNS: Readonly<Record<ChangeType, readonly [string, Colour]>> = {
  added: ['+', 'green'],
  removed: ['-', 'red'],
  changed: ['~', 'cyan'],
};

/** `changes`: a line for each page, `+` added, `-` removed, `~` changed with what changed. */
const text: ChangeFormat = {
  change(change, { hasColour }) {
    const [sign, colour] = SIGNS[change.type];
    const url = `${sign} ${change.page.url}`;
    const what = change.type === 'changed' ? `  ${differences(change)}` : '';
    return `${(hasColour ? painted(colour, url) : url) + what}\n`;
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

/** A change as `diffPages` gives it, with the URL of the sitemap. */
const ndjson: ChangeFormat = {
  change: (change, style) => `${changeJson(change, style)}\n`,
};

/** One document: the changes, then how many there are of each kind. */
function json(): ChangeFormat {
  let separator = '';
  return {
    header: () => '{"changes":[',
    change(change, style) {
      const text = separator + changeJson(change, style);
      separator = ',';
      return text;
    },
    footer: (counts) => `],"counts":${JSON.stringify(counts)}}\n`,
  };
}

function changeJson({ type, page, before, fields, sitemap }: PageChange, { verdictOf }: ChangeStyle): string {
  const judged = verdictOf === undefined ? page : { ...page.toJSON(), ...verdictOf(page.url) };
  const was = before === undefined ? undefined : earlierJson(before);
  return JSON.stringify({ type, page: judged, before: was, fields, sitemap: sitemap.url });
}

function earlierJson({ lastModified, priority, changeFrequency }: EarlierPage): object {
  return { priority, lastModified: lastModified?.toISOString(), changeFrequency };
}

type Cell = (change: PageChange) => CsvCell;

/** The columns of `csv` are fixed; new ones are added at the end, before those of `--agent`. */
const COLUMNS: Readonly<Record<string, Cell>> = {
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

const table: ChangeFormat = {
  header({ verdictOf }) {
    const names = [...Object.keys(COLUMNS), ...(verdictOf === undefined ? [] : VERDICT_COLUMNS)];
    return `${names.join(',')}\n`;
  },
  change(change, { verdictOf }) {
    const verdict = verdictOf?.(change.page.url);
    const own = Object.values(COLUMNS).map((cell) => cell(change));
    return csvLines([verdict === undefined ? own : [...own, ...verdictCells(verdict)]]);
  },
};

export const CHANGE_FORMATS: Readonly<Record<string, () => ChangeFormat>> = {
  changes: () => text,
  pages: () => urls,
  ndjson: () => ndjson,
  csv: () => table,
  json,
};
