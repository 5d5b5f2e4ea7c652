/** The formats of changes, for every command that compares trees. */
import type { ChangedPage, ComparedField, DiffCounts, EarlierPage, PageChange } from '../../index.ts';
import type { CsvCell } from '../../problems/csv-lines.ts';
import { type Colour, painted } from '../io.ts';
import { csvOf, type LineFormat, ndjsonOf, type Style } from './format.ts';

type ChangeType = PageChange['type'];

export interface ChangeFormat extends LineFormat<PageChange> {
  /** The kinds that it shows where the user does not say which. @default all */
  readonly types?: readonly ChangeType[];
  footer?(counts: DiffCounts): string;
}

/** `pages`: the URLs that were added or changed, one per line: what a crawler is to fetch. */
const urls: ChangeFormat = {
  types: ['added', 'changed'],
  lines: (changes) => changes.map(({ page }) => `${page.url}\n`).join(''),
};

const SIGNS: Readonly<Record<ChangeType, readonly [string, Colour]>> = {
  added: ['+', 'green'],
  removed: ['-', 'red'],
  changed: ['~', 'cyan'],
};

/** `changes`: a line for each page, `+` added, `-` removed, `~` changed with what changed. */
const text: ChangeFormat = {
  lines: (changes, { hasColour }) =>
    changes
      .map((change) => {
        const [sign, colour] = SIGNS[change.type];
        const url = `${sign} ${change.page.url}`;
        const what = change.type === 'changed' ? `  ${differences(change)}` : '';
        return `${(hasColour ? painted(colour, url) : url) + what}\n`;
      })
      .join(''),
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
    lines(changes, style) {
      const text = changes.map((change) => JSON.stringify(changeJson(change, style))).join(',');
      const before = text === '' ? '' : separator;
      if (text !== '') separator = ',';
      return before + text;
    },
    footer: (counts) => `],"counts":${JSON.stringify(counts)}}\n`,
  };
}

/** A change as `diffPages` gives it, with the URL of the sitemap. */
function changeJson({ type, page, before, fields, sitemap }: PageChange, { verdictOf }: Style): object {
  const judged = verdictOf === undefined ? page : { ...page.toJSON(), ...verdictOf(page.url) };
  const was = before === undefined ? undefined : earlierJson(before);
  return { type, page: judged, before: was, fields, sitemap: sitemap.url };
}

function earlierJson({ lastModified, priority, changeFrequency }: EarlierPage): object {
  return { priority, lastModified: lastModified?.toISOString(), changeFrequency };
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

export const CHANGE_FORMATS: Readonly<Record<string, () => ChangeFormat>> = {
  changes: () => text,
  pages: () => urls,
  ndjson: () => ndjsonOf(changeJson),
  csv: () => csvOf(COLUMNS, ({ page }) => page.url),
  json,
};
