/** The fields of rows: which column or key is which field of a page, by its name or by `--column`, and its values. */
import type { WritablePage } from '../../write/index.ts';
import { givenAlternates } from '../../write/writable-page.ts';
import { UsageError } from '../endings.ts';
import { columnMissing, columnNumber, indexOfColumn } from './row-text.ts';

/** A string is a page with nothing but its URL. */
export type PageRow = WritablePage | string;

/** Names without capitals, spaces and signs, and the fields that they mean. */
const FIELDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    url: 'url',
    loc: 'loc',
    lastmodified: 'lastModified',
    lastmodifiedtext: 'lastModifiedText',
    lastmod: 'lastmod',
    changefrequency: 'changeFrequency',
    changefreq: 'changefreq',
    priority: 'priority',
    images: 'images',
    image: 'images',
    videos: 'videos',
    alternates: 'alternates',
    newsstory: 'newsStory',
    news: 'newsStory',
    newstitle: 'news.title',
    newspublishdate: 'news.publishDate',
    newspublicationdate: 'news.publishDate',
    newspublicationname: 'news.publicationName',
    newsname: 'news.publicationName',
    newspublicationlanguage: 'news.publicationLanguage',
    newslanguage: 'news.publicationLanguage',
    newsaccess: 'news.access',
    newsgenres: 'news.genres',
    newskeywords: 'news.keywords',
    newsstocktickers: 'news.stockTickers',
  }),
);

/** The fields that say the same as another one: where `--column` names one of them, the others are not read. */
const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    loc: 'url',
    lastmod: 'lastModified',
    lastModifiedText: 'lastModified',
    changefreq: 'changeFrequency',
  }),
);

const ACCEPTED =
  'url (loc), lastmod, changefreq, priority, images, videos, alternates, alternate:LANGUAGE, news, news:title, ' +
  'news:publication_date, news:name, news:language, news:access, news:genres, news:keywords, news:stock_tickers';

/** Several columns of these are one list. */
const isList = (field: string): boolean => field === 'images' || field.startsWith(ALTERNATE);
const ALTERNATE = 'alternate:';

function fieldNamed(name: string): string | undefined {
  const [, language] = /^alternates?:\s*(\S+)$/i.exec(name.trim()) ?? [];
  return language === undefined
    ? FIELDS.get(name.toLowerCase().replaceAll(/[\s_:.-]/g, ''))
    : ALTERNATE + language;
}

function mainField(field: string): string {
  return SAME.get(field) ?? field;
}

/** `--column url=Link` */
interface ColumnChoice {
  readonly field: string;
  /** The name of a column or a key, or the number of a column, from 1. */
  readonly name: string;
}

/** @throws UsageError */
function choiceOf(text: string): ColumnChoice {
  const at = text.indexOf('=');
  const name = text.slice(at + 1).trim();
  if (at < 1 || name === '')
    throw new UsageError(`--column needs FIELD=NAME, not "${text}".`, {
      hint: 'as --column url=Link --column lastmod="Changed at"; NAME may be a number, from 1.',
    });
  const field = fieldNamed(text.slice(0, at));
  if (field !== undefined) return { field: mainField(field), name };
  throw new UsageError(`--column: "${text.slice(0, at)}" is not a field of a page.`, {
    hint: `the fields are ${ACCEPTED}.`,
  });
}

/** Ever new names of keys must not take ever more memory. */
const MOST_NAMES = 1000;

export class RowFields {
  readonly choices: readonly ColumnChoice[];
  readonly #onUnread: (name: string) => void;
  /** The field of each key of JSON, and undefined for one that is not read. */
  readonly #fieldOfName = new Map<string, string | undefined>();

  /** @throws UsageError for an invalid column */
  constructor(columns: readonly string[], onUnread: (name: string) => void) {
    this.choices = columns.map(choiceOf);
    this.#onUnread = onUnread;
    const fields = this.choices.map(({ field }) => field).filter((field) => !isList(field));
    const twice = fields.find((field, at) => fields.indexOf(field) !== at);
    if (twice !== undefined) throw new UsageError(`--column names the field ${twice} twice.`);
  }

  get isChosen(): boolean {
    return this.choices.length > 0;
  }

  /** @throws UsageError where a number is given for what has names only */
  checkNames(input: string): void {
    const numbered = this.choices.find(({ name }) => columnNumber(name) !== undefined);
    if (numbered === undefined) return;
    const { field, name } = numbered;
    throw new UsageError(`--column ${field}=${name}: the rows of ${input} are JSON, and have names only.`);
  }

  /** The field of each column below a line of names, and whether one of them has the URL. */
  columnsOf(
    names: readonly string[],
    path: string,
  ): { readonly columns: readonly (string | undefined)[]; readonly hasUrl: boolean } {
    const columns: (string | undefined)[] = Array(names.length).fill(undefined);
    const assigned = new Set<number>();
    for (const { field, name } of this.choices) {
      const at = indexOfColumn(names, name);
      if (at === undefined) throw columnMissing(path, names, name);
      if (assigned.has(at)) throw new UsageError(`--column names the column "${names[at]}" twice.`);
      assigned.add(at);
      columns[at] = field;
    }
    for (const [at, name] of names.entries()) {
      if (assigned.has(at)) continue;
      const field = fieldNamed(name);
      if (this.#isTaken(field)) {
        this.#onUnread(name);
        continue;
      }
      const isRepeated = field !== undefined && !isList(field) && columns.includes(field);
      if (isRepeated) columns[at] = `${name} (column ${at + 1})`;
      else columns[at] = field ?? (name || `column ${at + 1}`);
    }
    return { columns, hasUrl: columns.some((field) => field !== undefined && mainField(field) === 'url') };
  }

