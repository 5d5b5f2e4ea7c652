/** Google's video sitemap extension, every field of it. */

import {
  type Changeable,
  DATE,
  DATE_FORM,
  dateInJson,
  FLAG,
  frozen,
  givenDate,
  listOf,
  NONE,
  numberTo,
  objectOf,
  present,
  TEXT,
  WEB_ADDRESS,
} from '../model/given-fields.ts';
import type { TextDecoding } from '../values/text.ts';
import { writtenDate } from '../values/w3c-date.ts';
import type { Attributes } from '../xml/attributes.ts';
import { type TagRoles, tagsOf } from '../xml/entry-format.ts';
import type { Value } from '../xml/value.ts';
import {
  dateField,
  type FieldReaders,
  fieldsOf,
  numberOf,
  ownText,
  type TagAttributes,
  url,
  yesOrNo,
} from './field-readers.ts';

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

/** What a video is made of: the fields of a video or of a copy, or what its `toObject()` gives. */
export interface SitemapVideoFields {
  readonly thumbnailLoc?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly contentLoc?: string | undefined;
  readonly playerLoc?: string | undefined;
  /** `allow_embed` of the player. */
  readonly playerAllowEmbed?: boolean | undefined;
  /** `autoplay` of the player: flags for its address. */
  readonly playerAutoplay?: string | undefined;
  /** In seconds. */
  readonly duration?: number | undefined;
  readonly expirationDate?: Date | string | undefined;
  /** The date as written. */
  readonly expirationDateText?: string | undefined;
  /** How the date is written, from a video: ignored if it stands for another date. */
  readonly expirationDateForm?: string | number | undefined;
  /** From 0 to 5. */
  readonly rating?: number | undefined;
  readonly viewCount?: number | undefined;
  readonly publicationDate?: Date | string | undefined;
  /** The date as written. */
  readonly publicationDateText?: string | undefined;
  /** How the date is written, from a video: ignored if it stands for another date. */
  readonly publicationDateForm?: string | number | undefined;
  readonly familyFriendly?: boolean | undefined;
  readonly restriction?: SitemapVideoRestriction | undefined;
  readonly platform?: SitemapVideoPlatform | undefined;
  readonly prices?: readonly SitemapVideoPrice[] | undefined;
  readonly requiresSubscription?: boolean | undefined;
  readonly uploader?: SitemapVideoUploader | undefined;
  readonly live?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly category?: string | undefined;
}

/** A video in JSON: absent values and empty lists are left out, dates are UTC ISO strings. */
export interface SitemapVideoJSON
  extends Changeable<
    Omit<
      SitemapVideoFields,
      'expirationDate' | 'expirationDateForm' | 'publicationDate' | 'publicationDateForm' | 'prices' | 'tags'
    >
  > {
  expirationDate?: string;
  publicationDate?: string;
  prices?: SitemapVideoPrice[];
  tags?: string[];
}

const NUMBER = numberTo(Number.MAX_SAFE_INTEGER);
/** @internal */
export const VIDEO: ReturnType<typeof objectOf> = objectOf({
  thumbnailLoc: WEB_ADDRESS,
  title: TEXT,
  description: TEXT,
  contentLoc: WEB_ADDRESS,
  playerLoc: WEB_ADDRESS,
  playerAllowEmbed: FLAG,
  playerAutoplay: TEXT,
  duration: NUMBER,
  expirationDate: DATE,
  expirationDateText: TEXT,
  expirationDateForm: DATE_FORM,
  rating: numberTo(5),
  viewCount: NUMBER,
  publicationDate: DATE,
  publicationDateText: TEXT,
  publicationDateForm: DATE_FORM,
  familyFriendly: FLAG,
  restriction: objectOf({ relationship: TEXT, countries: listOf(TEXT) }, ['countries']),
  platform: objectOf({ relationship: TEXT, platforms: listOf(TEXT) }, ['platforms']),
  prices: listOf(objectOf({ value: NUMBER, currency: TEXT, type: TEXT, resolution: TEXT }, ['value'])),
  requiresSubscription: FLAG,
  uploader: objectOf({ name: TEXT, info: WEB_ADDRESS }, ['name']),
  live: FLAG,
  tags: listOf(TEXT),
  category: TEXT,
});

