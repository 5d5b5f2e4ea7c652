/**
 * A part: one file of pages. It holds the pages of whole sites, one site after the other, so that it can be published
 * as a whole or not at all (journal.ts). It is written to a path below `.tmp/` and moved from there by the publisher.
 *
 * What a format needs is loaded when it is used.
 */
import { open, rm } from 'node:fs/promises';
import { COLUMNS } from './page-columns.ts';
import type { Field, Row, TableEncoder, TableFormat, TableSink } from './table-file.ts';

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
  let written = 0;
  return {
    path,
    get rows() {
      return written;
    },
    /** Rejects with what the file system says; then only `discard` may follow. */
    async write(rows) {
      await encoder.write(rows);
      written += rows.length;
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
      await rm(path, { force: true }).catch(() => {});
    },
  };
}

/** The rows of a table. What a column has in CSV is text. */
export async function* readTable(
  path: string,
  format: TableFormat,
  columns: readonly Field[] = COLUMNS,
): AsyncGenerator<readonly Row[], void, undefined> {
  if (format === 'parquet') yield* (await import('./parquet-table.ts')).readParquetTable(path, columns);
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
