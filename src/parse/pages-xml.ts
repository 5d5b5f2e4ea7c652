/** The sitemap proper: `<urlset>` of `<url>`, with its extensions. */
import type { Document } from './document.ts';
import { ExtensionsReader, URLSET_EXTENSION_TAGS } from './extensions/extensions.ts';
import { type ChangeFrequency, DEFAULT_PRIORITY, SitemapPage } from './page.ts';
import { RecentDates } from './recent-dates.ts';
import { parseDate } from './values/date.ts';
import { parsePriority } from './values/number.ts';
import { asciiString } from './values/text.ts';
import { isHttpUrl, tidyUrl } from './values/url.ts';
import type { Attributes } from './xml/attributes.ts';
import { type EntryFormat, TagSet } from './xml/entry-format.ts';
import type { Vocabulary } from './xml/namespaces.ts';
import type { Value } from './xml/value.ts';

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

const FREQUENCIES: readonly ChangeFrequency[] = [
  'always',
  'hourly',
  'daily',
  'weekly',
  'monthly',
  'yearly',
  'never',
];

/** Reads the entries of a urlset into pages. */
export class PagesXml implements EntryFormat {
  readonly tags: TagSet = TAGS;
  readonly home: Vocabulary = 'sitemap';
  readonly locTag: number = LOC;
  readonly #document: Document;
  readonly #extensions: ExtensionsReader;
  readonly #dates = new RecentDates();
  #url: string | undefined;
  #hasLoc = false;
  #ownText = '';
  #priority = DEFAULT_PRIORITY;
  #changeFrequency: ChangeFrequency | undefined;
  #lastModifiedText: string | undefined;
  #lastModifiedTime = Number.NaN;

  constructor(document: Document) {
    this.#document = document;
    this.#extensions = new ExtensionsReader(document);
  }

  startEntry(): void {
    this.#url = undefined;
    this.#hasLoc = false;
    this.#ownText = '';
    this.#clearValues();
  }

  #clearValues(): void {
    this.#priority = DEFAULT_PRIORITY;
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
    const { problems, locations, seen } = this.#document;
    if (this.#hasLoc) {
      problems.add('several-locs', 'An entry has several loc; each was read as an entry.', value.offset);
      this.#emit(value.offset);
      this.#clearValues();
    }
    this.#hasLoc = true;
    if (value.narrow() && seen.markBytes(value.bytes, value.start, value.end) && isHttp(value)) {
      this.#url = asciiString(value.bytes, value.start, value.end);
      return;
    }
    const text = value.text();
    if (text === '') problems.add('empty-loc', 'An entry with an empty loc was dropped.', value.offset);
    this.#url = text === '' ? undefined : locations.read(text, value.offset);
    if (this.#url !== undefined) seen.mark(this.#url);
  }

  #lastModified(value: Value): void {
    if (value.narrow() && this.#dates.find(value.bytes, value.start, value.end)) {
      this.#lastModifiedText = this.#dates.text;
      this.#lastModifiedTime = this.#dates.time;
      return;
    }
    const text = value.text();
    if (text === '') return;
    this.#lastModifiedText = text;
    this.#lastModifiedTime = parseDate(text);
    if (Number.isNaN(this.#lastModifiedTime)) {
      this.#bad('bad-date', text, 'a date that can be understood; it was left out', value.offset);
    }
  }

  #changefreq(value: Value): void {
    if (value.narrow()) {
      this.#changeFrequency = frequencyOf(value.bytes, value.start, value.end);
      if (this.#changeFrequency !== undefined) return;
    }
    const text = value.text();
    if (text === '') return;
    const word = text.toLowerCase();
    this.#changeFrequency = FREQUENCIES.find((frequency) => frequency === word);
    if (this.#changeFrequency === undefined) {
      this.#bad('bad-change-frequency', text, 'a change frequency; it was left out', value.offset);
    }
  }

  #readPriority(value: Value): void {
    if (value.narrow() && value.end - value.start === 3) {
      this.#priority = tenthsOf(value.bytes, value.start);
      if (!Number.isNaN(this.#priority)) return;
    }
    const text = value.text();
    if (text === '') return;
    this.#priority = parsePriority(text);
    if (Number.isNaN(this.#priority)) {
      this.#priority = DEFAULT_PRIORITY;
      this.#bad('bad-priority', text, 'a number from 0 to 1; 0.5 was used', value.offset);
    }
  }

  #bad(code: string, text: string, what: string, offset: number): void {
    this.#document.problems.add(code, `"${text.slice(0, 100)}" is not ${what}.`, offset);
  }

  startGroup(tag: number): void {
    this.#extensions.startGroup(TAGS.names[tag] ?? '');
  }

  endGroup(tag: number, offset: number): void {
    this.#extensions.endGroup(TAGS.names[tag] ?? '', offset);
  }

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
        if (this.#url !== undefined) this.#document.seen.mark(this.#url);
      } else {
        problems.add('entry-without-loc', 'An entry without a loc was dropped.', offset);
      }
    }
    this.#emit(offset);
  }

  cutEntry(offset: number): void {
    // What was complete in it goes with it.
    this.#extensions.end(offset);
  }

  #emit(offset: number): void {
    const extensions = this.#extensions.end(offset);
    const url = this.#url;
    if (url === undefined || !this.#document.seen.addMarked()) return;
    const page = new SitemapPage({
      url,
      priority: this.#priority,
      changeFrequency: this.#changeFrequency,
      lastModifiedText: this.#lastModifiedText,
      lastModifiedTime: this.#lastModifiedTime,
      extensions,
    });
    this.#document.addPage(page);
  }
}

// The values of well-behaved documents are recognised in their bytes, without a string: that is most of the speed.

/** Whether plain bytes are an absolute http(s) URL with something for a host; {@link isHttpUrl} says the same of text. */
function isHttp({ bytes, start, end }: Value): boolean {
  if (end - start < 8) return false;
  if ((bytes[start]! | 0x20) !== 0x68 || (bytes[start + 1]! | 0x20) !== 0x74) return false;
  if ((bytes[start + 2]! | 0x20) !== 0x74 || (bytes[start + 3]! | 0x20) !== 0x70) return false;
  const colon = (bytes[start + 4]! | 0x20) === 0x73 ? start + 5 : start + 4;
  if (bytes[colon] !== 0x3a || bytes[colon + 1] !== 0x2f || bytes[colon + 2] !== 0x2f) return false;
  const host = bytes[colon + 3];
  return colon + 3 < end && host !== 0x2f && host !== 0x3f && host !== 0x23;
}

function frequencyOf(bytes: Uint8Array, start: number, end: number): ChangeFrequency | undefined {
  for (const frequency of FREQUENCIES) {
    if (frequency.length === end - start && frequency.charCodeAt(0) === bytes[start]) {
      let at = 1;
      while (at < frequency.length && frequency.charCodeAt(at) === bytes[start + at]) at++;
      if (at === frequency.length) return frequency;
    }
  }
  return undefined;
}

/** `0.0` to `1.0`, or NaN. */
function tenthsOf(bytes: Uint8Array, start: number): number {
  const tenths = bytes[start + 2]! - 0x30;
  if (bytes[start + 1] !== 0x2e || tenths < 0 || tenths > 9) return Number.NaN;
  if (bytes[start] === 0x30) return tenths / 10;
  return bytes[start] === 0x31 && tenths === 0 ? 1 : Number.NaN;
}
