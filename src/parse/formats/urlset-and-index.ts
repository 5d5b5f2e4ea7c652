/** A sitemap, `<urlset>` of `<url>` with its extensions, and a sitemap index, `<sitemapindex>` of `<sitemap>`. */

import type { ParseProblemCode } from '../../problems/catalogue.ts';
import { clip } from '../../text/wording.ts';
import { documentKey } from '../../url.ts';
import { ExtensionsReader, URLSET_EXTENSION_TAGS } from '../extensions/extensions.ts';
import { ReadPage, SitemapPage } from '../model/page.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { parseChangeFrequency } from '../values/change-frequency.ts';
import { parsePriority } from '../values/number.ts';
import { writtenDate } from '../values/w3c-date.ts';
import { isHttpUrl, tidyUrl } from '../values/written-url.ts';
import type { Attributes } from '../xml/attributes.ts';
import { type EntryFormat, TagSet, tagsOf } from '../xml/entry-format.ts';
import type { Scanner } from '../xml/scanner.ts';
import type { Vocabulary } from '../xml/tag-names.ts';
import type { Value } from '../xml/value.ts';
import { isBeginning, PlainEntries } from './fast-urlset.ts';

/** What entries of both have: an address, which is the loc or else the text of the entry itself, and a date. */
abstract class SitemapEntries implements EntryFormat {
  abstract readonly tags: TagSet;
  abstract readonly locTag: number;
  readonly home: Vocabulary = 'sitemap';
  protected readonly document: ParsedDocument;
  /** Undefined where there is no address, or not one that can be fetched. */
  protected url: string | undefined;
  protected urlOffset = 0;
  /** Whether the fingerprint of the URL was the last that was taken. */
  protected isMarked = false;
  protected readonly page: ReadPage = new ReadPage();
  #hasLoc = false;
  #ownText = '';

  constructor(document: ParsedDocument) {
    this.document = document;
  }

  startEntry(): void {
    this.url = undefined;
    this.isMarked = false;
    this.#hasLoc = false;
    this.#ownText = '';
    this.page.clear();
  }

  /** Hands on the entry that ends here. */
  protected abstract emit(offset: number): void;

  abstract value(tag: number, value: Value): void;

  protected loc(value: Value): void {
    const { problems, seen, values } = this.document;
    if (this.#hasLoc) {
      problems.add('several-locs', 'An entry has several loc; each was read as an entry.', value.offset);
      this.emit(value.offset);
      this.page.clear();
    }
    this.#hasLoc = true;
    this.urlOffset = value.offset;
    this.isMarked = value.markUrl(seen);
    const text = value.text();
    if (this.isMarked) {
      this.url = text;
      return;
    }
    if (text === '') problems.add('empty-loc', 'An entry with an empty loc was dropped.', value.offset);
    this.url = text === '' ? undefined : values.url(text, value.offset);
  }

  protected lastModified(value: Value): void {
    if (value.textLength === 0) return;
    const time = value.time(this.document.values);
    const isDate = !Number.isNaN(time);
    // What cannot be read does not replace what could.
    if (!isDate && this.page.lastModified !== undefined) return;
    this.page.lastModified = isDate ? new Date(time) : undefined;
    this.page.lastModifiedForm = value.dateText;
  }

