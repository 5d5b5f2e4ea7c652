/** The attributes of the start tag that is being handed on: ranges of bytes, decoded when asked for. */
import { MAX_URL_LENGTH } from '../reported-values.ts';
import type { SeenUrls } from '../seen-urls.ts';
import { DOUBLE_QUOTE, EQUALS, GT, LT, SINGLE_QUOTE, SLASH, SPACE } from '../values/byte-codes.ts';
import {
  asciiString,
  decodeText,
  isPlainText,
  isPlainWord,
  repeatedString,
  TextDecoding,
} from '../values/text.ts';
import { isPlainHttpUrl } from '../values/written-url.ts';

const NOTHING = new Uint8Array(0);

/** How many attributes of one tag are looked at: more than any vocabulary here has, few enough to bound the work. */
const MAX_ATTRIBUTES = 256;

/** What is wrong with values is reported where they are read for a page, not for a listener. */
const FOR_LISTENERS = new TextDecoding();

export interface TagAttribute {
  /** As written, prefix included. */
  readonly name: string;
  readonly value: string;
  /** Where the value begins, without its quote. */
  readonly offset: number;
}

export class Attributes {
  #bytes: Uint8Array = NOTHING;
  readonly #ranges = new Int32Array(MAX_ATTRIBUTES * 4);
  #count = 0;
  /** A view of the bytes, where they were read as a whole. */
  #view: DataView | undefined;
  /** Where in the document the bytes begin. */
  base = 0;

  get count(): number {
    return this.#count;
  }

  /** How many bytes they take, names and quotes included. */
  get byteLength(): number {
    const last = this.#count * 4 - 1;
    return this.#count === 0 ? 0 : this.#ranges[last]! - this.#ranges[0]!;
  }

  clear(): void {
    this.#count = 0;
  }

  /**
   * Reads the attributes of a tag up to its end, where they are written as XML has them; returns where its `>` is, or
   * -1 where they are not, or not all there.
   */
  readWhole(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    this.#bytes = bytes;
    this.#view = view;
    this.#count = 0;
    let at = start;
    for (;;) {
      const before = at;
      while (at < end && isSpace(bytes[at]!)) at++;
      if (at + 2 >= end) return -1;
      const first = bytes[at]!;
      if (first === GT) return at;
      if (first === SLASH) return bytes[at + 1] === GT ? at + 1 : -1;
      if (at === before || this.#count === MAX_ATTRIBUTES) return -1;
      const nameStart = at;
      while (at < end && isPlainNameByte(bytes[at]!)) at++;
      const quote = bytes[at + 1]!;
      if (at === nameStart || at + 1 >= end || bytes[at] !== EQUALS) return -1;
      if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) return -1;
      const valueStart = at + 2;
      const valueEnd = indexOfQuote(bytes, view, valueStart, end, quote);
      if (valueEnd === end || bytes[valueEnd] === LT) return -1;
      this.#add(nameStart, at, valueStart, valueEnd);
      at = valueEnd + 1;
    }
  }

  /** Reads `name="value"`, `name='value'`, `name=value` and bare `name` between `start` and `end`. */
  read(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    this.#view = undefined;
    this.#count = 0;
    let at = start;
    while (at < end && this.#count < MAX_ATTRIBUTES) {
      while (at < end && (isSpace(bytes[at]!) || bytes[at] === SLASH)) at++;
      const nameStart = at;
      while (at < end && bytes[at] !== EQUALS && !isSpace(bytes[at]!) && bytes[at] !== SLASH) at++;
      const nameEnd = at;
      while (at < end && isSpace(bytes[at]!)) at++;
      if (at === end || bytes[at] !== EQUALS) {
        if (nameEnd > nameStart) this.#add(nameStart, nameEnd, nameEnd, nameEnd);
        continue;
      }
      at++;
      while (at < end && isSpace(bytes[at]!)) at++;
      const quote = bytes[at];
      let valueStart = at;
      if (at < end && (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE)) {
        valueStart = ++at;
        while (at < end && bytes[at] !== quote) at++;
        this.#add(nameStart, nameEnd, valueStart, at);
        at++;
      } else {
        while (at < end && !isSpace(bytes[at]!)) at++;
        const closesItself = at === end && bytes[at - 1] === SLASH && at > valueStart;
        this.#add(nameStart, nameEnd, valueStart, closesItself ? at - 1 : at);
      }
    }
  }

