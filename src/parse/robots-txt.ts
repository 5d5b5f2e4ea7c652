/**
 * robots.txt as an index of sitemaps, read as Google's parser reads it: a BOM (even a part of one), comments,
 * any case, `Sitemap:`, `Sitemaps:` and `Site-map:`, white space before the colon or instead of it, any line
 * end. A Sitemap line belongs to no group and may stand anywhere. All else in the file is none of ours.
 */
import type { Document } from './document.ts';
import type { FormatParser } from './item.ts';
import { LineReader } from './lines.ts';
import { reportOddities } from './oddities.ts';
import { decodeCdata, TextDecoding } from './values/text.ts';
import { documentKey } from './values/url.ts';

// Google matches the key by its beginning. The value is what follows the colon, or white space where it is missing.
const SITEMAP_LINE = /^site-?map[^\s:]*(?:\s*:|\s)(.*)$/is;

/** Reads the Sitemap lines of a robots.txt into sub-sitemaps. */
export class RobotsTxt implements FormatParser {
  readonly isConfirmed = true;
  readonly truncated = false;
  readonly #document: Document;
  readonly #lines: LineReader;
  readonly #decoding = new TextDecoding();

  /** `offset` is where in the document the first chunk begins. */
  constructor(document: Document, offset: number) {
    this.#document = document;
    this.#lines = new LineReader((bytes, start, end, offset) => {
      // Hardly any line is ours, and ours start with an "s": the rest is not even decoded.
      let first = start;
      while (first < end && (bytes[first]! <= 0x20 || bytes[first]! >= 0x80)) first++;
      if (first < end && (bytes[first]! | 0x20) === 0x73) this.#line(bytes, first, end, offset);
    }, offset);
  }

  write(chunk: Uint8Array): void {
    this.#lines.write(chunk);
  }

  end(): void {
    this.#lines.end();
  }

  #line(bytes: Uint8Array, start: number, end: number, offset: number): void {
    const hash = bytes.indexOf(0x23, start);
    const line = decodeCdata(bytes, start, hash === -1 || hash > end ? end : hash, this.#decoding);
    const value = SITEMAP_LINE.exec(line.trim())?.[1]?.trim();
    if (value === undefined) {
      this.#decoding.oddities = 0;
      return;
    }
    const { problems, locations } = this.#document;
    reportOddities(this.#decoding, problems, offset);
    if (value === '') {
      problems.add('robots-line-skipped', 'A Sitemap line without a URL was skipped.', offset);
      return;
    }
    // Some files list several in one line, which no URL can be meant by.
    for (const word of value.split(/\s+/)) {
      const url = locations.read(word, offset);
      if (url === undefined || !this.#document.seen.add(documentKey(url))) continue;
      this.#document.addSitemap(Object.freeze({ url, lastModified: undefined }));
    }
  }
}
