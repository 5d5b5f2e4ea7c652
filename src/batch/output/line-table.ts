/** Tables in NDJSON and CSV, gzipped: rows as lines. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { type CsvCell, csvLines } from '../../problems/csv-lines.ts';
import type { Field, Row, TableEncoder, TableSink } from './table-file.ts';

interface LineFormat {
  /** The line above all rows, with its line break; empty for none. */
  header(names: readonly string[]): string;
  /** Rows as lines, each with its line break. */
  lines(names: readonly string[], rows: readonly Row[]): string;
  /** Whether text ends where a row ends: not within a cell that has line breaks. */
  isWhole(text: string): boolean;
  /** The values of a line, by the name of their column. @param header - the first line of the file */
  valuesOf(line: string, header: string): ReadonlyMap<string, unknown>;
}

export const LINE_FORMATS: Readonly<Record<'ndjson' | 'csv', LineFormat>> = {
  /** One JSON object per row, without what is absent. */
  ndjson: {
    header: () => '',
    lines: (names, rows) =>
      rows
        .map((row) => `${JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at]])))}\n`)
        .join(''),
    isWhole: () => true,
    valuesOf: (line) => new Map(Object.entries(JSON.parse(line))),
  },
  /** One row per page below a row of names; structs and lists are JSON. */
  csv: {
    header: (names) => csvLines([names]),
    lines: (_names, rows) => csvLines(rows.map((row) => row.map(cell))),
    isWhole: (text) => (text.split('"').length - 1) % 2 === 0,
    valuesOf(line, header) {
      const names = header.trimEnd().split(',');
      const values = cellsOf(line);
      return new Map(names.map((name, at) => [name, values[at] === '' ? undefined : values[at]]));
    },
  },
};

function cell(value: unknown): CsvCell {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value as CsvCell;
}

/** The cells of one row that {@link csvLines} wrote. */
function cellsOf(line: string): readonly string[] {
  const found: string[] = [];
  const text = line.endsWith('\n') ? line.slice(0, -1) : line;
  for (let at = 0; at <= text.length; ) {
    const isQuoted = text[at] === '"';
    let end = isQuoted ? at + 1 : text.indexOf(',', at);
    if (isQuoted) {
      // The quote that no other one follows.
      for (end = text.indexOf('"', end); text[end + 1] === '"'; end = text.indexOf('"', end + 2)) {}
      found.push(text.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 2;
    } else {
      if (end === -1) end = text.length;
      found.push(text.slice(at, end));
      at = end + 1;
    }
  }
  return found;
}

/** As many rows become text at a time. */
const BATCH = 1000;

export function lineEncoder(sink: TableSink, format: LineFormat, columns: readonly Field[]): TableEncoder {
  const names = columns.map(({ name }) => name);
  const gzip = createGzip();
  /** Settles when everything is in the file. */
  const written = pipeline(gzip, async (chunks) => {
    for await (const chunk of chunks) await sink(chunk as Uint8Array);
  });
  // It rejects before anything waits for it, where the disk is full.
  written.catch(() => {});
  const writeText = async (text: string): Promise<void> => {
    if (gzip.destroyed) await written;
    if (gzip.write(text)) return;
    const drained = new AbortController();
    try {
      await Promise.race([written, once(gzip, 'drain', { signal: drained.signal })]);
    } finally {
      drained.abort();
    }
  };
  gzip.write(format.header(names));
  return {
    async write(rows) {
      for (let at = 0; at < rows.length; at += BATCH)
        await writeText(format.lines(names, rows.slice(at, at + BATCH)));
    },
    async finish() {
      gzip.end();
      await written;
    },
    async discard() {
      gzip.destroy();
      await written.catch(() => {});
    },
  };
}

export async function* readLineTable(
  path: string,
  format: LineFormat,
  columns: readonly Field[],
): AsyncGenerator<readonly Row[], void, undefined> {
  const gunzip = createGunzip();
  const read = pipeline(createReadStream(path), gunzip);
  read.catch(() => {});
  gunzip.setEncoding('utf8');
  let header = format.header([]) === '' ? '' : undefined;
  let rest = '';
  for await (const chunk of gunzip as AsyncIterable<string>) {
    const rows: Row[] = [];
    for (const line of chunk.split(/(?<=\n)/)) {
      rest += line;
      if (!rest.endsWith('\n') || !format.isWhole(rest)) continue;
      if (header === undefined) header = rest;
      else {
        const values = format.valuesOf(rest, header);
        rows.push(columns.map(({ name }) => values.get(name)));
      }
      rest = '';
    }
    if (rows.length > 0) yield rows;
  }
  await read;
}
