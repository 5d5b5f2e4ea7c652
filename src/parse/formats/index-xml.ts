/** The sitemap index: `<sitemapindex>` of `<sitemap>`. */

import { documentKey } from '../../url.ts';
import type { Document } from '../document.ts';
import { parseDate } from '../values/date.ts';
import { type EntryFormat, TagSet } from '../xml/entry-format.ts';
import type { Vocabulary } from '../xml/namespaces.ts';
import type { Value } from '../xml/value.ts';
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
  readonly #document: Document;
  readonly #address: EntryAddress;
  #lastModified: Date | undefined;

  constructor(document: Document) {
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
    const time = parseDate(text);
    this.#lastModified = Number.isNaN(time) ? undefined : new Date(time);
    if (this.#lastModified === undefined) {
      this.#document.problems.add(
        'bad-date',
        `"${text.slice(0, 100)}" is not a date that can be understood; it was left out.`,
        value.offset,
      );
    }
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
    const { url } = this.#address;
    if (url === undefined || !this.#document.seen.add(documentKey(url))) return;
    this.#document.addSitemap(Object.freeze({ url, lastModified: this.#lastModified }));
  }
}
