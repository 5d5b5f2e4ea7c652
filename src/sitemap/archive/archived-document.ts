/**
 * A document in an archive. It is read from there piece by piece, each time that it is needed, and checked once before
 * its first byte is handed out.
 */
import { promisify } from 'node:util';
import { constants, inflateRaw, inflateRawSync } from 'node:zlib';
import type { HostMap } from '../../options/host-map.ts';
import type { DocumentOptions } from '../../parse/detection/document-start.ts';
import { SitemapException } from '../../problems/errors.ts';
import { crc32 } from '../../runtime/checksum.ts';
import { inTurn } from '../../runtime/time.ts';
import {
  type Closes,
  type KeptDocument,
  type SharedSource,
  type TruncatedBy,
  Users,
} from '../kept-document.ts';
import { OpenFile, openArchive, ownedFile } from '../spool/open-file.ts';
import type { ArchivedDocumentFields } from './tree-records.ts';
import { Digest, PIECE_BYTES } from './warc-writer.ts';

/** The most bytes that are read at once for a checksum. */
const CHECKED_BYTES = 2 * 1024 * 1024;

/**
 * An archive that is open for reading: one descriptor, counted by its users. A tree that was made with the help of
 * another one may outlive it, and still read its documents.
 */
export class ArchiveFile implements SharedSource {
  readonly isArchive = true;
  readonly name: string;
  readonly size: number;
  readonly content: OpenFile;
  readonly #users: Users = new Users(() => this.content.close());
  readonly #inTurn = inTurn();
  #room: Uint8Array | undefined;

  /** @throws what the system says, or an `Error` for what is not a file */
  constructor(name: string) {
    const { fd, stats } = openArchive(name);
    this.name = name;
    this.size = stats.size;
    this.content = ownedFile(this, new OpenFile(fd));
  }

  use(): Closes {
    this.content.checkOpen();
    return this.#users.add();
  }

  /**
   * The CRC-32 of a part of the file; undefined where the file ends before it. One after the other, with the same
   * memory for all: the first of fifty is known early, and not at the end together with all others.
   */
  checksum(position: number, length: number): Promise<number | undefined> {
    return this.#inTurn(() => this.#sum(position, length));
  }

  async #sum(position: number, length: number): Promise<number | undefined> {
    this.#room ??= new Uint8Array(Math.min(CHECKED_BYTES, this.size));
    let sum = 0;
    for (let at = 0; at < length; at += this.#room.length) {
      const bytes = this.#room.subarray(0, length - at);
      if (!(await this.content.read(bytes, position + at))) return undefined;
      sum = crc32(bytes, sum);
    }
    return sum;
  }
}

/** The header of a gzip member, as this library writes it. */
const GZIP_HEADER_BYTES = 10;

/** What deflate adds, at the most, to a piece that cannot be compressed. */
const DEFLATE_OVERHEAD = 1024;

/** The most bytes before a body: a head, and the head of its record, which has its URL. */
const MAX_HEAD_BYTES = 8 * 1024 * 1024;

/** Pieces that are read and inflated at once: in the file they are one stream of deflate data. */
const PIECES_AT_ONCE = 4;

/** The most bytes of a body that are read at once: 1 MiB. */
const PART_BYTES: number = PIECES_AT_ONCE * PIECE_BYTES;

/** A range of a document: where it is in the file, and its sizes there and inflated. */
interface StoredRange {
  readonly position: number;
  readonly storedLength: number;
  readonly bytes: number;
}

function* plainRanges(position: number, length: number): Generator<StoredRange, void, undefined> {
  for (let at = 0; at < length; at += PART_BYTES) {
    const bytes = Math.min(PART_BYTES, length - at);
    yield { position: position + at, storedLength: bytes, bytes };
  }
}

/** The ranges of a body that was deflated in pieces. */
function* deflatedRanges(
  position: number,
  length: number,
  pieces: readonly number[],
): Generator<StoredRange, void, undefined> {
  let at = position;
  let remaining = length;
  for (let first = 0; first < pieces.length; first += PIECES_AT_ONCE) {
    const storedLength = pieces.slice(first, first + PIECES_AT_ONCE).reduce((sum, piece) => sum + piece, 0);
    const bytes = Math.min(PART_BYTES, remaining);
    yield { position: at, storedLength, bytes };
    at += storedLength;
    remaining -= bytes;
  }
}

