/** A table in a file: its formats, its columns, and how it is written. */
import { type FileHandle, open, rm } from 'node:fs/promises';

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

/** Rows → the bytes of a format. */
export interface TableEncoder {
  /** Waits until the rows are taken, so that memory stays bounded. */
  write(rows: readonly Row[]): Promise<void>;
  /** All rows are written: writes what belongs behind them. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** A table while it is written: a new file, flushed to the disk at the end, removed if it is given up. */
export class TableWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #encoder: TableEncoder;
  #isOpen = true;
  rows = 0;

  private constructor(path: string, file: FileHandle, encoder: TableEncoder) {
    this.#path = path;
    this.#file = file;
    this.#encoder = encoder;
  }

  /** Creates the file, which must not be there yet. */
  static async create(path: string, encoderFor: (sink: TableSink) => TableEncoder): Promise<TableWriter> {
    const file = await open(path, 'wx');
    return new TableWriter(
      path,
      file,
      encoderFor((chunk) => file.appendFile(chunk)),
    );
  }

  /** Rejects with what the file system says; then only {@link discard} may follow. */
  async write(rows: readonly Row[]): Promise<void> {
    await this.#encoder.write(rows);
    this.rows += rows.length;
  }

  /** Ends the file, flushes it, so that a rename after it cannot publish less than was written, and closes it. */
  async finish(): Promise<void> {
    await this.#encoder.finish();
    await this.#file.sync();
    this.#isOpen = false;
    await this.#file.close();
  }

  /** Closes and removes the file. Does nothing after {@link finish}, and never rejects. */
  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#encoder.discard();
    await this.#file.close().catch(() => {});
    await rm(this.#path, { force: true }).catch(() => {});
  }
}
