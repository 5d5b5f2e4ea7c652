/**
 * Feeds: RSS 0.9x, 1.0 (RDF) and 2.0, Atom 0.3 and 1.0. Each item or entry with a link is a page, and a news story.
 */

import { ExtensionsReader } from '../extensions/extensions.ts';
import { MEDIA_TAGS } from '../extensions/media.ts';
import { SitemapNewsStory } from '../extensions/news.ts';
import { SitemapPage } from '../model/page.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { reportTextProblems } from '../reported-values.ts';
import { TextDecoding } from '../values/text.ts';
import type { DateForm } from '../values/w3c-date.ts';
import { isHttpUrl, tidyUrl } from '../values/written-url.ts';
import type { Attributes } from '../xml/attributes.ts';
import { type EntryFormat, TagSet } from '../xml/entry-format.ts';
import type { Vocabulary } from '../xml/tag-names.ts';
import type { Value } from '../xml/value.ts';

/** A date of an entry: the last one that was written, if there was one. */
class FeedDate {
  readonly #document: ParsedDocument;
  text: string | DateForm | undefined;
  time: number = Number.NaN;

  constructor(document: ParsedDocument) {
    this.#document = document;
  }

  start(): void {
    this.text = undefined;
    this.time = Number.NaN;
  }

  read(value: Value): void {
    if (value.textLength === 0) return;
    this.time = value.time(this.#document.values);
    this.text = value.dateText;
  }
}

/** What an item of RSS and an entry of Atom have in common: a link, a title, a date; one at a time. */
class FeedEntry {
  readonly extensions: ExtensionsReader;
  readonly date: FeedDate;
  /** A date that counts where there is no other. */
  readonly secondDate: FeedDate;
  readonly #document: ParsedDocument;
  #hasLink = false;
  #isMarked = false;
  #url: string | undefined;
  #urlOffset = 0;
  #title: string | undefined;
  #description: string | undefined;

  constructor(document: ParsedDocument) {
    this.#document = document;
    this.date = new FeedDate(document);
    this.secondDate = new FeedDate(document);
    this.extensions = new ExtensionsReader(document);
  }

  /** Whether there is a link that is not empty, usable or not. */
  get hasLink(): boolean {
    return this.#hasLink;
  }

  get hasTitle(): boolean {
    return this.#title !== undefined;
  }

  start(): void {
    this.#hasLink = false;
    this.#isMarked = false;
    this.#url = undefined;
    this.#title = undefined;
    this.#description = undefined;
    this.date.start();
    this.secondDate.start();
  }

