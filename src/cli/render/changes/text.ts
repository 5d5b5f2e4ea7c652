/** `changes`: a line for each page, `+` added, `-` removed, `~` changed with what changed. */
import type { ChangedPage, ComparedField, EarlierPage, PageChange } from '../../../index.ts';
import { type Colour, painted } from '../../io.ts';
import { CHANGE_TYPES, type ChangeFormat, type ChangeStyle, type ChangeType } from './format.ts';

const SIGNS: Readonly<Record<ChangeType, readonly [string, Colour]>> = {
  added: ['+', 'green'],
  removed: ['-', 'red'],
  changed: ['~', 'cyan'],
};

export const text: ChangeFormat = {
  types: CHANGE_TYPES,
  header: '',
  lines: (changes, style) => changes.map((change) => `${line(change, style)}\n`).join(''),
  footer: () => '',
};

function line(change: PageChange, { defuse, hasColour }: ChangeStyle): string {
  const [sign, colour] = SIGNS[change.type];
  const url = defuse(`${sign} ${change.page.url}`);
  const what = change.type === 'changed' ? `  ${differences(change)}` : '';
  return (hasColour ? painted(colour, url) : url) + what;
}

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
