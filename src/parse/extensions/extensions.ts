/** The extensions of an entry, read side by side: each tag goes to the reader of its vocabulary. */

import { NONE } from '../model/given-fields.ts';
import type { ReadPage, SitemapAlternate } from '../model/page.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import type { ReportedValues } from '../reported-values.ts';
import { reportTextProblems } from '../reported-values.ts';
import { TextDecoding } from '../values/text.ts';
import type { Attributes } from '../xml/attributes.ts';
import type { TagRoles } from '../xml/entry-format.ts';
import type { Value } from '../xml/value.ts';
import { IMAGE_TAGS, ImageReader, type SitemapImage } from './image.ts';
import { MediaReader } from './media.ts';
import { NEWS_TAGS, NewsReader, type SitemapNewsStory } from './news.ts';
import type { SitemapVideo } from './video.ts';
import { VIDEO_TAGS, VideoReader } from './video.ts';

/** The tags of the extensions that a urlset may carry. */
export const URLSET_EXTENSION_TAGS: TagRoles = {
  ...NEWS_TAGS,
  ...IMAGE_TAGS,
  ...VIDEO_TAGS,
  'xhtml:link': 'empty',
};

/**
 * How many bytes the extensions of one entry may take: the texts that are kept, and some for what holds each.
 * Google allows 1,000 images a page; that many with long captions fit ten times over.
 */
const MAX_EXTENSION_BYTES = 1024 * 1024;
/** What each text costs beside itself. */
const OVERHEAD_BYTES = 64;

// Initials of the vocabularies, which no two of them share.
const [IMAGE, NEWS, VIDEO, MEDIA] = [0x69, 0x6e, 0x76, 0x6d];

/** Reads what the extensions say of one entry after the other. Tags are given by name (`image:loc`). */
export class ExtensionsReader {
  readonly #values: ReportedValues;
  readonly #news: NewsReader;
  readonly #image: ImageReader;
  readonly #video: VideoReader;
  readonly #media: MediaReader;
  readonly #decoding = new TextDecoding();
  /** Whether anyone wants them, or only what is wrong with them. */
  readonly #areKept: boolean;
  #isUsed = false;
  #bytes = 0;
  #dropped = 0;
  #images: SitemapImage[] = [];
  #videos: SitemapVideo[] = [];
  #alternates: SitemapAlternate[] = [];

  constructor(document: ParsedDocument) {
    this.#values = document.values;
    this.#areKept = document.wantsPages;
    this.#news = new NewsReader(this.#values);
    this.#image = new ImageReader(this.#values);
    this.#video = new VideoReader(this.#values);
    this.#media = new MediaReader(this.#values);
  }

