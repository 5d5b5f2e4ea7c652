/**
 * The end of a Parquet file: its schema, and where each row group and column is. The encoder keeps objects for all of
 * that until the file ends, 42 KiB for a row group. Here a row group is written as soon as it is complete, and 3 KiB of
 * bytes are kept.
 *
 * The library writes whole footers only. So each row group is written as the only one of a footer and cut out of it:
 * the bytes before it (up to the header of the list) and after it are those of a footer without row groups.
 *
 * @packageDocumentation
 */
import { ByteWriter, type ParquetWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { PARQUET_SCHEMA } from './parquet-schema.ts';

type RowGroup = ParquetWriter['row_groups'][number];

const MAGIC = Buffer.from('PAR1', 'latin1');
/** The type of a list's elements in the format of footers: structs. */
const STRUCTS = 12;
/** Up to so many elements, the header of a list has their number in the same byte as their type. */
const SHORT_LIST = 14;
const LENGTH_BYTES = 4;
/** The end of a struct in the format of footers. */
const STOP = 0;

export class ParquetFooter {
  readonly #groups: Uint8Array[] = [];
  /** Where the list of row groups begins in a footer without rows, and how many bytes follow it. */
  readonly #at: number;
  readonly #after: number;

  constructor() {
    const none = footer(0n, []);
    const one = footer(0n, [{ columns: [], total_byte_size: 0n, num_rows: 0n }]);
    this.#at = none.findIndex((byte, at) => byte !== one[at]);
    this.#after = none.length - this.#at - 1;
  }

  add(group: RowGroup): void {
    const whole = footer(0n, [group]);
    this.#groups.push(whole.slice(this.#at + 1, whole.length - this.#after));
  }

  /** All that is behind the last row group. */
  *chunks(rows: number): Generator<Uint8Array> {
    const none = footer(BigInt(rows), []);
    const at = none.length - this.#after - 1;
    const parts = [
      none.subarray(0, at),
      listHeader(this.#groups.length),
      ...this.#groups,
      none.subarray(at + 1, -LENGTH_BYTES - 1),
      columnOrders(),
      Uint8Array.of(STOP),
    ];
    yield* parts;
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(parts.reduce((sum, { length: bytes }) => sum + bytes, 0));
    yield length;
    yield MAGIC;
  }
}

/** A footer with its length. */
function footer(rows: bigint, row_groups: RowGroup[]): Uint8Array {
  const writer = new ByteWriter();
  const created_by = 'ultimate-sitemap-parser';
  writeMetadata(writer, {
    version: 2,
    created_by,
    schema: PARQUET_SCHEMA,
    num_rows: rows,
    row_groups,
    metadata_length: 0,
  });
  return writer.getBytes();
}

/**
 * Field 7 of a footer, which the library does not write: every column has the order of its type. Without it the
 * smallest and largest values of columns have no meaning, and readers such as Arrow ignore them.
 */
function columnOrders(): Uint8Array {
  const columns = PARQUET_SCHEMA.filter(({ num_children }) => num_children === undefined);
  const writer = new ByteWriter();
  // The next field after `created_by`, a list.
  writer.appendUint8(0x19);
  writer.appendBytes(listHeader(columns.length));
  // Each is a union whose first field is an empty struct.
  for (const _ of columns) writer.appendBytes(Uint8Array.of(0x10 | STRUCTS, STOP, STOP));
  return writer.getBytes();
}

function listHeader(size: number): Uint8Array {
  const writer = new ByteWriter();
  if (size <= SHORT_LIST) writer.appendUint8((size << 4) | STRUCTS);
  else {
    writer.appendUint8(0xf0 | STRUCTS);
    writer.appendVarInt(size);
  }
  return writer.getBytes();
}
