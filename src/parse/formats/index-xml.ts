/** The sitemap index: `<sitemapindex>` of `<sitemap>`. */

import { documentKey } from '../../url.ts';
import type { SubSitemap } from '../model/item.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { type DateForm, writtenDate } from '../values/w3c-date.ts';
import { type EntryFormat, TagSet } from '../xml/entry-format.ts';
import type { Vocabulary } from '../xml/tag-names.ts';
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

/** A sitemap that an index lists. Its text is not shown where the rest is printed or compared. */
class ListedSitemap implements SubSitemap {
  readonly url: string;
  readonly lastModified: Date | undefined;
  /** Beside the date, which a caller may change. */
  readonly #time: number;
  readonly #lastModifiedText: string | DateForm | undefined;

  constructor(url: string, time: number, lastModifiedText: string | DateForm | undefined) {
    this.url = url;
    this.lastModified = Number.isNaN(time) ? undefined : new Date(time);
    this.#time = time;
    this.#lastModifiedText = lastModifiedText;
  }

  get lastModifiedText(): string | undefined {
    return writtenDate(this.lastModified && this.#time, this.#lastModifiedText);
  }
}

export class IndexXml implements EntryFormat {
  readonly tags: TagSet = TAGS;
  readonly home: Vocabulary = 'sitemap';
  readonly locTag: number = LOC;
  readonly #document: ParsedDocument;
  readonly #address: EntryAddress;
  #lastModifiedTime = Number.NaN;
  #lastModifiedText: string | DateForm | undefined;

  constructor(document: ParsedDocument) {
    this.#document = document;
    this.#address = new EntryAddress(document);
  }

  startEntry(): void {
    this.#address.startEntry();
    this.#forgetDate();
  }

  attributes(): void {}

  value(tag: number, value: Value): void {
    if (tag !== LOC) {
      if (value.textLength === 0) return;
      this.#lastModifiedTime = value.time(this.#document.values);
      this.#lastModifiedText = value.dateText;
      return;
    }
    if (this.#address.isAnother(value)) {
      this.#emit();
      this.#forgetDate();
    }
    this.#address.loc(value);
  }

  #forgetDate(): void {
    this.#lastModifiedTime = Number.NaN;
    this.#lastModifiedText = undefined;
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
    this.#document.addSitemap(
      Object.freeze(new ListedSitemap(url, this.#lastModifiedTime, this.#lastModifiedText)),
    );
  }
}
