/**
 * A document in an archive. It is read from there piece by piece, each time that it is needed, and checked once before
 * its first byte is handed out.
 */
import { promisify } from 'node:util';
import { constants, crc32, inflateRaw, inflateRawSync } from 'node:zlib';
import { SitemapException } from '../../errors.ts';
import type { DocumentOptions } from '../../parse/opening/opening.ts';
import type { KeptDocument, TruncatedBy } from '../kept-document.ts';
import type { ArchiveFile } from './archive-file.ts';
import { inflatedParts, PART_BYTES, type Part, partsOf } from './document-parts.ts';
import type { ArchivedDocumentFields } from './node-record.ts';
import { PIECE_BYTES } from './record-file.ts';
import { Digest } from './warc-record.ts';

/** The header of a gzip member, as this library writes it. */
const GZIP_HEADER_BYTES = 10;

/** What deflate adds, at the most, to a piece that cannot be compressed. */
const DEFLATE_OVERHEAD = 1024;

/** The most bytes before a body: a head, and the head of its record, which has its URL. */
const MAX_HEAD_BYTES = 8 * 1024 * 1024;

/** Heads up to this size are read without a detour. */
const SMALL_HEAD_BYTES = 64 * 1024;

/** Room for all bytes of a part, and a little more: where zlib has no room left, it asks for as much again. */
const inflation = ({ bytes }: Part): object => ({
  finishFlush: constants.Z_SYNC_FLUSH,
  chunkSize: bytes + 64,
  maxOutputLength: bytes,
});
const inflate = promisify<Uint8Array, object, Buffer>(inflateRaw);

/** A document of an archive. */
export class ArchivedDocument implements KeptDocument {
  readonly fields: ArchivedDocumentFields;
  readonly shared: ArchiveFile;
  readonly #problemPositions: boolean;
  #isChecked = false;

  /** @throws SitemapException with code `archive-damaged` where the fields contradict each other */
  constructor(
    file: ArchiveFile,
    fields: ArchivedDocumentFields,
    { problemPositions }: { readonly problemPositions: boolean },
  ) {
    this.#problemPositions = problemPositions;
    this.shared = file;
    this.fields = fields;
    if (!isConsistent(fields, file.size)) throw this.#damaged('its place is not in the file');
  }

