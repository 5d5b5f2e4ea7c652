/**
 * Feeds: RSS 0.9x, 1.0 (RDF) and 2.0, Atom 0.3 and 1.0. Each item or entry with a link is a page, and a news story.
 */

import { ExtensionsReader } from '../extensions/extensions.ts';
import { MEDIA_TAGS } from '../extensions/media.ts';
import { openStory, type SitemapNewsStory } from '../extensions/news.ts';
import { ReadPage, SitemapPage } from '../model/page.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { reportTextProblems } from '../reported-values.ts';
import { TextDecoding } from '../values/text.ts';
import type { DateForm } from '../values/w3c-date.ts';
import { isHttpUrl, resolveUrl, tidyUrl } from '../values/written-url.ts';
import type { Attributes } from '../xml/attributes.ts';
import { type EntryFormat, TagSet, tagsOf } from '../xml/entry-format.ts';
import type { Vocabulary } from '../xml/tag-names.ts';
import type { Value } from '../xml/value.ts';

/** It is repeated in every URL that is resolved against it: no more than sitemaps may have. */
const MOST_OF_BASE = 2_048;

/** What may also be inside a part of an entry that is not its own (`<image><link>…</link></image>`), as bits. */
const LINK = 1;
const OTHER_LINK = 2;
const TITLE = 4;
const DESCRIPTION = 8;

/** What an item of RSS and an entry of Atom have in common: a link, a title, dates, extensions; one at a time. */
abstract class FeedFormat implements EntryFormat {
  abstract readonly tags: TagSet;
  abstract readonly home: Vocabulary;
  readonly locTag = 0;
  protected readonly document: ParsedDocument;
  protected readonly extensions: ExtensionsReader;
  protected readonly decoding: TextDecoding = new TextDecoding();
  /** Whether there is a link that is not empty, usable or not. */
  protected hasLink = false;
  readonly #page = new ReadPage();
  #base: string | undefined;
  #isMarked = false;
  #url: string | undefined;
  #urlOffset = 0;
  #title: string | undefined;
  #description: string | undefined;
  #dateText: string | DateForm | undefined;
  #dateTime = Number.NaN;
  #dateRank = 0;
  /** The parts that were inside unknown tags. */
  #nestedParts = 0;

  constructor(document: ParsedDocument) {
    this.document = document;
    this.extensions = new ExtensionsReader(document);
    this.#base = document.values.base;
  }

  root(attributes: Attributes): void {
    this.#rebase(attributes);
    this.#base = this.document.values.base;
  }

