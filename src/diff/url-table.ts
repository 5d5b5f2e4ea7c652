/**
 * Gives each URL a number, from 0 on, and remembers it by its fingerprint: 12 bytes, and about 6 for its place.
 *
 * The places are in 256 tables that grow one by one, so that growing never takes long and never needs twice the memory.
 */
import { IN_PIECE, PIECE, PIECE_BITS } from './columns.ts';
import { Fingerprint } from './fingerprint.ts';

const TABLES = 256;
const FIRST_PLACES = 16;
/** How many URLs get their numbers together, at most. */
export const MOST_STAGED = 256;
/** Of a fingerprint. */
const WORDS = 3;
/** Numbers have so many bits up to sixty-seven million URLs; what is left of a place is a tag of the URL there. */
const TAGGED_BITS = 26;
const UNTAGGED_BITS = 31;

/** Seventeen megabytes of places: what is made ahead for URLs that may turn out to be the same ones again and again. */
const MOST_EXPECTED = 3_300_000;
/** Twice as much where URLs have come already, and more of their kind are expected. */
const MOST_EXPECTED_LATER = 2 * MOST_EXPECTED;

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
  /** The fingerprints of URLs that get their numbers together. */
  readonly #staged = new Int32Array(WORDS * MOST_STAGED);
  readonly #stagedNumbers = new Int32Array(MOST_STAGED);
  #stagedCount = 0;
  /** How many places a table gets when it grows, at least. */
  #nextPlaces = 0;
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

  /** Says how many URLs there will be, as far as is known by now: a table that has to grow gets room for its part. */
  expect(count: number): void {
    this.#nextPlaces = placesFor(Math.min(count, MOST_EXPECTED_LATER) / TABLES);
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
      const entry = numberIn(one, bits);
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

  /** How many URLs were staged: at most {@link MOST_STAGED}. */
  get stagedCount(): number {
    return this.#stagedCount;
  }

  /** Keeps a URL for {@link addStaged}. */
  stage(url: string): void {
    this.#print.take(url);
    this.#stage();
  }

  /** The same of a URL in UTF-8 bytes, which the view shows too. */
  stageBytes(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    this.#print.takeBytes(bytes, view, start, end);
    this.#stage();
  }

  #stage(): void {
    const { a, b, c } = this.#print;
    const at = this.#stagedCount++ * WORDS;
    this.#staged[at] = a;
    this.#staged[at + 1] = b;
    this.#staged[at + 2] = c;
  }

  /**
   * The numbers of the URLs that were staged, in their order, valid until the next call. Takes half of the time of
   * adding them one by one: their places are all over the memory, and here they are fetched side by side.
   */
  addStaged(): Int32Array {
    const staged = this.#staged;
    const numbers = this.#stagedNumbers.subarray(0, this.#stagedCount);
    this.#stagedCount = 0;
    this.#placeAll();
    for (let index = 0; index < numbers.length; index++) {
      const at = index * WORDS;
      numbers[index] = this.#firstAt(staged[at]!, staged[at + 1]!);
    }
    const print = this.#print;
    for (let index = 0; index < numbers.length; index++) {
      const at = index * WORDS;
      print.a = staged[at]!;
      print.b = staged[at + 1]!;
      print.c = staged[at + 2]!;
      // A place that was free, and that none of the others took, shows that the URL is new.
      const isNew = numbers[index] === 0 && this.#firstAt(print.a, print.b) === 0;
      numbers[index] = isNew ? this.#addNew() : this.#add();
    }
    return numbers;
  }

  /** What is at the first place that a fingerprint leads to. */
  #firstAt(a: number, b: number): number {
    const table = this.#tables[a & (TABLES - 1)]!;
    return table[b & (table.length - 1)]!;
  }

  #add(): number {
    const found = this.#find();
    return found === -1 ? this.#addNew() : found;
  }

  #addNew(): number {
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
      const words = this.#words[entry >>> PIECE_BITS]!;
      const at = (entry & IN_PIECE) * WORDS;
      const number = words[at]! & (TABLES - 1);
      const used = this.#used[number]! + 1;
      this.#used[number] = used;
      if (entry === this.#mostTagged) this.#dropTags();
      if (used * 5 > this.#tables[number]!.length * 4) this.#grow(number);
      put(this.#tables[number]!, words[at + 1]!, withTag(words[at + 2]!, this.#bits, entry));
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
    this.#tables[number] = this.#copied(old, Math.max(old.length * 2, this.#nextPlaces), this.#bits);
  }

  /** From here on the numbers need all bits of their places. */
  #dropTags(): void {
    const before = this.#bits;
    this.#bits = UNTAGGED_BITS;
    for (const [number, table] of this.#tables.entries()) {
      this.#tables[number] = this.#copied(table, table.length, before);
    }
  }

  #copied(table: Int32Array, places: number, before: number): Int32Array {
    // First what is read, then what is made of it: the processor fetches many fingerprints side by side.
    const kept = new Int32Array(table.length);
    const firsts = new Int32Array(table.length);
    let count = 0;
    for (const one of table) if (one !== 0) kept[count++] = one;
    for (let index = 0; index < count; index++) {
      const entry = numberIn(kept[index]!, before);
      firsts[index] = this.#words[entry >>> PIECE_BITS]![(entry & IN_PIECE) * WORDS + 1]!;
    }
    const copy = new Int32Array(places);
    for (let index = 0; index < count; index++) {
      const one = kept[index]!;
      put(copy, firsts[index]!, withTag(one, this.#bits, numberIn(one, before)));
    }
    return copy;
  }
}

/** The number at a place. */
function numberIn(one: number, bits: number): number {
  return (one & ((1 << bits) - 1)) - 1;
}

/** What a place has for a number: the tag is what `tagged` has above so many bits. */
function withTag(tagged: number, bits: number, number: number): number {
  return ((tagged >>> bits) << bits) | (number + 1);
}

/** Puts something at the first free place from `first` on. */
function put(table: Int32Array, first: number, one: number): void {
  const mask = table.length - 1;
  let place = first & mask;
  while (table[place] !== 0) place = (place + 1) & mask;
  table[place] = one;
}

/** How many places a table has for so many URLs: a power of two, of which four fifths may be taken. */
function placesFor(urls: number): number {
  let places = FIRST_PLACES;
  while (places * 4 < urls * 5) places *= 2;
  return places;
}
