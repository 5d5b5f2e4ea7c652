/** The sitemap proper: `<urlset>` of `<url>`, with its extensions. */

import type { ParseProblemCode } from '../../problems/catalogue.ts';
import { ExtensionsReader, URLSET_EXTENSION_TAGS } from '../extensions/extensions.ts';
import { SitemapPage } from '../model/page.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { type ChangeFrequency, parseChangeFrequency } from '../values/change-frequency.ts';
import { parsePriority } from '../values/number.ts';
import type { DateForm } from '../values/w3c-date.ts';
import type { Attributes } from '../xml/attributes.ts';
import { type EntryFormat, TagSet } from '../xml/entry-format.ts';
import type { Scanner } from '../xml/scanner.ts';
import type { Vocabulary } from '../xml/tag-names.ts';
import type { Value } from '../xml/value.ts';
import { EntryAddress } from './entry-address.ts';
import { isBeginning, PlainEntries } from './fast-urlset.ts';

const TAGS = new TagSet({
  'sitemap:urlset': 'root',
  'sitemap:sitemapindex': 'root',
  'sitemap:url': 'entry',
  'sitemap:sitemap': 'other-entry',
  'sitemap:loc': 'value',
  'sitemap:lastmod': 'value',
  'sitemap:changefreq': 'value',
  'sitemap:priority': 'value',
  ...URLSET_EXTENSION_TAGS,
});
const LOC = TAGS.number('sitemap:loc');
const LASTMOD = TAGS.number('sitemap:lastmod');
const CHANGEFREQ = TAGS.number('sitemap:changefreq');
const PRIORITY = TAGS.number('sitemap:priority');

export class PagesXml implements EntryFormat {
  readonly tags: TagSet = TAGS;
  readonly home: Vocabulary = 'sitemap';
  readonly locTag: number = LOC;
  readonly #document: ParsedDocument;
  readonly #extensions: ExtensionsReader;
  readonly #plainEntries: PlainEntries;
  readonly #address: EntryAddress;
  #priority = Number.NaN;
  #changeFrequency: ChangeFrequency | undefined;
  #lastModifiedText: string | DateForm | undefined;
  #lastModifiedTime = Number.NaN;

  constructor(document: ParsedDocument) {
    this.#document = document;
    this.#extensions = new ExtensionsReader(document);
    this.#plainEntries = new PlainEntries(document);
    this.#address = new EntryAddress(document);
  }

  plainEntries(scanner: Scanner, at: number): number {
    const { listener } = this.#document;
    if (listener !== undefined && listener.plainEntry === undefined) return at;
    const next = this.#plainEntries.read(scanner.bytes, scanner.view, at, scanner.offsetOf(0));
    // Only behind an entry: of closing tags there may be a flood.
    if (next > at && isBeginning(scanner.bytes, next)) scanner.waitForMore();
    return next;
  }

  startEntry(): void {
    this.#address.startEntry();
    this.#clearValues();
  }

  #clearValues(): void {
    this.#priority = Number.NaN;
    this.#changeFrequency = undefined;
    this.#lastModifiedText = undefined;
    this.#lastModifiedTime = Number.NaN;
  }

  attributes(tag: number, attributes: Attributes, offset: number): void {
    this.#extensions.attributes(TAGS.names[tag] ?? '', attributes, offset);
  }

  value(tag: number, value: Value): void {
    if (tag === LOC) this.#loc(value);
    else if (tag === LASTMOD) this.#lastModified(value);
    else if (tag === CHANGEFREQ) this.#changefreq(value);
    else if (tag === PRIORITY) this.#readPriority(value);
    else this.#extensions.value(TAGS.names[tag] ?? '', value);
  }

  #loc(value: Value): void {
    if (this.#address.isAnother(value)) {
      this.#emit(value.offset);
      this.#clearValues();
    }
    this.#address.loc(value);
  }

  #lastModified(value: Value): void {
    if (value.textLength === 0) return;
    this.#lastModifiedTime = value.time(this.#document.values);
    this.#lastModifiedText = value.dateText;
  }

  #changefreq(value: Value): void {
    const text = value.text();
    if (text === '') return;
    this.#changeFrequency = parseChangeFrequency(text);
    if (this.#changeFrequency === undefined) {
      this.#bad('bad-change-frequency', text, 'a change frequency; it was left out', value.offset);
    }
  }

  #readPriority(value: Value): void {
    const text = value.text();
    if (text === '') return;
    this.#priority = parsePriority(text);
    if (Number.isNaN(this.#priority)) {
      this.#bad('bad-priority', text, 'a number from 0 to 1; 0.5 was used', value.offset);
    }
  }

  #bad(code: ParseProblemCode, text: string, what: string, offset: number): void {
    this.#document.problems.add(code, `"${text.slice(0, 100)}" is not ${what}.`, offset);
  }

  startGroup(tag: number): void {
    this.#extensions.startGroup(TAGS.names[tag] ?? '');
  }

  endGroup(tag: number, offset: number): void {
    this.#extensions.endGroup(TAGS.names[tag] ?? '', offset);
  }

  ownText(value: Value): void {
    this.#address.ownText(value);
  }

  endEntry(offset: number): void {
    this.#address.endEntry(offset);
    this.#emit(offset);
  }

  cutEntry(offset: number): void {
    // What was complete in it goes with it.
    this.#extensions.end(offset);
  }

  #emit(offset: number): void {
    const extensions = this.#extensions.end(offset);
    const { url } = this.#address;
    if (url === undefined || !this.#address.isFirst(url)) return;
    this.#document.addPage(
      new SitemapPage({
        url,
        priority: this.#priority,
        changeFrequency: this.#changeFrequency,
        lastModifiedTime: this.#lastModifiedTime,
        lastModifiedText: this.#lastModifiedText,
        extensions,
      }),
    );
  }
}
