/** Parts in NDJSON and CSV, gzipped: rows as lines. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, type Gzip } from 'node:zlib';
import { PartSink } from './part-sink.ts';
import type { PageRow, PartFile, PartWriter } from './part-writer.ts';

/** How rows become lines, and which site a line is of. */
export interface LineFormat {
  /** The line above all rows, with its line break; empty for none. */
  readonly header: string;
  /** Rows as lines, each with its line break. */
  lines(site: string, rows: readonly PageRow[]): string;
  /** The site of a row. */
  siteOf(line: string): string;
  /** Whether text ends where a row ends: not within a cell that has line breaks. */
  isWhole(text: string): boolean;
}

/** Text that is compressed into a file. */
class GzippedFile {
  readonly sink: PartSink;
  readonly #gzip: Gzip;
  /** Settles when everything is in the file. */
  readonly #written: Promise<void>;

  private constructor(sink: PartSink) {
    this.sink = sink;
    this.#gzip = createGzip();
    this.#written = pipeline(this.#gzip, async (chunks) => {
      for await (const chunk of chunks) await sink.write(chunk as Uint8Array);
    });
    // It rejects before anything waits for it, where the disk is full.
    this.#written.catch(() => {});
  }

  static async create(path: string, header: string): Promise<GzippedFile> {
    const file = new GzippedFile(await PartSink.create(path));
    if (header !== '') await file.write(header);
    return file;
  }

  async write(text: string): Promise<void> {
    if (this.#gzip.destroyed) await this.#written;
    if (this.#gzip.write(text)) return;
    const drained = new AbortController();
    try {
      await Promise.race([this.#written, once(this.#gzip, 'drain', { signal: drained.signal })]);
    } finally {
      drained.abort();
    }
  }

  async finish(): Promise<void> {
    this.#gzip.end();
    await this.#written;
    await this.sink.finish();
  }

  async discard(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => {});
    await this.sink.discard();
  }
}

/** As many rows become text at a time. */
const BATCH = 1000;

export async function openGzipPart(path: string, format: LineFormat): Promise<PartWriter> {
  const file = await GzippedFile.create(path, format.header);
  let written = 0;
  return {
    get rows() {
      return written;
    },
    get bytes() {
      return file.sink.bytes;
    },
    async write(site: string, rows: readonly PageRow[]) {
      for (let at = 0; at < rows.length; at += BATCH) {
        const batch = rows.slice(at, at + BATCH);
        await file.write(format.lines(site, batch));
        written += batch.length;
      }
    },
    async finish() {
      await file.finish();
      return { path, rows: written, bytes: file.sink.bytes };
    },
    discard: () => file.discard(),
  };
}

/** Copies a part without the rows of some sites. */
export async function copyGzipPart(
  from: string,
  to: string,
  dropped: ReadonlySet<string>,
  format: LineFormat,
): Promise<PartFile> {
  const file = await GzippedFile.create(to, format.header);
  try {
    let rows = 0;
    let isHeader = format.header !== '';
    for await (const batch of rowsIn(from, format)) {
      const kept = isHeader ? batch.slice(1) : batch;
      isHeader = false;
      const lines = kept.filter((line) => !dropped.has(format.siteOf(line)));
      rows += lines.length;
      await file.write(lines.join(''));
    }
    await file.finish();
    return { path: to, rows, bytes: file.sink.bytes };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The rows of a part, each with its line break, as many at a time as a chunk has. */
async function* rowsIn(path: string, format: LineFormat): AsyncGenerator<readonly string[]> {
  const source = createReadStream(path);
  const gunzip = createGunzip();
  const read = pipeline(source, gunzip);
  read.catch(() => {});
  gunzip.setEncoding('utf8');
  let rest = '';
  for await (const chunk of gunzip as AsyncIterable<string>) {
    const lines = chunk.split(/(?<=\n)/);
    const rows: string[] = [];
    for (const line of lines) {
      rest += line;
      if (!rest.endsWith('\n') || !format.isWhole(rest)) continue;
      rows.push(rest);
      rest = '';
    }
    if (rows.length > 0) yield rows;
  }
  await read;
}
