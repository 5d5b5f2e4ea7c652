/**
 * A part: one file of pages. It holds the pages of whole sites, one site after the other, so that it can be published
 * as a whole or not at all (journal.ts).
 *
 * A part is written to a path below `.tmp/` and moved from there by the publisher. One writer is open at a time in a
 * process.
 *
 * @packageDocumentation
 */
import type { SitemapPage } from '../../index.ts';

/** One page in one document. Its site is given beside it. */
export interface PageRow {
  /** The URL of the document that lists the page. */
  readonly sitemap: string;
  readonly page: SitemapPage;
}

/** A part that is written and flushed. */
export interface PartFile {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
}

export interface PartWriter {
  /** Rows that were written so far. */
  readonly rows: number;
  /** Bytes that are in the file so far; what still waits for its row group or block is not counted. */
  readonly bytes: number;
  /**
   * Writes rows of a site after all others. A large site comes in many calls. Waits until they are taken, so that
   * memory stays bounded. Rejects with what the file system says; then only {@link discard} may follow.
   */
  write(site: string, rows: readonly PageRow[]): Promise<void>;
  /** Ends the file, flushes it to the disk (fsync) and closes it. */
  finish(): Promise<PartFile>;
  /** Closes and removes the file. Does nothing after {@link finish}, and never rejects. */
  discard(): Promise<void>;
}

/** The formats of parts: `parquet`, or gzipped `ndjson` or `csv`. */
export const PART_FORMATS = ['parquet', 'ndjson', 'csv'] as const;

export type PartFormat = (typeof PART_FORMATS)[number];

/** What the name of a part ends with. */
export const PART_EXTENSIONS: Readonly<Record<PartFormat, string>> = {
  parquet: '.parquet',
  ndjson: '.ndjson.gz',
  csv: '.csv.gz',
};

/**
 * Creates the file of a part, which must not be there yet; open-part.ts has the one that loads each format when used.
 */
export type OpenPart = (path: string, format: PartFormat) => Promise<PartWriter>;
