/** Checks whether a document is UTF-8, and finds the first byte that is not. */

const HIGH_BITS = 0x80808080 | 0;
const NONE = new Int32Array(0);
const MARK_LENGTH = 3;

export class Utf8Validator {
  /** Whether all bytes so far were valid; final after {@link end}. */
  isValid = true;
  /** How many bytes were read; after an invalid character, its offset. */
  #at = 0;
  /** The first bytes of a character whose rest has not arrived. */
  #rest: Uint8Array = new Uint8Array(0);
  #hasMark = false;
  /** Whether all bytes so far were ASCII, except for a byte order mark. */
  #isPlain = true;

  /**
   * The offset of the first invalid byte, counted after a byte order mark. Undefined if all bytes are valid, or if the
   * bytes before it may have another number in the decoded text.
   */
  invalidAt(charset: string): number | undefined {
    if (this.isValid || !(charset === 'utf-8' || this.#isPlain)) return undefined;
    return this.#at - (this.#hasMark ? MARK_LENGTH : 0);
  }

  write(chunk: Uint8Array): void {
    if (!this.isValid) return;
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    const { length, buffer, byteOffset } = bytes;
    const words = byteOffset % 4 === 0 ? new Int32Array(buffer, byteOffset, length >> 2) : NONE;
    let at = 0;
    while (at < length) {
      // Sitemaps are mostly ASCII, which is checked for many bytes at once.
      if ((at & 3) === 0) {
        let word = at >> 2;
        for (const last = words.length - 8; word <= last; word += 8) {
          const four = words[word]! | words[word + 1]! | words[word + 2]! | words[word + 3]!;
          const next = words[word + 4]! | words[word + 5]! | words[word + 6]! | words[word + 7]!;
          if (((four | next) & HIGH_BITS) !== 0) break;
        }
        while (word < words.length && (words[word]! & HIGH_BITS) === 0) word++;
        at = word << 2;
        if (at === length) break;
      }
      const size = bytes[at]! < 0x80 ? 1 : characterLength(bytes, at, length);
      if (size <= 0) {
        this.isValid = size !== 0;
        break;
      }
      if (size > 1) {
        if (this.#at + at === 0 && isMark(bytes)) this.#hasMark = true;
        else this.#isPlain = false;
      }
      at += size;
    }
    this.#at += at;
    // Not slice(): for a Buffer it returns a view of the caller's memory.
    this.#rest = new Uint8Array(bytes.subarray(at));
  }

  end(): void {
    if (this.#rest.length > 0) this.isValid = false;
  }
}

function isMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/**
 * How many bytes the character takes that starts with a high byte: 0 if the bytes are not UTF-8 (the table of
 * well-formed byte sequences of the Unicode Standard, 3.9); -1 if the bytes end inside of it.
 */
function characterLength(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]!;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > end) return continues(bytes, at + 1, end) ? -1 : 0;
  const second = bytes[at + 1]!;
  if ((second & 0xc0) !== 0x80) return 0;
  if (length === 2) return 2;
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0;
  if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return 0;
  if ((bytes[at + 2]! & 0xc0) !== 0x80) return 0;
  if (length === 3) return 3;
  return (bytes[at + 3]! & 0xc0) === 0x80 ? 4 : 0;
}

function continues(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if ((bytes[at]! & 0xc0) !== 0x80) return false;
  return true;
}
