/**
 * A WARC file that is open: plain, with a gzip member for each record, or gzipped in any other way.
 *
 * What is inside a member behind its first record cannot be found again without inflating everything before it, so it
 * is kept in a spool while the file is read once.
 */
import { closeSync, fstatSync, openSync, read, readSync } from 'node:fs';
import { crc32, createInflateRaw } from 'node:zlib';
import { SitemapException } from '../errors.ts';
import { type Body, bodyFrom } from '../fetch/body.ts';
import { ByteReader } from '../fetch/decode/byte-reader.ts';
import { GZIP_MAGIC_BYTES, isGzip, skipHeader } from '../fetch/decode/gunzip.ts';
import { INFLATE_CHUNK, ZlibPump } from '../fetch/decode/zlib-pump.ts';
import { fileTrouble } from '../runtime/files.ts';

const CHUNK_BYTES = 64 * 1024;

const abandoned = new FinalizationRegistry<number>((fd) => closeSync(fd));

/** A file, read from anywhere. It is closed when nothing refers to it any more. */
export class WarcFile {
  readonly name: string;
  readonly size: number;
  readonly isGzip: boolean;
  readonly #fd: number;

  /** @throws SitemapException with code `archive-unreadable`, or `archive-format` where it is not a WARC file */
  constructor(name: string) {
    this.name = name;
    try {
      this.#fd = openSync(name, 'r');
      abandoned.register(this, this.#fd);
      const found = fstatSync(this.#fd);
      if (found.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
      this.size = found.size;
      const start = new Uint8Array(5);
      readSync(this.#fd, start, 0, start.length, 0);
      this.isGzip = isGzip(start);
      if (this.isGzip || Buffer.from(start).toString('latin1') === 'WARC/') return;
    } catch (cause) {
      throw new SitemapException(`${name} could not be read: ${fileTrouble(cause, name)}.`, {
        code: 'archive-unreadable',
        cause,
      });
    }
    throw new SitemapException(`${name} is not a WARC file.`, { code: 'archive-format' });
  }

  /** Its bytes from a place on. */
  from(offset: number): Body & { readonly position: number } {
    const body = {
      position: offset,
      read: async (): Promise<Uint8Array | undefined> => {
        const bytes = new Uint8Array(CHUNK_BYTES);
        const count = await new Promise<number>((resolve, reject) => {
          read(this.#fd, bytes, 0, bytes.length, body.position, (error, length) =>
            error === null ? resolve(length) : reject(error),
          );
        });
        body.position += count;
        return count === 0 ? undefined : bytes.subarray(0, count);
      },
      cancel: async (): Promise<void> => {},
    };
    return body;
  }
}

/** One gzip member of a file. */
interface Member {
  readonly offset: number;
  /** What is in it; throws where it is damaged. */
  readonly body: Body;
  /** Where the next one begins, once all of the body was read. */
  next(): number;
}

/** The member that begins at a place; undefined at the end of the file. */
export async function memberAt(file: WarcFile, offset: number): Promise<Member | undefined> {
  const source = file.from(offset);
  const reader = new ByteReader(source);
  const start = await reader.peek(GZIP_MAGIC_BYTES);
  if (start.length === 0) return undefined;
  if (!isGzip(start) || !(await skipHeader(reader))) throw new Error('it is not gzip there');
  return {
    offset,
    body: bodyFrom(inflated(reader)),
    next: () => source.position - reader.buffered,
  };
}

async function* inflated(reader: ByteReader): AsyncGenerator<Uint8Array, void, undefined> {
  const pump = new ZlibPump(createInflateRaw({ chunkSize: INFLATE_CHUNK }));
  let checksum = 0;
  try {
    for (let chunk = await reader.read(); ; chunk = await reader.read()) {
      if (chunk === undefined) throw new Error('it ends inside a gzip member');
      pump.feed(chunk);
      for (let output = await pump.read(); output !== undefined; output = await pump.read()) {
        checksum = crc32(output, checksum);
        yield output;
      }
      if (!pump.ended) continue;
      reader.unread(chunk.subarray(chunk.length - pump.unused));
      break;
    }
  } finally {
    pump.close();
  }
  const trailer = await reader.take(8);
  if (trailer.length < 8) throw new Error('it ends inside a gzip member');
  if (new DataView(trailer.buffer, trailer.byteOffset, 8).getUint32(0, true) !== checksum) {
    throw new Error('the checksum of a gzip member is another one');
  }
}

/** The bytes of WARC records, wherever they are: heads as text, blocks as bodies. */

/** The most bytes that the head of a record, or of the response in it, may have. */
const MAX_HEAD_BYTES = 1024 * 1024;

const NEWLINE = 0x0a;

/** A head: its first line, and its headers by their names in lower case. */
export interface Head {
  readonly first: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The first header of a name. */
  get(name: string): string | undefined;
}

/** Reads records, one after the other. */
export class RecordBytes {
  readonly #reader: ByteReader;
  #position = 0;

  constructor(body: Body) {
    this.#reader = new ByteReader(body);
  }

  /** How many bytes were taken. */
  get position(): number {
    return this.#position;
  }

  /** The next head, behind any empty lines; undefined at the end. @throws Error where it is none, or has no end */
  async head(): Promise<Head | undefined> {
    const lines: string[] = [];
    const start = this.#position;
    for (;;) {
      const line = await this.#line(MAX_HEAD_BYTES - (this.#position - start));
      if (line === undefined) {
        if (lines.length === 0) return undefined;
        throw new Error('it ends inside a head');
      }
      if (line !== '') lines.push(line);
      else if (lines.length > 0) return headOf(lines);
    }
  }

  /** The next bytes as a body; what is left of them must be skipped by {@link skip}. */
  block(length: number): Body & { readonly left: number } {
    const block = {
      left: length,
      read: async (): Promise<Uint8Array | undefined> => {
        if (block.left === 0) return undefined;
        const chunk = await this.#reader.read();
        if (chunk === undefined) throw new Error('it ends inside a record');
        const part = chunk.subarray(0, block.left);
        if (part.length < chunk.length) this.#reader.unread(chunk.subarray(part.length));
        block.left -= part.length;
        this.#position += part.length;
        return part;
      },
      cancel: (): Promise<void> => this.cancel(),
    };
    return block;
  }

  async skip(count: number): Promise<void> {
    this.#position += count;
    if (!(await this.#reader.skip(count))) throw new Error('it ends inside a record');
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  /** The next line without its end; undefined at the end of the bytes. */
  async #line(most: number): Promise<string | undefined> {
    for (let size = 256; ; size = Math.min(size * 4, most)) {
      const bytes = await this.#reader.peek(size);
      const end = bytes.indexOf(NEWLINE);
      if (end === -1 && bytes.length === size && size < most) continue;
      if (end === -1 && bytes.length === size) throw new Error('it has a head without an end');
      if (bytes.length === 0) return undefined;
      const length = end === -1 ? bytes.length : end + 1;
      const text = Buffer.from(bytes.subarray(0, length)).toString('latin1');
      await this.#reader.skip(length);
      this.#position += length;
      return text.replace(/\r?\n$/, '');
    }
  }
}

function headOf([first = '', ...lines]: readonly string[]): Head {
  const headers: [string, string][] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const last = headers.at(-1);
    // A line that continues the one before it, as headers of 1999 did.
    if (/^\s/.test(line)) last?.splice(1, 1, `${last[1]} ${line.trim()}`);
    else if (colon > 0)
      headers.push([line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]);
  }
  return { first, headers, get: (name) => headers.find(([known]) => known === name)?.[1] };
}
