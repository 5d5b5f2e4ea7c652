/** A table in a file: its formats, its columns, and the file that it is written to. */
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
  readonly meaning: string;
}

export function required(name: string, type: FieldType, meaning: string): Field {
  return { name, type, isRequired: true, meaning };
}

export function optional(name: string, type: FieldType, meaning: string): Field {
  return { name, type, isRequired: false, meaning };
}

/** Plain values in the order of the columns; undefined for what is absent. */
export type Row = readonly unknown[];

export interface TableWriter {
  /** Rows that were written so far. */
  readonly rows: number;
  /**
   * Waits until the rows are taken, so that memory stays bounded. Rejects with what the file system says; then only
   * {@link discard} may follow.
   */
  write(rows: readonly Row[]): Promise<void>;
  /** Ends the file, flushes it to the disk and closes it. Resolves to its size. */
  finish(): Promise<{ readonly rows: number; readonly bytes: number }>;
  /** Closes and removes the file. Does nothing after {@link finish}, and never rejects. */
  discard(): Promise<void>;
}

/** The file while it is written: made anew, flushed to the disk at the end, removed if it is given up. */
export class TableSink {
  readonly #path: string;
  readonly #file: FileHandle;
  #bytes = 0;
  #isOpen = true;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Creates the file, which must not be there yet. */
  static async create(path: string): Promise<TableSink> {
    return new TableSink(path, await open(path, 'wx'));
  }

  /** Writes all of a chunk; one write at a time. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; ) {
      const { bytesWritten } = await this.#file.write(chunk, at, chunk.byteLength - at);
      at += bytesWritten;
      this.#bytes += bytesWritten;
    }
  }

  /** Flushes the file, so that a rename after it cannot publish less than was written. Resolves to its bytes. */
  async finish(): Promise<number> {
    await this.#file.sync();
    this.#isOpen = false;
    await this.#file.close();
    return this.#bytes;
  }

  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close().catch(() => {});
    await rm(this.#path, { force: true }).catch(() => {});
  }
}
