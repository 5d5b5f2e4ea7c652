/**
 * Entries of a urlset that are written as most programs write them, read straight from their bytes:
 *
 * ```xml
 * <url>
 *   <loc>https://example.org/</loc>
 *   <lastmod>2024-05-06</lastmod>
 *   <changefreq>daily</changefreq>
 *   <priority>0.8</priority>
 * </url>
 * ```
 *
 * The four in any order, each at most once, nothing but white space between them, and values that nothing is wrong
 * with. What is unusual in the least is left to the entry scanner and {@link PagesXml}: nothing broken is given a
 * meaning here, so a page is the same whichever of the two reads it. So is an entry that a listener cannot hear of in
 * one piece.
 *
 * On 2 × 50,000 URLs in memory, processor time: 248 ms without this, 121 with it.
 */

import { ReadPage, SitemapPage } from '../model/page.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { MAX_URL_LENGTH } from '../reported-values.ts';
import { GT, LF, LT, SLASH } from '../values/byte-codes.ts';
import { type ChangeFrequency, parseChangeFrequency } from '../values/change-frequency.ts';
import { parseDate } from '../values/date.ts';
import { parseTenths } from '../values/number.ts';
import { asciiString, decodeText, plainString, repeatedString, TextDecoding } from '../values/text.ts';
import { PlainDate } from '../values/w3c-date.ts';
import { hasTemplate, isHttpUrl, isPlainHttpUrl, tidyUrl } from '../values/written-url.ts';
import { RawTag } from '../xml/raw-tags.ts';
import { FOUR_SPACES, indexOfLt, MAX_VALUE_BYTES } from '../xml/scanner.ts';

const NOT_PLAIN = -1;
const NOTHING = new Uint8Array(0);
const NO_VIEW = new DataView(NOTHING.buffer);

const [URL, LOC, LASTMOD, CHANGEFREQ, PRIORITY] = ['url', 'loc', 'lastmod', 'changefreq', 'priority'].map(
  (name) => new RawTag(new TextEncoder().encode(`<${name}>`)),
) as [RawTag, RawTag, RawTag, RawTag, RawTag];
const URL_END = URL.end!;
const LONGEST_TAG = CHANGEFREQ.length + 1;
const MOST_MISSES = 8;
/** How much may wait for the rest of its entry; nearly all entries are shorter. */
const MOST_WAITING = 1024;
const U = 0x75;

/** Reads plain entries; its fields hold the last one. */
export class PlainEntries {
  #bytes: Uint8Array = NOTHING;
  #view: DataView = NO_VIEW;
  #urlStart = 0;
  #urlEnd = 0;
  #changeFrequency: ChangeFrequency | undefined;
  #priority: number = Number.NaN;
  readonly #document: ParsedDocument;
  readonly #decoding = new TextDecoding();
  readonly #date = new PlainDate();
  readonly #readPage = new ReadPage();
  /** Below this offset any tag fits into the bytes. */
  #limit = 0;
  /** How many times in a row there was no plain entry. */
  #misses = 0;
  // The value that was found last.
  #valueStart = 0;
  #valueEnd = 0;
  /** The URL and the date, where they are not what the bytes are. */
  #urlText: string | undefined;
  #dateText: string | undefined;
  /** Where the date is written; -1 where there is none. */
  #dateStart = -1;

  constructor(document: ParsedDocument) {
    this.#document = document;
  }