  /** Takes the first link that is not empty. */
  link(text: string, offset: number): void {
    if (text === '' || this.#hasLink) return;
    this.#hasLink = true;
    this.#urlOffset = offset;
    this.#url = this.#document.values.url(text, offset);
  }

  /** The same of a value. */
  linkOf(value: Value): void {
    const isMarked = !this.#hasLink && value.markUrl(this.#document.seen);
    if (isMarked) this.markedLink(value.text(), value.offset);
    else this.link(value.text(), value.offset);
  }

  /** Takes the first link, whose fingerprint was taken last. */
  markedLink(url: string | undefined, offset: number): void {
    this.#hasLink = true;
    this.#isMarked = true;
    this.#urlOffset = offset;
    this.#url = url;
  }

  title(value: Value): void {
    // Decoded even where there is one before: what is wrong with it is reported.
    const text = value.text();
    if (text !== '') this.#title ??= text;
  }

  /** Stands in for a missing title. */
  description(text: string): void {
    if (text !== '') this.#description ??= text;
  }

  end(offset: number): void {
    if (!this.#hasLink) {
      this.#document.problems.add('entry-without-loc', 'An entry without a link was dropped.', offset);
    }
    const { text: firstText, time: firstTime } = this.date;
    const useFirst =
      firstText !== undefined && (!Number.isNaN(firstTime) || Number.isNaN(this.secondDate.time));
    const { text, time } = useFirst ? this.date : this.secondDate;
    const title = this.#title ?? this.#description;
    const publishTime = Number.isNaN(time) ? undefined : time;
    const hasStory = title !== undefined || publishTime !== undefined;
    const story = hasStory ? new SitemapNewsStory({ title, publishTime }) : undefined;
    const extensions = this.extensions.end(offset, story);
    const url = this.#url;
    if (url === undefined) return;
    const document = this.#document;
    const place = this.#urlOffset;
    if (!(this.#isMarked ? document.isMarkedFirst(url, place) : document.isFirst(url, place))) return;
    document.addPage(
      new SitemapPage({
        url,
        priority: Number.NaN,
        changeFrequency: undefined,
        lastModifiedTime: time,
        lastModifiedText: text,
        extensions,
      }),
    );
  }

  drop(offset: number): void {
    this.extensions.end(offset);
  }
}

const RSS_TAGS = new TagSet({
  'rss:rss': 'root',
  'rss:rdf': 'root',
  'rss:item': 'entry',
  'rss:link': 'value',
  'rss:guid': 'value',
  'rss:title': 'value',
  'rss:description': 'value',
  'rss:pubdate': 'value',
  'dc:date': 'value',
  ...MEDIA_TAGS,
});
const RSS_LINK = RSS_TAGS.number('rss:link');
const GUID = RSS_TAGS.number('rss:guid');
const RSS_TITLE = RSS_TAGS.number('rss:title');
const DESCRIPTION = RSS_TAGS.number('rss:description');
const PUB_DATE = RSS_TAGS.number('rss:pubdate');
const DC_DATE = RSS_TAGS.number('dc:date');

export class PagesRss implements EntryFormat {
  readonly tags: TagSet = RSS_TAGS;
  readonly home: Vocabulary = 'rss';
  readonly locTag = 0;
  readonly #entry: FeedEntry;
  readonly #decoding = new TextDecoding();
  #guidIsPermalink = true;
  #guid: string | undefined;
  #guidOffset = 0;

  constructor(document: ParsedDocument) {
    this.#entry = new FeedEntry(document);
  }

  startEntry(): void {
    this.#entry.start();
    this.#guid = undefined;
    this.#guidIsPermalink = true;
  }

  attributes(tag: number, attributes: Attributes, offset: number): void {
    if (tag === GUID) {
      // Nothing is made of it where there is a link.
      if (this.#entry.hasLink) return;
      this.#guidIsPermalink = attributes.repeated('ispermalink', this.#decoding)?.toLowerCase() !== 'false';
    } else {
      this.#entry.extensions.attributes(RSS_TAGS.names[tag] ?? '', attributes, offset);
    }
  }

  value(tag: number, value: Value): void {
    const entry = this.#entry;
    switch (tag) {
      case RSS_LINK:
        entry.linkOf(value);
        break;
      case GUID: {
        // Stands in for a missing link.
        if (!this.#guidIsPermalink || entry.hasLink) break;
        const text = tidyUrl(value.text());
        if (this.#guid !== undefined || !isHttpUrl(text)) break;
        this.#guid = text;
        this.#guidOffset = value.offset;
        break;
      }
      case RSS_TITLE:
        entry.title(value);
        break;
      case DESCRIPTION:
        if (!entry.hasTitle) entry.description(value.text());
        break;
      case PUB_DATE:
        entry.date.read(value);
        break;
      case DC_DATE:
        entry.secondDate.read(value);
        break;
      default:
        entry.extensions.value(RSS_TAGS.names[tag] ?? '', value);
    }
  }

  startGroup(tag: number): void {
    this.#entry.extensions.startGroup(RSS_TAGS.names[tag] ?? '');
  }

  endGroup(tag: number, offset: number): void {
    this.#entry.extensions.endGroup(RSS_TAGS.names[tag] ?? '', offset);
  }

  ownText(): void {}

  endEntry(offset: number): void {
    if (!this.#entry.hasLink && this.#guid !== undefined) this.#entry.link(this.#guid, this.#guidOffset);
    this.#entry.end(offset);
  }

  cutEntry(offset: number): void {
    this.#entry.drop(offset);
  }
}

const ATOM_TAGS = new TagSet({
  'atom:feed': 'root',
  'atom:entry': 'entry',
  // Where an entry was copied from: that feed's title, links and dates are not the entry's.
  'atom:source': 'group',
  'atom:link': 'value',
  'atom:title': 'value',
  'atom:summary': 'value',
  'atom:published': 'value',
  'atom:issued': 'value',
  'atom:updated': 'value',
  'atom:modified': 'value',
  ...MEDIA_TAGS,
});
const SOURCE = ATOM_TAGS.number('atom:source');
const ATOM_LINK = ATOM_TAGS.number('atom:link');
const ATOM_TITLE = ATOM_TAGS.number('atom:title');
const SUMMARY = ATOM_TAGS.number('atom:summary');
const PUBLISHED = ATOM_TAGS.number('atom:published');
const ISSUED = ATOM_TAGS.number('atom:issued');
const UPDATED = ATOM_TAGS.number('atom:updated');
const MODIFIED = ATOM_TAGS.number('atom:modified');

interface Link {
  readonly href: string;
  readonly offset: number;
  /** Whether its fingerprint was taken, and no other since. */
  readonly isMarked: boolean;
}

export class PagesAtom implements EntryFormat {
  readonly tags: TagSet = ATOM_TAGS;
  readonly home: Vocabulary = 'atom';
  readonly locTag = 0;
  readonly #document: ParsedDocument;
  readonly #entry: FeedEntry;
  readonly #decoding = new TextDecoding();
  #inSource = false;
  #rel: string | undefined;
  #href: string | undefined;
  #isMarked = false;
  /** The first link with no rel or rel="alternate". */
  #alternate: Link | undefined;
  /** The first link of any other rel. */
  #other: Link | undefined;

  constructor(document: ParsedDocument) {
    this.#document = document;
    this.#entry = new FeedEntry(document);
  }

  startEntry(): void {
    this.#entry.start();
    this.#inSource = false;
    this.#rel = undefined;
    this.#href = undefined;
    this.#isMarked = false;
    this.#alternate = undefined;
    this.#other = undefined;
  }

  attributes(tag: number, attributes: Attributes, offset: number): void {
    if (this.#inSource) return;
    if (tag === ATOM_LINK) {
      this.#rel = attributes.is('rel', 'alternate')
        ? 'alternate'
        : attributes.get('rel', this.#decoding)?.trim().toLowerCase();
      // The one that will be taken, if it has a plain address.
      const url =
        this.#alternate === undefined && isAlternate(this.#rel)
          ? attributes.markUrl('href', this.#document.seen)
          : undefined;
      this.#isMarked = url !== undefined;
      this.#href = url ?? attributes.get('href', this.#decoding)?.trim();
      reportTextProblems(this.#decoding, this.#document.problems, offset);
    } else {
      this.#entry.extensions.attributes(ATOM_TAGS.names[tag] ?? '', attributes, offset);
    }
  }

  value(tag: number, value: Value): void {
    if (this.#inSource) return;
    const entry = this.#entry;
    switch (tag) {
      case ATOM_LINK:
        this.#link(value);
        break;
      case ATOM_TITLE:
        entry.title(value);
        break;
      case SUMMARY:
        if (!entry.hasTitle) entry.description(value.text());
        break;
      case PUBLISHED:
      case ISSUED:
        entry.date.read(value);
        break;
      case UPDATED:
      case MODIFIED:
        entry.secondDate.read(value);
        break;
      default:
        entry.extensions.value(ATOM_TAGS.names[tag] ?? '', value);
    }
  }

  // Some Atom 0.3 feeds write the address as the link's text.
  #link(value: Value): void {
    const href = this.#href || value.text();
    const rel = this.#rel;
    const isMarked = this.#isMarked;
    this.#href = undefined;
    this.#rel = undefined;
    this.#isMarked = false;
    if (href === '') return;
    const link = { href, offset: value.offset, isMarked };
    if (isAlternate(rel)) this.#alternate ??= link;
    else this.#other ??= link;
  }

  startGroup(tag: number): void {
    if (tag === SOURCE) this.#inSource = true;
    else this.#entry.extensions.startGroup(ATOM_TAGS.names[tag] ?? '');
  }

  endGroup(tag: number, offset: number): void {
    if (tag === SOURCE) this.#inSource = false;
    else this.#entry.extensions.endGroup(ATOM_TAGS.names[tag] ?? '', offset);
  }

  ownText(): void {}

  endEntry(offset: number): void {
    const link = this.#alternate ?? this.#other;
    if (link?.isMarked === true) this.#entry.markedLink(link.href, link.offset);
    else if (link !== undefined) this.#entry.link(link.href, link.offset);
    this.#entry.end(offset);
  }

  cutEntry(offset: number): void {
    this.#entry.drop(offset);
  }
}

function isAlternate(rel: string | undefined): boolean {
  return rel === undefined || rel === '' || rel === 'alternate';
}
