/** Reads Google's video sitemap extension. */
import type { TextDecoding } from '../values/text.ts';
import type { Attributes } from '../xml/attributes.ts';
import type { ExtensionContext } from './context.ts';
import { SitemapVideo, type SitemapVideoFields, type SitemapVideoPrice } from './video.ts';

/** The tags of the extension, for a format's table. */
export const VIDEO_TAGS = {
  'video:video': 'group',
  'video:thumbnail_loc': 'value',
  'video:title': 'value',
  'video:description': 'value',
  'video:content_loc': 'value',
  'video:player_loc': 'value',
  'video:duration': 'value',
  'video:expiration_date': 'value',
  'video:rating': 'value',
  'video:view_count': 'value',
  'video:publication_date': 'value',
  'video:family_friendly': 'value',
  'video:restriction': 'value',
  'video:platform': 'value',
  'video:price': 'value',
  'video:requires_subscription': 'value',
  'video:uploader': 'value',
  'video:live': 'value',
  'video:tag': 'value',
  'video:category': 'value',
  // Read by no one since 2022; a check hears of them.
  'video:gallery_loc': 'empty',
  'video:tvshow': 'empty',
} as const;

/** Reads the videos of one entry after the other. */
export class VideoReader {
  readonly #context: ExtensionContext;
  #fields: SitemapVideoFields | undefined;
  #attributes: Record<string, string> = {};

  constructor(context: ExtensionContext) {
    this.#context = context;
  }

  /** Takes in the attributes of the tag whose value comes next. */
  attributes(attributes: Attributes, decoding: TextDecoding): void {
    this.#attributes = {};
    for (const name of [
      'relationship',
      'allow_embed',
      'autoplay',
      'currency',
      'type',
      'resolution',
      'info',
    ]) {
      const value = attributes.get(name, decoding)?.trim();
      if (value) this.#attributes[name] = value;
    }
  }

  /** Whether something was said of a video that has not ended. */
  get isOpen(): boolean {
    return this.#fields !== undefined;
  }

  value(name: string, text: string, offset: number): void {
    const attributes = this.#attributes;
    this.#attributes = {};
    if (text === '') return;
    this.#fields ??= {};
    const fields = this.#fields;
    const context = this.#context;
    switch (name) {
      case 'video:thumbnail_loc':
        fields.thumbnailLoc = context.url(text, offset);
        break;
      case 'video:title':
        fields.title = text;
        break;
      case 'video:description':
        fields.description = text;
        break;
      case 'video:content_loc':
        fields.contentLoc = context.url(text, offset);
        break;
      case 'video:player_loc':
        fields.playerLoc = context.url(text, offset);
        fields.playerAllowEmbed = yesOrNo(attributes['allow_embed']);
        fields.playerAutoplay = attributes['autoplay'];
        break;
      case 'video:duration':
        fields.duration = context.number(text, 'duration', 0, Number.MAX_SAFE_INTEGER, offset);
        break;
      case 'video:expiration_date':
        fields.expirationTime = context.date(text, offset);
        break;
      case 'video:rating':
        fields.rating = context.number(text, 'rating', 0, 5, offset);
        break;
      case 'video:view_count':
        fields.viewCount = context.number(text, 'view count', 0, Number.MAX_SAFE_INTEGER, offset);
        break;
      case 'video:publication_date':
        fields.publicationTime = context.date(text, offset);
        break;
      case 'video:family_friendly':
        fields.familyFriendly = yesOrNo(text);
        break;
      case 'video:restriction':
        fields.restriction = Object.freeze({ ...relationship(attributes), countries: words(text) });
        break;
      case 'video:platform':
        fields.platform = Object.freeze({ ...relationship(attributes), platforms: words(text) });
        break;
      case 'video:price': {
        const value = context.number(text, 'price', 0, Number.MAX_SAFE_INTEGER, offset);
        if (value === undefined) break;
        const { currency, type, resolution } = attributes;
        const price: SitemapVideoPrice = {
          value,
          ...(currency && { currency }),
          ...(type && { type }),
          ...(resolution && { resolution }),
        };
        fields.prices ??= [];
        fields.prices.push(Object.freeze(price));
        break;
      }
      case 'video:requires_subscription':
        fields.requiresSubscription = yesOrNo(text);
        break;
      case 'video:uploader': {
        const info = attributes['info'] && context.url(attributes['info'], offset);
        fields.uploader = Object.freeze({ name: text, ...(info && { info }) });
        break;
      }
      case 'video:live':
        fields.live = yesOrNo(text);
        break;
      case 'video:tag':
        fields.tags ??= [];
        fields.tags.push(text);
        break;
      case 'video:category':
        fields.category = text;
        break;
    }
  }

  /** Ends the video that is open; undefined where nothing was said of it. */
  end(): SitemapVideo | undefined {
    const fields = this.#fields;
    this.#fields = undefined;
    return fields === undefined ? undefined : new SitemapVideo(fields);
  }
}

function relationship(attributes: Record<string, string>): { relationship?: string } {
  const value = attributes['relationship'];
  return value === undefined ? {} : { relationship: value };
}

function words(text: string): readonly string[] {
  return Object.freeze(text.split(/[\s,]+/).filter((word) => word !== ''));
}

function yesOrNo(text: string | undefined): boolean | undefined {
  switch (text?.toLowerCase()) {
    case 'yes':
    case 'true':
    case '1':
      return true;
    case 'no':
    case 'false':
    case '0':
      return false;
    default:
      return undefined;
  }
}
