/** A text sitemap: one URL a line. Other lines are skipped, with a problem. */

import type { FormatParser } from '../model/item.ts';
import { SitemapPage } from '../model/page.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { MAX_URL_LENGTH, reportTextProblems } from '../reported-values.ts';
import { decodeCdata, TextDecoding } from '../values/text.ts';
import { isHttpUrl, tidyUrl } from '../values/written-url.ts';
import { isSpace } from '../xml/attributes.ts';
import { HALF_A_LINE, LineReader } from './lines.ts';

export function isUrlLine(line: string): boolean {
  return isHttpUrl(line) && !/\s/.test(line);
}

export class PlainText implements FormatParser {
  readonly truncated = false;
  readonly #document: ParsedDocument;
  readonly #lines: LineReader;
  readonly #decoding = new TextDecoding();
  #isConfirmed = false;
  /** Whether the line that comes is half of one. */
  #isHalf = false;

  constructor(document: ParsedDocument) {
    this.#document = document;
    this.#lines = new LineReader((bytes, start, end, offset, isCut) => {
      const line = tidyUrl(decodeCdata(bytes, start, end, this.#decoding));
      if (line === '') return;
      let first = start;
      while (first < end && isSpace(bytes[first]!)) first++;
      this.#line(line, offset + first - start, isCut);
    });
  }

  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  write(chunk: Uint8Array): void {
    this.#lines.write(chunk);
  }

  end(isCut: boolean): void {
    this.#isHalf = isCut;
    this.#lines.end();
  }

  #line(line: string, offset: number, isCut: boolean): void {
    const { problems } = this.#document;
    reportTextProblems(this.#decoding, problems, offset);
    if (this.#isHalf) {
      this.#isConfirmed ||= isUrlLine(line);
      problems.add('truncated', HALF_A_LINE, offset);
      return;
    }
    if (isUrlLine(line) && line.length > MAX_URL_LENGTH) {
      this.#isConfirmed = true;
      problems.add(
        'oversized-url',
        `A URL is longer than 8 KiB, and was dropped: ${line.slice(0, 200)}`,
        offset,
      );
      return;
    }
    if (isCut || !isUrlLine(line)) {
      const why = isCut ? 'is longer than 64 KiB' : 'is not a URL';
      problems.add('line-not-a-url', `A line ${why} and was skipped: ${line.slice(0, 100)}`, offset);
      return;
    }
    this.#isConfirmed = true;
    if (this.#document.isFirst(line, offset)) this.#document.addPage(new SitemapPage({ url: line }));
  }
}
