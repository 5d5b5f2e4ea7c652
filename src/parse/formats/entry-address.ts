/** The address of one entry of a urlset or an index: its loc, or else the text of the entry itself. */
import type { ParsedDocument } from '../parsed-document.ts';
import { isHttpUrl, tidyUrl } from '../values/written-url.ts';
import type { Value } from '../xml/value.ts';

export class EntryAddress {
  readonly #document: ParsedDocument;
  #url: string | undefined;
  #offset = 0;
  #hasLoc = false;
  #isMarked = false;
  #ownText = '';

  constructor(document: ParsedDocument) {
    this.#document = document;
  }

  /** What was found; undefined where there is no address, or not one that can be fetched. */
  get url(): string | undefined {
    return this.#url;
  }

  /** Where it is written. */
  get offset(): number {
    return this.#offset;
  }

  isFirst(url: string): boolean {
    const document = this.#document;
    return this.#isMarked ? document.isMarkedFirst(url, this.#offset) : document.isFirst(url, this.#offset);
  }

  startEntry(): void {
    this.#url = undefined;
    this.#isMarked = false;
    this.#hasLoc = false;
    this.#ownText = '';
  }

  /** Whether a loc is not the entry's first: then it begins an entry of its own. */
  isAnother(loc: Value): boolean {
    if (!this.#hasLoc) return false;
    const { problems } = this.#document;
    problems.add('several-locs', 'An entry has several loc; each was read as an entry.', loc.offset);
    return true;
  }

  loc(value: Value): void {
    const { problems, values } = this.#document;
    this.#hasLoc = true;
    this.#offset = value.offset;
    this.#isMarked = value.markUrl(this.#document.seen);
    if (this.#isMarked) {
      this.#url = value.text();
      return;
    }
    const text = value.text();
    if (text === '') problems.add('empty-loc', 'An entry with an empty loc was dropped.', value.offset);
    this.#url = text === '' ? undefined : values.url(text, value.offset);
  }

  ownText(value: Value): void {
    if (this.#hasLoc) return;
    this.#ownText = tidyUrl(value.text());
    this.#offset = value.offset;
  }

  endEntry(offset: number): void {
    if (this.#hasLoc) return;
    const { problems, values } = this.#document;
    if (!isHttpUrl(this.#ownText)) {
      problems.add('entry-without-loc', 'An entry without a loc was dropped.', offset);
      return;
    }
    problems.add(
      'text-entry',
      'An entry has a URL as its own text and no loc; that was read as its loc.',
      this.#offset,
    );
    this.#url = values.url(this.#ownText, this.#offset);
  }
}
