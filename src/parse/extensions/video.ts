/** Google's video sitemap extension, every field of it. */

import type { ReportedValues } from '../reported-values.ts';
import type { TextDecoding } from '../values/text.ts';
import { type DateForm, writtenDate } from '../values/w3c-date.ts';
import type { Attributes } from '../xml/attributes.ts';
import { type TagRoles, tagsOf } from '../xml/entry-format.ts';
import type { Value } from '../xml/value.ts';
import { knownTime, present } from './news.ts';

/** Where a video may be played, or may not. */
export interface SitemapVideoRestriction {
  /** `allow` or `deny`, as written. */
  readonly relationship?: string;
  /** ISO 3166 country codes, as written. */
  readonly countries: readonly string[];
}

/** On which kinds of devices a video may be played, or may not. */
export interface SitemapVideoPlatform {
  /** `allow` or `deny`, as written. */
  readonly relationship?: string;
  /** `web`, `mobile`, `tv`, as written. */
  readonly platforms: readonly string[];
}

/** What a video costs. */
export interface SitemapVideoPrice {
  readonly value: number;
  /** An ISO 4217 code, as written. */
  readonly currency?: string;
  /** `rent` or `own`, as written. */
  readonly type?: string;
  /** `hd` or `sd`, as written. */
  readonly resolution?: string;
}

/** Who put a video up. */
export interface SitemapVideoUploader {
  readonly name: string;
  /** A page about the uploader. */
  readonly info?: string;
}

/** What a video is made of. */
export interface SitemapVideoFields {
  thumbnailLoc?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  contentLoc?: string | undefined;
  playerLoc?: string | undefined;
  /** `allow_embed` of the player. */
  playerAllowEmbed?: boolean | undefined;
  /** `autoplay` of the player: flags for its address. */
  playerAutoplay?: string | undefined;
  /** In seconds. */
  duration?: number | undefined;
  /** Milliseconds since 1970, UTC. */
  expirationTime?: number | undefined;
  /** The date as written, or how to write it again. */
  expirationText?: string | DateForm | undefined;
  /** From 0 to 5. */
  rating?: number | undefined;
  viewCount?: number | undefined;
  /** Milliseconds since 1970, UTC. */
  publicationTime?: number | undefined;
  /** The date as written, or how to write it again. */
  publicationText?: string | DateForm | undefined;
  familyFriendly?: boolean | undefined;
  restriction?: SitemapVideoRestriction | undefined;
  platform?: SitemapVideoPlatform | undefined;
  prices?: SitemapVideoPrice[] | undefined;
  requiresSubscription?: boolean | undefined;
  uploader?: SitemapVideoUploader | undefined;
  live?: boolean | undefined;
  tags?: string[] | undefined;
  category?: string | undefined;
}

/** A video in JSON: as {@link SitemapVideo}, with dates as UTC ISO strings and empty lists left out. */
export interface SitemapVideoJSON
  extends Omit<
    SitemapVideoFields,
    'expirationTime' | 'expirationText' | 'publicationTime' | 'publicationText'
  > {
  expirationDate?: string;
  publicationDate?: string;
}

const NONE: readonly never[] = Object.freeze([]);

/** A video on a page. */
export class SitemapVideo {
  readonly thumbnailLoc: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly contentLoc: string | undefined;
  readonly playerLoc: string | undefined;
  /** Whether the player may be embedded elsewhere. */
  readonly playerAllowEmbed: boolean | undefined;
  /** Flags that make the player start by itself. */
  readonly playerAutoplay: string | undefined;
  /** In seconds. */
  readonly duration: number | undefined;
  /** From 0 to 5. */
  readonly rating: number | undefined;
  readonly viewCount: number | undefined;
  readonly familyFriendly: boolean | undefined;
  readonly restriction: SitemapVideoRestriction | undefined;
  readonly platform: SitemapVideoPlatform | undefined;
  readonly prices: readonly SitemapVideoPrice[];
  readonly requiresSubscription: boolean | undefined;
  readonly uploader: SitemapVideoUploader | undefined;
  readonly live: boolean | undefined;
  readonly tags: readonly string[];
  readonly category: string | undefined;
  readonly #expirationTime: number | undefined;
  readonly #expirationText: string | DateForm | undefined;
  readonly #publicationTime: number | undefined;
  readonly #publicationText: string | DateForm | undefined;

  constructor(fields: SitemapVideoFields) {
    this.thumbnailLoc = fields.thumbnailLoc;
    this.title = fields.title;
    this.description = fields.description;
    this.contentLoc = fields.contentLoc;
    this.playerLoc = fields.playerLoc;
    this.playerAllowEmbed = fields.playerAllowEmbed;
    this.playerAutoplay = fields.playerAutoplay;
    this.duration = fields.duration;
    this.rating = fields.rating;
    this.viewCount = fields.viewCount;
    this.familyFriendly = fields.familyFriendly;
    this.restriction = fields.restriction;
    this.platform = fields.platform;
    this.prices = fields.prices === undefined ? NONE : Object.freeze([...fields.prices]);
    this.requiresSubscription = fields.requiresSubscription;
    this.uploader = fields.uploader;
    this.live = fields.live;
    this.tags = fields.tags === undefined ? NONE : Object.freeze([...fields.tags]);
    this.category = fields.category;
    this.#expirationTime = fields.expirationTime;
    this.#expirationText = fields.expirationText;
    this.#publicationTime = fields.publicationTime;
    this.#publicationText = fields.publicationText;
  }

  /** After when it may no longer be shown: a `Date` of your own each time. */
  get expirationDate(): Date | undefined {
    return this.#expirationTime === undefined ? undefined : new Date(this.#expirationTime);
  }

