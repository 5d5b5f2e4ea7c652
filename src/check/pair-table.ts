/** Numbers by keys of 64 bits, in typed arrays: a table for millions of keys, free for the garbage collector. */

const FIRST_PLACES = 1024;
const WORDS = 4;

/** Two numbers for each key; both are 0 where nothing was added. */
export class PairTable {
  #table = new Int32Array(FIRST_PLACES * WORDS);
  #mask = FIRST_PLACES - 1;
  #size = 0;

  /** How many keys there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds to the first number of a key, and sets the second. */
  add(high: number, low: number, count: number, second: number): void {
    if (this.#size * 5 > this.#mask * 4) this.#grow();
    const at = this.#find(high, low | 1);
    if (this.#table[at + 1] === 0) {
      this.#size++;
      this.#table[at] = high;
      this.#table[at + 1] = low | 1;
    }
    this.#table[at + 2] = this.#table[at + 2]! + count;
    this.#table[at + 3] = second;
  }

  first(high: number, low: number): number {
    return this.#table[this.#find(high, low | 1) + 2]!;
  }

  second(high: number, low: number): number {
    return this.#table[this.#find(high, low | 1) + 3]!;
  }

  /** Both numbers of each key. */
  *numbers(): Generator<readonly [first: number, second: number], void, undefined> {
    const table = this.#table;
    for (let at = 0; at < table.length; at += WORDS) {
      if (table[at + 1] !== 0) yield [table[at + 2]!, table[at + 3]!];
    }
  }

  // The last bit of a key is always set: a place whose second word is 0 is empty.
  #find(high: number, low: number): number {
    const table = this.#table;
    const mask = this.#mask;
    for (let place = (high ^ (low >>> 7)) & mask; ; place = (place + 1) & mask) {
      const at = place * WORDS;
      const found = table[at + 1];
      if (found === 0 || (found === low && table[at] === high)) return at;
    }
  }

  #grow(): void {
    const old = this.#table;
    this.#mask = (this.#mask + 1) * 2 - 1;
    this.#table = new Int32Array((this.#mask + 1) * WORDS);
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at + 1] === 0) continue;
      const to = this.#find(old[at]!, old[at + 1]!);
      for (let word = 0; word < WORDS; word++) this.#table[to + word] = old[at + word]!;
    }
  }
}