  attributes(name: string, attributes: Attributes, offset: number): void {
    if (!this.#fits(attributes.byteLength)) return;
    this.#readAttributes(name, attributes, offset);
    if (this.#decoding.problems !== 0) reportTextProblems(this.#decoding, this.#values.problems, offset);
  }

  #readAttributes(name: string, attributes: Attributes, offset: number): void {
    if (name === 'xhtml:link') {
      if (!this.#areKept && attributes.arePlain('href')) return;
      const alternate = readAlternate(attributes, this.#decoding, this.#values, offset);
      if (alternate === undefined) return;
      this.#isUsed = true;
      this.#alternates.push(Object.freeze(alternate));
    } else if (name.startsWith('video:')) {
      this.#video.attributes(attributes, this.#decoding);
    } else if (name.startsWith('media:')) {
      this.#isUsed = true;
      this.#media.attributes(name, attributes, this.#decoding, offset);
    }
  }

  /** Whether there is an image with an address that has not ended. */
  get hasImage(): boolean {
    return this.#image.hasLoc;
  }

  value(name: string, value: Value): void {
    this.#isUsed = true;
    if (!this.#fits(value.textLength)) return;
    switch (name.charCodeAt(0)) {
      case IMAGE:
        if (name === 'image:loc' && this.hasImage) {
          const message = 'An image has several loc; each was read as an image.';
          this.#values.problems.add('several-locs', message, value.offset);
          this.#endImage(value.offset);
        }
        this.#image.value(name, value);
        break;
      case NEWS:
        this.#news.value(name, value);
        break;
      case VIDEO:
        this.#video.value(name, value);
        break;
      case MEDIA:
        this.#media.value(name, value.text());
        break;
    }
  }

  /** Whether there is room for a text; what there is no room for is counted. */
  #fits(length: number): boolean {
    this.#bytes += OVERHEAD_BYTES + length;
    if (this.#bytes <= MAX_EXTENSION_BYTES) return true;
    this.#dropped++;
    return false;
  }

  startGroup(name: string): void {
    this.#isUsed = true;
    if (name.startsWith('media:')) this.#media.startGroup(name);
  }

  endGroup(name: string, offset: number): void {
    if (name === 'image:image' || (name === 'sitemap:image' && this.#image.isOpen)) this.#endImage(offset);
    else if (name === 'video:video') this.#endVideo();
    else if (name.startsWith('media:')) this.#media.endGroup(name);
  }

  #endImage(offset: number): void {
    // An image whose values were dropped is not one without an address.
    if (this.#dropped > 0 && !this.#image.isOpen) return;
    const image = this.#image.end(offset);
    if (image !== undefined) this.#images.push(Object.freeze(image));
  }

  #endVideo(): void {
    const video = this.#video.end();
    if (video !== undefined) this.#videos.push(video);
  }

  /** Ends the entry: writes what the extensions say into its page. A feed gives its own story. */
  end(offset: number, page: ReadPage, story?: SitemapNewsStory): void {
    if (this.#dropped > 0) this.#reportDropped(offset);
    this.#bytes = 0;
    page.newsStory = story;
    page.images = NONE;
    page.videos = NONE;
    page.alternates = NONE;
    if (!this.#isUsed) return;
    this.#isUsed = false;
    // Values that are in the entry without their group.
    if (this.#image.isOpen) this.#endImage(offset);
    if (this.#video.isOpen) this.#endVideo();
    page.newsStory = this.#news.end() ?? story;
    const media = this.#media.end();
    if (media !== undefined) {
      this.#images.push(...media.images);
      this.#videos.push(...media.videos);
    }
    // The lists are the page's from here on.
    if (this.#images.length > 0) {
      page.images = Object.freeze(this.#images);
      this.#images = [];
    }
    if (this.#videos.length > 0) {
      page.videos = Object.freeze(this.#videos);
      this.#videos = [];
    }
    if (this.#alternates.length > 0) {
      page.alternates = Object.freeze(this.#alternates);
      this.#alternates = [];
    }
  }

  #reportDropped(offset: number): void {
    this.#values.problems.add(
      'too-many-extensions',
      `The extensions of an entry take more than 1 MiB; ${this.#dropped} more of their values were dropped.`,
      offset,
    );
    this.#dropped = 0;
  }
}

/**
 * Reads `<xhtml:link rel="alternate" hreflang="de" href="…"/>`; undefined where it is not an alternate (another rel, no
 * hreflang, no usable href).
 */
function readAlternate(
  attributes: Attributes,
  decoding: TextDecoding,
  values: ReportedValues,
  offset: number,
): SitemapAlternate | undefined {
  const isAlternate =
    attributes.is('rel', 'alternate') ||
    attributes.get('rel', decoding)?.toLowerCase().split(/\s+/).includes('alternate');
  if (!isAlternate) return undefined;
  const hreflang = attributes.repeated('hreflang', decoding);
  const plain = attributes.plainUrl('href');
  if (hreflang && plain !== undefined) return { hreflang, href: plain };
  const href = attributes.get('href', decoding);
  if (!hreflang || !href?.trim()) return undefined;
  const url = values.url(href, offset);
  return url === undefined ? undefined : { hreflang, href: url };
}
