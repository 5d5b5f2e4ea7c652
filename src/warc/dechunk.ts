/** The chunked transfer coding (RFC 9112 §7.1) of a response that was recorded as it was sent. */
import type { Body, Decoder } from '../fetch/body.ts';
import { ByteReader, byFirstBytes } from '../fetch/decode/byte-reader.ts';

const FIRST_CHUNK = /^[\da-f]{1,8}[^\n]{0,40}\r?\n/i;

/** Undoes the coding; a body that does not begin with a chunk was recorded without it, and passes as it is. */
export const dechunk: Decoder = byFirstBytes(64, (start) => {
  const isChunked = FIRST_CHUNK.test(Buffer.from(start).toString('latin1'));
  return isChunked ? (body) => new Dechunked(new ByteReader(body)) : (body) => body;
});

class Dechunked implements Body {
  readonly #reader: ByteReader;
  #left = 0;
  #isOver = false;

  constructor(reader: ByteReader) {
    this.#reader = reader;
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#left === 0 && !this.#isOver) await this.#next();
    if (this.#isOver) return undefined;
    const chunk = await this.#reader.read();
    if (chunk === undefined) throw new Error('The chunked response ends too early.');
    const part = chunk.subarray(0, this.#left);
    if (part.length < chunk.length) this.#reader.unread(chunk.subarray(part.length));
    this.#left -= part.length;
    if (this.#left === 0) await this.#line();
    return part;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  async #next(): Promise<void> {
    const size = /^[\da-f]+/i.exec(await this.#line())?.[0];
    if (size === undefined) throw new Error('The chunked response is damaged.');
    this.#left = Number.parseInt(size, 16);
    this.#isOver = this.#left === 0;
  }

  async #line(): Promise<string> {
    const bytes = await this.#reader.peek(256);
    const end = bytes.indexOf(0x0a);
    const text = Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end)).toString('latin1');
    await this.#reader.skip(end === -1 ? bytes.length : end + 1);
    return text.trim();
  }
}