/** The fields of a video that a parser is about to read. */
const UNREAD: SitemapVideoFields = Object.freeze({});

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
  /** After when it may no longer be shown. */
  readonly expirationDate: Date | undefined;
  /** How that date is written: the text, or the number of a usual form. Read it as `expirationDateText`. */
  readonly expirationDateForm: string | number | undefined;
  /** From 0 to 5. */
  readonly rating: number | undefined;
  readonly viewCount: number | undefined;
  /** When it was first published. */
  readonly publicationDate: Date | undefined;
  /** How that date is written: the text, or the number of a usual form. Read it as `publicationDateText`. */
  readonly publicationDateForm: string | number | undefined;
  readonly familyFriendly: boolean | undefined;
  readonly restriction: SitemapVideoRestriction | undefined;
  readonly platform: SitemapVideoPlatform | undefined;
  readonly prices: readonly SitemapVideoPrice[] = NONE;
  readonly requiresSubscription: boolean | undefined;
  readonly uploader: SitemapVideoUploader | undefined;
  readonly live: boolean | undefined;
  readonly tags: readonly string[] = NONE;
  readonly category: string | undefined;

  /**
   * @param fields - those of a video, a copy of one, or what `toObject()` gives
   * @throws SitemapException (`bad-input`) for an unknown field, or a value that cannot be used
   */
  constructor(fields: SitemapVideoFields) {
    if (fields !== UNREAD) Object.assign(this, checkedVideo(fields));
  }

  /** The date of expiration as written. */
  get expirationDateText(): string | undefined {
    return writtenDate(this.expirationDate, this.expirationDateForm);
  }

  /** The date of publication as written. */
  get publicationDateText(): string | undefined {
    return writtenDate(this.publicationDate, this.publicationDateForm);
  }

  /** The video as a plain object, as `JSON.stringify` writes it. */
  toObject(): SitemapVideoJSON {
    return this.toJSON();
  }

  /** For `JSON.stringify`. */
  toJSON(): SitemapVideoJSON {
    const {
      expirationDate,
      expirationDateForm: _,
      publicationDate,
      publicationDateForm: __,
      ...others
    } = this;
    return present({
      ...others,
      ...dateInJson('expirationDate', expirationDate, this.expirationDateText),
      ...dateInJson('publicationDate', publicationDate, this.publicationDateText),
    });
  }
}

function checkedVideo(input: SitemapVideoFields): object {
  VIDEO(input, 'video');
  const { expirationDate, expirationDateText, expirationDateForm, ...withoutExpiration } = input;
  const { publicationDate, publicationDateText, publicationDateForm, ...others } = withoutExpiration;
  const { restriction, platform, uploader, prices = NONE, tags = NONE, ...values } = others;
  const expiration = givenDate(expirationDate, expirationDateText, expirationDateForm);
  const publication = givenDate(publicationDate, publicationDateText, publicationDateForm);
  return {
    ...values,
    expirationDate: expiration.date,
    expirationDateForm: expiration.form,
    publicationDate: publication.date,
    publicationDateForm: publication.form,
    restriction: restriction && { ...restriction, countries: Object.freeze([...restriction.countries]) },
    platform: platform && { ...platform, platforms: Object.freeze([...platform.platforms]) },
    uploader: uploader && { ...uploader },
    prices: Object.freeze(prices.map((price) => ({ ...price }))),
    tags: Object.freeze([...tags]),
  };
}

/** @internal A video that is being read: its fields are not all there, and its lists still grow. */
export type OpenVideo = Changeable<Omit<SitemapVideo, 'prices' | 'tags'>> & {
  prices: SitemapVideoPrice[];
  tags: string[];
};

