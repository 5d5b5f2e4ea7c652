/**
 * The pages of a whole site, by fingerprint: which was listed before, by which document, and in which form. A page takes
 * 20 bytes, and about 6 for its place. URLs that are variants of each other have one entry.
 */
import type { UrlMark } from './url-mark.ts';

const TABLES = 256;
const FIRST_PLACES = 16;
const PIECE_BITS = 14;
const PIECE = 1 << PIECE_BITS;
const IN_PIECE = PIECE - 1;
/** Of an entry: the three of the page, the hash of the URL as it is, and its last document with its form. */
const WORDS = 5;
const FORM_BITS = 4;

/** How a page was listed before. */
export interface EarlierListing {
  /** The number of the document that listed it last. */
  readonly document: number;
  /** The form in which it was listed first. */
  readonly form: number;
  /** Whether that was the very same URL. */
  readonly isSame: boolean;
}

/** Remembers the pages of a site. */
export class SiteUrls {
  /** Numbers of entries plus one, at the places that their fingerprints lead to; 0 is an empty place. */
  readonly #tables: Int32Array[] = Array.from({ length: TABLES }, () => new Int32Array(FIRST_PLACES));
  readonly #used = new Int32Array(TABLES);
  readonly #words: Int32Array[] = [];
  #size = 0;

  /** How a page was listed before; undefined where it was not. */
  find(mark: UrlMark): EarlierListing | undefined {
    const entry = this.#find(mark);
    return entry === -1 ? undefined : this.#listing(entry, mark);
  }

  /** The same, and from now on the page is listed by `document`. */
  add(mark: UrlMark, document: number): EarlierListing | undefined {
    const found = this.#find(mark);
    if (found === -1) {
      this.#insert(mark, document);
      return undefined;
    }
    const earlier = this.#listing(found, mark);
    const last = this.#at(found) + 4;
    this.#words[found >>> PIECE_BITS]![last] = (document << FORM_BITS) | earlier.form;
    return earlier;
  }

  #listing(entry: number, mark: UrlMark): EarlierListing {
    const words = this.#words[entry >>> PIECE_BITS]!;
    const at = this.#at(entry);
    const last = words[at + 4]!;
    return {
      document: last >>> FORM_BITS,
      form: last & ((1 << FORM_BITS) - 1),
      isSame: words[at + 3] === mark.exact,
    };
  }

  #at(entry: number): number {
    return (entry & IN_PIECE) * WORDS;
  }

  #find({ a, b, c }: UrlMark): number {
    const table = this.#tables[a & (TABLES - 1)]!;
    const mask = table.length - 1;
    for (let place = b & mask; ; place = (place + 1) & mask) {
      const entry = table[place]! - 1;
      if (entry === -1) return -1;
      const words = this.#words[entry >>> PIECE_BITS]!;
      const at = this.#at(entry);
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c) return entry;
    }
  }

  #insert({ a, b, c, exact, form }: UrlMark, document: number): void {
    const number = a & (TABLES - 1);
    const used = this.#used[number]! + 1;
    this.#used[number] = used;
    if (used * 5 > this.#tables[number]!.length * 4) this.#grow(number);
    const entry = this.#size++;
    const at = this.#at(entry);
    if (at === 0) this.#words.push(new Int32Array(WORDS * PIECE));
    const words = this.#words[entry >>> PIECE_BITS]!;
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    words[at + 3] = exact;
    words[at + 4] = (document << FORM_BITS) | form;
    put(this.#tables[number]!, b, entry);
  }

  #grow(number: number): void {
    const old = this.#tables[number]!;
    const grown = new Int32Array(old.length * 2);
    for (const one of old) {
      if (one === 0) continue;
      const entry = one - 1;
      put(grown, this.#words[entry >>> PIECE_BITS]![this.#at(entry) + 1]!, entry);
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
