/**
 * Fingerprints of URLs that variants of a page share: without the scheme, `www.`, the name of an index file, a slash at
 * the end of the path and the case of the path. They have 64 bits, and are seeded anew in each process, so that URLs
 * which fall into one place cannot be prepared. Among ten million pages two are taken for one with a probability of
 * about 1 to 370,000.
 */

import type { Print } from '../parse/fingerprint-table.ts';
import { TextBytes, wordOf } from '../parse/values/text.ts';

/** In how a URL is written, what makes it a variant of another one: bits. */
export const Form = { http: 1, www: 2, slash: 4, capitals: 8, index: 16 } as const;

const seed = (): number => (Math.random() * 0x1_0000_0000) | 0;
const SEEDS = [seed(), seed(), seed()] as const;

const SLASH = 0x2f;
const QUESTION = 0x3f;
const DOT = 0x2e;
const LETTER_X = 0x78;
/** A slash before this index belongs to `https://`, not to the path. */
const HTTPS = 'https:/'.length;
const HIGH_BITS = 0x80808080 | 0;

/** Takes the fingerprint of one URL at a time; its words are read from here. */
export class UrlMark implements Print {
  // Of the page, in whatever variant.
  a = 0;
  b = 0;
  readonly c = 0;
  /** Of the URL as it is. */
  exact = 0;
  /** Bits of {@link Form}. */
  form = 0;
  #capitals = 0;
  readonly #text = new TextBytes();

  /** @param url - a key of `urlKey` */
  take(url: string): void {
    const { bytes, view, length } = this.#text.take(url);
    let path = 0;
    while (path < length && !(bytes[path] === SLASH && path > HTTPS)) path++;
    let query = 0;
    while (query < length && bytes[query] !== QUESTION) query++;
    this.takeParts(bytes, view, 0, path, query, length);
  }

  /**
   * The same of bytes, which the view shows too, where it is known where the path begins, and the query, or that there
   * is none: it is the end then.
   */
  takeParts(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    path: number,
    query: number,
    end: number,
  ): void {
    let form = 0;
    let at = start;
    // `http://` and `https://`, by the letter behind "http".
    if (end - start > 8 && view.getInt32(start, true) === HTTP) {
      if (bytes[start + 4] === 0x73) at = start + 8;
      else {
        at = start + 7;
        form = Form.http;
      }
      if (end - at > 4 && view.getInt32(at, true) === WWW) {
        at += 4;
        form |= Form.www;
      }
    }
    const pathEnd = query - indexFileLength(bytes, view, path, query);
    if (pathEnd < query) form |= Form.index;
    // The slash of the root is part of every URL.
    const hasSlash = pathEnd - 1 > path && bytes[pathEnd - 1] === SLASH;
    if (hasSlash) form |= Form.slash;
    this.a = SEEDS[0];
    this.b = SEEDS[1];
    this.exact = SEEDS[2];
    this.#capitals = 0;
    this.#pass(bytes, view, at, hasSlash ? pathEnd - 1 : pathEnd, HIGH_BITS);
    if (query < end) this.#pass(bytes, view, query, end, 0);
    if (this.#capitals !== 0) form |= Form.capitals;
    const { a, b, exact } = this;
    this.a = Math.imul(a ^ (a >>> 16), 0x7feb352d);
    this.b = Math.imul(b ^ (b >>> 15), 0x846ca68b);
    const name = pathEnd < query ? view.getInt32(query - 4, true) : 0;
    this.exact = Math.imul(exact ^ (exact >>> 15) ^ name, 0x85ebca6b) ^ form;
    this.form = form;
  }

  /** Takes in some bytes, four at a time; letters are small ones for the page where `folded` has its bits set. */
  #pass(bytes: Uint8Array, view: DataView, start: number, end: number, folded: number): void {
    let { a, b, exact } = this;
    let all = 0;
    for (let at = start; at < end; at += 4) {
      const word = at + 4 <= end ? view.getInt32(at, true) : lastWord(bytes, at, end);
      const low = word & 0x7f7f7f7f;
      // The high bit of each byte that is a capital letter; a quarter of it is what makes it a small one.
      const capitals = (low + 0x3f3f3f3f) & ~(low + 0x25252525) & ~word & folded;
      all |= capitals;
      exact = Math.imul(exact ^ word, 0x01000193) ^ (exact >>> 17);
      const small = word | (capitals >>> 2);
      a = Math.imul(a ^ small, 0x2c1b3c6d);
      a ^= a >>> 15;
      b = (Math.imul(b ^ small, 0x297a2d39) ^ (b >>> 14)) + a;
    }
    // Where one part ends and the next begins counts too.
    const length = end - start;
    this.a = Math.imul(a ^ length, 0x1b56c4e9);
    this.b = Math.imul(b + length, 0x297a2d39) | 0;
    this.exact = exact ^ length;
    this.#capitals |= all;
  }
}

/** The words of some fingerprints: a list that is cleared for each entry, and keeps its memory. */
export class WordList {
  words: Int32Array = new Int32Array(32);
  length = 0;

  push(word: number): void {
    if (this.length === this.words.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.words);
      this.words = larger;
    }
    this.words[this.length++] = word;
  }

  pushMark({ a, b, exact }: UrlMark): void {
    this.push(a);
    this.push(b);
    this.push(exact);
  }
}

/** How long the name of an index file is at the end of a path, as `index.html`; 0 where there is none. */
function indexFileLength(bytes: Uint8Array, view: DataView, path: number, end: number): number {
  const length = bytes[end - 5] === DOT ? 10 : bytes[end - 4] === DOT ? 9 : 0;
  const start = end - length;
  if (length === 0 || start <= path || bytes[start - 1] !== SLASH) return 0;
  if (view.getInt32(start, true) !== INDE || bytes[start + 4] !== LETTER_X) return 0;
  const ending = view.getInt32(end - 4, true);
  return length === 10 ? (ending === HTML ? length : 0) : ending === HTM || ending === PHP ? length : 0;
}

/** The one to three bytes that are left. */
function lastWord(bytes: Uint8Array, start: number, end: number): number {
  let word = 0;
  for (let at = end - 1; at >= start; at--) word = (word << 8) | bytes[at]!;
  return word;
}

const HTTP = wordOf('http');
const WWW = wordOf('www.');
const INDE = wordOf('inde');
const HTML = wordOf('html');
const HTM = wordOf('.htm');
const PHP = wordOf('.php');
