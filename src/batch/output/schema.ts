/**
 * The columns of a part, in every format: one page in one document per row. The docs have this table
 * (docs/many-sites.md), held by a test.
 *
 * The names are those of a page in JSON (`usp ls -f ndjson`). What a document does not have is null in Parquet, an
 * empty cell in CSV, and left out in NDJSON; so is an empty list.
 *
 * @packageDocumentation
 */
import type { PageRow } from './part-writer.ts';

/** A type that Parquet has a real type for. */
export type FieldType =
  | 'text'
  | 'number'
  | 'boolean'
  /** Milliseconds, UTC; ISO 8601 in NDJSON and CSV. */
  | 'timestamp'
  | { readonly list: FieldType }
  | { readonly struct: readonly Field[] };

/** A column, or a field of a struct. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
  readonly meaning: string;
}

/** A column, and where its value comes from. */
export interface Column extends Field {
  readonly read: (row: PageRow, site: string) => unknown;
}

function required(name: string, type: FieldType, meaning: string): Field {
  return { name, type, isRequired: true, meaning };
}

function optional(name: string, type: FieldType, meaning: string): Field {
  return { name, type, isRequired: false, meaning };
}

const TEXTS: FieldType = { list: 'text' };

const NEWS_STORY: readonly Field[] = [
  optional('title', 'text', 'The title'),
  optional('publishDate', 'timestamp', 'When it was published'),
  optional('publicationName', 'text', 'The name of the publication'),
  optional('publicationLanguage', 'text', 'Its language, as written'),
  optional('access', 'text', '`Subscription` or `Registration`, as written'),
  optional('genres', TEXTS, 'Genres'),
  optional('keywords', TEXTS, 'Keywords'),
  optional('stockTickers', TEXTS, 'Stock tickers'),
];

const IMAGE: readonly Field[] = [
  required('loc', 'text', 'Its URL'),
  optional('caption', 'text', 'The caption'),
  optional('geoLocation', 'text', 'Where it was taken'),
  optional('title', 'text', 'The title'),
  optional('license', 'text', 'The URL of its license'),
];

const PRICE: readonly Field[] = [
  required('value', 'number', 'The amount'),
  optional('currency', 'text', 'ISO 4217 code, as written'),
  optional('type', 'text', '`rent` or `own`, as written'),
  optional('resolution', 'text', '`hd` or `sd`, as written'),
];

const VIDEO: readonly Field[] = [
  optional('thumbnailLoc', 'text', 'The URL of its thumbnail'),
  optional('title', 'text', 'The title'),
  optional('description', 'text', 'The description'),
  optional('contentLoc', 'text', 'The URL of the video'),
  optional('playerLoc', 'text', 'The URL of a player'),
  optional('playerAllowEmbed', 'boolean', 'Whether the player may be embedded'),
  optional('playerAutoplay', 'text', 'Flags that make the player start by itself'),
  optional('duration', 'number', 'Seconds'),
  optional('rating', 'number', 'From 0 to 5'),
  optional('viewCount', 'number', 'How often it was viewed'),
  optional('familyFriendly', 'boolean', 'Whether it is for everyone'),
  optional(
    'restriction',
    {
      struct: [
        optional('relationship', 'text', '`allow` or `deny`, as written'),
        optional('countries', TEXTS, 'ISO 3166 codes, as written'),
      ],
    },
    'Where it may be played, or may not',
  ),
  optional(
    'platform',
    {
      struct: [
        optional('relationship', 'text', '`allow` or `deny`, as written'),
        optional('platforms', TEXTS, '`web`, `mobile`, `tv`, as written'),
      ],
    },
    'On what it may be played, or may not',
  ),
  optional('prices', { list: { struct: PRICE } }, 'What it costs'),
  optional('requiresSubscription', 'boolean', 'Whether it needs a subscription'),
  optional(
    'uploader',
    {
      struct: [required('name', 'text', 'The name'), optional('info', 'text', 'The URL of a page about it')],
    },
    'Who uploaded it',
  ),
  optional('live', 'boolean', 'Whether it is a live stream'),
  optional('tags', TEXTS, 'Tags'),
  optional('category', 'text', 'The category'),
  optional('expirationDate', 'timestamp', 'When it expires'),
  optional('publicationDate', 'timestamp', 'When it was first published'),
];

const ALTERNATE: readonly Field[] = [
  required('hreflang', 'text', 'The language, as written'),
  required('href', 'text', 'The URL'),
];

/** The columns, in order. New ones are added at the end. */
export const COLUMNS: readonly Column[] = [
  {
    ...required('site', 'text', 'The site: its normalised homepage, as in `sites.ndjson`'),
    read: (_row, site) => site,
  },
  {
    ...required('sitemap', 'text', 'The URL of the document that lists the page'),
    read: (row) => row.sitemap,
  },
  { ...required('url', 'text', 'The URL of the page'), read: ({ page }) => page.url },
  {
    ...optional('lastModified', 'timestamp', 'When the page last changed'),
    read: ({ page }) => page.lastModified,
  },
  {
    ...optional('lastModifiedText', 'text', 'The same, as written'),
    read: ({ page }) => page.lastModifiedText,
  },
  {
    ...required('priority', 'number', 'From 0 to 1; 0.5 where the document has none'),
    read: ({ page }) => page.priority,
  },
  {
    ...optional(
      'changeFrequency',
      'text',
      '`always`, `hourly`, `daily`, `weekly`, `monthly`, `yearly` or `never`',
    ),
    read: ({ page }) => page.changeFrequency,
  },
  {
    ...optional('newsStory', { struct: NEWS_STORY }, 'The news story that the page is'),
    read: ({ page }) => page.newsStory,
  },
  {
    ...optional('images', { list: { struct: IMAGE } }, 'The images on the page'),
    read: ({ page }) => page.images,
  },
  {
    ...optional('videos', { list: { struct: VIDEO } }, 'The videos on the page'),
    read: ({ page }) => page.videos,
  },
  {
    ...optional(
      'alternates',
      { list: { struct: ALTERNATE } },
      'The same page in other languages (`hreflang`)',
    ),
    read: ({ page }) => page.alternates,
  },
];

/** A value as plain data with the fields of its type alone; undefined for what is absent, empty lists too. */
function plainValue(type: FieldType, value: unknown): unknown {
  if (value === undefined || value === null || typeof type === 'string') return value ?? undefined;
  if ('list' in type) {
    const items = value as readonly unknown[];
    return items.length === 0 ? undefined : items.map((item) => plainValue(type.list, item));
  }
  const plain: Record<string, unknown> = {};
  for (const { name, type: inner } of type.struct) {
    const field = plainValue(inner, Reflect.get(value as object, name));
    if (field !== undefined) plain[name] = field;
  }
  return plain;
}

/** The values of a row, in the order of {@link COLUMNS}. */
export function valuesOf(row: PageRow, site: string): readonly unknown[] {
  return COLUMNS.map(({ type, read }) => plainValue(type, read(row, site)));
}
