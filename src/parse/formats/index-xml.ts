/** The sitemap index: `<sitemapindex>` of `<sitemap>`. */

import { documentKey } from '../../url.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { type EntryFormat, TagSet } from '../xml/entry-format.ts';
import type { Vocabulary } from '../xml/namespaces.ts';
import type { Value } from '../xml/value.ts';
import { readDate } from './dates.ts';
import { EntryAddress } from './entry-address.ts';

const TAGS = new TagSet({
  'sitemap:sitemapindex': 'root',
  'sitemap:urlset': 'root',
  'sitemap:sitemap': 'entry',
  'sitemap:url': 'other-entry',
  'sitemap:loc': 'value',
  'sitemap:lastmod': 'value',
});
const LOC = TAGS.number('sitemap:loc');

/** Reads the entries of an index into sub-sitemaps. */
export class IndexXml implements EntryFormat {
  readonly tags: TagSet = TAGS;
  readonly home: Vocabulary = 'sitemap';
  readonly locTag: number = LOC;
  readonly #document: ParsedDocument;
  readonly #address: EntryAddress;
  #lastModified: Date | undefined;

  constructor(document: ParsedDocument) {
    this.#document = document;
    this.#address = new EntryAddress(document);
  }

  startEntry(): void {
    this.#address.startEntry();
    this.#lastModified = undefined;
  }

  attributes(): void {}

  value(tag: number, value: Value): void {
    if (tag !== LOC) {
      this.#date(value);
      return;
    }
    if (this.#address.isAnother(value)) {
      this.#emit();
      this.#lastModified = undefined;
    }
    this.#address.loc(value);
  }

  #date(value: Value): void {
    const text = value.text();
    if (text === '') return;
    const time = readDate(text, value.offset, this.#document.problems);
    this.#lastModified = Number.isNaN(time) ? undefined : new Date(time);
  }

  startGroup(): void {}

  endGroup(): void {}

  ownText(value: Value): void {
    this.#address.ownText(value);
  }

  endEntry(offset: number): void {
    this.#address.endEntry(offset);
    this.#emit();
  }

  cutEntry(): void {
    // A whole subtree hangs on a child whose address is complete: only its date was cut.
    this.#emit();
  }

  #emit(): void {
    const { url, offset } = this.#address;
    if (url === undefined || !this.#document.isFirst(url, offset, documentKey(url))) return;
    this.#document.addSitemap(Object.freeze({ url, lastModified: this.#lastModified }));
  }
}
