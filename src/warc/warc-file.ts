/**
 * A WARC file and its bytes: plain, with a gzip member for each record, or gzipped in any other way.
 *
 * A file may hold anything, so everything that is read has a limit, and whatever takes long asks a {@link Gate} on its
 * way. The file is open only while it is read: a client has no end at which it could be closed.
 */
import { closeSync, readSync, type Stats } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { type Body, bodyFrom } from '../fetch/body.ts';
import { ByteReader } from '../fetch/decode/byte-reader.ts';
import { GZIP_MAGIC_BYTES, isGzip, skipHeader } from '../fetch/decode/inflate.ts';
import { rawInflate, ZlibPump } from '../fetch/decode/zlib-pump.ts';
import { SitemapException } from '../problems/errors.ts';
import { crc32 } from '../runtime/checksum.ts';
import { fileTrouble } from '../runtime/files.ts';
import { OpenFile, openArchive, ownedFile } from '../sitemap/spool/open-file.ts';

/** Called before each chunk of a file: it may wait for others, or end the reading by a rejection. */
export type Gate = (bytes: FileBytes) => Promise<void>;

const CHUNK_BYTES = 64 * 1024;

export class WarcFile {
  readonly name: string;
  readonly isGzip: boolean;
  readonly #stats: Stats;

  /** @throws SitemapException with code `archive-unreadable`, or `archive-format` where it is not a WARC file */
  constructor(name: string) {
    this.name = name;
    const start = Buffer.alloc(5);
    try {
      const { fd, stats } = openArchive(name);
      this.#stats = stats;
      try {
        readSync(fd, start);
      } finally {
        closeSync(fd);
      }
    } catch (cause) {
      const message = `${name} could not be read: ${fileTrouble(cause, name)}.`;
      throw new SitemapException(message, { code: 'archive-unreadable', cause });
    }
    this.isGzip = isGzip(start);
    if (!this.isGzip && start.toString('latin1') !== 'WARC/')
      throw new SitemapException(`${name} is not a WARC file.`, { code: 'archive-format' });
  }

  get size(): number {
    return this.#stats.size;
  }

  /** @throws Error where it is not the file that it was */
  open(): OpenFile {
    const { fd, stats } = openArchive(this.name);
    const { dev, ino, size, mtimeMs } = this.#stats;
    const isSame = stats.dev === dev && stats.ino === ino && stats.size === size && stats.mtimeMs === mtimeMs;
    if (isSame) return new OpenFile(fd);
    closeSync(fd);
    throw new Error('it was changed since it was first read');
  }
}

export class FileBytes implements Body {
  readonly #file: WarcFile;
  readonly #gate: Gate;
  /** Where the next chunk begins. */
  position: number;
  #open: OpenFile | undefined;
  #isCancelled = false;

  constructor(file: WarcFile, position: number, gate: Gate) {
    this.#file = file;
    this.#gate = gate;
    this.position = position;
  }

  async read(): Promise<Uint8Array | undefined> {
    try {
      await this.#gate(this);
      if (this.#isCancelled) return undefined;
      // A caller may request a response and never read or cancel it.
      this.#open ??= ownedFile(this, this.#file.open());
      const bytes = new Uint8Array(CHUNK_BYTES);
      const count = await this.#open.readSome(bytes, this.position);
      this.position += count;
      if (count > 0) return bytes.subarray(0, count);
    } catch (error) {
      this.close();
      throw error;
    }
    this.close();
    return undefined;
  }

  /** Leaves bytes out without reading them. */
  pass(count: number): void {
    this.position += count;
  }

  async cancel(): Promise<void> {
    this.#isCancelled = true;
    this.close();
  }

  /** Closes the file, until it is read again. */
  close(): void {
    this.#open?.close();
    this.#open = undefined;
  }
}

/** More empty gzip members than this are not skipped. */
const MOST_EMPTY_MEMBERS = 1000;

/** A member of at most this size is inflated at once: a stream costs more than inflating a small record. */
const SMALL_BYTES = 64 * 1024;

export class Members {
  readonly #source: FileBytes;
  readonly #reader: ByteReader;
  #mayBeSmall = true;
  #empty = 0;

