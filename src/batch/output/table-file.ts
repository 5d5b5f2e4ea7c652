/** A table in a file: its formats and its columns, and what makes bytes of its rows. */

/** `parquet`, or gzipped `ndjson` or `csv`. */
export const TABLE_FORMATS = ['parquet', 'ndjson', 'csv'] as const;

export type TableFormat = (typeof TABLE_FORMATS)[number];

export const TABLE_EXTENSIONS: Readonly<Record<TableFormat, string>> = {
  parquet: '.parquet',
  ndjson: '.ndjson.gz',
  csv: '.csv.gz',
};

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
}

export function required(name: string, type: FieldType): Field {
  return { name, type, isRequired: true };
}

export function optional(name: string, type: FieldType): Field {
  return { name, type, isRequired: false };
}

/** Plain values in the order of the columns; undefined for what is absent. */
export type Row = readonly unknown[];

/** Where the bytes of a table go: one write at a time, which waits until all of the chunk is taken. */
export type TableSink = (chunk: Uint8Array) => Promise<void>;

export interface ReadTableOptions {
  /** Leave out columns that have no value in a group of rows, damaged or not: what is read is the same. @default false */
  readonly skipEmpty?: boolean | undefined;
}

/** Rows → the bytes of a format. */
export interface TableEncoder {
  /** Waits until the rows are taken, so that memory stays bounded. */
  write(rows: readonly Row[]): Promise<void>;
  /** All rows are written: writes what belongs behind them. */
  finish(): Promise<void>;
  discard?(): Promise<void>;
}