  /** Reads entries from `from` on; returns where the first begins that is not plain, or not all there. */
  read(bytes: Uint8Array, view: DataView, from: number): number {
    // Where entries have extensions, none of them is plain: then few are tried.
    if (this.#misses > MOST_MISSES && (++this.#misses & 31) !== 0) return from;
    this.#bytes = bytes;
    this.#view = view;
    this.#limit = bytes.length - LONGEST_TAG;
    let at = from;
    for (let next = this.#entry(at); next !== NOT_PLAIN; next = this.#entry(at)) at = next;
    this.#misses = at > from ? 0 : this.#misses + 1;
    return at;
  }

  #entry(from: number): number {
    const view = this.#view;
    let at = this.#skipSpace(from);
    if (at >= this.#limit || !URL.isAt(view, at)) return NOT_PLAIN;
    this.#urlEnd = 0;
    this.#urlText = undefined;
    this.#dateStart = -1;
    this.#dateText = undefined;
    this.#changeFrequency = undefined;
    this.#priority = Number.NaN;
    at += URL.length;
    for (;;) {
      at = this.#skipSpace(at);
      if (at >= this.#limit) return NOT_PLAIN;
      const word = view.getInt32(at, true);
      if (word === LOC.word) {
        at = this.#value(at, LOC);
        if (at === NOT_PLAIN || !this.#takeUrl()) return NOT_PLAIN;
      } else if (word === LASTMOD.word) {
        at = this.#value(at, LASTMOD);
        if (at === NOT_PLAIN || !this.#takeDate()) return NOT_PLAIN;
      } else if (word === CHANGEFREQ.word) {
        at = this.#value(at, CHANGEFREQ);
        if (at === NOT_PLAIN || !this.#takeChangeFrequency()) return NOT_PLAIN;
      } else if (word === PRIORITY.word) {
        at = this.#value(at, PRIORITY);
        if (at === NOT_PLAIN || !this.#takePriority()) return NOT_PLAIN;
      } else return URL_END.isAt(view, at) ? this.#emit(at + URL_END.length) : NOT_PLAIN;
    }
  }

  #skipSpace(from: number): number {
    const bytes = this.#bytes;
    const view = this.#view;
    const limit = this.#limit;
    let at = from;
    // Behind the limit there is room for a word.
    if (at < limit && bytes[at] === LF) at++;
    while (at < limit && view.getInt32(at, true) === FOUR_SPACES) at += 4;
    while (at < limit && isPlainSpace(bytes[at]!)) at++;
    return at;
  }

  /** Finds what is between a tag and its end, without white space around it; returns where the end tag ends. */
  #value(at: number, tag: RawTag): number {
    const bytes = this.#bytes;
    const view = this.#view;
    const limit = this.#limit;
    if (!tag.isAt(view, at)) return NOT_PLAIN;
    const start = this.#skipSpace(at + tag.length);
    const lt = indexOfLt(bytes, view, start, limit);
    if (lt >= limit || lt - at > MAX_VALUE_BYTES || !tag.end!.isAt(view, lt)) return NOT_PLAIN;
    let end = lt;
    while (end > start && isPlainSpace(bytes[end - 1]!)) end--;
    this.#valueStart = start;
    this.#valueEnd = end;
    return lt + tag.length + 1;
  }

  #takeUrl(): boolean {
    const bytes = this.#bytes;
    const start = this.#valueStart;
    const end = this.#valueEnd;
    if (this.#urlEnd !== 0 || end - start > MAX_URL_LENGTH || !isPlainHttpUrl(bytes, start, end))
      return false;
    this.#urlStart = start;
    this.#urlEnd = end;
    return this.#document.seen.markBytes(bytes, start, end) || this.#decodeUrl();
  }

  // Many have a query with `&amp;` in it, or letters beyond ASCII.
  #decodeUrl(): boolean {
    this.#decoding.problems = 0;
    const text = decodeText(this.#bytes, this.#urlStart, this.#urlEnd, this.#decoding);
    this.#urlText = text;
    const isWhole = this.#decoding.problems === 0 && isHttpUrl(text) && text === tidyUrl(text);
    return isWhole && !text.includes('&amp;') && !hasTemplate(text);
  }

  #takeDate(): boolean {
    if (this.#dateStart !== -1) return false;
    this.#dateStart = this.#valueStart;
    if (this.#date.readAny(this.#view, this.#valueStart, this.#valueEnd)) return true;
    // Written in one of the other ways, which are read from a text.
    this.#dateText = plainString(this.#bytes, this.#valueStart, this.#valueEnd);
    if (this.#dateText === undefined) return false;
    this.#date.time = parseDate(this.#dateText);
    return !Number.isNaN(this.#date.time);
  }

  #takeChangeFrequency(): boolean {
    if (this.#changeFrequency !== undefined) return false;
    this.#changeFrequency = parseChangeFrequency(
      repeatedString(this.#bytes, this.#valueStart, this.#valueEnd),
    );
    return this.#changeFrequency !== undefined;
  }

  #takePriority(): boolean {
    if (!Number.isNaN(this.#priority)) return false;
    this.#priority = parseTenths(this.#bytes, this.#valueStart, this.#valueEnd);
    return !Number.isNaN(this.#priority);
  }

  /** Hands the entry on, which ends at `end`; returns that, or {@link NOT_PLAIN}. */
  #emit(end: number): number {
    const { seen } = this.#document;
    if (this.#urlEnd === 0) return NOT_PLAIN;
    const isNew = this.#urlText === undefined ? seen.addMarked() : seen.add(this.#urlText);
    if (isNew) this.#document.addPage(this.#page());
    return end;
  }

  #page(): SitemapPage {
    const page = this.#readPage;
    const hasDate = this.#dateStart !== -1;
    page.url = this.#urlText ?? asciiString(this.#bytes, this.#urlStart, this.#urlEnd);
    page.changeFrequency = this.#changeFrequency;
    page.declaredPriority = Number.isNaN(this.#priority) ? undefined : this.#priority;
    page.lastModified = hasDate ? new Date(this.#date.time) : undefined;
    page.lastModifiedForm = hasDate ? (this.#dateText ?? this.#date.form) : undefined;
    return new SitemapPage(page);
  }
}

/**
 * Whether all from `from` on is the beginning of an entry: then it waits for the rest. It is one entry of a chunk, but
 * the code of the scanner is cold in a document of plain entries: a wait saves 5 % of the whole.
 */
export function isBeginning(bytes: Uint8Array, from: number): boolean {
  if (bytes.length - from > MOST_WAITING) return false;
  const lt = bytes.indexOf(LT, from);
  if (lt !== -1 && lt + 1 < bytes.length && bytes[lt + 1] !== U) return false;
  // An entry that is all there never waits; an end tag that is not all there ends nothing.
  for (let at = bytes.lastIndexOf(GT) - 3; at > lt; at--) {
    if (bytes[at] === LT && bytes[at + 1] === SLASH && bytes[at + 2] === U) return false;
  }
  return true;
}

/** White space of XML alone: an entry with a form feed is one that a check has something to say about. */
function isPlainSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d;
}