/** @internal */
export function openVideo(): OpenVideo {
  const video: Changeable<SitemapVideo> = new SitemapVideo(UNREAD);
  video.prices = [];
  video.tags = [];
  return video as OpenVideo;
}

/** @internal */
export function endedVideo(open: OpenVideo): SitemapVideo {
  const video: Changeable<SitemapVideo> = open;
  video.prices = frozen(open.prices);
  video.tags = frozen(open.tags);
  return video;
}

/** @internal */
export const VIDEO_TAGS: TagRoles = tagsOf('video', {
  group: 'video',
  value:
    'thumbnail_loc title description content_loc player_loc duration expiration_date rating view_count ' +
    'publication_date family_friendly restriction platform price requires_subscription uploader live tag category',
  // Google has not read them since 2022; checks report them.
  empty: 'gallery_loc tvshow',
});

const ATTRIBUTES = ['relationship', 'allow_embed', 'autoplay', 'currency', 'type', 'resolution', 'info'];

const field = fieldsOf<OpenVideo>();
/** @internal */
export const VIDEO_READERS: FieldReaders<OpenVideo> = {
  'video:thumbnail_loc': field('thumbnailLoc', url),
  'video:title': field('title', ownText),
  'video:description': field('description', ownText),
  'video:content_loc': field('contentLoc', url),
  'video:player_loc': (video, value, values, attributes) => {
    const playerLoc = value.url(values);
    if (playerLoc === undefined) return;
    video.playerLoc = playerLoc;
    video.playerAllowEmbed = yesOrNo(attributes['allow_embed']);
    video.playerAutoplay = attributes['autoplay'];
  },
  'video:duration': field('duration', numberOf('duration')),
  'video:expiration_date': dateField('expirationDate'),
  'video:rating': field('rating', numberOf('rating', 5)),
  'video:view_count': field('viewCount', numberOf('view count')),
  'video:publication_date': dateField('publicationDate'),
  'video:family_friendly': field('familyFriendly', answer),
  'video:restriction': field('restriction', (value, _, attributes) => {
    return withAttributes({ countries: words(value.text()) }, attributes, ['relationship']);
  }),
  'video:platform': field('platform', (value, _, attributes) => {
    return withAttributes({ platforms: words(value.text()) }, attributes, ['relationship']);
  }),
  'video:price': (video, value, values, attributes) => {
    const amount = value.number('price', Number.MAX_SAFE_INTEGER, values);
    if (amount === undefined) return;
    video.prices.push(withAttributes({ value: amount }, attributes, ['currency', 'type', 'resolution']));
  },
  'video:requires_subscription': field('requiresSubscription', answer),
  'video:uploader': field('uploader', (value, values, attributes) => {
    const info = attributes['info'] && values.url(attributes['info'], value.offset);
    return Object.freeze(info ? { name: value.text(), info } : { name: value.text() });
  }),
  'video:live': field('live', answer),
  'video:tag': (video, value) => void video.tags.push(value.text()),
  'video:category': field('category', ownText),
};

/** With the attributes that are there. They are added one by one: each literal that spreads has a hidden class. */
function withAttributes<Field extends object, Name extends string>(
  field: Field & { [Attribute in Name]?: string },
  attributes: TagAttributes,
  names: readonly Name[],
): Readonly<Field & { [Attribute in Name]?: string }> {
  for (const name of names) {
    const text = attributes[name];
    if (text !== undefined) Object.assign(field, { [name]: text });
  }
  return Object.freeze(field);
}

function answer(value: Value): boolean | undefined {
  return yesOrNo(value.text());
}

function words(text: string): readonly string[] {
  return Object.freeze(text.split(/[\s,]+/).filter((word) => word !== ''));
}

/** @internal The attributes of a tag, for the value that comes next. */
export function videoAttributes(attributes: Attributes, decoding: TextDecoding): TagAttributes {
  const values: Record<string, string> = {};
  for (const name of ATTRIBUTES) {
    const value = attributes.get(name, decoding)?.trim();
    if (value) values[name] = value;
  }
  return values;
}
