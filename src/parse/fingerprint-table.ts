/**
 * A table from fingerprints to numbers, which count from 0, and columns of numbers beside it. What has to be known of
 * each of millions of URLs is kept this way: typed arrays cost the garbage collector nothing.
 *
 * A URL takes 12 bytes for its fingerprint, and about 6 for its place.
 */
import { TextBytes } from './values/text.ts';

// New in each process, so that texts which all fall into one place cannot be prepared.
const seed = (): number => (Math.random() * 0x1_0000_0000) | 0;
const SEEDS = [seed(), seed(), seed(), seed()] as const;

/**
 * A fingerprint of 96 bits, or of 64, the third word being 0. That of a text has no 0 for `a`. The last bits of `a`
 * choose a part of a table, and those of `b` a place in it.
 */
export interface Print {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/**
 * Takes the fingerprint of one text at a time. In n texts, two are taken for one with a probability of about n²/2⁹⁷:
 * 10⁻¹⁴ for fifty million.
 */
export class Fingerprint implements Print {
  a = 0;
  b = 0;
  c = 0;
  readonly #text = new TextBytes();

  take(text: string): this {
    const { bytes, view, length } = this.#text.take(text);
    this.takeBytes(bytes, view, 0, length);
    return this;
  }

  /**
   * Takes the fingerprint of a text in UTF-8 bytes, which the view shows too. Returns whether it is plain: eight bytes
   * or more of printable ASCII below `{`, without `&` and `'`. That costs next to nothing on the words that are
   * read here anyway; a loop of its own takes 90 ns.
   */
  takeBytes(bytes: Uint8Array, view: DataView, start: number, end: number): boolean {
    const length = end - start;
    if (length < 8) return this.#takeShort(bytes, start, end);
    let a: number = SEEDS[0];
    let b: number = SEEDS[1];
    let c: number = SEEDS[2];
    let d: number = SEEDS[3];
    let notPlain = 0;
    // Eight bytes at a time: a word into each of two lanes, and those on into the other two. A lane is a bijection of
    // its word, so texts that differ in one word never meet. The last eight overlap with those before.
    for (let at = start; at < end; at += 8) {
      const place = Math.min(at, end - 8);
      const first = view.getInt32(place, true);
      const second = view.getInt32(place + 4, true);
      notPlain |=
        first |
        second |
        fromBraceOn(first) |
        fromBraceOn(second) |
        belowExclamation(first) |
        belowExclamation(second) |
        ampersandOrQuote(first) |
        ampersandOrQuote(second);
      a = Math.imul(a ^ first, 0x2c1b3c6d);
      a ^= a >>> 15;
      b = Math.imul(b ^ second, 0x297a2d39);
      b ^= b >>> 13;
      c = Math.imul(c + a, 0x1b56c4e9) ^ b;
      d = Math.imul(d + b, 0x85ebca6b) ^ (c >>> 16);
    }
    a = Math.imul(a ^ (a >>> 16) ^ length, 0x7feb352d);
    b = Math.imul(b ^ (b >>> 15) ^ a, 0x846ca68b);
    c = Math.imul(c ^ (c >>> 16) ^ b, 0xc2b2ae35);
    d = Math.imul(d ^ (d >>> 13) ^ c, 0x27d4eb2f);
    this.a = a ^ (d >>> 15) || 1;
    this.b = b;
    this.c = c ^ (d >>> 7);
    return (notPlain & HIGH_BITS) === 0;
  }

  // No URL is so short, but not everything that is added is one. No text has the byte it is filled up with.
  #takeShort(bytes: Uint8Array, start: number, end: number): boolean {
    const padded = new Uint8Array(8).fill(0xff);
    padded.set(bytes.subarray(start, end));
    return this.takeBytes(padded, new DataView(padded.buffer), 0, padded.length);
  }
}

const HIGH_BITS = 0x80808080 | 0;

