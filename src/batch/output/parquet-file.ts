/**
 * A Parquet file that is written row group by row group. A group is encoded as a whole, so its size decides how much
 * memory the writer needs: at most 10,000 rows or 8 MiB of values. What stays in memory of a group that is written is
 * its entry in the footer (parquet-footer.ts).
 *
 * @packageDocumentation
 */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { ParquetFooter } from './parquet-footer.ts';
import { PARQUET_SCHEMA } from './parquet-schema.ts';
import { PartSink } from './part-sink.ts';
import type { PartFile } from './part-writer.ts';
import { COLUMNS } from './schema.ts';

/** The most rows of a row group. */
export const GROUP_ROWS = 10_000;
/** The most bytes of values in a row group; one row may have more. */
export const GROUP_BYTES: number = 8 * 1024 * 1024;

/** Columns whose text repeats from row to row: a reference in memory, and a dictionary in the file. */
const REPEATING: ReadonlySet<string> = new Set(['site', 'sitemap']);

/** What the encoder writes to: one buffer, written to the file after every row group. */
class GroupBuffer extends ByteWriter {
  readonly #sink: PartSink;

  constructor(sink: PartSink) {
    super();
    this.#sink = sink;
  }

  async flush(): Promise<void> {
    await this.#sink.write(new Uint8Array(this.buffer, 0, this.index));
    this.index = 0;
  }
}

export class ParquetFile {
  readonly #sink: PartSink;
  readonly #buffer: GroupBuffer;
  readonly #writer: ParquetWriter;
  readonly #footer = new ParquetFooter();
  #columns: unknown[][] = emptyColumns();
  #waitingBytes = 0;
  #rows = 0;

  private constructor(sink: PartSink) {
    this.#sink = sink;
    this.#buffer = new GroupBuffer(sink);
    this.#writer = new ParquetWriter({ writer: this.#buffer, schema: PARQUET_SCHEMA });
  }

  static async create(path: string): Promise<ParquetFile> {
    return new ParquetFile(await PartSink.create(path));
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#sink.bytes;
  }

  /** Adds a row: a plain value for each column. Writes a row group if it is full. */
  async add(values: readonly unknown[]): Promise<void> {
    const size = COLUMNS.reduce(
      (sum, { name }, at) => sum + (REPEATING.has(name) ? 8 : sizeOf(values[at])),
      0,
    );
    if (this.#waitingBytes > 0 && this.#waitingBytes + size > GROUP_BYTES) await this.#writeGroup();
    for (const [at, column] of this.#columns.entries()) column.push(stored(values[at]));
    this.#rows++;
    this.#waitingBytes += size;
    if (this.#waiting >= GROUP_ROWS) await this.#writeGroup();
  }

  async finish(): Promise<PartFile> {
    if (this.#waiting > 0) await this.#writeGroup();
    // The first bytes of the file, where there is no row group.
    await this.#buffer.flush();
    for (const chunk of this.#footer.chunks(this.#rows)) await this.#sink.write(chunk);
    await this.#sink.finish();
    return { path: this.#sink.path, rows: this.#rows, bytes: this.#sink.bytes };
  }

  async discard(): Promise<void> {
    await this.#sink.discard();
  }

  get #waiting(): number {
    return this.#columns[0]?.length ?? 0;
  }

  async #writeGroup(): Promise<void> {
    const columnData = COLUMNS.map(({ name }, at) => ({
      name,
      data: this.#columns[at] ?? [],
      offsetIndex: false,
    }));
    await this.#writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    this.#columns = emptyColumns();
    this.#waitingBytes = 0;
    this.#keepEntries();
  }

  /** Moves the entry of the row group that was written to the footer. */
  #keepEntries(): void {
    for (const group of this.#writer.row_groups) {
      for (const { meta_data: column } of group.columns) {
        const { statistics } = column ?? {};
        // The encoder compares UTF-16, readers compare UTF-8. The order differs where these characters are.
        if (
          statistics !== undefined &&
          (isUnordered(statistics.min_value) || isUnordered(statistics.max_value))
        ) {
          delete statistics.min_value;
          delete statistics.max_value;
        }
      }
      this.#footer.add(group);
    }
    this.#writer.row_groups = [];
    // No index of pages is written, so nothing waits for one.
    this.#writer.pendingIndexes = [];
  }
}

function emptyColumns(): unknown[][] {
  return COLUMNS.map(() => []);
}

/** Whole numbers for times: the encoder has statistics for these, and none for a `Date`. */
function stored(value: unknown): unknown {
  return value instanceof Date ? BigInt(value.getTime()) : value;
}

function isUnordered(value: unknown): boolean {
  return typeof value === 'string' && /[\ud800-\uffff]/.test(value);
}

/** About how many bytes a plain value has. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 4;
  if (value === undefined || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item), 8);
  if (typeof value !== 'object' || value instanceof Date) return 8;
  return Object.values(value).reduce((sum: number, item) => sum + sizeOf(item), 8);
}
