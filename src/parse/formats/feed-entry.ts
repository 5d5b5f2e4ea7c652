/** What an item of RSS and an entry of Atom have in common: a link, a title, a date; a page that is a story. */

import { ExtensionsReader } from '../extensions/extensions.ts';
import { SitemapNewsStory } from '../extensions/news.ts';
import { SitemapPage } from '../model/page.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { readDate } from './dates.ts';

/** One entry of a feed at a time. */
export class FeedEntry {
  readonly extensions: ExtensionsReader;
  readonly #document: ParsedDocument;
  #hasLink = false;
  #url: string | undefined;
  #urlOffset = 0;
  #title: string | undefined;
  #description: string | undefined;
  #dateText: string | undefined;
  #time = Number.NaN;
  #secondDateText: string | undefined;
  #secondTime = Number.NaN;

  constructor(document: ParsedDocument) {
    this.#document = document;
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
    this.#url = undefined;
    this.#title = undefined;
    this.#description = undefined;
    this.#dateText = undefined;
    this.#time = Number.NaN;
    this.#secondDateText = undefined;
    this.#secondTime = Number.NaN;
  }

  /** Takes the first link that is not empty. */
  link(text: string, offset: number): void {
    if (text === '' || this.#hasLink) return;
    this.#hasLink = true;
    this.#urlOffset = offset;
    this.#url = this.#document.locations.read(text, offset);
  }

  title(text: string): void {
    if (text !== '') this.#title ??= text;
  }

  /** Stands in for a missing title. */
  description(text: string): void {
    if (text !== '') this.#description ??= text;
  }

  date(text: string, offset: number): void {
    if (text === '') return;
    this.#dateText = text;
    this.#time = readDate(text, offset, this.#document.problems);
  }

  /** A date that counts where there is no other. */
  secondDate(text: string, offset: number): void {
    if (text === '') return;
    this.#secondDateText = text;
    this.#secondTime = readDate(text, offset, this.#document.problems);
  }

  end(offset: number): void {
    if (!this.#hasLink) {
      this.#document.problems.add('entry-without-loc', 'An entry without a link was dropped.', offset);
    }
    const useFirst =
      this.#dateText !== undefined && (!Number.isNaN(this.#time) || Number.isNaN(this.#secondTime));
    const text = useFirst ? this.#dateText : this.#secondDateText;
    const time = useFirst ? this.#time : this.#secondTime;
    const title = this.#title ?? this.#description;
    const publishTime = Number.isNaN(time) ? undefined : time;
    const hasStory = title !== undefined || publishTime !== undefined;
    const story = hasStory ? new SitemapNewsStory({ title, publishTime }) : undefined;
    const extensions = this.extensions.end(offset, story);
    const url = this.#url;
    if (url === undefined || !this.#document.isFirst(url, this.#urlOffset)) return;
    const page = new SitemapPage({ url, lastModifiedText: text, lastModifiedTime: time, extensions });
    this.#document.addPage(page);
  }

  /** The document ended inside the entry. */
  drop(offset: number): void {
    this.extensions.end(offset);
  }
}