// Four bytes at once: the high bit of a byte is set if that byte is below 0x21, a space or a control.
function belowExclamation(word: number): number {
  return (word - 0x21212121) & ~word;
}

// Four bytes at once: the high bit of a byte is set if it is `{` or above, where all four are ASCII.
function fromBraceOn(word: number): number {
  return word + 0x05050505;
}

// `&` and `'` differ in their last bit only.
function ampersandOrQuote(word: number): number {
  const difference = (word | 0x01010101) ^ 0x27272727;
  return (difference - 0x01010101) & ~difference;
}

/** Entries in one piece of a column. */
const PIECE_BITS = 14;
export const PIECE: number = 1 << PIECE_BITS;
const IN_PIECE = PIECE - 1;

type NumberArray = Uint16Array | Int32Array | Float64Array;

/**
 * A column of numbers, 0 where nothing was written. It grows in pieces: nothing is copied when it does, and a piece
 * that is never written to takes no memory.
 */
export class Column {
  readonly #make: (length: number) => NumberArray;
  readonly #pieces: (NumberArray | undefined)[] = [];

  constructor(make: (length: number) => NumberArray) {
    this.#make = make;
  }

  get(entry: number): number {
    return this.#pieces[entry >>> PIECE_BITS]?.[entry & IN_PIECE] ?? 0;
  }

  set(entry: number, value: number): void {
    const number = entry >>> PIECE_BITS;
    let piece = this.#pieces[number];
    if (piece === undefined) {
      piece = this.#make(PIECE);
      this.#pieces[number] = piece;
    }
    piece[entry & IN_PIECE] = value;
  }
}

export const int32Column = (): Column => new Column((length) => new Int32Array(length));
export const uint16Column = (): Column => new Column((length) => new Uint16Array(length));
/** A column of integers that are not negative, and less than a limit. */
export const columnUpTo = (limit: number): Column => (limit <= 0x10000 ? uint16Column() : int32Column());
export const float64Column = (): Column => new Column((length) => new Float64Array(length));

/** Words of a fingerprint. */
const WORDS = 3;
const FIRST_PLACES = 64;
/** A sitemap of fifty thousand URLs needs so many places. */
const FULL_PLACES = 64 * 1024;
/** From there on places are in so many parts, which grow one by one: it never takes long, nor twice the memory. */
const PARTS = 256;
/** Bits of a number: enough for 5 GB of fingerprints. The other bits of a place are a tag of its fingerprint. */
const NUMBER_BITS = 28;
const NUMBER = (1 << NUMBER_BITS) - 1;

export class FingerprintTable {
  /**
   * Numbers plus one, at the places that fingerprints lead to; 0 is an empty place. Above the number is a tag, a part
   * of the fingerprint: nearly every other number that is in the way is recognised without a look at its fingerprint,
   * which is far away in memory.
   */
  #parts: Int32Array[] = [new Int32Array(FIRST_PLACES)];
  #counts = new Int32Array(1);
  /** The fingerprints, in pieces; the first one grows with the places. */
  readonly #words: Int32Array[] = [];
  #size = 0;
  /** The number that comes next if URLs come in the order of the last time, as they mostly do. */
  #next = 0;

  /** How many different fingerprints there are. */
  get size(): number {
    return this.#size;
  }

  /** The number of a fingerprint, or -1. */
  find({ a, b, c }: Print): number {
    return this.#numberOf(a, b, c, false);
  }

  /** The number of a fingerprint; it gets the next one if it is new. */
  add({ a, b, c }: Print): number {
    return this.#numberOf(a, b, c, true);
  }

