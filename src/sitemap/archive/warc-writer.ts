/**
 * Writes records of WARC 1.1 (ISO 28500), plain or with one gzip member for each.
 *
 * A member is put together from pieces that were deflated each by itself, of 256 KiB before that. To every other
 * program it is an ordinary gzip member. To us it is one that can be inflated piece by piece: without holding a
 * document, without a stream (which sync iteration has no time for), and on several cores.
 */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { badInput } from '../../problems/errors.ts';

export interface RecordFields {
  readonly type: 'warcinfo' | 'response' | 'resource' | 'metadata';
  /** Milliseconds since the epoch. */
  readonly date: number;
  readonly targetUri?: string | undefined;
  readonly contentType: string;
  /** Why something is missing at the end of the payload. */
  readonly truncated?: string | undefined;
}

/** The digests of a record: `sha1:` and base32, as every WARC tool writes them. */
interface RecordDigests {
  readonly block: string;
  readonly payload: string;
}

export function recordHead(fields: RecordFields, length: number, digests: RecordDigests): string {
  const { type, date, targetUri, contentType, truncated } = fields;
  const lines = [
    'WARC/1.1',
    `WARC-Type: ${type}`,
    `WARC-Record-ID: <urn:uuid:${recordId(`${type} ${date} ${targetUri ?? ''} ${digests.block}`)}>`,
    `WARC-Date: ${new Date(date).toISOString()}`,
    ...(targetUri === undefined ? [] : [`WARC-Target-URI: ${uri(targetUri)}`]),
    ...(truncated === undefined ? [] : [`WARC-Truncated: ${truncated}`]),
    `WARC-Payload-Digest: ${digests.payload}`,
    `WARC-Block-Digest: ${digests.block}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

export const RECORD_END = '\r\n\r\n';
const END: Uint8Array = Buffer.from(RECORD_END);

export class Digest {
  readonly #hash = createHash('sha1');

  update(bytes: Uint8Array): this {
    this.#hash.update(bytes);
    return this;
  }

  end(): string {
    return `sha1:${base32(this.#hash.digest())}`;
  }
}

export function digestOf(bytes: Uint8Array): string {
  return new Digest().update(bytes).end();
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(value >>> (bits - 5)) & 31];
    value &= 0xff;
  }
  return text;
}

