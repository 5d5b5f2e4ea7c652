/**
 * Documents of lines: text sitemaps, and robots.txt as an index of sitemaps.
 */

import { clip } from '../../text/wording.ts';
import { documentKey } from '../../url.ts';
import type { FormatParser } from '../model/item.ts';
import { ReadPage, SitemapPage } from '../model/page.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { MAX_URL_LENGTH, reportTextProblems } from '../reported-values.ts';
import { CR, LF } from '../values/byte-codes.ts';
import { decodeCdata, TextDecoding } from '../values/text.ts';
import { isHttpUrl } from '../values/written-url.ts';
import { Window } from '../window.ts';
import { isSpace } from '../xml/attributes.ts';

/** Longer lines are truncated there, and the rest of them is ignored. */
const MAX_LINE_BYTES = 64 * 1024;

/** What is said of a line whose end never arrived. */
const HALF_A_LINE = 'The document ends inside a line; what came before was kept.';

/** Cuts bytes into lines: LF, CR and CR LF each end one, in any mixture, wherever the chunks are cut. */
abstract class Lines implements FormatParser {
  abstract readonly isConfirmed: boolean;
  readonly truncated = false;
  protected readonly document: ParsedDocument;
  protected readonly decoding: TextDecoding = new TextDecoding();
  /** Whether the next line is cut off. */
  protected isHalf = false;
  readonly #window = new Window();
  /** Where in the document the window begins. */
  #base = 0;
  /** Whether the rest of a line is skipped that was too long. */
  #isCut = false;

  constructor(document: ParsedDocument) {
    this.document = document;
  }

  /** A line, without its end; the bytes hold only during the call. */
  protected abstract line(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    isCut: boolean,
  ): void;

  write(chunk: Uint8Array): void {
    if (this.#window.add(chunk)) this.#lines();
  }

  end(isCut: boolean): void {
    this.#lines();
    this.isHalf = isCut;
    const { bytes } = this.#window;
    this.#line(bytes, 0, bytes.length);
  }

  #lines(): void {
    const { bytes } = this.#window;
    let start = 0;
    // The nearest of each kind of line end, looked for again only when it has been passed.
    let lf = nextOf(bytes, LF, 0);
    let cr = nextOf(bytes, CR, 0);
    for (;;) {
      const end = Math.min(lf, cr);
      if (end === bytes.length) break;
      this.#line(bytes, start, end);
      this.#isCut = false;
      start = end + 1;
      if (end === lf) lf = nextOf(bytes, LF, start);
      else cr = nextOf(bytes, CR, start);
    }
    if (this.#isCut || bytes.length - start > MAX_LINE_BYTES) {
      this.#line(bytes, start, bytes.length);
      this.#isCut = true;
      start = bytes.length;
    }
    this.#base += start;
    this.#window.keepFrom(start);
  }

  #line(bytes: Uint8Array, start: number, end: number): void {
    const last = Math.min(end, start + MAX_LINE_BYTES);
    if (end > start && !this.#isCut) this.line(bytes, start, last, this.#base + start, last < end);
  }
}

function nextOf(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at;
}

export function isUrlLine(line: string): boolean {
  return isHttpUrl(line) && !/\s/.test(line);
}

/** A text sitemap: one URL a line. Other lines are skipped, with a problem. */
export class PlainText extends Lines {
  readonly #page = new ReadPage();
  #isConfirmed = false;

  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  protected line(bytes: Uint8Array, start: number, end: number, offset: number, isCut: boolean): void {
    const line = decodeCdata(bytes, start, end, this.decoding).trim();
    if (line === '') return;
    let first = start;
    while (first < end && isSpace(bytes[first]!)) first++;
    this.#url(line, offset + first - start, isCut);
  }

  #url(line: string, offset: number, isCut: boolean): void {
    const { problems } = this.document;
    reportTextProblems(this.decoding, problems, offset);
    if (this.isHalf) {
      this.#isConfirmed ||= isUrlLine(line);
      problems.add('truncated', HALF_A_LINE, offset);
      return;
    }
    if (isUrlLine(line) && line.length > MAX_URL_LENGTH) {
      this.#isConfirmed = true;
      this.document.values.url(line, offset);
      return;
    }
    if (isCut || !isUrlLine(line)) {
      const why = isCut ? 'is longer than 64 KiB' : 'is not a URL';
      problems.add('line-not-a-url', `A line ${why} and was skipped: ${clip(line, 100)}`, offset);
      return;
    }
    this.#isConfirmed = true;
    if (!this.document.isFirst(line, offset)) return;
    this.#page.url = this.document.values.absolute(line, offset);
    this.document.addPage(new SitemapPage(this.#page));
  }
}

// Google matches the key by its beginning. The value is what follows the colon; where that is missing, the line must be
// two words: "Sitemap files are listed at …" is prose.
const SITEMAP_LINE = /^site-?map[^\s:]*(?:\s*:\s*(.*)|\s+(\S+))$/is;

/**
 * robots.txt as Google's parser reads it: a BOM (even a part of one), comments,
 * any case, `Sitemap:`, `Sitemaps:` and `Site-map:`, white space before the colon or instead of it, any line
 * end. A Sitemap line belongs to no group and may be anywhere. All else in the file is ignored.
 */
export class RobotsTxt extends Lines {
  readonly isConfirmed = true;

  protected line(bytes: Uint8Array, start: number, end: number, offset: number): void {
    // Hardly any line is ours, and ours start with an "s": the rest is not even decoded.
    let first = start;
    while (first < end && (bytes[first]! <= 0x20 || bytes[first]! >= 0x80)) first++;
    if (first < end && (bytes[first]! | 0x20) === 0x73)
      this.#sitemapLine(bytes, first, end, offset + first - start);
  }

  #sitemapLine(bytes: Uint8Array, start: number, end: number, offset: number): void {
    // Within the line: a search to the end of the chunk, line by line, would be quadratic.
    const hash = bytes.subarray(start, end).indexOf(0x23);
    const line = decodeCdata(bytes, start, hash === -1 ? end : start + hash, this.decoding);
    const trimmed = line.trim();
    const match = SITEMAP_LINE.exec(trimmed);
    const value = (match?.[1] ?? match?.[2])?.trim();
    if (value === undefined) {
      this.decoding.problems = 0;
      return;
    }
    const { problems, values } = this.document;
    reportTextProblems(this.decoding, problems, offset);
    // In front of a comment the URL is whole.
    if (this.isHalf && hash === -1) {
      problems.add('truncated', HALF_A_LINE, offset);
      return;
    }
    if (value === '') {
      problems.add('robots-line-skipped', 'A Sitemap line without a URL was skipped.', offset);
      return;
    }
    // Some files list several in one line. Of several words only addresses are meant; "none yet" is not.
    const words = value.split(/,?\s+/);
    const addresses = words.length === 1 ? words : words.filter(isHttpUrl);
    if (addresses.length < words.length) {
      problems.add(
        'robots-line-skipped',
        `Words of a Sitemap line that are not a URL were skipped: ${clip(value, 100)}`,
        offset,
      );
    }
    // What is before a word is nearly always ASCII, but may be anything.
    let passed = 0;
    let next = trimmed.length - value.length;
    let wordOffset = offset;
    for (const word of addresses) {
      const at = trimmed.indexOf(word, next);
      wordOffset += utf8Length(trimmed.slice(passed, at));
      passed = at;
      next = at + word.length;
      const url = values.url(word, wordOffset);
      if (url === undefined || !this.document.isFirst(url, wordOffset, documentKey(url))) continue;
      this.document.addSitemap(Object.freeze({ url, lastModified: undefined }));
    }
  }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
