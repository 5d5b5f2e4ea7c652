/**
 * A part: one file of pages. It holds the pages of whole sites, one site after the other, so that it can be published
 * as a whole or not at all (journal.ts). It is written to a path below `.tmp/` and moved from there by the publisher.
 *
 * What a format needs is loaded when it is used.
 */
import { COLUMNS } from './page-columns.ts';
import { type Field, type Row, type TableFormat, TableWriter } from './table-file.ts';

/** Creates the file of a table, which must not be there yet. */
export async function createTable(
  path: string,
  format: TableFormat,
  columns: readonly Field[] = COLUMNS,
): Promise<TableWriter> {
  if (format === 'parquet') {
    const { parquetEncoder } = await import('./parquet-table.ts');
    return TableWriter.create(path, (sink) => parquetEncoder(sink, columns));
  }
  const { lineEncoder, LINE_FORMATS } = await import('./line-table.ts');
  return TableWriter.create(path, (sink) => lineEncoder(sink, LINE_FORMATS[format], columns));
}

/** The rows of a table. What a column has in CSV is text. */
export async function* readTable(
  path: string,
  format: TableFormat,
  columns: readonly Field[] = COLUMNS,
): AsyncGenerator<readonly Row[], void, undefined> {
  if (format === 'parquet') {
    yield* (await import('./parquet-table.ts')).readParquetTable(path, columns);
    return;
  }
  const { readLineTable, LINE_FORMATS } = await import('./line-table.ts');
  yield* readLineTable(path, LINE_FORMATS[format], columns);
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