/** Room for all bytes of a part, and a little more: where zlib has no room left, it asks for as much again. */
const inflation = ({ bytes }: StoredRange): object => ({
  finishFlush: constants.Z_SYNC_FLUSH,
  chunkSize: bytes + 64,
  maxOutputLength: bytes,
});
const inflate = promisify<Uint8Array, object, Buffer>(inflateRaw);

export class ArchivedDocument implements KeptDocument {
  readonly fields: ArchivedDocumentFields;
  readonly shared: ArchiveFile;
  readonly #problemPositions: boolean;
  readonly #hosts: HostMap | undefined;
  #isChecked = false;

  /** @throws SitemapException with code `archive-damaged` where the fields contradict each other */
  constructor(
    file: ArchiveFile,
    fields: ArchivedDocumentFields,
    { problemPositions, hosts }: { readonly problemPositions: boolean; readonly hosts?: HostMap | undefined },
  ) {
    this.#hosts = hosts;
    this.#problemPositions = problemPositions;
    this.shared = file;
    this.fields = fields;
    if (!isConsistent(fields, file.size)) throw this.#damaged('its place is not in the file');
  }

  get options(): DocumentOptions {
    const { url, charset, isUtf8, isRobotsPath } = this.fields;
    const problemPositions = this.#problemPositions ? true : undefined;
    return { url, charset, isUtf8, isRobotsPath, problemPositions };
  }

  get requestedAt(): number | undefined {
    return this.fields.requestedAt === undefined ? undefined : Date.parse(this.fields.requestedAt);
  }

  get truncatedBy(): TruncatedBy | undefined {
    return this.fields.truncated;
  }

  get bytes(): number {
    return this.fields.bytes;
  }

  get digest(): string | undefined {
    return this.isAsSaved ? this.fields.digest : undefined;
  }

  /** Whether it is read as it is in the file: without `mapHosts`. */
  get isAsSaved(): boolean {
    return this.#hosts === undefined;
  }

  get isGzip(): boolean {
    return this.fields.pieces !== undefined;
  }

  chunks(): Iterable<Uint8Array> {
    return this.#hosts?.chunks(this.#savedChunks()) ?? this.#savedChunks();
  }

  chunksAsync(): AsyncIterable<Uint8Array> {
    return this.#hosts?.chunksAsync(this.#savedChunksAsync()) ?? this.#savedChunksAsync();
  }

