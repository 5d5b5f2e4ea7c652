/** Characters and names: what XML 1.0 (fifth edition) allows where, by tables for ASCII and by ranges for the rest. */

/** What a byte is to the reader of text. */
export const PLAIN = 0;
export const LESS_THAN = 1;
export const AMPERSAND = 2;
export const BRACKET = 3;
export const CONTROL = 4;
export const HIGH = 5;

const LESS_BYTE = 0x3c;
const AMPERSAND_BYTE = 0x26;

export const TEXT_CLASS: Uint8Array = new Uint8Array(256);
/**
 * 1 for an ASCII byte that can start a name, 2 for one that can only continue it, 3 for a part of a longer character.
 */
export const NAME_CLASS: Uint8Array = new Uint8Array(256);

for (let byte = 0; byte < 256; byte++) {
  if (byte >= 0x80) TEXT_CLASS[byte] = HIGH;
  else if (byte < 0x20 && !isXmlSpace(byte)) TEXT_CLASS[byte] = CONTROL;
  const character = String.fromCharCode(byte);
  if (byte >= 0x80) NAME_CLASS[byte] = 3;
  else if (/[A-Za-z_:]/.test(character)) NAME_CLASS[byte] = 1;
  else if (/[-.0-9]/.test(character)) NAME_CLASS[byte] = 2;
}
TEXT_CLASS[LESS_BYTE] = LESS_THAN;
TEXT_CLASS[AMPERSAND_BYTE] = AMPERSAND;
TEXT_CLASS[0x5d] = BRACKET;

export function isXmlSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isXmlSpace(bytes[at])) at++;
  return at;
}

const HIGH_BITS = 0x80808080 | 0;
const AMP = 0x3b706d61;

/** The first place behind plain text and `&amp;`; or the first `stop`, which is one of the bytes that are plain. */
export function plainTextEnd(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  end: number,
  stop: number = LESS_BYTE,
): number {
  const classes = TEXT_CLASS;
  const stops = stop * 0x01010101;
  for (let at = from; ; at += 5) {
    for (const last = end - 4; at <= last; at += 4) {
      if ((notPlain(view.getInt32(at, true), stops) & HIGH_BITS) !== 0) break;
    }
    while (at < end && bytes[at] !== stop && classes[bytes[at]!] === PLAIN) at++;
    if (at + 4 >= end || bytes[at] !== AMPERSAND_BYTE || view.getInt32(at + 1, true) !== AMP) return at;
  }
}

/** Has the high bit of a byte where one of four bytes is not plain, or a stop. */
function notPlain(word: number, stops: number): number {
  return (
    word |
    ((word - 0x20202020) & ~word) |
    isZero(word ^ stops) |
    isZero(word ^ 0x3c3c3c3c) |
    isZero(word ^ 0x26262626) |
    isZero(word ^ 0x5d5d5d5d)
  );
}

/** Has the high bit of a byte that is 0, and perhaps of others above it. */
function isZero(word: number): number {
  return (word - 0x01010101) & ~word;
}

/**
 * How many bytes the character takes that starts with a high byte: 0 if the bytes are not UTF-8 (the table of
 * well-formed byte sequences of the Unicode Standard, 3.9); -1 if the bytes end inside of it.
 */
export function characterLength(bytes: Uint8Array, at: number, end: number): number {
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

export function isCharacter(code: number): boolean {
  return (
    code === 0x09 ||
    code === 0x0a ||
    code === 0x0d ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x1_0000 && code <= 0x10_ffff)
  );
}

const NAME_START: string = [
  ':A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}',
  '\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}',
].join('');
const NAME_REST = '\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}';

/** The source of a regular expression for a name (production 5). */
export const NAME_PATTERN: string = `[${NAME_START}][${NAME_START}${NAME_REST}]*`;
/** The same for a name token (production 7). */
export const TOKEN_PATTERN: string = `[${NAME_START}${NAME_REST}]+`;

const NAME = new RegExp(`^${NAME_PATTERN}$`, 'u');
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function textOf(bytes: Uint8Array, from: number, to: number): string {
  return decoder.decode(bytes.subarray(from, to));
}

