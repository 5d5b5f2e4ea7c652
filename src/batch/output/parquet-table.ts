/**
 * A Parquet file that is written row group by row group. A group is encoded as a whole, so its size decides how much
 * memory the writer needs: at most 10,000 rows or 8 MiB of values. Once a group is written, only its entry in the
 * footer stays in memory, 42 KiB.
 *
 * `hyparquet-writer` is pinned to one version in package.json: the footer below is the output of its `writeMetadata`
 * with one more field, and `row_groups` and `pendingIndexes` of its writer are emptied after each group. Before another
 * version is used, run test/batch/output, which reads every file with another implementation.
 */
import { open } from 'node:fs/promises';
import { type AsyncBuffer, type ColumnChunk, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { Field, FieldType, ReadTableOptions, Row, TableEncoder, TableSink } from './table-file.ts';

export const GROUP_ROWS = 10_000;
/** The most bytes of values in a row group; one row may have more. */
export const GROUP_BYTES: number = 8 * 1024 * 1024;

/** Columns whose text repeats from row to row: a reference in memory, and a dictionary in the file. */
const REPEATING: ReadonlySet<string> = new Set(['site', 'sitemap']);

/** The buffer that the encoder writes to. It is written to the file after every row group. */
class GroupBuffer extends ByteWriter {
  readonly #sink: TableSink;

  constructor(sink: TableSink) {
    super();
    this.#sink = sink;
  }

  async flush(): Promise<void> {
    await this.#sink(new Uint8Array(this.buffer, 0, this.index));
    this.index = 0;
  }
}

export function parquetEncoder(sink: TableSink, columns: readonly Field[]): TableEncoder {
  const schema = [{ name: 'pages', num_children: columns.length }, ...columns.flatMap(elementsOf)];
  const buffer = new GroupBuffer(sink);
  const writer = new ParquetWriter({ writer: buffer, schema });
  const groups: RowGroup[] = [];
  const isRepeating = columns.map(({ name }) => REPEATING.has(name));
  /** The values of the next row group, column by column. */
  let waiting: unknown[][] = columns.map(() => []);
  let waitingBytes = 0;
  const writeGroup = async (): Promise<void> => {
    const rows = waiting[0]?.length ?? 0;
    const start = buffer.offset;
    const columnData: ColumnSource[] = [];
    const empty = new Map<string, ColumnChunk[]>();
    for (const [at, column] of columns.entries()) {
      const { name } = column;
      const data = waiting[at] ?? [];
      if (data.some((value) => value !== undefined)) columnData.push({ name, data, offsetIndex: false });
      else empty.set(name, appendEmpty(buffer, column, rows));
    }
    const emptyBytes = BigInt(buffer.offset - start);
    await writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    waiting = columns.map(() => []);
    waitingBytes = 0;
    for (const { columns: groupColumns, total_byte_size, num_rows } of writer.row_groups) {
      // In the order of the schema, wherever they are in the file.
      const chunks = columns.flatMap(
        ({ name }) =>
          empty.get(name) ?? groupColumns.filter(({ meta_data }) => meta_data?.path_in_schema[0] === name),
      );
      const group = { columns: chunks, total_byte_size: total_byte_size + emptyBytes, num_rows };
      withoutUnordered(group);
      groups.push(group);
    }
    writer.row_groups = [];
    // No index of pages is written, so nothing waits for one.
    writer.pendingIndexes = [];
  };
  return {
    async write(rows) {
      for (const row of rows) {
        let size = 0;
        for (let at = 0; at < row.length; at++) size += isRepeating[at] ? 8 : sizeOf(row[at]);
        if (waitingBytes > 0 && waitingBytes + size > GROUP_BYTES) await writeGroup();
        for (let at = 0; at < waiting.length; at++) waiting[at]?.push(encodable(row[at]));
        waitingBytes += size;
        if (waiting[0]?.length === GROUP_ROWS) await writeGroup();
      }
    },
    async finish() {
      if (waitingBytes > 0) await writeGroup();
      // The first bytes of the file, where there is no row group.
      await buffer.flush();
      await sink(footerOf(schema, groups));
    },
  };
}

/** A column without a value in any row of a group. */
interface EmptyColumn {
  readonly bytes: Uint8Array;
  /** Where its parts are, from the start of the bytes. */
  readonly chunks: readonly ColumnChunk[];
}

/** The empty columns of whole row groups, which are the same in every file. */
const EMPTY_COLUMNS = new WeakMap<Field, EmptyColumn>();

/**
 * Most pages have an address and a date, and nothing in the fifty other columns of the format: to encode these row by
 * row took longer than to encode what pages have.
 */
function appendEmpty(buffer: ByteWriter, column: Field, rows: number): ColumnChunk[] {
  const isWhole = rows === GROUP_ROWS;
  const { bytes, chunks } = (isWhole && EMPTY_COLUMNS.get(column)) || emptyColumn(column, rows);
  if (isWhole) EMPTY_COLUMNS.set(column, { bytes, chunks });
  const start = BigInt(buffer.offset);
  buffer.appendBytes(bytes);
  return chunks.map((chunk) => movedBy(chunk, start));
}

function emptyColumn(column: Field, rows: number): EmptyColumn {
  const writer = new ByteWriter();
  const schema = [{ name: 'pages', num_children: 1 }, ...elementsOf(column)];
  const table = new ParquetWriter({ writer, schema });
  const start = writer.offset;
  const data = Array.from({ length: rows });
  table.write({ columnData: [{ name: column.name, data, offsetIndex: false }], rowGroupSize: rows });
  const chunks = table.row_groups.flatMap(({ columns }) => columns);
  return {
    bytes: writer.getBytes().slice(start),
    chunks: chunks.map((chunk) => movedBy(chunk, BigInt(-start))),
  };
}

/** Moves a chunk without a dictionary to another place of the file. */
function movedBy(chunk: ColumnChunk, by: bigint): ColumnChunk {
  const { file_offset, meta_data } = chunk;
  if (meta_data === undefined) return chunk;
  const data_page_offset = meta_data.data_page_offset + by;
  return { file_offset: file_offset + by, meta_data: { ...meta_data, data_page_offset } };
}

/** Times become whole numbers: the encoder has statistics for numbers, and none for a `Date`. */
function encodable(value: unknown): unknown {
  return value instanceof Date ? BigInt(value.getTime()) : value;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 4;
  if (value === undefined || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item), 8);
  if (typeof value !== 'object' || value instanceof Date) return 8;
  return Object.values(value).reduce((sum: number, item) => sum + sizeOf(item), 8);
}

