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

/** More levels than this count as one: values of no more levels are remembered. */
const MOST_LEVELS = 64;

/** A link, with where it is, and whether its fingerprint was the last that was taken. */
interface Link {
  readonly text: string;
  readonly offset: number;
  readonly isMarked: boolean;
}

/** What an entry may have: the first link and title, and the best date. */
class EntryValues {
  link: Link | undefined;
  /** A guid, or a link with another relation: used where there is no link. */
  other: Link | undefined;
  title: string | undefined;
  /** Used where there is no title. */
  description: string | undefined;
  time: number = Number.NaN;
  dateText: string | DateForm | undefined;
  #isFirstDate = false;

  clear(): void {
    this.link = undefined;
    this.other = undefined;
    this.title = undefined;
    this.description = undefined;
    this.time = Number.NaN;
    this.dateText = undefined;
    this.#isFirstDate = false;
  }

  copyFrom(values: EntryValues): this {
    this.link = values.link;
    this.other = values.other;
    this.title = values.title;
    this.description = values.description;
    this.time = values.time;
    this.dateText = values.dateText;
    this.#isFirstDate = values.#isFirstDate;
    return this;
  }

  /** Takes a valid date before others, then a `first` one, then the last. */
  date(time: number, text: string | DateForm, isFirst: boolean): void {
    const isBad = Number.isNaN(time);
    if (isBad === Number.isNaN(this.time) ? !isFirst && this.#isFirstDate : isBad) return;
    this.time = time;
    this.dateText = text;
    this.#isFirstDate = isFirst;
  }

  /** Takes the values that `values` has and `before` has not, where there are none yet. */
  fill(values: EntryValues, before: EntryValues): void {
    if (values.link !== before.link) this.link ??= values.link;
    if (values.other !== before.other) this.other ??= values.other;
    if (values.title !== before.title) this.title ??= values.title;
    if (values.description !== before.description) this.description ??= values.description;
    if (values.dateText !== undefined && values.dateText !== before.dateText)
      this.date(values.time, values.dateText, values.#isFirstDate);
  }
}

/** What an item of RSS and an entry of Atom have in common: a link, a title, dates, extensions; one at a time. */
abstract class FeedFormat implements EntryFormat {
  abstract readonly tags: TagSet;
  abstract readonly home: Vocabulary;
  readonly locTag = 0;
  protected readonly document: ParsedDocument;
  protected readonly extensions: ExtensionsReader;
  protected readonly decoding: TextDecoding = new TextDecoding();
  /**
   * What the entry has, in tags of its own and in those that are open: they count as its own unless they are closed.
   */
  readonly #direct = new EntryValues();
  /** The value inside of nested tags (`<image><link>…</link></image>`): used if the entry has no other. */
  readonly #nested = new EntryValues();
  /** What it had before there was something in tags that are open, with the level of that; lowest first. */
  readonly #earlier: { readonly level: number; readonly values: EntryValues }[] = [];
  readonly #page = new ReadPage();
  #base: string | undefined;

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
    const baseText = attributes.get('xml:base', this.decoding);
    const base = baseText === undefined ? undefined : resolveUrl(baseText.trim(), values.base);
    if (base !== undefined && isHttpUrl(base) && base.length <= MOST_OF_BASE) values.base = base;
  }

  startEntry(): void {
    this.document.values.base = this.#base;
    this.#direct.clear();
    this.#nested.clear();
    this.#earlier.length = 0;
  }

  /** What is certainly the entry's own. */
  protected get ownValues(): Readonly<EntryValues> {
    return this.#earlier[0]?.values ?? this.#direct;
  }

  /** Whether no link was taken so far. */
  protected get isLinkless(): boolean {
    return this.#direct.link === undefined && this.#nested.link === undefined;
  }

  /** Where to put a value. */
  #valuesAt(level: number): EntryValues {
    if (level > 0) {
      const within = Math.min(level, MOST_LEVELS);
      if (within > (this.#earlier.at(-1)?.level ?? 0))
        this.#earlier.push({ level: within, values: new EntryValues().copyFrom(this.#direct) });
    }
    return this.#direct;
  }

  leaveTag(level: number): void {
    const at = this.#earlier.findIndex((earlier) => earlier.level > level);
    if (at === -1) return;
    const { values } = this.#earlier[at]!;
    this.#earlier.length = at;
    this.#nested.fill(this.#direct, values);
    this.#direct.copyFrom(values);
  }

  protected link(link: Link, level: number): void {
    if (this.#direct.link === undefined) this.#valuesAt(level).link = link;
  }

  protected otherLink(link: Link, level: number): void {
    if (this.#direct.other === undefined) this.#valuesAt(level).other = link;
  }

  protected title(value: Value): void {
    // Decoded even where there is one before: what is wrong with it is reported.
    const text = value.text();
    if (text !== '' && this.#direct.title === undefined) this.#valuesAt(value.level).title = text;
  }

  protected description(value: Value): void {
    if (this.ownValues.title !== undefined || this.#direct.description !== undefined) return;
    const text = value.text();
    if (text !== '') this.#valuesAt(value.level).description = text;
  }

  protected date(value: Value, isFirst: boolean): void {
    if (value.textLength === 0) return;
    const time = value.time(this.document.values);
    this.#valuesAt(value.level).date(time, value.dateText, isFirst);
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
    const direct = this.#direct;
    const nested = this.#nested;
    const link = this.linkOf(direct, nested);
    const title = direct.title ?? direct.description ?? nested.title ?? nested.description;
    // A date that can be read before others.
    const isOwnDate =
      !Number.isNaN(direct.time) || (Number.isNaN(nested.time) && direct.dateText !== undefined);
    const { time, dateText } = isOwnDate ? direct : nested;
    if (link === undefined)
      document.problems.add('entry-without-loc', 'An entry without a link was dropped.', offset);
    const url = link && this.#urlOf(link);
    this.extensions.end(offset, this.#page, storyOf(title, time));
    if (link === undefined || url === undefined) return;
    const place = link.offset;
    if (!(link.isMarked ? document.isMarkedFirst(url, place) : document.isFirst(url, place))) return;
    this.#page.url = url;
    this.#page.lastModified = Number.isNaN(time) ? undefined : new Date(time);
    this.#page.lastModifiedForm = dateText;
    document.addPage(new SitemapPage(this.#page));
  }

  #urlOf({ text, offset, isMarked }: Link): string | undefined {
    return isMarked ? text : this.document.values.url(text, offset);
  }

  /** The address of an entry, of what it has itself and of what is inside its tags. */
  protected abstract linkOf(direct: EntryValues, nested: EntryValues): Link | undefined;

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
  /** The `href` of a link as in Atom, which counts if the link has no text. */
  #href: string | undefined;
  #rel: string | undefined;

  override startEntry(): void {
    super.startEntry();
    this.#guidIsPermalink = true;
    this.#href = undefined;
    this.#rel = undefined;
  }

  override attributes(tag: number, attributes: Attributes, offset: number): void {
    if (tag === RSS_LINK) {
      this.#href = attributes.get('href', this.decoding)?.trim();
      this.#rel = attributes.get('rel', this.decoding)?.trim().toLowerCase();
      reportTextProblems(this.decoding, this.document.problems, offset);
      return;
    }
    if (tag !== GUID) {
      super.attributes(tag, attributes, offset);
      return;
    }
    // Nothing is made of it where there is a link.
    if (this.ownValues.link !== undefined) return;
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
    const isMarked = this.isLinkless && value.markUrl(this.document.seen);
    const text = value.text() || this.#href;
    const isLink = value.textLength > 0 || isAlternate(this.#rel);
    this.#href = undefined;
    this.#rel = undefined;
    if (!text) return;
    const link = { text, offset: value.offset, isMarked };
    if (isLink) this.link(link, value.level);
    else this.otherLink(link, value.level);
  }

  protected linkOf(direct: EntryValues, nested: EntryValues): Link | undefined {
    return direct.link ?? direct.other ?? nested.link ?? nested.other;
  }

  /** Used where the link is missing. */
  #readGuid(value: Value): void {
    const isPermalink = this.#guidIsPermalink;
    this.#guidIsPermalink = true;
    if (!isPermalink || this.ownValues.link !== undefined) return;
    const text = tidyUrl(value.text());
    if (isHttpUrl(text)) this.otherLink({ text, offset: value.offset, isMarked: false }, value.level);
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

export class PagesAtom extends FeedFormat {
  readonly tags: TagSet = ATOM_TAGS;
  readonly home: Vocabulary = 'atom';
  #inSource = false;
  #rel: string | undefined;
  #href: string | undefined;
  #isMarked = false;

  override startEntry(): void {
    super.startEntry();
    this.#inSource = false;
    this.#rel = undefined;
    this.#href = undefined;
    this.#isMarked = false;
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
      this.isLinkless && isAlternate(this.#rel) ? attributes.markUrl('href', this.document.seen) : undefined;
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
    const link = { text: href, offset: value.offset, isMarked };
    if (isAlternate(rel)) this.link(link, value.level);
    else this.otherLink(link, value.level);
  }

  protected linkOf(direct: EntryValues, nested: EntryValues): Link | undefined {
    return direct.link ?? nested.link ?? direct.other ?? nested.other;
  }

  override startGroup(tag: number): void {
    if (tag === SOURCE) this.#inSource = true;
    else super.startGroup(tag);
  }

  override endGroup(tag: number, offset: number): void {
    if (tag === SOURCE) this.#inSource = false;
    else super.endGroup(tag, offset);
  }
}

/** RFC 4287 §4.2.7.2: a name of the registry and its IRI mean the same. */
const ALTERNATE_IRI = 'http://www.iana.org/assignments/relation/alternate';

function isAlternate(rel: string | undefined): boolean {
  return rel === undefined || rel === '' || rel === 'alternate' || rel === ALTERNATE_IRI;
}
