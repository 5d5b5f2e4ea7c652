/**
 * The columns of a part, in every format: one page in one document per row. The docs have this table
 * (docs/many-sites-output.md), held by a test.
 *
 * The names are those of a page in JSON (`usp ls -f ndjson`). What a document does not have is null in Parquet, an
 * empty cell in CSV, and left out in NDJSON; so is an empty list.
 */
import type { RobotsVerdict, SitemapPage } from '../../index.ts';
import { type Field, type FieldType, optional, type Row, required } from './table-file.ts';

/** One page in one document. Its site is given beside it. */
export interface PageRow {
  /** The URL of the document that lists the page. */
  readonly sitemap: string;
  readonly page: SitemapPage;
  /** Whether the document could not be read this time, and is that of an earlier crawl. */
  readonly stale: boolean;
  /** Whether the option `agent` may fetch the page; absent without that option. */
  readonly verdict?: RobotsVerdict | undefined;
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

/** The columns, in order. New ones are added at the end. All from `url` to `alternates` are fields of a page. */
export const COLUMNS: readonly Field[] = [
  required('site', 'text', 'The site: its normalised homepage, as in `sites.ndjson`'),
  required('sitemap', 'text', 'The URL of the document that lists the page'),
  required('url', 'text', 'The URL of the page'),
  optional('lastModified', 'timestamp', 'When the page last changed'),
  optional('lastModifiedText', 'text', 'The same, as written'),
  required('priority', 'number', 'From 0 to 1; 0.5 where the document has none'),
  optional(
    'changeFrequency',
    'text',
    '`always`, `hourly`, `daily`, `weekly`, `monthly`, `yearly` or `never`',
  ),
  optional('newsStory', { struct: NEWS_STORY }, 'The news story that the page is'),
  optional('images', { list: { struct: IMAGE } }, 'The images on the page'),
  optional('videos', { list: { struct: VIDEO } }, 'The videos on the page'),
  optional('alternates', { list: { struct: ALTERNATE } }, 'The same page in other languages (`hreflang`)'),
  optional(
    'stale',
    'boolean',
    'True where the document could not be read this time, and the row is that of an earlier crawl (`--previous`)',
  ),
  optional(
    'allowed',
    'boolean',
    'With `--agent`: whether it may fetch the page; null where that is not known',
  ),
  optional('rule', 'text', 'With `--agent`: the rule of robots.txt that decides, where there is one'),
  optional('ruleLine', 'number', 'The number of its line, from 1'),
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

const PAGE_COLUMNS = COLUMNS.slice(2, -4);

export function valuesOf({ sitemap, page, stale, verdict }: PageRow, site: string): Row {
  const values = PAGE_COLUMNS.map(({ name, type }) => plainValue(type, Reflect.get(page, name)));
  const { allowed, rule, ruleLine } = verdict ?? {};
  return [site, sitemap, ...values, stale || undefined, allowed, rule, ruleLine];
}
