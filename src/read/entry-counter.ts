/**
 * How many entries a page document has, counted as it arrives. A tree keeps it unparsed, but progress shows a number:
 * closing tags (or lines) are counted, also those that lie across two chunks.
 */
import type { PagesKind } from './outcome.ts';

const CLOSING: Readonly<Record<PagesKind, string>> = {
  'pages-xml': '</url>',
  'pages-rss': '</item>',
  'pages-atom': '</entry>',
  'pages-text': '\n',
};

/** Counts the entries of one document. */
export class EntryCounter {
  readonly #closing: string;
  /** The last bytes, which may be the beginning of a closing tag. */
  #tail = Buffer.alloc(0);

  constructor(kind: PagesKind) {
    this.#closing = CLOSING[kind];
  }

  /** How many entries end in this chunk. */
  write(chunk: Uint8Array): number {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const most = this.#closing.length - 1;
    // Too short for a whole one on either side: what is found in it lies across the border.
    const border = Buffer.concat([this.#tail, bytes.subarray(0, most)]);
    const last = bytes.length < most ? border : bytes;
    // A copy: the chunk is not ours to keep.
    this.#tail = Buffer.from(last.subarray(Math.max(0, last.length - most)));
    return this.#in(bytes) + this.#in(border);
  }

  #in(bytes: Buffer): number {
    let count = 0;
    for (let at = bytes.indexOf(this.#closing); at !== -1; at = bytes.indexOf(this.#closing, at + 1)) count++;
    return count;
  }
}
