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

/** Numbers URLs. */
export class UrlTable {
  /** Numbers of URLs plus one, at the places that their fingerprints lead to; 0 is an empty place. */
  readonly #tables: Int32Array[] = Array.from({ length: TABLES }, () => new Int32Array(FIRST_PLACES));
  readonly #used = new Int32Array(TABLES);
  readonly #words: Int32Array[] = [];
  readonly #print = new Fingerprint();
  #size = 0;
  /** The number that comes next if URLs come in the order of the last time, as they mostly do. */
  #expected = 0;

  /** How many different URLs there are. */
  get size(): number {
    return this.#size;
  }

  /** The number of a URL, or -1. */
  find(url: string): number {
    this.#print.take(url);
    // Where the order is the same, this is a look at the neighbour instead of somewhere in 100 MB.
    if (this.#expected < this.#size && this.#isMarked(this.#expected)) return this.#expected++;
    const { a, b } = this.#print;
    const table = this.#tables[a & (TABLES - 1)]!;
    const mask = table.length - 1;
    for (let place = b & mask; ; place = (place + 1) & mask) {
      const entry = table[place]! - 1;
      if (entry === -1) return -1;
      if (!this.#isMarked(entry)) continue;
      this.#expected = entry + 1;
      return entry;
    }
  }

  /** The number of a URL; it gets the next one if it is new. */
  add(url: string): number {
    const found = this.find(url);
    if (found !== -1) return found;
    const { a, b, c } = this.#print;
    const number = a & (TABLES - 1);
    const used = this.#used[number]! + 1;
    this.#used[number] = used;
    if (used * 5 > this.#tables[number]!.length * 4) this.#grow(number);
    const entry = this.#size++;
    const at = (entry & IN_PIECE) * WORDS;
    if (at === 0) this.#words.push(new Int32Array(WORDS * PIECE));
    const words = this.#words[entry >>> PIECE_BITS]!;
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    put(this.#tables[number]!, b, entry);
    return entry;
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
    const grown = new Int32Array(old.length * 2);
    for (const one of old) {
      if (one === 0) continue;
      const entry = one - 1;
      put(grown, this.#words[entry >>> PIECE_BITS]![(entry & IN_PIECE) * WORDS + 1]!, entry);
    }
    this.#tables[number] = grown;
  }
}

function put(table: Int32Array, hash: number, entry: number): void {
  const mask = table.length - 1;
  let place = hash & mask;
  while (table[place] !== 0) place = (place + 1) & mask;
  table[place] = entry + 1;
}
