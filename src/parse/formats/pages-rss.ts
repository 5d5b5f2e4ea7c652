/** RSS 0.9x, 1.0 (RDF) and 2.0: each item with a link is a page, and a news story. */

import { MEDIA_TAGS } from '../extensions/media.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { TextDecoding } from '../values/text.ts';
import { isHttpUrl, tidyUrl } from '../values/url.ts';
import type { Attributes } from '../xml/attributes.ts';
import { type EntryFormat, TagSet } from '../xml/entry-format.ts';
import type { Vocabulary } from '../xml/namespaces.ts';
import type { Value } from '../xml/value.ts';
import { FeedEntry } from './feed-entry.ts';

const TAGS = new TagSet({
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
const LINK = TAGS.number('rss:link');
const GUID = TAGS.number('rss:guid');
const TITLE = TAGS.number('rss:title');
const DESCRIPTION = TAGS.number('rss:description');
const PUB_DATE = TAGS.number('rss:pubdate');
const DC_DATE = TAGS.number('dc:date');

/** Reads the items of an RSS feed into pages. */
export class PagesRss implements EntryFormat {
  readonly tags: TagSet = TAGS;
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
      this.#guidIsPermalink = attributes.get('ispermalink', this.#decoding)?.trim().toLowerCase() !== 'false';
    } else {
      this.#entry.extensions.attributes(TAGS.names[tag] ?? '', attributes, offset);
    }
  }

  value(tag: number, value: Value): void {
    const entry = this.#entry;
    switch (tag) {
      case LINK:
        entry.link(value.text(), value.offset);
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
      case TITLE:
        entry.title(value.text());
        break;
      case DESCRIPTION:
        if (!entry.hasTitle) entry.description(value.text());
        break;
      case PUB_DATE:
        entry.date(value.text(), value.offset);
        break;
      case DC_DATE:
        entry.secondDate(value.text(), value.offset);
        break;
      default:
        entry.extensions.value(TAGS.names[tag] ?? '', value);
    }
  }

  startGroup(tag: number): void {
    this.#entry.extensions.startGroup(TAGS.names[tag] ?? '');
  }

  endGroup(tag: number, offset: number): void {
    this.#entry.extensions.endGroup(TAGS.names[tag] ?? '', offset);
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