/** The first place behind the bytes that can belong to a name; `from` if there are none. */
export function nameEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && NAME_CLASS[bytes[at]!] !== 0) at++;
  return at;
}

/** Whether the bytes of a range, all of which can belong to one, are a name. */
export function isName(bytes: Uint8Array, from: number, to: number): boolean {
  if (from === to) return false;
  let isAscii = true;
  for (let at = from; at < to; at++) {
    if (NAME_CLASS[bytes[at]!] !== 3) continue;
    isAscii = false;
    // Invalid bytes would be decoded to U+FFFD, which a name can have.
    const length = characterLength(bytes, at, to);
    if (length <= 0) return false;
    at += length - 1;
  }
  return isAscii ? NAME_CLASS[bytes[from]!] === 1 : NAME.test(textOf(bytes, from, to));
}

/** Where more bytes are needed to go on. */
export const MORE = -1;

export function startsWith(bytes: Uint8Array, at: number, end: number, text: string): boolean {
  if (end - at < text.length) return false;
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

export interface XmlName {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly isValid: boolean;
  /** The part before the first colon; undefined without one. */
  readonly prefix: string | undefined;
  /** Whether it is two names with one colon between them. */
  readonly isQualified: boolean;
}

const SLOTS = 256;

/** Names of tags and attributes, each made into a string once: a sitemap uses a dozen names, a million times. */
export class XmlNames {
  readonly #slots: (XmlName | undefined)[] = new Array<XmlName | undefined>(SLOTS).fill(undefined);

  at(bytes: Uint8Array, from: number, to: number): XmlName {
    const length = to - from;
    const key =
      (length * 37 + bytes[from]! * 11 + bytes[to - 1]! * 3 + bytes[from + (length >> 1)]!) & (SLOTS - 1);
    const known = this.#slots[key];
    if (known !== undefined && isSame(known.bytes, bytes, from, to)) return known;
    const text = textOf(bytes, from, to);
    const colon = text.indexOf(':');
    const name: XmlName = {
      text,
      // Not slice(): that of a Buffer is a view of memory that is the caller's.
      bytes: new Uint8Array(bytes.subarray(from, to)),
      isValid: isName(bytes, from, to),
      prefix: colon === -1 ? undefined : text.slice(0, colon),
      isQualified: colon > 0 && /^[^:\-.\d][^:]*$/u.test(text.slice(colon + 1)),
    };
    // A name that took another's slot costs a string again; it is never wrong.
    this.#slots[key] = name;
    return name;
  }
}

export function isSame(name: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let at = from, own = 0; at < to; ) if (name[own++] !== bytes[at++]) return false;
  return true;
}

const NONE = new Int32Array(0);
const MARK_LENGTH = 3;

/** Whether bytes that arrive in chunks are valid UTF-8. */
export class Utf8Validator {
  /** Whether everything so far was valid; ask after {@link end}. */
  isValid = true;
  /** How many bytes were read; once they are not valid, where the first character is that is not. */
  #at = 0;
  /** The beginning of a character whose rest has not arrived. */
  #held: Uint8Array = new Uint8Array(0);
  #hasMark = false;
  /** Whether there was nothing but ASCII so far, behind a byte order mark. */
  #isPlain = true;

  /**
   * The offset of the first byte that is not valid, behind a byte order mark. Undefined where all are, and where the
   * bytes before it may have become another number of bytes in the text.
   */
  invalidAt(charset: string): number | undefined {
    if (this.isValid || !(charset === 'utf-8' || this.#isPlain)) return undefined;
    return this.#at - (this.#hasMark ? MARK_LENGTH : 0);
  }

  write(chunk: Uint8Array): void {
    if (!this.isValid) return;
    const bytes = this.#held.length === 0 ? chunk : joined(this.#held, chunk);
    const { length, buffer, byteOffset } = bytes;
    const words = byteOffset % 4 === 0 ? new Int32Array(buffer, byteOffset, length >> 2) : NONE;
    let at = 0;
    while (at < length) {
      // Sitemaps are mostly ASCII, and that is seen of many bytes at once.
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
    // Not slice(): that of a Buffer is a view of memory that is the caller's.
    this.#held = new Uint8Array(bytes.subarray(at));
  }

  end(): void {
    if (this.#held.length > 0) this.isValid = false;
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
