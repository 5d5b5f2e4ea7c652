/**
 * Gives each URL a number, from 0 on, and remembers it by its fingerprint: 12 bytes, and about 6 for its place.
 *
 * The places are in 256 tables that grow one by one, so that growing never takes long and never needs twice the memory.
 */
import { IN_PIECE, PIECE, PIECE_BITS } from './columns.ts';
import { Fingerprint } from './fingerprint.ts';

const TABLES = 256;
const FIRST_PLACES = 16;
/** Of a fingerprint. */
const WORDS = 3;
/** Numbers have so many bits up to sixty-seven million URLs; what is left of a place is a tag of the URL there. */
const TAGGED_BITS = 26;
const UNTAGGED_BITS = 31;

/** Seventeen megabytes of places: what is made ahead for URLs that may turn out to be the same ones again and again. */
const MOST_EXPECTED = 3_300_000;

interface UrlTableOptions {
  readonly expected?: number;
  readonly taggedBits?: number;
}

/** Numbers URLs. */
export class UrlTable {
  /**
   * Numbers of URLs plus one, at the places that their fingerprints lead to; 0 is an empty place. Above the number is
   * a part of the fingerprint: nearly every other URL that is in the way is passed without a look at its fingerprint,
   * which is far away in memory.
   */
  readonly #tables: Int32Array[];
  readonly #used = new Int32Array(TABLES);
  readonly #mostTagged: number;
  #bits: number;
  readonly #words: Int32Array[] = [];
  readonly #print = new Fingerprint();
  #size = 0;
  /** How many URLs have a place; those that were known to be new get theirs when a URL is looked for. */
  #placed = 0;
  /** The number that comes next if URLs come in the order of the last time, as they mostly do. */
  #expected = 0;

  /**
   * @param options - `expected`: how many URLs there will be, as far as is known: a table that grows looks at
   * fingerprints all over the memory; `taggedBits`: how many bits numbers have at first
   */
  constructor({ expected = 0, taggedBits = TAGGED_BITS }: UrlTableOptions = {}) {
    const places = placesFor(Math.min(expected, MOST_EXPECTED) / TABLES);
    this.#tables = Array.from({ length: TABLES }, () => new Int32Array(places));
    this.#bits = taggedBits;
    this.#mostTagged = (1 << taggedBits) - 2;
  }

  /** How many different URLs there are. */
  get size(): number {
    return this.#size;
  }

  /** The number of a URL, or -1. */
  find(url: string): number {
    this.#print.take(url);
    return this.#find();
  }

  #find(): number {
    // Where the order is the same, this is a look at the neighbour instead of somewhere in 100 MB.
    if (this.#expected < this.#size && this.#isMarked(this.#expected)) return this.#expected++;
    if (this.#placed < this.#size) this.#placeAll();
    const { a, b, c } = this.#print;
    const table = this.#tables[a & (TABLES - 1)]!;
    const mask = table.length - 1;
    const bits = this.#bits;
    const tag = c >>> bits;
    for (let place = b & mask; ; place = (place + 1) & mask) {
      const one = table[place]!;
      if (one === 0) return -1;
      if (one >>> bits !== tag) continue;
      const entry = (one & ((1 << bits) - 1)) - 1;
      if (!this.#isMarked(entry)) continue;
      this.#expected = entry + 1;
      return entry;
    }
  }

  /** The number of a URL; it gets the next one if it is new. */
  add(url: string): number {
    this.#print.take(url);
    return this.#add();
  }

  /** The same of a URL in UTF-8 bytes, which the view shows too. */
  addBytes(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    this.#print.takeBytes(bytes, view, start, end);
    return this.#add();
  }

  /** The same of a URL that is known to be new. Many of them are placed at once, which takes half of the time. */
  addNewBytes(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    this.#print.takeBytes(bytes, view, start, end);
    // A piece at a time: placing millions would keep everything else waiting.
    if (this.#size - this.#placed === PIECE) this.#placeAll();
    return this.#append();
  }

  #add(): number {
    const found = this.#find();
    if (found !== -1) return found;
    const entry = this.#append();
    this.#placeAll();
    return entry;
  }

  #append(): number {
    const { a, b, c } = this.#print;
    const entry = this.#size++;
    const at = (entry & IN_PIECE) * WORDS;
    if (at === 0) this.#words.push(new Int32Array(WORDS * PIECE));
    const words = this.#words[entry >>> PIECE_BITS]!;
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    return entry;
  }

  #placeAll(): void {
    for (; this.#placed < this.#size; this.#placed++) {
      const entry = this.#placed;
      const number = this.#words[entry >>> PIECE_BITS]![(entry & IN_PIECE) * WORDS]! & (TABLES - 1);
      const used = this.#used[number]! + 1;
      this.#used[number] = used;
      if (entry === this.#mostTagged) this.#dropTags();
      if (used * 5 > this.#tables[number]!.length * 4) this.#grow(number);
      this.#put(this.#tables[number]!, entry);
    }
  }

  /** Whether an entry has the fingerprint that was taken last. */
  #isMarked(entry: number): boolean {
    const words = this.#words[entry >>> PIECE_BITS]!;
    const at = (entry & IN_PIECE) * WORDS;
    const { a, b, c } = this.#print;
    return words[at] === a && words[at + 1] === b && words[at + 2] === c;
  }

  #grow(number: number): void {
    const old = this.#tables[number]!;
    this.#tables[number] = this.#copied(old, old.length * 2, this.#bits);
  }

  /** From here on the numbers need all bits of their places. */
  #dropTags(): void {
    const before = this.#bits;
    this.#bits = UNTAGGED_BITS;
    for (const [number, table] of this.#tables.entries()) {
      this.#tables[number] = this.#copied(table, table.length, before);
    }
  }

  #copied(table: Int32Array, places: number, bits: number): Int32Array {
    const copy = new Int32Array(places);
    for (const one of table) if (one !== 0) this.#put(copy, (one & ((1 << bits) - 1)) - 1);
    return copy;
  }

  #put(table: Int32Array, entry: number): void {
    const words = this.#words[entry >>> PIECE_BITS]!;
    const at = (entry & IN_PIECE) * WORDS;
    const mask = table.length - 1;
    let place = words[at + 1]! & mask;
    while (table[place] !== 0) place = (place + 1) & mask;
    table[place] = ((words[at + 2]! >>> this.#bits) << this.#bits) | (entry + 1);
  }
}

/** How many places a table has for so many URLs: a power of two, of which four fifths may be taken. */
function placesFor(urls: number): number {
  let places = FIRST_PLACES;
  while (places * 4 < urls * 5) places *= 2;
  return places;
}
