/** Rows for parts, and parts read back: Parquet by another implementation, the others as their users read them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Table, tableFromIPC } from 'apache-arrow';
import { readParquet } from 'parquet-wasm';
import { type PageRow, valuesOf } from '../../src/batch/output/parts.ts';
import type { Row, TableFormat } from '../../src/batch/output/table-file.ts';
import { parseSitemap } from '../../src/parse/index.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

/** The rows of a document. */
export function rowsOf(text: string | Uint8Array, sitemap: string): readonly PageRow[] {
  return [...parseSitemap(text, { url: sitemap })].flatMap((item) =>
    item.type === 'page' ? [{ sitemap, page: item.page, stale: false }] : [],
  );
}

/** The values of rows, as a part is given them. */
export function siteRows(site: string, rows: readonly PageRow[]): readonly Row[] {
  return rows.map((row) => valuesOf(row, site));
}

/** The rows of every fixture: all extensions, odd characters, dates of all kinds. */
export function fixtureRows(): readonly PageRow[] {
  return readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.xml'))
    .sort()
    .flatMap((name) => rowsOf(readFileSync(join(FIXTURES, name)), `https://example.org/${name}`));
}

/** What Rust's Parquet reader makes of a part. */
export function tableOf(path: string): Table {
  return tableFromIPC(readParquet(readFileSync(path)).intoIPCStream());
}

const TIMES = new Set(['lastModified', 'publishDate', 'expirationDate', 'publicationDate']);

/** A row of a table as NDJSON has it: a table gives bigints, vectors and nulls, JSON the plain values. */
export function plainRow(row: unknown): unknown {
  return JSON.parse(JSON.stringify(row), (key, value) => {
    if (value === null) return undefined;
    return TIMES.has(key) && typeof value === 'number' ? new Date(value).toISOString() : value;
  });
}

/** The rows of a part as NDJSON has them, whatever its format. */
export function readPart(path: string, format: TableFormat): readonly unknown[] {
  if (format === 'parquet') return tableOf(path).toArray().map(plainRow);
  const text = execFileSync('gzip', ['-dc', path], { encoding: 'utf8', maxBuffer: 1024 * 1024 * 1024 });
  const lines = text.split('\n').slice(0, -1);
  return format === 'ndjson' ? lines.map((line) => JSON.parse(line)) : lines;
}