  ownText(value: Value): void {
    if (this.#hasLoc) return;
    this.#ownText = tidyUrl(value.text());
    this.urlOffset = value.offset;
  }

  endEntry(offset: number): void {
    if (!this.#hasLoc) this.#readOwnText(offset);
    this.emit(offset);
  }

  #readOwnText(offset: number): void {
    const { problems, values } = this.document;
    if (!isHttpUrl(this.#ownText)) {
      problems.add('entry-without-loc', 'An entry without a loc was dropped.', offset);
      return;
    }
    const message = 'An entry has a URL as its own text and no loc; that was read as its loc.';
    problems.add('text-entry', message, this.urlOffset);
    this.url = values.url(this.#ownText, this.urlOffset);
  }

  abstract cutEntry(offset: number): void;
}

const URLSET_TAGS = new TagSet({
  ...tagsOf('sitemap', {
    root: 'urlset sitemapindex',
    entry: 'url',
    'other-entry': 'sitemap',
    value: 'loc lastmod changefreq priority',
    // Extensions without their prefix: what is in them is not the entry's.
    group: 'image video news',
  }),
  ...URLSET_EXTENSION_TAGS,
});
const LOC = URLSET_TAGS.number('sitemap:loc');
const LASTMOD = URLSET_TAGS.number('sitemap:lastmod');
const CHANGEFREQ = URLSET_TAGS.number('sitemap:changefreq');
const PRIORITY = URLSET_TAGS.number('sitemap:priority');

export class PagesXml extends SitemapEntries {
  readonly tags: TagSet = URLSET_TAGS;
  readonly locTag: number = LOC;
  readonly #extensions: ExtensionsReader;
  readonly #plainEntries: PlainEntries;
  /** The extension that is open, or 0. */
  #group = 0;

  constructor(document: ParsedDocument) {
    super(document);
    this.#extensions = new ExtensionsReader(document);
    this.#plainEntries = new PlainEntries(document);
  }

  plainEntries(scanner: Scanner, at: number): number {
    // A listener gets every tag of every entry.
    if (this.document.listener !== undefined) return at;
    const next = this.#plainEntries.read(scanner.bytes, scanner.view, at);
    // Only behind an entry: of closing tags there may be a flood.
    if (next > at && isBeginning(scanner.bytes, next)) scanner.waitForMore();
    return next;
  }

  attributes(tag: number, attributes: Attributes, offset: number): void {
    this.#extensions.attributes(URLSET_TAGS.names[tag] ?? '', attributes, offset);
  }

  value(tag: number, value: Value): void {
    if (tag > PRIORITY) this.#extensions.value(URLSET_TAGS.names[tag] ?? '', value);
    else if (this.#group !== 0) this.#withoutPrefix(tag, value);
    else if (tag === LOC) this.loc(value);
    else if (tag === LASTMOD) this.lastModified(value);
    else if (tag === CHANGEFREQ) this.#changefreq(value);
    else if (tag === PRIORITY) this.#readPriority(value);
  }

  /** `<image:image><loc>`: the image's address, and not that of a page. */
  #withoutPrefix(tag: number, value: Value): void {
    if (tag !== LOC) return;
    const isInImage = URLSET_TAGS.names[this.#group]!.endsWith(':image');
    // Where the page has no other yet, the extension in front of it was never closed.
    if (this.url === undefined && (!isInImage || this.#extensions.hasImage)) this.loc(value);
    else if (isInImage) {
      const message = 'A loc without prefix in an image was read as its address.';
      this.document.problems.addOnce('wrong-namespace', message, value.offset);
      this.#extensions.value('image:loc', value);
    }
  }

  #changefreq(value: Value): void {
    const text = value.repeatedText();
    if (text === '') return;
    const frequency = parseChangeFrequency(text);
    if (frequency !== undefined) this.page.changeFrequency = frequency;
    else {
      this.#bad('bad-change-frequency', text, 'a change frequency; it was left out', value.offset);
    }
  }

  #readPriority(value: Value): void {
    const text = value.repeatedText();
    if (text === '') return;
    const priority = parsePriority(text);
    if (!Number.isNaN(priority)) this.page.declaredPriority = priority;
    else {
      this.#bad('bad-priority', text, 'a number from 0 to 1; it was left out, which means 0.5', value.offset);
    }
  }

  #bad(code: ParseProblemCode, text: string, what: string, offset: number): void {
    this.document.problems.add(code, `"${clip(text, 100)}" is not ${what}.`, offset);
  }

  startGroup(tag: number): void {
    this.#group = tag;
    this.#extensions.startGroup(URLSET_TAGS.names[tag] ?? '');
  }

  endGroup(tag: number, offset: number): void {
    this.#group = 0;
    this.#extensions.endGroup(URLSET_TAGS.names[tag] ?? '', offset);
  }

  cutEntry(offset: number): void {
    // Its complete values are dropped with it.
    this.#extensions.end(offset, this.page);
  }

  protected emit(offset: number): void {
    const { document, page, url, urlOffset } = this;
    this.#extensions.end(offset, page);
    if (url === undefined) return;
    const isFirst = this.isMarked ? document.isMarkedFirst(url, urlOffset) : document.isFirst(url, urlOffset);
    if (!isFirst) return;
    page.url = url;
    document.addPage(new SitemapPage(page));
  }
}

const INDEX_TAGS = new TagSet(
  tagsOf('sitemap', {
    root: 'sitemapindex urlset',
    entry: 'sitemap',
    'other-entry': 'url',
    value: 'loc lastmod',
  }),
);

export class IndexXml extends SitemapEntries {
  readonly tags: TagSet = INDEX_TAGS;
  readonly locTag: number = INDEX_TAGS.number('sitemap:loc');

  value(tag: number, value: Value): void {
    if (tag === this.locTag) this.loc(value);
    else this.lastModified(value);
  }

  get keepsCutEntry(): boolean {
    return this.url !== undefined;
  }

  cutEntry(): void {
    // A whole subtree hangs on a child whose address is complete: only its date was cut.
    this.emit();
  }

  protected emit(): void {
    const { document, url, urlOffset } = this;
    if (url === undefined || !document.isFirst(url, urlOffset, documentKey(url))) return;
    const { lastModified, lastModifiedForm } = this.page;
    const lastModifiedText = lastModified && writtenDate(lastModified, lastModifiedForm);
    document.addSitemap(Object.freeze({ url, lastModified, lastModifiedText }));
  }
}