  /** An object of JSON as a page. */
  ofObject(object: object): RowPage {
    const used = new Set<string>();
    const values = Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
      const field = this.#fieldOfKey(name);
      if (field === undefined) return [];
      const isRepeated = used.has(field) && !isList(field);
      used.add(field);
      return [[isRepeated ? name : field, value]];
    });
    return pageOf(values);
  }

  #fieldOfKey(name: string): string | undefined {
    if (this.#fieldOfName.has(name)) return this.#fieldOfName.get(name);
    const key = name.trim().toLowerCase();
    const choice = this.choices.find((each) => each.name.toLowerCase() === key);
    const knownField = choice?.field ?? fieldNamed(name);
    const isUnread = choice === undefined && this.#isTaken(knownField);
    const field = isUnread ? undefined : (knownField ?? name);
    if (this.#fieldOfName.size < MOST_NAMES) {
      this.#fieldOfName.set(name, field);
      if (isUnread) this.#onUnread(name);
    }
    return field;
  }

  /** Whether `--column` names another column for a field, or for one that says the same. */
  #isTaken(field: string | undefined): boolean {
    if (field === undefined || isList(field)) return false;
    return this.choices.some((choice) => choice.field === mainField(field));
  }
}

export interface RowPage {
  readonly page: PageRow;
  /** Why values of it are left out. */
  readonly leftOut?: readonly string[] | undefined;
}

/** A page of fields and their values: texts, or what JSON has. */
export function pageOf(values: Iterable<readonly [field: string, value: unknown]>): RowPage {
  // A field of any name is no part of a prototype.
  const page: Record<string, unknown> = Object.create(null);
  const story: Record<string, unknown> = {};
  const languages: { hreflang: string; href: unknown }[] = [];
  const leftOut: string[] = [];
  for (const [field, input] of values) {
    if (input === undefined || input === null || input === '') continue;
    if (field.startsWith(ALTERNATE)) {
      languages.push({ hreflang: field.slice(ALTERNATE.length), href: input });
      continue;
    }
    if (field.startsWith('news.')) {
      const name = field.slice('news.'.length);
      story[name] =
        LISTS.has(name) && typeof input === 'string' ? input.split(',').map((each) => each.trim()) : input;
      continue;
    }
    const result = typeof input === 'string' ? READERS.get(field)?.(input) : undefined;
    if (result?.why !== undefined) {
      leftOut.push(`its ${field} ${result.why}; left out`);
      continue;
    }
    const value = result === undefined ? input : result.value;
    page[field] = field === 'images' && page[field] !== undefined ? [page[field], value].flat() : value;
  }
  if (languages.length > 0)
    page['alternates'] = [...givenAlternates(page['alternates'] as WritablePage['alternates']), ...languages];
  if (Object.keys(story).length > 0) page['newsStory'] = { ...(page['newsStory'] ?? {}), ...story };
  // The values are whatever the rows have; the writer looks at each.
  return { page: page as unknown as WritablePage, leftOut: leftOut.length > 0 ? leftOut : undefined };
}

const LISTS: ReadonlySet<string> = new Set(['genres', 'keywords', 'stockTickers']);

/** A value of a text, or why there is none. */
interface ReadValue {
  readonly value?: unknown;
  readonly why?: string;
}

function jsonIn(text: string): ReadValue {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { why: 'are not JSON' };
  }
}

/** `(?<!\s)` keeps these linear: a run of white space is tried from its start only. */
const BETWEEN_IMAGES = /(?:(?:[,;]|(?<!\s))\s+|(?<!\s)\s*\|\s*)(?=https?:\/\/|\/)/i;
const BETWEEN_ALTERNATES = /(?:[,;]|(?<!\s))\s+(?=[\w-]+=)/;

const isJson = (text: string): boolean => /^[[{]/.test(text);

/** The fields that are not texts, as a cell has them. */
const READERS: ReadonlyMap<string, (text: string) => ReadValue> = new Map(
  Object.entries<(text: string) => ReadValue>({
    // A space inside of a URL does not divide it.
    images: (text) => (isJson(text) ? jsonIn(text) : { value: text.split(BETWEEN_IMAGES) }),
    videos: jsonIn,
    newsStory: jsonIn,
    alternates(text) {
      if (isJson(text)) return jsonIn(text);
      const pairs = text.split(BETWEEN_ALTERNATES).map((pair) => /^([\w-]+)=(\S.*)$/.exec(pair));
      if (pairs.includes(null)) return { why: 'are neither JSON nor pairs as de=https://example.org/de' };
      return { value: pairs.map((pair) => ({ hreflang: pair?.[1], href: pair?.[2] })) };
    },
  }),
);
