/**
 * Media RSS on an item of a feed, as images and videos of its page: `media:content` and what describes it,
 * on the content itself, on its `media:group` or on the item.
 */

import type { ReportedValues } from '../reported-values.ts';
import type { TextDecoding } from '../values/text.ts';
import type { Attributes } from '../xml/attributes.ts';
import { type TagRoles, tagsOf } from '../xml/entry-format.ts';
import type { Value } from '../xml/value.ts';
import { commaList, type FieldReaders, fieldsOf, NO_ATTRIBUTES, ownText } from './field-readers.ts';
import type { SitemapImage } from './image.ts';
import { endedVideo, openVideo, type SitemapVideo } from './video.ts';

export const MEDIA_TAGS: TagRoles = tagsOf('media', {
  group: 'group content',
  value: 'title description keywords category',
  empty: 'thumbnail player',
});

interface MediaFields {
  url?: string | undefined;
  kind?: 'image' | 'video' | undefined;
  duration?: number | undefined;
  title?: string;
  description?: string;
  keywords?: readonly string[];
  category?: string;
  thumbnail?: string | undefined;
  player?: string | undefined;
}

const field = fieldsOf<MediaFields>();
const READERS: FieldReaders<MediaFields> = {
  'media:title': field('title', ownText),
  'media:description': field('description', ownText),
  'media:keywords': field('keywords', commaList),
  'media:category': field('category', ownText),
};

export class MediaReader {
  readonly #values: ReportedValues;
  #shared: MediaFields = {};
  #contents: MediaFields[] = [];
  #open: MediaFields | undefined;
  #isUsed = false;

  constructor(values: ReportedValues) {
    this.#values = values;
  }

  startGroup(name: string): void {
    this.#isUsed = true;
    if (name === 'media:content') this.#open = {};
  }

  attributes(name: string, attributes: Attributes, decoding: TextDecoding, offset: number): void {
    this.#isUsed = true;
    const url = attributes.get('url', decoding)?.trim();
    if (name === 'media:content' && this.#open !== undefined) {
      this.#open.url = url ? this.#values.url(url, offset) : undefined;
      this.#open.kind = kindOf(attributes.get('medium', decoding), attributes.get('type', decoding), url);
      const duration = attributes.get('duration', decoding);
      if (duration) {
        this.#open.duration = this.#values.number(duration, 'duration', Number.MAX_SAFE_INTEGER, offset);
      }
    } else if (url && name === 'media:thumbnail') {
      this.#target().thumbnail ??= this.#values.url(url, offset);
    } else if (url && name === 'media:player') {
      this.#target().player ??= this.#values.url(url, offset);
    }
  }

  value(name: string, value: Value): void {
    if (value.textLength === 0) return;
    this.#isUsed = true;
    READERS[name]?.(this.#target(), value, this.#values, NO_ATTRIBUTES);
  }

  endGroup(name: string): void {
    if (name !== 'media:content' || this.#open === undefined) return;
    if (this.#open.url !== undefined || this.#open.player !== undefined) this.#contents.push(this.#open);
    this.#open = undefined;
  }

  end(): { images: SitemapImage[]; videos: SitemapVideo[] } | undefined {
    if (!this.#isUsed) return undefined;
    const shared = this.#shared;
    const images: SitemapImage[] = [];
    const videos: SitemapVideo[] = [];
    for (const content of this.#contents) {
      const media = { ...shared, ...content };
      if (media.kind === 'image' && media.url !== undefined) images.push(imageOf(media.url, media));
      else if (media.kind === 'video') videos.push(videoOf(media));
    }
    // A player or a thumbnail may be alone, as in the feeds of video sites and of blogs.
    if (videos.length === 0 && shared.player !== undefined) videos.push(videoOf(shared));
    if (videos.length === 0 && images.length === 0 && shared.thumbnail !== undefined) {
      images.push(imageOf(shared.thumbnail, shared));
    }
    this.#shared = {};
    this.#contents = [];
    this.#open = undefined;
    this.#isUsed = false;
    return { images, videos };
  }

  #target(): MediaFields {
    return this.#open ?? this.#shared;
  }
}

function kindOf(medium?: string, type?: string, url?: string): 'image' | 'video' | undefined {
  for (const word of [medium, type?.split('/')[0]]) {
    const kind = word?.trim().toLowerCase();
    if (kind === 'image' || kind === 'video') return kind;
  }
  // YouTube's feeds still call their videos Flash.
  if (type === 'application/x-shockwave-flash') return 'video';
  if (medium !== undefined || type !== undefined) return undefined;
  const path = url?.split(/[?#]/)[0] ?? '';
  if (/\.(?:jpe?g|png|gif|webp|avif|svg|bmp)$/i.test(path)) return 'image';
  return /\.(?:mp4|m4v|webm|mov|mpe?g|avi|flv|ogv|m3u8)$/i.test(path) ? 'video' : undefined;
}

function imageOf(url: string, { title, description }: MediaFields): SitemapImage {
  const image: { -readonly [Field in keyof SitemapImage]: SitemapImage[Field] } = { loc: url };
  if (description !== undefined) image.caption = description;
  if (title !== undefined) image.title = title;
  return Object.freeze(image);
}

function videoOf(media: MediaFields): SitemapVideo {
  const video = openVideo();
  video.thumbnailLoc = media.thumbnail;
  video.title = media.title;
  video.description = media.description;
  video.contentLoc = media.url;
  video.playerLoc = media.player;
  video.duration = media.duration;
  video.tags = [...(media.keywords ?? [])];
  video.category = media.category;
  return endedVideo(video);
}
