/** Whether bytes that arrive in chunks are valid UTF-8. */

const NONE = new Int32Array(0);
const BOM = [0xef, 0xbb, 0xbf];
const HIGH_BITS = 0x80808080 | 0;

/** Where in a character the last chunk ended; more bytes than a character has mean none. */
export class Utf8Validator {
  readonly #isAscii: ((bytes: Uint8Array) => boolean) | undefined;
  /** Whether everything so far was valid; ask after {@link end}. */
  isValid = true;
  /** How many bytes are before the chunk, and before the character that is being read. */
  #before = 0;
  #character = 0;
  /** How many bytes of a byte order mark the document begins with. */
  #mark = 0;
  /** Whether there was nothing but ASCII so far. */
  #isPlain = true;
  /** How many bytes of the character are missing. */
  #missing = 0;
  /** What the next byte may be. */
  #lowest = 0x80;
  #highest = 0xbf;

  /** @param isAscii - says at once whether bytes are all ASCII, where the platform has something for that */
  constructor(isAscii?: (bytes: Uint8Array) => boolean) {
    this.#isAscii = isAscii;
  }

  /**
   * The offset of the first byte that is not valid, behind a byte order mark. Undefined where all are, and where the
   * bytes before it may have become another number of bytes in the text.
   */
  invalidAt(charset: string): number | undefined {
    if (this.isValid || !(charset === 'utf-8' || this.#isPlain)) return undefined;
    return this.#character - (this.#hasMark() ? BOM.length : 0);
  }

  #hasMark(): boolean {
    return this.#mark === BOM.length;
  }

  write(chunk: Uint8Array): void {
    if (!this.isValid) return;
    for (
      let at = 0;
      at < chunk.length && this.#mark === this.#before + at && chunk[at] === BOM[this.#mark];
      at++
    ) {
      this.#mark++;
    }
    this.#check(chunk);
    this.#before += chunk.length;
  }

  #check(chunk: Uint8Array): void {
    if (this.#missing === 0 && this.#isAscii?.(chunk) === true) return;
    const { length } = chunk;
    const words =
      chunk.byteOffset % 4 === 0 ? new Int32Array(chunk.buffer, chunk.byteOffset, length >> 2) : NONE;
    let missing = this.#missing;
    for (let at = 0; at < length; at++) {
      // Sitemaps are mostly ASCII, and that is seen of four bytes at once.
      if (missing === 0 && (at & 3) === 0) {
        let word = at >> 2;
        while (word < words.length && (words[word]! & HIGH_BITS) === 0) word++;
        at = word << 2;
        if (at >= length) break;
      }
      const byte = chunk[at]!;
      if (missing === 0) {
        if (byte < 0x80) continue;
        this.#character = this.#before + at;
      }
      if (!this.#take(byte)) {
        this.isValid = false;
        return;
      }
      missing = this.#missing;
      if (missing === 0 && !(this.#character === 0 && this.#hasMark())) this.#isPlain = false;
    }
  }

  end(): void {
    if (this.#missing > 0) this.isValid = false;
  }

  // The table of well-formed byte sequences of the Unicode Standard, 3.9.
  #take(byte: number): boolean {
    if (this.#missing > 0) {
      if (byte < this.#lowest || byte > this.#highest) return false;
      this.#missing--;
      this.#lowest = 0x80;
      this.#highest = 0xbf;
      return true;
    }
    if (byte < 0xc2 || byte > 0xf4) return false;
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    if (byte === 0xe0) this.#lowest = 0xa0;
    else if (byte === 0xed) this.#highest = 0x9f;
    else if (byte === 0xf0) this.#lowest = 0x90;
    else if (byte === 0xf4) this.#highest = 0x8f;
    return true;
  }
}