  constructor(source: FileBytes) {
    this.#source = source;
    this.#reader = new ByteReader(source);
  }

  /** Where the next member begins, once all of the one before was read. */
  get offset(): number {
    return this.#source.position - this.#reader.buffered;
  }

  /** What is in the next member, which throws where it is damaged; undefined at the end of the file. */
  async next(): Promise<Body | undefined> {
    const start = await this.#reader.peek(GZIP_MAGIC_BYTES);
    if (start.length === 0) return undefined;
    if (!isGzip(start) || !(await skipHeader(this.#reader))) throw new Error('it is not gzip there');
    return bodyFrom(this.#inflated());
  }

  async *#inflated(): AsyncGenerator<Uint8Array, void, undefined> {
    let checksum = 0;
    let length = 0;
    for await (const output of this.#outputs()) {
      checksum = crc32(output, checksum);
      length += output.length;
      yield output;
    }
    const trailer = await this.#reader.take(8);
    if (trailer.length < 8) throw new Error('it ends inside a gzip member');
    if (new DataView(trailer.buffer, trailer.byteOffset, 8).getUint32(0, true) !== checksum) {
      throw new Error('the checksum of a gzip member does not match');
    }
    this.#mayBeSmall = length <= SMALL_BYTES;
    this.#empty = length === 0 ? this.#empty + 1 : 0;
    if (this.#empty > MOST_EMPTY_MEMBERS) throw new Error('too many empty gzip members');
  }

  async *#outputs(): AsyncGenerator<Uint8Array, void, undefined> {
    const small = this.#mayBeSmall ? await this.#small() : undefined;
    if (small !== undefined) {
      yield small;
      return;
    }
    const pump = new ZlibPump(rawInflate(), this.#reader);
    try {
      for (let output = await pump.read(); output !== undefined; output = await pump.read()) yield output;
      if (!pump.ended) throw new Error('it ends inside a gzip member');
    } finally {
      pump.close();
    }
  }

  /** All of the member, where it is small and in one chunk. */
  async #small(): Promise<Uint8Array | undefined> {
    const chunk = (await this.#reader.read()) ?? new Uint8Array(0);
    const inflated = inflatedAtOnce(chunk);
    this.#reader.unread(chunk.subarray(inflated?.used ?? 0));
    return inflated?.output;
  }
}

/** What the beginning of the bytes inflates to, and how many of them that took; undefined where there is more of it. */
function inflatedAtOnce(
  bytes: Uint8Array,
): { readonly output: Uint8Array; readonly used: number } | undefined {
  try {
    const options = { info: true, maxOutputLength: SMALL_BYTES };
    // With `info` it returns this; its declaration does not say so.
    const { buffer, engine } = inflateRawSync(bytes, options) as unknown as {
      readonly buffer: Uint8Array;
      readonly engine: { readonly bytesWritten: number };
    };
    return { output: buffer, used: engine.bytesWritten };
  } catch {
    return undefined;
  }
}

/** The most bytes that the head of a record, or of the response in it, may have. */
const MAX_HEAD_BYTES = 1024 * 1024;

/** The most lines that it may have. */
const MAX_HEAD_LINES = 1000;

/** The most bytes of empty lines before it: two lines end a record. */
const MAX_BLANK_BYTES = 1000;
const BLANK_BYTES_AT_ONCE = 64;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** A head: its first line, and its headers by their names in lower case. */
export interface RecordHead {
  readonly first: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The first header of a name. */
  get(name: string): string | undefined;
}

/** As much as is looked at for the end of a head at first; where it is not there, four times as much, and so on. */
const FIRST_HEAD_BYTES = 4096;

/** Reads records, one after the other: heads as text, blocks as bodies. */
export class RecordBytes {
  readonly #body: Body;
  readonly #reader: ByteReader;
  /** How many bytes were taken. */
  position = 0;

  constructor(body: Body) {
    this.#body = body;
    this.#reader = new ByteReader(body);
  }

  /**
   * The next head, behind any empty lines; undefined at the end. @throws Error where it has no end, or is too large
   *
   * @param isLast - whether the bytes may end without an empty line behind it
   */
  async head({ isLast = false }: { readonly isLast?: boolean } = {}): Promise<RecordHead | undefined> {
    if (!(await this.#skipEmptyLines())) return undefined;
    for (let most = FIRST_HEAD_BYTES, searched = 0; ; most *= 4) {
      const count = Math.min(most, MAX_HEAD_BYTES + 1);
      const bytes = await this.#reader.peek(count);
      const end = endOfHead(bytes, searched);
      if (end !== -1) return headOf(await this.#take(end));
      if (bytes.length > MAX_HEAD_BYTES) throw new Error('it has a head without an end');
      if (bytes.length < count && isLast) return headOf(await this.#take(bytes.length));
      if (bytes.length < count) throw new Error('it ends inside a head');
      searched = bytes.length - 2;
    }
  }

  /** The next bytes, which are not taken; fewer only at the end. */
  peek(count: number): Promise<Uint8Array> {
    return this.#reader.peek(count);
  }

  /** The next bytes as a body; what is left of them must be skipped by {@link skip}. */
  block(length: number): Body {
    let remaining = length;
    return {
      read: async (): Promise<Uint8Array | undefined> => {
        if (remaining === 0) return undefined;
        const chunk = await this.#reader.read();
        if (chunk === undefined) throw new Error('it ends inside a record');
        const part = chunk.subarray(0, remaining);
        if (part.length < chunk.length) this.#reader.unread(chunk.subarray(part.length));
        this.position += part.length;
        remaining -= part.length;
        return part;
      },
      cancel: () => this.#body.cancel(),
    };
  }

  async skip(count: number): Promise<void> {
    this.position += count;
    // What is not in memory yet need not be read from a file.
    const beyond = this.#body instanceof FileBytes ? Math.max(0, count - this.#reader.buffered) : 0;
    if (!(await this.#reader.skip(count - beyond))) throw new Error('it ends inside a record');
    if (this.#body instanceof FileBytes) this.#body.pass(beyond);
  }

  cancel(): Promise<void> {
    return this.#body.cancel();
  }

  async #skipEmptyLines(): Promise<boolean> {
    for (let skipped = 0; ; ) {
      const bytes = await this.#reader.peek(BLANK_BYTES_AT_ONCE);
      if (bytes.length === 0) return false;
      const blank = bytes.findIndex((byte) => byte !== NEWLINE && byte !== RETURN);
      if (blank === 0) return true;
      skipped += (await this.#take(blank === -1 ? bytes.length : blank)).length;
      if (skipped > MAX_BLANK_BYTES) throw new Error('it has too many empty lines');
    }
  }

  #take(count: number): Promise<Uint8Array> {
    this.position += count;
    return this.#reader.take(count);
  }
}

/** Where a head ends, its empty line included; -1 where that is not there yet. */
function endOfHead(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(NEWLINE, from); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
    if (bytes[at + 1] === NEWLINE) return at + 2;
    if (bytes[at + 1] === RETURN && bytes[at + 2] === NEWLINE) return at + 3;
  }
  return -1;
}

function headOf(bytes: Uint8Array): RecordHead {
  const [first = '', ...lines] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString('latin1')
    .split('\n', MAX_HEAD_LINES + 1);
  if (lines.length === MAX_HEAD_LINES) throw new Error('its head has too many lines');
  const headers: [string, string][] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const last = headers.at(-1);
    // A line that continues the one before it, as headers of 1999 did.
    if (/^[ \t]/.test(line)) last?.splice(1, 1, `${last[1]} ${line.trim()}`);
    else if (colon > 0)
      headers.push([line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]);
  }
  return {
    first: first.trimEnd(),
    headers,
    get: (name) => headers.find(([headerName]) => headerName === name)?.[1],
  };
}
