/** Parts in Parquet; parquet-file.ts writes the file, schema.ts has the columns. */
import { open } from 'node:fs/promises';
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { ParquetFile } from './parquet-file.ts';
import type { PageRow, PartFile, PartWriter } from './part-writer.ts';
import { COLUMNS, valuesOf } from './schema.ts';

export async function openParquetPart(path: string): Promise<PartWriter> {
  const file = await ParquetFile.create(path);
  return {
    get rows() {
      return file.rows;
    },
    get bytes() {
      return file.bytes;
    },
    async write(site: string, rows: readonly PageRow[]) {
      for (const row of rows) await file.add(valuesOf(row, site));
    },
    finish: () => file.finish(),
    discard: () => file.discard(),
  };
}

/** Copies a part without the rows of some sites, one row group at a time. */
export async function copyParquetPart(
  from: string,
  to: string,
  dropped: ReadonlySet<string>,
): Promise<PartFile> {
  const source = await open(from);
  try {
    const file: AsyncBuffer = {
      byteLength: (await source.stat()).size,
      async slice(start, end = file.byteLength) {
        const bytes = new Uint8Array(end - start);
        for (let at = 0; at < bytes.byteLength; ) {
          const { bytesRead } = await source.read(bytes, at, bytes.byteLength - at, start + at);
          if (bytesRead === 0) throw new Error(`${from} is shorter than it was`);
          at += bytesRead;
        }
        return bytes.buffer;
      },
    };
    const metadata = await parquetMetadataAsync(file);
    const copy = await ParquetFile.create(to);
    try {
      let rowStart = 0;
      for (const { num_rows } of metadata.row_groups) {
        const rowEnd = rowStart + Number(num_rows);
        for (const row of await parquetReadObjects({ file, metadata, rowStart, rowEnd })) {
          if (dropped.has(String(row['site']))) continue;
          await copy.add(COLUMNS.map(({ name }) => row[name] ?? undefined));
        }
        rowStart = rowEnd;
      }
      return await copy.finish();
    } catch (error) {
      await copy.discard();
      throw error;
    }
  } finally {
    await source.close();
  }
}
