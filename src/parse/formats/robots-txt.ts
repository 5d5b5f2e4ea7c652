/**
 * robots.txt as an index of sitemaps, read as Google's parser reads it: a BOM (even a part of one), comments,
 * any case, `Sitemap:`, `Sitemaps:` and `Site-map:`, white space before the colon or instead of it, any line
 * end. A Sitemap line belongs to no group and may be anywhere. All else in the file is ignored.
 */

import { documentKey } from '../../url.ts';
import type { FormatParser } from '../model/item.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { reportTextProblems } from '../reported-values.ts';
import { decodeCdata, TextDecoding } from '../values/text.ts';
import { isHttpUrl } from '../values/written-url.ts';
import { HALF_A_LINE, LineReader } from './lines.ts';

// Google matches the key by its beginning. The value is what follows the colon; where that is missing, the line must be
// two words: "Sitemap files are listed at …" is prose.
const SITEMAP_LINE = /^site-?map[^\s:]*(?:\s*:\s*(.*)|\s+(\S+))$/is;

export class RobotsTxt implements FormatParser {
  readonly isConfirmed = true;
  readonly truncated = false;
  readonly #document: ParsedDocument;
  readonly #lines: LineReader;
  readonly #decoding = new TextDecoding();
  /** Whether the line that comes is half of one. */
  #isHalf = false;

  constructor(document: ParsedDocument) {
    this.#document = document;
    this.#lines = new LineReader((bytes, start, end, offset) => {
      // Hardly any line is ours, and ours start with an "s": the rest is not even decoded.
      let first = start;
      while (first < end && (bytes[first]! <= 0x20 || bytes[first]! >= 0x80)) first++;
      if (first < end && (bytes[first]! | 0x20) === 0x73)
        this.#line(bytes, first, end, offset + first - start);
    });
  }

  write(chunk: Uint8Array): void {
    this.#lines.write(chunk);
  }

  end(isCut: boolean): void {
    this.#isHalf = isCut;
    this.#lines.end();
  }

  #line(bytes: Uint8Array, start: number, end: number, offset: number): void {
    // Within the line: a search to the end of the chunk, line by line, would be quadratic.
    const hash = bytes.subarray(start, end).indexOf(0x23);
    const line = decodeCdata(bytes, start, hash === -1 ? end : start + hash, this.#decoding);
    const trimmed = line.trim();
    const found = SITEMAP_LINE.exec(trimmed);
    const value = (found?.[1] ?? found?.[2])?.trim();
    if (value === undefined) {
      this.#decoding.problems = 0;
      return;
    }
    const { problems, values } = this.#document;
    reportTextProblems(this.#decoding, problems, offset);
    // In front of a comment the URL is whole.
    if (this.#isHalf && hash === -1) {
      problems.add('truncated', HALF_A_LINE, offset);
      return;
    }
    if (value === '') {
      problems.add('robots-line-skipped', 'A Sitemap line without a URL was skipped.', offset);
      return;
    }
    // Some files list several in one line. Of several words only addresses are meant; "none yet" is not.
    const words = value.split(/\s+/);
    const addresses = words.length === 1 ? words : words.filter(isHttpUrl);
    if (addresses.length < words.length) {
      problems.add(
        'robots-line-skipped',
        `Words of a Sitemap line that are no URL were skipped: ${value.slice(0, 100)}`,
        offset,
      );
    }
    // What is before a word is nearly always ASCII, but may be anything.
    let passed = 0;
    let wordOffset = offset;
    for (const word of addresses) {
      const at = trimmed.indexOf(word, Math.max(passed, trimmed.length - value.length));
      wordOffset += utf8Length(trimmed.slice(passed, at));
      passed = at;
      const url = values.url(word, wordOffset);
      if (url === undefined || !this.#document.isFirst(url, wordOffset, documentKey(url))) continue;
      this.#document.addSitemap(Object.freeze({ url, lastModified: undefined }));
    }
  }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