type Scalar = Extract<FieldType, string>;

/**
 * Timestamps in milliseconds, since `Date` has them: microseconds of far dates are beyond the whole numbers that a
 * double holds.
 */
const SCALARS: Readonly<Record<Scalar, Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

/** A column as Parquet writes a schema: parents before children. */
function elementsOf({ name, type, isRequired }: Field): SchemaElement[] {
  const repetition_type = isRequired ? 'REQUIRED' : 'OPTIONAL';
  if (typeof type === 'string') return [{ name, repetition_type, ...SCALARS[type] }];
  if ('struct' in type) {
    return [
      { name, repetition_type, num_children: type.struct.length },
      ...type.struct.flatMap((field) => elementsOf(field)),
    ];
  }
  // The three levels that the format specifies for lists, with its names.
  return [
    { name, repetition_type, num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...elementsOf({ name: 'element', type: type.list, isRequired: true }),
  ];
}

type RowGroup = ParquetWriter['row_groups'][number];

/** Behind the metadata of a file: its length, and the mark of the format. */
const LENGTH_BYTES = 4;
const MAGIC = Buffer.from('PAR1', 'latin1');
const STOP = 0;

/**
 * All that is behind the last row group. The footer of the library has no column orders, so they are inserted before
 * its end.
 */
function footerOf(schema: SchemaElement[], groups: RowGroup[]): Uint8Array {
  const whole = metadataOf(schema, groups);
  if (groups.length === 0) {
    // The library writes no type of elements for an empty list.
    const other = metadataOf(schema, [{ columns: [], total_byte_size: 0n, num_rows: 0n }]);
    whole[whole.findIndex((byte, at) => byte !== other[at])] = STRUCTS;
  }
  const metadata = [whole.subarray(0, -LENGTH_BYTES - 1), columnOrders(schema), Uint8Array.of(STOP)];
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(metadata.reduce((sum, { length: bytes }) => sum + bytes, 0));
  return Buffer.concat([...metadata, length, MAGIC]);
}

function metadataOf(schema: SchemaElement[], row_groups: RowGroup[]): Uint8Array {
  const writer = new ByteWriter();
  writeMetadata(writer, {
    version: 2,
    created_by: 'ultimate-sitemap-parser',
    metadata_length: 0,
    schema,
    num_rows: row_groups.reduce((sum, { num_rows }) => sum + num_rows, 0n),
    row_groups,
  });
  return writer.getBytes();
}

/** Removes limits that readers compare in another order, by which they would leave out rows. */
function withoutUnordered({ columns }: RowGroup): void {
  for (const { meta_data: column } of columns) {
    const { statistics } = column ?? {};
    if (!isUnordered(statistics?.min_value) && !isUnordered(statistics?.max_value)) continue;
    delete statistics?.min_value;
    delete statistics?.max_value;
  }
}

/** The type of a list's elements in the format of footers: structs. */
const STRUCTS = 12;

/** The encoder compares UTF-16, readers compare UTF-8. The order differs where these characters are. */
function isUnordered(value: unknown): boolean {
  return typeof value === 'string' && /[\ud800-\uffff]/.test(value);
}

/**
 * Field 7 of a footer, which the library does not write: every column has the order of its type. Without it the
 * smallest and largest values of columns have no meaning, and readers such as Arrow ignore them.
 */
function columnOrders(schema: readonly SchemaElement[]): Uint8Array {
  const columns = schema.filter(({ num_children }) => num_children === undefined);
  const writer = new ByteWriter();
  // The next field after `created_by`, a list. Up to 14, its size is in the same byte as the type of its elements.
  const size = columns.length <= 14 ? [(columns.length << 4) | STRUCTS] : [0xf0 | STRUCTS, columns.length];
  writer.appendBytes(Uint8Array.of(0x19, ...size));
  // Each is a union whose first field is an empty struct.
  for (const _ of columns) writer.appendBytes(Uint8Array.of(0x10 | STRUCTS, STOP, STOP));
  return writer.getBytes();
}

/**
 * Whether a column of a row group has no value: to put together the structs and lists of such columns takes most of the
 * time. Pages have no struct without a value in it.
 */
function isEmpty(chunks: readonly ColumnChunk[], column: string): boolean {
  return chunks
    .flatMap(({ meta_data }) => meta_data ?? [])
    .filter(({ path_in_schema: [name] }) => name === column)
    .every(({ statistics, num_values }) => statistics?.null_count === num_values);
}

export async function* readParquetTable(
  path: string,
  columns: readonly Field[],
  { skipEmpty = false }: ReadTableOptions = {},
): AsyncGenerator<readonly Row[], void, undefined> {
  const source = await open(path);
  try {
    const file: AsyncBuffer = {
      byteLength: (await source.stat()).size,
      async slice(start, end = file.byteLength) {
        const bytes = new Uint8Array(end - start);
        for (let at = 0; at < bytes.byteLength; ) {
          const { bytesRead } = await source.read(bytes, at, bytes.byteLength - at, start + at);
          if (bytesRead === 0) throw new Error(`${path} is shorter than it was`);
          at += bytesRead;
        }
        return bytes.buffer;
      },
    };
    const metadata = await parquetMetadataAsync(file);
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      const names = columns
        .map(({ name }) => name)
        .filter((name) => !skipEmpty || !isEmpty(group.columns, name));
      const places = columns.map(({ name }) => names.indexOf(name));
      let rows: readonly (readonly unknown[])[] = [];
      const onComplete = (values: readonly (readonly unknown[])[]): void => {
        rows = values;
      };
      await parquetRead({ file, metadata, rowStart, rowEnd, columns: names, rowFormat: 'array', onComplete });
      yield rows.map((row) => places.map((place) => row[place] ?? undefined));
      rowStart = rowEnd;
    }
  } finally {
    await source.close();
  }
}
