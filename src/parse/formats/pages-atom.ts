/** Atom 0.3 and 1.0: each entry with a link is a page, and a news story. */

import { MEDIA_TAGS } from '../extensions/media.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { TextDecoding } from '../values/text.ts';
import type { Attributes } from '../xml/attributes.ts';
import { type EntryFormat, TagSet } from '../xml/entry-format.ts';
import type { Vocabulary } from '../xml/namespaces.ts';
import type { Value } from '../xml/value.ts';
import { FeedEntry } from './feed-entry.ts';
import { reportTextProblems } from './text-problems.ts';

const TAGS = new TagSet({
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
const SOURCE = TAGS.number('atom:source');
const LINK = TAGS.number('atom:link');
const TITLE = TAGS.number('atom:title');
const SUMMARY = TAGS.number('atom:summary');
const PUBLISHED = TAGS.number('atom:published');
const ISSUED = TAGS.number('atom:issued');
const UPDATED = TAGS.number('atom:updated');
const MODIFIED = TAGS.number('atom:modified');

/** A link of the entry that has not been judged yet. */
interface Link {
  readonly href: string;
  readonly offset: number;
}

/** Reads the entries of an Atom feed into pages. */
export class PagesAtom implements EntryFormat {
  readonly tags: TagSet = TAGS;
  readonly home: Vocabulary = 'atom';
  readonly locTag = 0;
  readonly #document: ParsedDocument;
  readonly #entry: FeedEntry;
  readonly #decoding = new TextDecoding();
  #inSource = false;
  #rel: string | undefined;
  #href: string | undefined;
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
    this.#alternate = undefined;
    this.#other = undefined;
  }

  attributes(tag: number, attributes: Attributes, offset: number): void {
    if (this.#inSource) return;
    if (tag === LINK) {
      this.#rel = attributes.get('rel', this.#decoding)?.trim().toLowerCase();
      this.#href = attributes.get('href', this.#decoding)?.trim();
      reportTextProblems(this.#decoding, this.#document.problems, offset);
    } else {
      this.#entry.extensions.attributes(TAGS.names[tag] ?? '', attributes, offset);
    }
  }

  value(tag: number, value: Value): void {
    if (this.#inSource) return;
    const entry = this.#entry;
    switch (tag) {
      case LINK:
        this.#link(value);
        break;
      case TITLE:
        entry.title(value.text());
        break;
      case SUMMARY:
        if (!entry.hasTitle) entry.description(value.text());
        break;
      case PUBLISHED:
      case ISSUED:
        entry.date(value.text(), value.offset);
        break;
      case UPDATED:
      case MODIFIED:
        entry.secondDate(value.text(), value.offset);
        break;
      default:
        entry.extensions.value(TAGS.names[tag] ?? '', value);
    }
  }

  // Some Atom 0.3 feeds write the address as the link's text.
  #link(value: Value): void {
    const href = this.#href || value.text();
    const rel = this.#rel;
    this.#href = undefined;
    this.#rel = undefined;
    if (href === '') return;
    const link = { href, offset: value.offset };
    if (rel === undefined || rel === '' || rel === 'alternate') this.#alternate ??= link;
    else this.#other ??= link;
  }

  startGroup(tag: number): void {
    if (tag === SOURCE) this.#inSource = true;
    else this.#entry.extensions.startGroup(TAGS.names[tag] ?? '');
  }

  endGroup(tag: number, offset: number): void {
    if (tag === SOURCE) this.#inSource = false;
    else this.#entry.extensions.endGroup(TAGS.names[tag] ?? '', offset);
  }

  ownText(): void {}

  endEntry(offset: number): void {
    const link = this.#alternate ?? this.#other;
    if (link !== undefined) this.#entry.link(link.href, link.offset);
    this.#entry.end(offset);
  }

  cutEntry(offset: number): void {
    this.#entry.drop(offset);
  }
}
