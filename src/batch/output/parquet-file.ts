/**
 * A Parquet file that is written row group by row group. A group is encoded as a whole, so its size decides how much
 * memory the writer needs: at most 10,000 rows or 8 MiB of values. What stays in memory of a group that is written is
 * its entry in the footer.
 *
 * @packageDocumentation
 */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
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

  override finish(): Promise<void> {
    if (this.#sink.bytes === 0) this.#typeEmptyList();
    return this.flush();
  }

  /**
   * The encoder gives an empty list no type, and the list of row groups of a file without rows is empty. Readers want
   * the type, so it is filled in between the header of that field (4, a list) and the next (6, text).
   */
  #typeEmptyList(): void {
    const bytes = Buffer.from(this.buffer, 0, this.index);
    const at = bytes.lastIndexOf(Uint8Array.of(0x19, 0x00, 0x28));
    if (at !== -1) bytes[at + 1] = 0x0c;
  }
}

export class ParquetFile {
  readonly #sink: PartSink;
  readonly #writer: ParquetWriter;
  #columns: unknown[][] = emptyColumns();
  #waitingBytes = 0;
  #rows = 0;

  private constructor(sink: PartSink) {
    this.#sink = sink;
    this.#writer = new ParquetWriter({ writer: new GroupBuffer(sink), schema: PARQUET_SCHEMA });
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
    await this.#writer.finish();
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
    this.#shrinkFooter();
  }

  /** Removes what readers do not need from the entry of the last row group: a large part has thousands of them. */
  #shrinkFooter(): void {
    // No index of pages is written, so nothing waits for one.
    this.#writer.pendingIndexes = [];
    for (const { meta_data: column } of this.#writer.row_groups.at(-1)?.columns ?? []) {
      if (column === undefined) continue;
      delete column.encoding_stats;
      const { min_value, max_value } = column.statistics ?? {};
      // The encoder compares UTF-16, readers compare UTF-8. The order differs where these characters are.
      if (isUnordered(min_value) || isUnordered(max_value)) {
        delete column.statistics?.min_value;
        delete column.statistics?.max_value;
      }
    }
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