  get options(): DocumentOptions {
    const { url, charset, isUtf8, isRobotsPath } = this.fields;
    return {
      url,
      charset,
      ...(isUtf8 !== undefined && { isUtf8 }),
      ...(isRobotsPath !== undefined && { isRobotsPath }),
      ...(this.#problemPositions && { problemPositions: true }),
    };
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

  get storedBytes(): number {
    return this.fields.length;
  }

  get digest(): string {
    return this.fields.digest;
  }

  get isGzip(): boolean {
    return this.fields.pieces !== undefined;
  }

  *chunks(): Generator<Uint8Array, void, undefined> {
    this.#checkSync();
    for (const part of this.#parts()) {
      const stored = new Uint8Array(part.stored);
      if (!this.shared.readSync(stored, part.position)) throw this.#damaged('the file is too short');
      yield this.isGzip ? this.#inflatedSync(stored, part) : stored;
    }
  }

  async *chunksAsync(): AsyncGenerator<Uint8Array, void, undefined> {
    await this.check();
    yield* this.#ahead(this.#parts(), this.#read);
  }

  /** Reads parts one after the other: the next one is on its way while this one is used. */
  async *#ahead(
    parts: Iterable<Part>,
    read: (part: Part) => Promise<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    let next: Promise<Uint8Array> | undefined;
    for (const part of parts) {
      const current = next;
      next = read.call(this, part);
      // Where the reader leaves early, nothing waits for it.
      next.catch(() => {});
      if (current !== undefined) yield await current;
    }
    if (next !== undefined) yield await next;
  }

  async head(): Promise<string> {
    const { start, offset } = this.fields;
    const before = this.isGzip ? GZIP_HEADER_BYTES : 0;
    const stored = new Uint8Array(start - before);
    // A head is mostly a few hundred bytes, for which a thread of its own takes longer than the work.
    const isRead =
      stored.length > SMALL_HEAD_BYTES
        ? await this.shared.read(stored, offset + before)
        : this.shared.readSync(stored, offset + before);
    if (!isRead) throw this.#damaged('the file is too short');
    const bytes = this.isGzip ? this.#inflatedHead(stored) : stored;
    const [, http = ''] = Buffer.from(bytes).toString('latin1').split('\r\n\r\n');
    if (this.requestedAt === undefined) return '';
    return `${http.replace(/\r\nContent-Length: \d+$/, '')}\r\n`;
  }

  async check(): Promise<void> {
    if (this.#isChecked) return;
    const checksum = await this.shared.checksum(this.fields.offset, this.fields.length);
    if (checksum === undefined) throw this.#damaged('the file is too short');
    this.#compare(checksum);
  }

  /** Its record as it is in the file, checked: before it is handed out, or at its end. */
  async *storedChunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const isChecked = this.#isChecked;
    let checksum = 0;
    for await (const chunk of this.#ahead(partsOf(this.fields.offset, this.fields.length), this.#stored)) {
      if (!isChecked) checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (!isChecked) this.#compare(checksum);
  }

  /** Reads all of it, and compares its digest. @throws SitemapException with code `archive-damaged` */
  async verify(): Promise<void> {
    const digest = new Digest();
    for await (const chunk of this.chunksAsync()) digest.update(chunk);
    if (digest.end() !== this.fields.digest) throw this.#damaged('its digest is another one');
  }

  #parts(): Iterable<Part> {
    const { offset, start, bytes, pieces } = this.fields;
    return pieces === undefined
      ? partsOf(offset + start, bytes)
      : inflatedParts(offset + start, bytes, pieces);
  }

  async #stored({ position, stored }: Part): Promise<Uint8Array> {
    const bytes = new Uint8Array(stored);
    if (!(await this.shared.read(bytes, position))) throw this.#damaged('the file is too short');
    return bytes;
  }

  async #read(part: Part): Promise<Uint8Array> {
    const stored = await this.#stored(part);
    if (!this.isGzip) return stored;
    const bytes = await this.#orDamaged(inflate(stored, inflation(part)));
    if (bytes.length !== part.bytes) throw this.#damaged('a piece has another length');
    return bytes;
  }

  #inflatedHead(stored: Uint8Array): Uint8Array {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_HEAD_BYTES };
    try {
      return inflateRawSync(stored, options);
    } catch (cause) {
      throw this.#damaged('it cannot be inflated', cause);
    }
  }

  #inflatedSync(stored: Uint8Array, part: Part): Uint8Array {
    let bytes: Uint8Array;
    try {
      bytes = inflateRawSync(stored, inflation(part));
    } catch (cause) {
      throw this.#damaged('it cannot be inflated', cause);
    }
    if (bytes.length !== part.bytes) throw this.#damaged('a piece has another length');
    return bytes;
  }

  #checkSync(): void {
    if (this.#isChecked) return;
    const room = new Uint8Array(Math.min(PART_BYTES, this.fields.length));
    let checksum = 0;
    for (const { position, stored } of partsOf(this.fields.offset, this.fields.length)) {
      const chunk = room.subarray(0, stored);
      if (!this.shared.readSync(chunk, position)) throw this.#damaged('the file is too short');
      checksum = crc32(chunk, checksum);
    }
    this.#compare(checksum);
  }

  #compare(checksum: number): void {
    if (checksum !== this.fields.crc32) throw this.#damaged('its checksum is another one');
    this.#isChecked = true;
  }

  async #orDamaged(inflated: Promise<Uint8Array>): Promise<Uint8Array> {
    try {
      return await inflated;
    } catch (cause) {
      throw this.#damaged('it cannot be inflated', cause);
    }
  }

  #damaged(why: string, cause?: unknown): SitemapException {
    const { url, offset } = this.fields;
    const which = url === undefined || url === '' ? 'a document' : url;
    return new SitemapException(
      `${this.shared.name} is damaged: ${which} (record at byte ${offset}) cannot be read, ${why}.`,
      { code: 'archive-damaged', url, cause },
    );
  }
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
