/** Google's video sitemap extension, every field of it; video-reader.ts reads it. */

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
  /** From 0 to 5. */
  rating?: number | undefined;
  viewCount?: number | undefined;
  /** Milliseconds since 1970, UTC. */
  publicationTime?: number | undefined;
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
export interface SitemapVideoJSON extends Omit<SitemapVideoFields, 'expirationTime' | 'publicationTime'> {
  expirationDate?: string;
  publicationDate?: string;
}

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
  readonly #publicationTime: number | undefined;

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
    this.prices = Object.freeze([...(fields.prices ?? [])]);
    this.requiresSubscription = fields.requiresSubscription;
    this.uploader = fields.uploader;
    this.live = fields.live;
    this.tags = Object.freeze([...(fields.tags ?? [])]);
    this.category = fields.category;
    this.#expirationTime = fields.expirationTime;
    this.#publicationTime = fields.publicationTime;
  }

  /** After when it may no longer be shown: a `Date` of your own each time. */
  get expirationDate(): Date | undefined {
    return this.#expirationTime === undefined ? undefined : new Date(this.#expirationTime);
  }

  /** When it was first published: a `Date` of your own each time. */
  get publicationDate(): Date | undefined {
    return this.#publicationTime === undefined ? undefined : new Date(this.#publicationTime);
  }

  /** The video as plain data, for `JSON.stringify`. */
  toJSON(): SitemapVideoJSON {
    const { prices, tags, ...scalars } = this;
    const json: SitemapVideoJSON = {};
    for (const [name, value] of Object.entries(scalars))
      if (value !== undefined) Object.assign(json, { [name]: value });
    if (prices.length > 0) json.prices = [...prices];
    if (tags.length > 0) json.tags = [...tags];
    if (this.expirationDate !== undefined) json.expirationDate = this.expirationDate.toISOString();
    if (this.publicationDate !== undefined) json.publicationDate = this.publicationDate.toISOString();
    return json;
  }
}