  #add(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const ranges = this.#ranges;
    const at = this.#count++ * 4;
    ranges[at] = nameStart;
    ranges[at + 1] = nameEnd;
    ranges[at + 2] = valueStart;
    ranges[at + 3] = valueEnd;
  }

  /** Whether the name of attribute `index` starts with `xmlns`: asked of every attribute, so no string is made. */
  declaresNamespace(index: number): boolean {
    const start = this.#ranges[index * 4]!;
    const bytes = this.#bytes;
    return (
      this.#ranges[index * 4 + 1]! - start >= 5 &&
      bytes[start] === 0x78 &&
      bytes[start + 1] === 0x6d &&
      bytes[start + 2] === 0x6c &&
      bytes[start + 3] === 0x6e &&
      bytes[start + 4] === 0x73
    );
  }

  get declareNamespaces(): boolean {
    for (let index = 0; index < this.#count; index++) if (this.declaresNamespace(index)) return true;
    return false;
  }

  /** A name, or its first bytes. */
  name(index: number, maxBytes: number = Number.POSITIVE_INFINITY): string {
    const start = this.#ranges[index * 4]!;
    return asciiString(this.#bytes, start, Math.min(this.#ranges[index * 4 + 1]!, start + maxBytes));
  }

  /** A value, or what its first bytes are. */
  value(index: number, decoding: TextDecoding, maxBytes: number = Number.POSITIVE_INFINITY): string {
    const start = this.#ranges[index * 4 + 2]!;
    const end = Math.min(this.#ranges[index * 4 + 3]!, start + maxBytes);
    return decodeText(this.#bytes, start, end, decoding);
  }

  /** All of them, decoded. */
  list(): TagAttribute[] {
    const list: TagAttribute[] = [];
    const bytes = this.#bytes;
    const ranges = this.#ranges;
    for (let index = 0; index < this.#count; index++) {
      const start = ranges[index * 4 + 2]!;
      const end = ranges[index * 4 + 3]!;
      list.push({
        name: repeatedString(bytes, ranges[index * 4]!, ranges[index * 4 + 1]!),
        value: isPlainWord(bytes, start, end)
          ? repeatedString(bytes, start, end)
          : this.value(index, FOR_LISTENERS),
        offset: this.base + start,
      });
    }
    return list;
  }

  /** The value of the first attribute called `name` (ASCII, any case, no prefix), or undefined. */
  get(name: string, decoding: TextDecoding = FOR_LISTENERS): string | undefined {
    const index = this.#find(name);
    return index === -1 ? undefined : this.value(index, decoding);
  }

  /** Where the value of the attribute called `name` begins; 0 where there is none. */
  offsetOf(name: string): number {
    const index = this.#find(name);
    return index === -1 ? 0 : this.base + this.#ranges[index * 4 + 2]!;
  }

  #find(name: string): number {
    for (let index = 0; index < this.#count; index++) {
      const start = this.#ranges[index * 4]!;
      if (this.#ranges[index * 4 + 1]! - start === name.length && this.#isWord(start, name)) return index;
    }
    return -1;
  }

  /** A value that many tags have, without white space around it. */
  repeated(name: string, decoding: TextDecoding = FOR_LISTENERS): string | undefined {
    const index = this.#find(name);
    if (index === -1) return undefined;
    const start = this.#ranges[index * 4 + 2]!;
    const end = this.#ranges[index * 4 + 3]!;
    return isPlainWord(this.#bytes, start, end)
      ? repeatedString(this.#bytes, start, end)
      : this.value(index, decoding).trim();
  }

  /** Whether the value is just this word (ASCII, any case); it may still mean the word if written otherwise. */
  is(name: string, word: string): boolean {
    const index = this.#find(name);
    if (index === -1) return false;
    const start = this.#ranges[index * 4 + 2]!;
    return this.#ranges[index * 4 + 3]! - start === word.length && this.#isWord(start, word);
  }

  /** Whether all are plain text, and the one called `name` is an absolute URL: nothing is wrong with them then. */
  arePlain(name: string): boolean {
    const view = this.#view;
    if (view === undefined || this.#findUrl(name) === -1) return false;
    return isPlainText(view, this.#ranges[0]!, this.#ranges[this.#count * 4 - 1]!);
  }

  /** The value where its bytes are an absolute URL that nothing is wrong with. */
  plainUrl(name: string): string | undefined {
    const index = this.#findUrl(name);
    if (index === -1) return undefined;
    const start = this.#ranges[index * 4 + 2]!;
    const end = this.#ranges[index * 4 + 3]!;
    const view = this.#view;
    const isPlain = view !== undefined && isPlainText(view, start, end) && this.#bytes[end - 1] !== SPACE;
    return isPlain ? asciiString(this.#bytes, start, end) : undefined;
  }

  /** Like {@link plainUrl}, without spaces; also takes the fingerprint. */
  markUrl(name: string, seen: SeenUrls): string | undefined {
    const index = this.#findUrl(name);
    if (index === -1) return undefined;
    const start = this.#ranges[index * 4 + 2]!;
    const end = this.#ranges[index * 4 + 3]!;
    return seen.markBytes(this.#bytes, start, end) ? asciiString(this.#bytes, start, end) : undefined;
  }

  /** The attribute, if it begins as an absolute URL does and is not too long for one; or -1. */
  #findUrl(name: string): number {
    const index = this.#find(name);
    if (index === -1) return -1;
    const start = this.#ranges[index * 4 + 2]!;
    const end = this.#ranges[index * 4 + 3]!;
    return end - start <= MAX_URL_LENGTH && isPlainHttpUrl(this.#bytes, start, end) ? index : -1;
  }

  #isWord(start: number, word: string): boolean {
    for (let at = 0; at < word.length; at++) {
      const byte = this.#bytes[start + at]!;
      const letter = word.charCodeAt(at);
      // The letters of our words are lower case; `_` and `-` compare as they are.
      if (byte !== letter && (byte | 0x20) !== letter) return false;
    }
    return true;
  }
}

export const NO_ATTRIBUTES: Attributes = new Attributes();

/** Where the next quote of a kind is, or `<`, or `end`; four bytes at a time. */
function indexOfQuote(bytes: Uint8Array, view: DataView, from: number, end: number, quote: number): number {
  const quotes = quote * 0x01010101;
  let at = from;
  for (const last = end - 4; at <= last; at += 4) {
    const word = view.getInt32(at, true);
    const toQuote = word ^ quotes;
    const toLt = word ^ 0x3c3c3c3c;
    const bits = (((toQuote - 0x01010101) & ~toQuote) | ((toLt - 0x01010101) & ~toLt)) & 0x80808080;
    if (bits !== 0) return at + firstByte(bits);
  }
  while (at < end && bytes[at] !== quote && bytes[at] !== LT) at++;
  return at;
}

function isPlainNameByte(byte: number): boolean {
  return byte > GT || (byte > SINGLE_QUOTE && byte < LT && byte !== SLASH);
}

/** Which of four bytes is the first that has its high bit set. */
export function firstByte(bits: number): number {
  return (31 - Math.clz32(bits & -bits)) >> 3;
}

/** White space as XML has it, and form feed, which real files contain. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