  /** When it was first published: a `Date` of your own each time. */
  get publicationDate(): Date | undefined {
    return this.#publicationTime === undefined ? undefined : new Date(this.#publicationTime);
  }

  /** The date of expiration as written. */
  get expirationDateText(): string | undefined {
    return writtenDate(this.#expirationTime, this.#expirationText);
  }

  /** The date of publication as written. */
  get publicationDateText(): string | undefined {
    return writtenDate(this.#publicationTime, this.#publicationText);
  }

  /** The video as plain data, for `JSON.stringify`. */
  toJSON(): SitemapVideoJSON {
    const { prices, tags, ...scalars } = this;
    const expirationDate = this.expirationDate?.toISOString();
    const publicationDate = this.publicationDate?.toISOString();
    return present({ ...scalars, prices, tags, expirationDate, publicationDate });
  }
}

/** @internal */
export const VIDEO_TAGS: TagRoles = tagsOf('video', {
  group: 'video',
  value:
    'thumbnail_loc title description content_loc player_loc duration expiration_date rating view_count publication_date ' +
    'family_friendly restriction platform price requires_subscription uploader live tag category',
  // Read by no one since 2022; a check hears of them.
  empty: 'gallery_loc tvshow',
});

const ATTRIBUTES = ['relationship', 'allow_embed', 'autoplay', 'currency', 'type', 'resolution', 'info'];
const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

/** @internal */
export class VideoReader {
  readonly #values: ReportedValues;
  #fields: SitemapVideoFields | undefined;
  #attributes: Readonly<Record<string, string>> = NO_ATTRIBUTES;

  constructor(values: ReportedValues) {
    this.#values = values;
  }

  /** Takes in the attributes of the tag whose value comes next. */
  attributes(attributes: Attributes, decoding: TextDecoding): void {
    const found: Record<string, string> = {};
    for (const name of ATTRIBUTES) {
      const value = attributes.get(name, decoding)?.trim();
      if (value) found[name] = value;
    }
    this.#attributes = found;
  }

  /** Whether something was said of a video that has not ended. */
  get isOpen(): boolean {
    return this.#fields !== undefined;
  }

  value(name: string, value: Value): void {
    const attributes = this.#attributes;
    this.#attributes = NO_ATTRIBUTES;
    if (value.textLength === 0) return;
    this.#fields ??= {};
    const fields = this.#fields;
    const values = this.#values;
    switch (name) {
      case 'video:thumbnail_loc':
        fields.thumbnailLoc = value.url(values);
        break;
      case 'video:title':
        fields.title = value.keptText();
        break;
      case 'video:description':
        fields.description = value.keptText();
        break;
      case 'video:content_loc':
        fields.contentLoc = value.url(values);
        break;
      case 'video:player_loc':
        fields.playerLoc = value.url(values);
        fields.playerAllowEmbed = yesOrNo(attributes['allow_embed']);
        fields.playerAutoplay = attributes['autoplay'];
        break;
      case 'video:duration':
        fields.duration = value.number('duration', Number.MAX_SAFE_INTEGER, values);
        break;
      case 'video:expiration_date':
        fields.expirationTime = knownTime(value.time(values));
        fields.expirationText = value.dateText;
        break;
      case 'video:rating':
        fields.rating = value.number('rating', 5, values);
        break;
      case 'video:view_count':
        fields.viewCount = value.number('view count', Number.MAX_SAFE_INTEGER, values);
        break;
      case 'video:publication_date':
        fields.publicationTime = knownTime(value.time(values));
        fields.publicationText = value.dateText;
        break;
      case 'video:family_friendly':
        fields.familyFriendly = yesOrNo(value.text());
        break;
      case 'video:restriction':
        fields.restriction = related({ countries: words(value.text()) }, attributes);
        break;
      case 'video:platform':
        fields.platform = related({ platforms: words(value.text()) }, attributes);
        break;
      case 'video:price': {
        const amount = value.number('price', Number.MAX_SAFE_INTEGER, values);
        if (amount === undefined) break;
        const { currency, type, resolution } = attributes;
        const price: Mutable<SitemapVideoPrice> = { value: amount };
        if (currency !== undefined) price.currency = currency;
        if (type !== undefined) price.type = type;
        if (resolution !== undefined) price.resolution = resolution;
        fields.prices ??= [];
        fields.prices.push(Object.freeze(price));
        break;
      }
      case 'video:requires_subscription':
        fields.requiresSubscription = yesOrNo(value.text());
        break;
      case 'video:uploader': {
        const info = attributes['info'] && values.url(attributes['info'], value.offset);
        const uploader: Mutable<SitemapVideoUploader> = { name: value.text() };
        if (info) uploader.info = info;
        fields.uploader = Object.freeze(uploader);
        break;
      }
      case 'video:live':
        fields.live = yesOrNo(value.text());
        break;
      case 'video:tag':
        fields.tags ??= [];
        fields.tags.push(value.text());
        break;
      case 'video:category':
        fields.category = value.keptText();
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

// Names are added one by one: a literal that spreads an object has a hidden class of its own each time.
function related<Field extends SitemapVideoRestriction | SitemapVideoPlatform>(
  field: Mutable<Field>,
  attributes: Readonly<Record<string, string>>,
): Field {
  const relationship = attributes['relationship'];
  if (relationship !== undefined) field.relationship = relationship;
  return Object.freeze(field);
}

type Mutable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] };

function words(text: string): readonly string[] {
  return Object.freeze(text.split(/[\s,]+/).filter((word) => word !== ''));
}

/** @internal */
export function yesOrNo(text: string | undefined): boolean | undefined {
  const word = text?.toLowerCase() ?? '';
  if (['yes', 'true', '1'].includes(word)) return true;
  return ['no', 'false', '0'].includes(word) ? false : undefined;
}
