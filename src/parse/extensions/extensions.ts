/** The extensions of an entry, read side by side: each tag goes to the reader of its vocabulary. */

import { frozen, NONE } from '../model/given-fields.ts';
import type { ReadPage, SitemapAlternate } from '../model/page.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import type { ReportedValues } from '../reported-values.ts';
import { reportTextProblems } from '../reported-values.ts';
import { TextDecoding } from '../values/text.ts';
import type { Attributes } from '../xml/attributes.ts';
import type { TagRoles } from '../xml/entry-format.ts';
import type { Value } from '../xml/value.ts';
import { NO_ATTRIBUTES, TableReader, type TagAttributes } from './field-readers.ts';
import { IMAGE_TAGS, ImageReader, type SitemapImage } from './image.ts';
import { MediaReader } from './media.ts';
import { NEWS_READERS, NEWS_TAGS, type OpenStory, openStory, type SitemapNewsStory } from './news.ts';
import {
  endedVideo,
  type OpenVideo,
  openVideo,
  type SitemapVideo,
  VIDEO_READERS,
  VIDEO_TAGS,
  videoAttributes,
} from './video.ts';

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
  readonly #news: TableReader<OpenStory>;
  readonly #image: ImageReader;
  readonly #video: TableReader<OpenVideo>;
  /** The attributes of the tag whose value comes next. */
  #videoAttributes: TagAttributes = NO_ATTRIBUTES;
  readonly #media: MediaReader;
  readonly #decoding = new TextDecoding();
  /** Whether extensions are kept, or only checked. */
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
    this.#news = new TableReader(this.#values, NEWS_READERS, openStory);
    this.#image = new ImageReader(this.#values);
    this.#video = new TableReader(this.#values, VIDEO_READERS, openVideo);
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
      this.#videoAttributes = videoAttributes(attributes, this.#decoding);
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
        this.#video.value(name, value, this.#videoAttributes);
        this.#videoAttributes = NO_ATTRIBUTES;
        break;
      case MEDIA:
        this.#media.value(name, value);
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
    if (video !== undefined) this.#videos.push(endedVideo(video));
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
    this.#endVideo();
    const stories = this.#news.end();
    // A story has a title or a date.
    if (stories?.title !== undefined || stories?.publishDate !== undefined) page.newsStory = stories;
    const media = this.#media.end();
    // The lists are the page's from here on.
    page.images = frozen(media === undefined ? this.#images : [...this.#images, ...media.images]);
    page.videos = frozen(media === undefined ? this.#videos : [...this.#videos, ...media.videos]);
    page.alternates = frozen(this.#alternates);
    this.#images = [];
    this.#videos = [];
    this.#alternates = [];
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
  if (!isAlternate(attributes)) return undefined;
  const hreflang = attributes.repeated('hreflang', decoding);
  const plain = attributes.plainUrl('href');
  if (hreflang && plain !== undefined) return { hreflang, href: values.absolute(plain, offset) };
  const href = attributes.get('href', decoding);
  if (!hreflang || !href?.trim()) return undefined;
  const url = values.url(href, offset);
  return url === undefined ? undefined : { hreflang, href: url };
}

/** Whether the `rel` of a link says that it leads to an alternate. */
export function isAlternate(attributes: Attributes): boolean {
  if (attributes.is('rel', 'alternate')) return true;
  return attributes.get('rel')?.toLowerCase().split(/\s+/).includes('alternate') === true;
}