/** A UUID (version 8) made of what the record is: the same record has the same id in every archive. */
function recordId(what: string): string {
  const hex = createHash('sha256').update(what).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** A text as a URI in one line of ASCII: a node may be named by anything. */
function uri(text: string): string {
  // Bytes and back: what is not a character becomes one.
  const characters = Buffer.from(text).toString();
  return encodeURI(characters).replaceAll(/%25([\da-f]{2})/gi, '%$1');
}

/** The bytes of a body that one piece holds; the last piece has the rest. */
export const PIECE_BYTES: number = 256 * 1024;

export interface RecordPlace {
  /** From the beginning of the file, in bytes. */
  readonly offset: number;
  /** As it is in the file. */
  readonly length: number;
  /** The CRC-32 of these bytes. */
  readonly crc32: number;
  /** From the beginning of the record to the first byte of its body. */
  readonly start: number;
  /** The deflated length of each piece of the body; absent where nothing is compressed. */
  readonly pieces?: readonly number[] | undefined;
}

/** How hard pieces are deflated: level 6 makes them 15 % smaller, and takes two and a half times as long. */
const LEVEL = 2;

const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** An empty last block of deflate data. */
const LAST_BLOCK = Uint8Array.of(3, 0);

/** Pieces that are deflated at the same time, and wait to be written. */
const AT_ONCE = 4;

const deflate = promisify<Uint8Array, object, Buffer>(deflateRaw);

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

interface Output {
  write(bytes: Uint8Array): Promise<void>;
}

export class RecordFile {
  readonly #file: Output;
  readonly #isGzip: boolean;
  offset: number;

  /** @param offset - how much the file has already */
  constructor(file: Output, { isGzip }: { readonly isGzip: boolean }, offset = 0) {
    this.#file = file;
    this.#isGzip = isGzip;
    this.offset = offset;
  }

  /**
   * Writes a record.
   *
   * @param head - everything before the body
   * @param body - in chunks that may be used only until the next one is asked for
   */
  async write(head: Uint8Array, body: Chunks): Promise<RecordPlace> {
    return this.#isGzip ? this.#writeMember(head, body) : this.#writePlain(head, body);
  }

  /** Writes bytes that are a record, or a member with one, already. */
  async copy(bytes: Uint8Array): Promise<void> {
    await this.#file.write(bytes);
    this.offset += bytes.length;
  }

  async #writePlain(head: Uint8Array, body: Chunks): Promise<RecordPlace> {
    const record = this.#begin();
    await record.write(head);
    for await (const chunk of body) await record.write(chunk);
    await record.write(END);
    return { ...record.place, start: head.length };
  }

  async #writeMember(head: Uint8Array, body: Chunks): Promise<RecordPlace> {
    const record = this.#begin();
    let checksum = 0;
    let size = 0;
    const deflated = (piece: Uint8Array): Promise<Uint8Array> => {
      checksum = crc32(piece, checksum);
      size += piece.length;
      // Its end is a byte's end, and nothing behind it refers to anything in it.
      return deflate(piece, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH });
    };
    await record.write(GZIP_HEADER);
    const first = await deflated(head);
    await record.write(first);

    const pieces: number[] = [];
    const waiting: Promise<Uint8Array>[] = [];
    const writeOne = async (): Promise<void> => {
      const piece = await waiting.shift();
      if (piece === undefined) return;
      pieces.push(piece.length);
      await record.write(piece);
    };
    try {
      for await (const piece of inPieces(body)) {
        waiting.push(deflated(piece));
        if (waiting.length >= AT_ONCE) await writeOne();
      }
      while (waiting.length > 0) await writeOne();
    } finally {
      await Promise.allSettled(waiting);
    }

    await record.write(await deflated(END));
    await record.write(LAST_BLOCK);
    const trailer = new Uint8Array(8);
    new DataView(trailer.buffer).setUint32(0, checksum, true);
    new DataView(trailer.buffer).setUint32(4, size % 2 ** 32, true);
    await record.write(trailer);
    return { ...record.place, start: GZIP_HEADER.length + first.length, pieces };
  }

  #begin() {
    const place = { offset: this.offset, length: 0, crc32: 0 };
    const write = async (bytes: Uint8Array): Promise<void> => {
      place.crc32 = crc32(bytes, place.crc32);
      place.length += bytes.length;
      await this.copy(bytes);
    };
    return { place, write };
  }
}

/** Copies bytes into pieces of {@link PIECE_BYTES}. */
async function* inPieces(body: Chunks): AsyncGenerator<Uint8Array, void, undefined> {
  let piece = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE_BYTES - filled);
      piece.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < PIECE_BYTES) continue;
      yield piece;
      piece = new Uint8Array(PIECE_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

/** A gzip member whose data, at most 65,535 bytes, is stored as it is: its size depends on that of the data alone. */
export function storedMember(data: Uint8Array): Uint8Array {
  const member = new Uint8Array(GZIP_HEADER.length + STORED_BLOCK_HEADER + data.length + 8);
  const view = new DataView(member.buffer);
  member.set(GZIP_HEADER);
  view.setUint8(GZIP_HEADER.length, 1);
  view.setUint16(GZIP_HEADER.length + 1, data.length, true);
  view.setUint16(GZIP_HEADER.length + 3, ~data.length & 0xffff, true);
  member.set(data, GZIP_HEADER.length + STORED_BLOCK_HEADER);
  view.setUint32(member.length - 8, crc32(data), true);
  view.setUint32(member.length - 4, data.length, true);
  return member;
}

const STORED_BLOCK_HEADER = 5;

/** The bytes of a {@link storedMember} before and behind its data. */
export const STORED_MEMBER: { readonly before: number; readonly behind: number } = {
  before: GZIP_HEADER.length + STORED_BLOCK_HEADER,
  behind: 8,
};

/**
 * The path of an archive as the file system takes it.
 *
 * @param who - the function that needs it, for the message
 * @throws SitemapException with code `bad-input`
 */
export function pathOf(path: string | URL, who: string): string {
  if (typeof path === 'string' && path !== '') return path;
  if (path instanceof URL && path.protocol === 'file:') return fileURLToPath(path);
  throw badInput(`${who} needs the path of a file, a string or a file: URL.`);
}
