/** Sets of URLs, by their fingerprints: some 20 bytes for a URL of any length. */
import { Fingerprint, type Print } from './fingerprint-table.ts';

const NOTHING = new Uint8Array(0);
const NO_VIEW = new DataView(NOTHING.buffer);
/** Words of a fingerprint. */
const WORDS = 3;
const FIRST_LENGTH = 64 * WORDS;
/** A sitemap of fifty thousand URLs needs so many places. */
const FULL_LENGTH = 64 * 1024 * WORDS;
/** From there on places are in so many parts, which grow one by one: it never takes long, nor twice the memory. */
const PARTS = 256;

/** The fingerprint that was taken last. */
let lastPrintOf: (seen: SeenUrls) => Print;

/**
 * Remembers which URLs were there before.
 *
 * Two different URLs are taken for one with a probability of about n²/2⁹⁷: below 10⁻¹⁴ for fifty million URLs.
 */
export class SeenUrls {
  /** Fingerprints at the places that they lead to; the first word of an empty place is 0. */
  #parts: Int32Array[] = [new Int32Array(FIRST_LENGTH)];
  /** How many places of each part are taken. */
  #used = new Int32Array(1);
  #size = 0;
  readonly #print = new Fingerprint();
  #view: DataView = NO_VIEW;
  #viewed: Uint8Array = NOTHING;

  static {
    lastPrintOf = (seen) => seen.#print;
  }

  /** How many different URLs there were. */
  get size(): number {
    return this.#size;
  }

  /** Adds a URL; returns whether it is new. */
  add(url: string): boolean {
    this.#print.take(url);
    return this.addMarked();
  }

  /** Whether a URL was added before. */
  has(url: string): boolean {
    this.#print.take(url);
    return this.hasMarked();
  }

  /** Whether the URL whose fingerprint was taken last was added before. */
  hasMarked(): boolean {
    const { a, b, c } = this.#print;
    const part = this.#parts[a & (this.#parts.length - 1)]!;
    return part[placeOf(part, a, b, c)] !== 0;
  }

  /**
   * Takes the fingerprint of a URL in UTF-8 bytes, for {@link addMarked}. Returns whether it is plain:
   * eight bytes or more of printable ASCII without `&`, so that the bytes are the URL and need no decoding.
   */
  markBytes(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#viewed !== bytes) {
      this.#viewed = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    return this.#print.takeBytes(bytes, this.#view, start, end);
  }

  /** Adds the URL whose fingerprint was taken last; returns whether it is new. */
  addMarked(): boolean {
    const { a, b, c } = this.#print;
    if (!this.#put(a, b, c)) return false;
    this.#size++;
    const number = a & (this.#parts.length - 1);
    // Four fifths: the fifty thousand URLs that a sitemap may have fit into 64 Ki places.
    if (this.#used[number]! * 5 * WORDS > this.#parts[number]!.length * 4) this.#grow(number);
    return true;
  }

  #put(a: number, b: number, c: number): boolean {
    const number = a & (this.#parts.length - 1);
    const part = this.#parts[number]!;
    const place = placeOf(part, a, b, c);
    if (part[place] !== 0) return false;
    part[place] = a;
    part[place + 1] = b;
    part[place + 2] = c;
    this.#used[number] = this.#used[number]! + 1;
    return true;
  }

  #grow(number: number): void {
    const old = this.#parts[number]!;
    this.#used[number] = 0;
    if (this.#parts.length === PARTS) {
      this.#parts[number] = new Int32Array(old.length * 2);
    } else if (old.length < FULL_LENGTH) {
      // In large steps up to a full sitemap: smaller ones are twice the work.
      this.#parts[0] = arrayOf(Math.min(old.length * 4, FULL_LENGTH));
    } else {
      this.#parts = Array.from({ length: PARTS }, () => new Int32Array((2 * old.length) / PARTS));
      this.#used = new Int32Array(PARTS);
    }
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at] !== 0) this.#put(old[at]!, old[at + 1]!, old[at + 2]!);
    }
    giveBack(old);
  }

  /** Forgets them all, and leaves its memory to the next document that needs some. */
  release(): void {
    for (const part of this.#parts) giveBack(part);
    this.#parts = [new Int32Array(FIRST_LENGTH)];
    this.#used = new Int32Array(1);
    this.#size = 0;
    this.#viewed = NOTHING;
    this.#view = NO_VIEW;
  }
}

/** Where a fingerprint is, or the empty place that it would be put at. */
function placeOf(part: Int32Array, a: number, b: number, c: number): number {
  // Numbers of places are powers of two.
  let place = (b & (part.length / WORDS - 1)) * WORDS;
  for (;;) {
    const first = part[place];
    if (first === 0 || (first === a && part[place + 1] === b && part[place + 2] === c)) return place;
    // To the neighbour, which is in the same line of the cache.
    place += WORDS;
    if (place === part.length) place = 0;
  }
}

/**
 * Large arrays that are not in use, all zeroes, for the next document that needs one. New ones for each document live
 * too long to be collected soon: 1 to 10 MiB more at the peak of a stream of 52 full sitemaps. Held weakly, so a
 * collection may have them.
 */
const spare: WeakRef<Int32Array>[] = [];
const MOST_SPARE = 64;
const LEAST_SPARE = 4096;

function arrayOf(length: number): Int32Array {
  for (let at = spare.length - 1; at >= 0; at--) {
    const array = spare[at]!.deref();
    if (array !== undefined && array.length !== length) continue;
    spare.splice(at, 1);
    if (array !== undefined) return array;
  }
  return new Int32Array(length);
}

function giveBack(array: Int32Array): void {
  if (array.length < LEAST_SPARE || array.length > FULL_LENGTH || spare.length === MOST_SPARE) return;
  spare.push(new WeakRef(array.fill(0)));
}

/**
 * URLs that are looked for in documents. It takes the place of the URLs that a document had before: where that says
 * "not new", a parser makes nothing of an entry, and so it ignores all pages but those that are looked for. What is
 * left of the others is a fingerprint, which is taken of their bytes. Any number of documents may be read with it.
 */
export class SoughtUrls extends SeenUrls {
  readonly #isSought: (print: Print) => boolean;

  constructor(isSought: (print: Print) => boolean) {
    super();
    this.#isSought = isSought;
  }

  override addMarked(): boolean {
    return this.#isSought(lastPrintOf(this));
  }
}