  #numberOf(a: number, b: number, c: number, isAdded: boolean): number {
    // Where the order is the same, this is a look at the neighbour instead of somewhere in 100 MB.
    if (this.#next < this.#size && this.#isAt(this.#next, a, b, c)) return this.#next++;
    const number = a & (this.#parts.length - 1);
    const part = this.#parts[number]!;
    const mask = part.length - 1;
    const tag = a >>> NUMBER_BITS;
    let place = b & mask;
    for (let one = part[place]!; one !== 0; one = part[place]!) {
      const entry = (one & NUMBER) - 1;
      if (one >>> NUMBER_BITS === tag && this.#isAt(entry, a, b, c)) {
        this.#next = entry + 1;
        return entry;
      }
      place = (place + 1) & mask;
    }
    if (!isAdded) return -1;
    const entry = this.#keep(a, b, c);
    part[place] = (a & ~NUMBER) | (entry + 1);
    const used = this.#counts[number]! + 1;
    this.#counts[number] = used;
    // Four fifths: the fifty thousand URLs that a sitemap may have fit into 64 Ki places.
    if (used * 5 > part.length * 4) this.#grow(number);
    return entry;
  }

  /** Keeps a fingerprint; returns its number. */
  #keep(a: number, b: number, c: number): number {
    const entry = this.#size++;
    if (entry === NUMBER) throw new RangeError('There are too many URLs for one table.');
    const at = (entry & IN_PIECE) * WORDS;
    let words = this.#words[entry >>> PIECE_BITS];
    if (words === undefined || at >= words.length) {
      words = this.#longer(words);
      this.#words[entry >>> PIECE_BITS] = words;
    }
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    return entry;
  }

  /** The fingerprint that has a number. */
  printOf(entry: number): Print {
    const words = this.#words[entry >>> PIECE_BITS]!;
    const at = (entry & IN_PIECE) * WORDS;
    return { a: words[at]!, b: words[at + 1]!, c: words[at + 2]! };
  }

  /** A piece of fingerprints with room for another one. Only the first was shorter before: it grows with the places. */
  #longer(words: Int32Array | undefined): Int32Array {
    const longer = new Int32Array(WORDS * Math.min(PIECE, this.#parts.length * this.#parts[0]!.length));
    if (words !== undefined) longer.set(words);
    return longer;
  }

  #isAt(entry: number, a: number, b: number, c: number): boolean {
    const words = this.#words[entry >>> PIECE_BITS]!;
    const at = (entry & IN_PIECE) * WORDS;
    return words[at] === a && words[at + 1] === b && words[at + 2] === c;
  }

  #grow(number: number): void {
    const old = this.#parts[number]!;
    if (this.#parts.length === PARTS) this.#parts[number] = this.#copied(old);
    // In large steps up to a full sitemap: smaller ones are twice the work.
    else if (old.length < FULL_PLACES) this.#divide(1, Math.min(old.length * 4, FULL_PLACES));
    else this.#divide(PARTS, (2 * FULL_PLACES) / PARTS);
  }

  /** Puts all numbers into new parts. */
  #divide(count: number, places: number): void {
    const parts = Array.from({ length: count }, () => new Int32Array(places));
    const used = new Int32Array(count);
    for (let entry = 0; entry < this.#size; entry++) {
      const words = this.#words[entry >>> PIECE_BITS]!;
      const at = (entry & IN_PIECE) * WORDS;
      const number = words[at]! & (count - 1);
      put(parts[number]!, words[at + 1]!, (words[at]! & ~NUMBER) | (entry + 1));
      used[number] = used[number]! + 1;
    }
    this.#parts = parts;
    this.#counts = used;
  }

  /** A copy of a part with twice as many places. */
  #copied(part: Int32Array): Int32Array {
    const copy = new Int32Array(2 * part.length);
    for (const one of part) {
      const entry = (one & NUMBER) - 1;
      if (one !== 0) put(copy, this.#words[entry >>> PIECE_BITS]![(entry & IN_PIECE) * WORDS + 1]!, one);
    }
    return copy;
  }
}

/** Puts something at the first free place from `first` on: a neighbour is in the same line of the cache. */
function put(part: Int32Array, first: number, one: number): void {
  const mask = part.length - 1;
  let place = first & mask;
  while (part[place] !== 0) place = (place + 1) & mask;
  part[place] = one;
}