  *#savedChunks(): Generator<Uint8Array, void, undefined> {
    this.#checkSync();
    for (const part of this.#ranges()) {
      const bytes = this.#storedSync(new Uint8Array(part.storedLength), part.position);
      yield this.isGzip ? this.#ofLength(part, this.#inflatedSync(bytes, inflation(part))) : bytes;
    }
  }

  async *#savedChunksAsync(): AsyncGenerator<Uint8Array, void, undefined> {
    await this.check();
    yield* ahead(this.#ranges(), (part) => this.#read(part));
  }

  async head(): Promise<string> {
    if (this.requestedAt === undefined) return '';
    const { start, offset } = this.fields;
    const before = this.isGzip ? GZIP_HEADER_BYTES : 0;
    // Mostly a few hundred bytes, for which a thread of its own takes longer than the work.
    const storedHead = this.#storedSync(new Uint8Array(start - before), offset + before);
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_HEAD_BYTES };
    const bytes = this.isGzip ? this.#inflatedSync(storedHead, options) : storedHead;
    const [, http = ''] = Buffer.from(bytes).toString('latin1').split('\r\n\r\n');
    return `${http.replace(/\r\nContent-Length: \d+$/, '')}\r\n`;
  }

  async check(): Promise<void> {
    if (this.#isChecked) return;
    const checksum = await this.shared.checksum(this.fields.offset, this.fields.length);
    if (checksum === undefined) throw this.#damaged('the file is too short');
    this.#compare(checksum);
  }

  /** Its record as it is in the file. */
  async *storedChunks(): AsyncGenerator<Uint8Array, void, undefined> {
    await this.check();
    const ranges = plainRanges(this.fields.offset, this.fields.length);
    yield* ahead(ranges, ({ storedLength, position }) =>
      this.#storedBytes(new Uint8Array(storedLength), position),
    );
  }

  /** Reads all of it, and compares its digest. @throws SitemapException with code `archive-damaged` */
  async verify(signal?: { throwIfAborted(): void }): Promise<void> {
    const digest = new Digest();
    for await (const chunk of this.#savedChunksAsync()) {
      digest.update(chunk);
      signal?.throwIfAborted();
    }
    if (digest.end() !== this.fields.digest) throw this.#damaged('its digest does not match');
  }

  #ranges(): Iterable<StoredRange> {
    const { offset, start, bytes, pieces } = this.fields;
    return pieces === undefined
      ? plainRanges(offset + start, bytes)
      : deflatedRanges(offset + start, bytes, pieces);
  }

  async #storedBytes(room: Uint8Array, position: number): Promise<Uint8Array> {
    if (!(await this.shared.content.read(room, position))) throw this.#damaged('the file is too short');
    return room;
  }

  #storedSync(room: Uint8Array, position: number): Uint8Array {
    if (!this.shared.content.readSync(room, position)) throw this.#damaged('the file is too short');
    return room;
  }

  async #read(part: StoredRange): Promise<Uint8Array> {
    const bytes = await this.#storedBytes(new Uint8Array(part.storedLength), part.position);
    if (!this.isGzip) return bytes;
    try {
      return this.#ofLength(part, await inflate(bytes, inflation(part)));
    } catch (cause) {
      throw this.#damaged('it cannot be inflated', cause);
    }
  }

  #inflatedSync(bytes: Uint8Array, options: object): Uint8Array {
    try {
      return inflateRawSync(bytes, options);
    } catch (cause) {
      throw this.#damaged('it cannot be inflated', cause);
    }
  }

  #ofLength(part: StoredRange, bytes: Uint8Array): Uint8Array {
    if (bytes.length !== part.bytes) throw this.#damaged('a piece has another length');
    return bytes;
  }

  #checkSync(): void {
    if (this.#isChecked) return;
    const room = new Uint8Array(Math.min(PART_BYTES, this.fields.length));
    let checksum = 0;
    for (const { position, storedLength } of plainRanges(this.fields.offset, this.fields.length)) {
      checksum = crc32(this.#storedSync(room.subarray(0, storedLength), position), checksum);
    }
    this.#compare(checksum);
  }

  #compare(checksum: number): void {
    if (checksum !== this.fields.crc32) throw this.#damaged('its checksum does not match');
    this.#isChecked = true;
  }

  #damaged(why: string, cause?: unknown): SitemapException {
    if (cause instanceof SitemapException) return cause;
    const { url, offset } = this.fields;
    const which = url === undefined || url === '' ? 'a document' : url;
    return new SitemapException(
      `${this.shared.name} is damaged: ${which} (record at byte ${offset}) cannot be read, ${why}.`,
      { code: 'archive-damaged', url, cause },
    );
  }
}

/** Reads ranges one after the other: the next one is on its way while this one is used. */
async function* ahead(
  ranges: Iterable<StoredRange>,
  readPart: (part: StoredRange) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let next: Promise<Uint8Array> | undefined;
  for (const part of ranges) {
    const current = next;
    next = readPart(part);
    // Where the reader leaves early, nothing waits for it.
    next.catch(() => {});
    if (current !== undefined) yield await current;
  }
  if (next !== undefined) yield await next;
}

function isConsistent(
  { offset, length, start, bytes, pieces }: ArchivedDocumentFields,
  size: number,
): boolean {
  if (offset + length > size || start > length || start > MAX_HEAD_BYTES) return false;
  if (pieces === undefined) return start + bytes <= length;
  if (start < GZIP_HEADER_BYTES || pieces.length !== Math.ceil(bytes / PIECE_BYTES)) return false;
  if (pieces.some((piece) => piece > PIECE_BYTES + DEFLATE_OVERHEAD)) return false;
  return start + pieces.reduce((sum, piece) => sum + piece, 0) <= length;
}
