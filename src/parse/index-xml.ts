/** The sitemap index: `<sitemapindex>` of `<sitemap>`. */
import type { Document } from './document.ts';
import { parseDate } from './values/date.ts';
import { documentKey, isHttpUrl, tidyUrl } from './values/url.ts';
import { type EntryFormat, TagSet } from './xml/entry-format.ts';
import type { Vocabulary } from './xml/namespaces.ts';
import type { Value } from './xml/value.ts';

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
  #url: string | undefined;
  #hasLoc = false;
  #ownText = '';
  #lastModified: Date | undefined;

  constructor(document: Document) {
    this.#document = document;
  }

  startEntry(): void {
    this.#url = undefined;
    this.#hasLoc = false;
    this.#ownText = '';
    this.#lastModified = undefined;
  }

  attributes(): void {}

  value(tag: number, value: Value): void {
    const text = value.text();
    const { problems, locations } = this.#document;
    if (tag !== LOC) {
      if (text === '') return;
      const time = parseDate(text);
      this.#lastModified = Number.isNaN(time) ? undefined : new Date(time);
      if (this.#lastModified === undefined) {
        problems.add(
          'bad-date',
          `"${text.slice(0, 100)}" is not a date that can be understood; it was left out.`,
          value.offset,
        );
      }
      return;
    }
    if (this.#hasLoc) {
      problems.add('several-locs', 'An entry has several loc; each was read as an entry.', value.offset);
      this.#emit();
      this.#lastModified = undefined;
    }
    this.#hasLoc = true;
    if (text === '') problems.add('empty-loc', 'An entry with an empty loc was dropped.', value.offset);
    this.#url = text === '' ? undefined : locations.read(text, value.offset);
  }

  startGroup(): void {}

  endGroup(): void {}

  ownText(value: Value): void {
    if (!this.#hasLoc) this.#ownText = tidyUrl(value.text());
  }

  endEntry(offset: number): void {
    if (!this.#hasLoc) {
      const { problems, locations } = this.#document;
      if (isHttpUrl(this.#ownText)) {
        problems.add(
          'text-entry',
          'An entry has a URL as its own text and no loc; that was read as its loc.',
          offset,
        );
        this.#url = locations.read(this.#ownText, offset);
      } else {
        problems.add('entry-without-loc', 'An entry without a loc was dropped.', offset);
      }
    }
    this.#emit();
  }

  cutEntry(): void {
    // A whole subtree hangs on a child whose address is complete: only its date was cut.
    this.#emit();
  }

  #emit(): void {
    const url = this.#url;
    if (url === undefined || !this.#document.seen.add(documentKey(url))) return;
    this.#document.addSitemap(Object.freeze({ url, lastModified: this.#lastModified }));
  }
}
