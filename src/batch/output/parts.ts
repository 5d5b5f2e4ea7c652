/**
 * A part: one file of pages. It holds the pages of whole sites, one site after the other, so that it can be published
 * as a whole or not at all (journal.ts). It is written to a path below `.tmp/` and moved from there by the publisher.
 *
 * A row is one page in one document. What each column means is in docs/many-sites-output.md, whose tables are held by a
 * test. The names are those of a page in JSON (`usp ls -f ndjson`). A value that a document does not have is null in
 * Parquet, an empty cell in CSV, and absent in NDJSON; so is an empty list.
 *
 * What a format needs is loaded when it is used.
 */
import { open } from 'node:fs/promises';
import type { RobotsVerdict, SitemapPage } from '../../index.ts';
import { removeAll } from '../../runtime/files.ts';
import {
  type Field,
  type FieldType,
  optional,
  type ReadTableOptions,
  type Row,
  required,
  type TableEncoder,
  type TableFormat,
  type TableSink,
} from './table-file.ts';

/** One page in one document. Functions take its site separately. */
export interface PageRow {
  /** The URL of the document that lists the page. */
  readonly sitemap: string;
  readonly page: SitemapPage;
  /** Whether the document could not be read this time, and is that of an earlier crawl. */
  readonly stale: boolean;
  /** Whether the option `robotsAgent` may fetch the page; absent without that option. */
  readonly verdict?: RobotsVerdict | undefined;
}

const TEXTS: FieldType = { list: 'text' };

const NEWS_STORY: FieldType = {
  struct: [
    optional('title', 'text'),
    optional('publishDate', 'timestamp'),
    ...texts('publicationName', 'publicationLanguage', 'access'),
    optional('genres', TEXTS),
    optional('keywords', TEXTS),
    optional('stockTickers', TEXTS),
    optional('publishDateText', 'text'),
  ],
};

const IMAGE: readonly Field[] = [
  required('loc', 'text'),
  ...texts('caption', 'geoLocation', 'title', 'license'),
];

const PRICE: readonly Field[] = [required('value', 'number'), ...texts('currency', 'type', 'resolution')];

const VIDEO: readonly Field[] = [
  ...texts('thumbnailLoc', 'title', 'description', 'contentLoc', 'playerLoc'),
  optional('playerAllowEmbed', 'boolean'),
  optional('playerAutoplay', 'text'),
  optional('duration', 'number'),
  optional('rating', 'number'),
  optional('viewCount', 'number'),
  optional('familyFriendly', 'boolean'),
  optional('restriction', { struct: [...texts('relationship'), optional('countries', TEXTS)] }),
  optional('platform', { struct: [...texts('relationship'), optional('platforms', TEXTS)] }),
  optional('prices', { list: { struct: PRICE } }),
  optional('requiresSubscription', 'boolean'),
  optional('uploader', { struct: [required('name', 'text'), optional('info', 'text')] }),
  optional('live', 'boolean'),
  optional('tags', TEXTS),
  optional('category', 'text'),
  optional('expirationDate', 'timestamp'),
  optional('publicationDate', 'timestamp'),
  ...texts('expirationDateText', 'publicationDateText'),
];

function texts(...names: readonly string[]): readonly Field[] {
  return names.map((name) => optional(name, 'text'));
}

const ALTERNATE: readonly Field[] = [required('hreflang', 'text'), required('href', 'text')];

const IMAGES: FieldType = { list: { struct: IMAGE } };
const VIDEOS: FieldType = { list: { struct: VIDEO } };
const ALTERNATES: FieldType = { list: { struct: ALTERNATE } };

/** The columns, in order. New ones are added at the end. All from `url` to `alternates` are fields of a page. */
export const COLUMNS: readonly Field[] = [
  required('site', 'text'),
  required('sitemap', 'text'),
  required('url', 'text'),
  optional('lastModified', 'timestamp'),
  optional('lastModifiedText', 'text'),
  optional('priority', 'number'),
  optional('changeFrequency', 'text'),
  optional('newsStory', NEWS_STORY),
  optional('images', IMAGES),
  optional('videos', VIDEOS),
  optional('alternates', ALTERNATES),
  optional('stale', 'boolean'),
  optional('allowed', 'boolean'),
  optional('rule', 'text'),
  optional('ruleLine', 'number'),
];

