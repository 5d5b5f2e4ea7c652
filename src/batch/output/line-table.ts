/** Tables in NDJSON and CSV, gzipped: rows as lines. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { type CsvCell, CsvReader, csvLines } from '../../text/csv-lines.ts';
import type { Field, Row, TableEncoder, TableSink } from './table-file.ts';

interface LineFormat {
  /** The line above all rows, with its line break; empty for none. */
  header(names: readonly string[]): string;
  /** Rows as lines, each with its line break. */
  lines(names: readonly string[], rows: readonly Row[]): string;
  /** Takes the text of a file in pieces; gives the values of each row, by the name of their column. */
  reader(): (text: string) => Iterable<ReadonlyMap<string, unknown>>;
}

export const LINE_FORMATS: Readonly<Record<'ndjson' | 'csv', LineFormat>> = {
  /** One JSON object per row, without what is absent. */
  ndjson: {
    header: () => '',
    lines: (names, rows) =>
      rows
        .map((row) => `${JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at]])))}\n`)
        .join(''),
    reader() {
      let rest = '';
      return (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        return lines.map((line) => new Map(Object.entries(JSON.parse(line))));
      };
    },
  },
  /** One row per page below a row of names; structs and lists are JSON. */
  csv: {
    header: (names) => csvLines([names]),
    lines: (_names, rows) => csvLines(rows.map((row) => row.map(cell))),
    reader() {
      const reader = new CsvReader(',');
      let names: readonly string[] | undefined;
      return (text) =>
        Array.from(reader.rows(text)).flatMap(({ cells }) => {
          if (names !== undefined) return new Map(names.map((name, at) => [name, cells[at] || undefined]));
          names = cells;
          return [];
        });
    },
  },
};

function cell(value: unknown): CsvCell {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  // A text, a number, a boolean, or nothing.
  return value as CsvCell;
}

/** How many rows become text at a time. */
const BATCH = 1000;

export function lineEncoder(
  sink: TableSink,
  columns: readonly Field[],
  name: keyof typeof LINE_FORMATS,
): TableEncoder {
  const format = LINE_FORMATS[name];
  const names = columns.map(({ name }) => name);
  const gzip = createGzip();
  /** Settles when everything is in the file. */
  const writing = pipeline(gzip, async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) await sink(chunk);
  });
  // If the disk is full, it rejects before anything awaits it.
  writing.catch(() => {});
  /** Waits until the text is compressed. A gzip that is destroyed may never say so: then `writing` rejects. */
  const writeText = (text: string): Promise<void> =>
    Promise.race([writing, new Promise<void>((resolve) => gzip.write(text, () => resolve()))]);
  gzip.write(format.header(names));
  return {
    async write(rows) {
      for (let at = 0; at < rows.length; at += BATCH)
        await writeText(format.lines(names, rows.slice(at, at + BATCH)));
    },
    async finish() {
      gzip.end();
      await writing;
    },
    async discard() {
      gzip.destroy();
      await writing.catch(() => {});
    },
  };
}

export async function* readLineTable(
  path: string,
  format: keyof typeof LINE_FORMATS,
  columns: readonly Field[],
): AsyncGenerator<readonly Row[], void, undefined> {
  const gunzip = createGunzip();
  const reading = pipeline(createReadStream(path), gunzip);
  reading.catch(() => {});
  gunzip.setEncoding('utf8');
  const rowsIn = LINE_FORMATS[format].reader();
  for await (const chunk of gunzip) {
    const rows = Array.from(rowsIn(String(chunk)), (values) => columns.map(({ name }) => values.get(name)));
    if (rows.length > 0) yield rows;
  }
  await reading;
}