  /** Takes in the `xml:base` of the root or of an entry: relative URLs are resolved against it from there on. */
  #rebase(attributes: Attributes): void {
    const { values } = this.document;
    const written = attributes.get('xml:base', this.decoding);
    const base = written === undefined ? undefined : resolveUrl(written.trim(), values.base);
    if (base !== undefined && isHttpUrl(base) && base.length <= MOST_OF_BASE) values.base = base;
  }

  startEntry(): void {
    this.document.values.base = this.#base;
    this.hasLink = false;
    this.#isMarked = false;
    this.#url = undefined;
    this.#title = undefined;
    this.#description = undefined;
    this.#dateText = undefined;
    this.#dateTime = Number.NaN;
    this.#dateRank = 0;
    this.#nestedParts = 0;
  }

  /**
   * Whether a part counts: the first of the entry itself. Until that comes, the first inside unknown tags counts,
   * since those may be tags that were never closed.
   */
  protected takes(part: number, isFirst: boolean, isNested: boolean): boolean {
    if (isFirst) {
      if (isNested) this.#nestedParts |= part;
      return true;
    }
    if (isNested || this.isOwn(part)) return false;
    this.#nestedParts &= ~part;
    return true;
  }

  protected isOwn(part: number): boolean {
    return (this.#nestedParts & part) === 0;
  }

  /** Takes a link that counts; `isMarked` where its fingerprint was taken last. */
  protected link(text: string, offset: number, isMarked: boolean): void {
    this.hasLink = true;
    this.#isMarked = isMarked;
    this.#urlOffset = offset;
    const { values } = this.document;
    this.#url = isMarked ? values.absolute(text, offset) : values.url(text, offset);
  }

  protected title(value: Value): void {
    // Decoded even where there is one before: what is wrong with it is reported.
    const text = value.text();
    if (text !== '' && this.takes(TITLE, this.#title === undefined, value.isNested)) this.#title = text;
  }

  /** Used where the title is missing. */
  protected description(value: Value): void {
    if (this.#title !== undefined && this.isOwn(TITLE)) return;
    const text = value.text();
    if (text !== '' && this.takes(DESCRIPTION, this.#description === undefined, value.isNested))
      this.#description = text;
  }

  /** Takes a valid date before others, then one of the entry itself, then a `first` one, then the last. */
  protected date(value: Value, isFirst: boolean): void {
    if (value.textLength === 0) return;
    const time = value.time(this.document.values);
    const rank = (value.isNested ? 0 : 2) + (isFirst ? 1 : 0);
    const isBad = Number.isNaN(time);
    if (isBad === Number.isNaN(this.#dateTime) ? rank < this.#dateRank : isBad) return;
    this.#dateTime = time;
    this.#dateText = value.dateText;
    this.#dateRank = rank;
  }

  attributes(tag: number, attributes: Attributes, offset: number): void {
    if (this.tags.roles[tag] === 'entry') this.#rebase(attributes);
    else this.extensions.attributes(this.tags.names[tag] ?? '', attributes, offset);
  }

  abstract value(tag: number, value: Value): void;

  startGroup(tag: number): void {
    this.extensions.startGroup(this.tags.names[tag] ?? '');
  }

  endGroup(tag: number, offset: number): void {
    this.extensions.endGroup(this.tags.names[tag] ?? '', offset);
  }

  endEntry(offset: number): void {
    const { document } = this;
    if (!this.hasLink)
      document.problems.add('entry-without-loc', 'An entry without a link was dropped.', offset);
    const isTitleFirst = this.isOwn(TITLE) || !this.isOwn(DESCRIPTION);
    const title = isTitleFirst ? (this.#title ?? this.#description) : (this.#description ?? this.#title);
    this.extensions.end(offset, this.#page, storyOf(title, this.#dateTime));
    const url = this.#url;
    if (url === undefined) return;
    const place = this.#urlOffset;
    if (!(this.#isMarked ? document.isMarkedFirst(url, place) : document.isFirst(url, place))) return;
    this.#page.url = url;
    this.#page.lastModified = Number.isNaN(this.#dateTime) ? undefined : new Date(this.#dateTime);
    this.#page.lastModifiedForm = this.#dateText;
    document.addPage(new SitemapPage(this.#page));
  }

  cutEntry(offset: number): void {
    this.extensions.end(offset, this.#page);
  }
}

/** Each of the two has a `Date` of its own: a `Date` can be changed. */
function storyOf(title: string | undefined, time: number): SitemapNewsStory | undefined {
  const hasDate = !Number.isNaN(time);
  if (title === undefined && !hasDate) return undefined;
  const story = openStory();
  story.title = title;
  if (hasDate) story.publishDate = new Date(time);
  return story;
}

const RSS_TAGS = new TagSet({
  ...tagsOf('rss', {
    root: 'rss rdf',
    entry: 'item',
    value: 'link guid title description pubdate',
  }),
  'dc:date': 'value',
  ...MEDIA_TAGS,
});
const RSS_LINK = RSS_TAGS.number('rss:link');
const GUID = RSS_TAGS.number('rss:guid');
const RSS_TITLE = RSS_TAGS.number('rss:title');
const RSS_DESCRIPTION = RSS_TAGS.number('rss:description');
const PUB_DATE = RSS_TAGS.number('rss:pubdate');
const DC_DATE = RSS_TAGS.number('dc:date');

export class PagesRss extends FeedFormat {
  readonly tags: TagSet = RSS_TAGS;
  readonly home: Vocabulary = 'rss';
  #guidIsPermalink = true;
  #guid: string | undefined;
  #guidOffset = 0;

  override startEntry(): void {
    super.startEntry();
    this.#guid = undefined;
    this.#guidIsPermalink = true;
  }

  override attributes(tag: number, attributes: Attributes, offset: number): void {
    if (tag !== GUID) {
      super.attributes(tag, attributes, offset);
      return;
    }
    // Nothing is made of it where there is a link.
    if (this.#hasOwnLink) return;
    this.#guidIsPermalink = attributes.repeated('ispermalink', this.decoding)?.toLowerCase() !== 'false';
  }

  value(tag: number, value: Value): void {
    switch (tag) {
      case RSS_LINK:
        this.#link(value);
        break;
      case GUID:
        this.#readGuid(value);
        break;
      case RSS_TITLE:
        this.title(value);
        break;
      case RSS_DESCRIPTION:
        this.description(value);
        break;
      case PUB_DATE:
        this.date(value, true);
        break;
      case DC_DATE:
        this.date(value, false);
        break;
      default:
        this.extensions.value(RSS_TAGS.names[tag] ?? '', value);
    }
  }

  #link(value: Value): void {
    const isMarked = !this.hasLink && value.markUrl(this.document.seen);
    const text = value.text();
    if (text !== '' && this.takes(LINK, !this.hasLink, value.isNested))
      this.link(text, value.offset, isMarked);
  }

  get #hasOwnLink(): boolean {
    return this.hasLink && this.isOwn(LINK);
  }

  /** Used where the link is missing. */
  #readGuid(value: Value): void {
    if (!this.#guidIsPermalink || this.#hasOwnLink) return;
    const text = tidyUrl(value.text());
    if (!isHttpUrl(text) || !this.takes(OTHER_LINK, this.#guid === undefined, value.isNested)) return;
    this.#guid = text;
    this.#guidOffset = value.offset;
  }

  override endEntry(offset: number): void {
    const isFirst = !this.hasLink || (this.isOwn(OTHER_LINK) && !this.#hasOwnLink);
    if (this.#guid !== undefined && isFirst) this.link(this.#guid, this.#guidOffset, false);
    super.endEntry(offset);
  }
}

const ATOM_TAGS = new TagSet({
  ...tagsOf('atom', {
    root: 'feed',
    entry: 'entry',
    // Where an entry was copied from: that feed's title, links and dates are not the entry's.
    group: 'source',
    value: 'link title summary published issued updated modified',
  }),
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

export class PagesAtom extends FeedFormat {
  readonly tags: TagSet = ATOM_TAGS;
  readonly home: Vocabulary = 'atom';
  #inSource = false;
  #rel: string | undefined;
  #href: string | undefined;
  #isMarked = false;
  /** The first link with no rel or rel="alternate". */
  #alternate: Link | undefined;
  /** The first link of any other rel. */
  #other: Link | undefined;

  override startEntry(): void {
    super.startEntry();
    this.#inSource = false;
    this.#rel = undefined;
    this.#href = undefined;
    this.#isMarked = false;
    this.#alternate = undefined;
    this.#other = undefined;
  }

  override attributes(tag: number, attributes: Attributes, offset: number): void {
    if (this.#inSource) return;
    if (tag !== ATOM_LINK) {
      super.attributes(tag, attributes, offset);
      return;
    }
    this.#rel = attributes.is('rel', 'alternate')
      ? 'alternate'
      : attributes.get('rel', this.decoding)?.trim().toLowerCase();
    // The one that will be taken, if it has a plain address.
    const url =
      this.#alternate === undefined && isAlternate(this.#rel)
        ? attributes.markUrl('href', this.document.seen)
        : undefined;
    this.#isMarked = url !== undefined;
    this.#href = url ?? attributes.get('href', this.decoding)?.trim();
    reportTextProblems(this.decoding, this.document.problems, offset);
  }

  value(tag: number, value: Value): void {
    if (this.#inSource) return;
    switch (tag) {
      case ATOM_LINK:
        this.#link(value);
        break;
      case ATOM_TITLE:
        this.title(value);
        break;
      case SUMMARY:
        this.description(value);
        break;
      case PUBLISHED:
      case ISSUED:
        this.date(value, true);
        break;
      case UPDATED:
      case MODIFIED:
        this.date(value, false);
        break;
      default:
        this.extensions.value(ATOM_TAGS.names[tag] ?? '', value);
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
    if (!isAlternate(rel)) {
      if (this.takes(OTHER_LINK, this.#other === undefined, value.isNested)) this.#other = link;
    } else if (this.takes(LINK, this.#alternate === undefined, value.isNested)) {
      this.#alternate = link;
    }
  }

  override startGroup(tag: number): void {
    if (tag === SOURCE) this.#inSource = true;
    else super.startGroup(tag);
  }

  override endGroup(tag: number, offset: number): void {
    if (tag === SOURCE) this.#inSource = false;
    else super.endGroup(tag, offset);
  }

  override endEntry(offset: number): void {
    const link = this.#alternate ?? this.#other;
    if (link !== undefined) this.link(link.href, link.offset, link.isMarked);
    super.endEntry(offset);
  }
}

/** RFC 4287 §4.2.7.2: a name of the registry and its IRI mean the same. */
const ALTERNATE_IRI = 'http://www.iana.org/assignments/relation/alternate';

function isAlternate(rel: string | undefined): boolean {
  return rel === undefined || rel === '' || rel === 'alternate' || rel === ALTERNATE_IRI;
}