/** A value as plain data with the fields of its type alone; undefined for what is absent, empty lists too. */
function plainValue(type: FieldType, value: unknown): unknown {
  if (value === undefined || value === null || typeof type === 'string') return value ?? undefined;
  if ('list' in type) {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return value.map((item) => plainValue(type.list, item));
  }
  const plain: Record<string, unknown> = {};
  for (const { name, type: inner } of type.struct) {
    const field = plainValue(inner, Reflect.get(value as object, name));
    if (field !== undefined) plain[name] = field;
  }
  return plain;
}

/** In the order of {@link COLUMNS}. */
export function valuesOf({ sitemap, page, stale, verdict }: PageRow, site: string): Row {
  const { url, lastModified, lastModifiedText, declaredPriority, changeFrequency } = page;
  return [
    site,
    sitemap,
    url,
    lastModified,
    lastModifiedText,
    declaredPriority,
    changeFrequency,
    plainValue(NEWS_STORY, page.newsStory),
    plainValue(IMAGES, page.images),
    plainValue(VIDEOS, page.videos),
    plainValue(ALTERNATES, page.alternates),
    stale || undefined,
    verdict?.allowed,
    verdict?.rule,
    verdict?.ruleLine,
  ];
}

/** A table while it is written: a new file, flushed to the disk at the end, removed if it is given up. */
export interface TableWriter extends Required<TableEncoder> {
  readonly path: string;
  readonly rows: number;
}

/** Creates the file of a table, which must not be there yet. */
export async function createTable(
  path: string,
  format: TableFormat,
  columns: readonly Field[] = COLUMNS,
): Promise<TableWriter> {
  const file = await open(path, 'wx');
  const sink: TableSink = (chunk) => file.appendFile(chunk);
  const encoder =
    format === 'parquet'
      ? (await import('./parquet-table.ts')).parquetEncoder(sink, columns)
      : (await import('./line-table.ts')).lineEncoder(sink, columns, format);
  let isOpen = true;
  let rowCount = 0;
  return {
    path,
    get rows() {
      return rowCount;
    },
    /** Rejects with errors of the file system; then only `discard` may follow. */
    async write(rows) {
      await encoder.write(rows);
      rowCount += rows.length;
    },
    /** Flushes the file as well, so that a rename after it cannot publish less than was written. */
    async finish() {
      await encoder.finish();
      await file.sync();
      isOpen = false;
      await file.close();
    },
    /** Removes the file. Does nothing after `finish`, and never rejects. */
    async discard() {
      if (!isOpen) return;
      isOpen = false;
      await encoder.discard?.();
      await file.close().catch(() => {});
      await removeAll(path).catch(() => {});
    },
  };
}

/** The rows of a table. In CSV all values are text. */
export async function* readTable(
  path: string,
  format: TableFormat,
  columns: readonly Field[] = COLUMNS,
  options: ReadTableOptions = {},
): AsyncGenerator<readonly Row[], void, undefined> {
  if (format === 'parquet')
    yield* (await import('./parquet-table.ts')).readParquetTable(path, columns, options);
  else yield* (await import('./line-table.ts')).readLineTable(path, format, columns);
}

/**
 * Writes a copy of a part without the rows of some sites, and flushes it. The part itself stays as it is.
 *
 * @param to - the path of the copy, which must not be there yet; it is removed if this rejects
 */
export async function dropSites(
  { path, format }: { readonly path: string; readonly format: TableFormat },
  to: string,
  sites: Iterable<string>,
): Promise<void> {
  const dropped = new Set<unknown>(sites);
  const copy = await createTable(to, format);
  try {
    for await (const rows of readTable(path, format))
      await copy.write(rows.filter(([site]) => !dropped.has(site)));
    await copy.finish();
  } finally {
    await copy.discard();
  }
}

/** Replaces a part by a copy without the rows of some sites. Returns its path; undefined if no row would be left. */
export async function withoutSites(
  part: string,
  format: TableFormat,
  sites: Iterable<string>,
  isAnyLeft: boolean,
): Promise<string | undefined> {
  const copy = `${part}.left`;
  if (isAnyLeft) {
    await removeAll(copy);
    await dropSites({ path: part, format }, copy, sites);
  }
  await removeAll(part);
  return isAnyLeft ? copy : undefined;
}
