/**
 * The model of a page: what every format and every extension is read into.
 *
 * Pages are made by the million, so they are small: one hidden class, no field for what is absent, the
 * `Date` made when it is asked for. They are immutable: what is handed out can be kept and shared.
 */
import type { SitemapImage } from '../extensions/image.ts';
import type { SitemapNewsStory, SitemapNewsStoryJSON } from '../extensions/news.ts';
import type { SitemapVideo, SitemapVideoJSON } from '../extensions/video.ts';
import type { ChangeFrequency } from '../values/change-frequency.ts';
import { type DateForm, writtenDate } from '../values/w3c-date.ts';

/** The same page in another language or for another region. */
export interface SitemapAlternate {
  /** The code as written: it is not validated. */
  readonly hreflang: string;
  readonly href: string;
}

/** What the extensions say of a page. */
export interface PageExtensions {
  readonly newsStory: SitemapNewsStory | undefined;
  readonly images: readonly SitemapImage[];
  readonly videos: readonly SitemapVideo[];
  readonly alternates: readonly SitemapAlternate[];
}

/** What a page is made of. */
export interface SitemapPageFields {
  readonly url: string;
  /** `NaN` or `undefined` where the document has none. @default 0.5 */
  readonly priority?: number | undefined;
  readonly changeFrequency?: ChangeFrequency | undefined;
  /** Milliseconds since 1970, UTC; `NaN` where there is no date. */
  readonly lastModifiedTime?: number | undefined;
  /** The date as written, or how to write it again. */
  readonly lastModifiedText?: string | DateForm | undefined;
  readonly extensions?: PageExtensions | undefined;
}

/** A page in JSON: absent values and empty lists are left out, dates are UTC ISO strings. */
export interface SitemapPageJSON {
  url: string;
  priority: number;
  lastModified?: string;
  /** The date as written, where that is not exactly its ISO form. */
  lastModifiedText?: string;
  changeFrequency?: ChangeFrequency;
  newsStory?: SitemapNewsStoryJSON;
  images?: SitemapImage[];
  videos?: SitemapVideoJSON[];
  alternates?: SitemapAlternate[];
}

/** @internal What a sitemap says a page's priority is when it says nothing. */
export const DEFAULT_PRIORITY = 0.5;

const NO_EXTENSIONS: PageExtensions = Object.freeze({
  newsStory: undefined,
  images: Object.freeze([]),
  videos: Object.freeze([]),
  alternates: Object.freeze([]),
});

/**
 * @internal The milliseconds since 1970 of its date, `NaN` where it has none: no `Date` for each of a million pages.
 */
export let timeOf: (page: SitemapPage) => number;

/** One page of a site, as a sitemap or feed lists it. */
export class SitemapPage {
  /** The address, as written: entities decoded and white space removed, nothing else changed. */
  readonly url: string;
  /** From 0 to 1, relative to the other pages of the site. @default 0.5 */
  readonly priority: number;
  /** How often the page is said to change. */
  readonly changeFrequency: ChangeFrequency | undefined;
  readonly #hasPriority: boolean;
  readonly #lastModifiedTime: number;
  readonly #lastModifiedText: string | DateForm | undefined;
  readonly #extensions: PageExtensions;

  static {
    timeOf = (page) => page.#lastModifiedTime;
  }

  constructor(fields: SitemapPageFields) {
    this.url = fields.url;
    const { priority = Number.NaN } = fields;
    this.#hasPriority = !Number.isNaN(priority);
    this.priority = this.#hasPriority ? priority : DEFAULT_PRIORITY;
    this.changeFrequency = fields.changeFrequency;
    this.#lastModifiedText = fields.lastModifiedText;
    this.#lastModifiedTime = fields.lastModifiedTime ?? Number.NaN;
    this.#extensions = fields.extensions ?? NO_EXTENSIONS;
  }

  /** The priority that the document gives the page; `undefined` where it gives none, or one that is not valid. */
  get declaredPriority(): number | undefined {
    return this.#hasPriority ? this.priority : undefined;
  }

  /** When the page last changed: a new `Date` each time. */
  get lastModified(): Date | undefined {
    return Number.isNaN(this.#lastModifiedTime) ? undefined : new Date(this.#lastModifiedTime);
  }

  /** The date of the last change as written. */
  get lastModifiedText(): string | undefined {
    return writtenDate(this.#lastModifiedTime, this.#lastModifiedText);
  }

  /** The news story that the page is, in a news sitemap or a feed. */
  get newsStory(): SitemapNewsStory | undefined {
    return this.#extensions.newsStory;
  }

  /** The images on the page, in order. */
  get images(): readonly SitemapImage[] {
    return frozen(this.#extensions.images);
  }

  /** The videos on the page, in order. */
  get videos(): readonly SitemapVideo[] {
    return frozen(this.#extensions.videos);
  }

  /** The same page in other languages (`hreflang`). */
  get alternates(): readonly SitemapAlternate[] {
    return frozen(this.#extensions.alternates);
  }

  /**
   * The page as a plain object, as `JSON.stringify` writes it. Use it to copy or send a page: `{...page}` and
   * `structuredClone(page)` lose what is behind getters, such as `lastModified` and `images`.
   */
  toObject(): SitemapPageJSON {
    return this.toJSON();
  }

  /** For `JSON.stringify`. */
  toJSON(): SitemapPageJSON {
    const json: SitemapPageJSON = { url: this.url, priority: this.priority };
    const { lastModified, lastModifiedText } = this;
    const iso = lastModified?.toISOString();
    if (iso !== undefined) json.lastModified = iso;
    if (lastModifiedText !== undefined && lastModifiedText !== iso) json.lastModifiedText = lastModifiedText;
    if (this.changeFrequency !== undefined) json.changeFrequency = this.changeFrequency;
    const { newsStory, images, videos, alternates } = this.#extensions;
    if (newsStory !== undefined) json.newsStory = newsStory.toJSON();
    if (images.length > 0) json.images = images.map((image) => Object.freeze(image));
    if (videos.length > 0) json.videos = videos.map((video) => video.toJSON());
    if (alternates.length > 0) json.alternates = alternates.map((alternate) => Object.freeze(alternate));
    return json;
  }
}

// When someone looks at it: most who read a sitemap want its URLs, and to freeze all lists takes a tenth of the time.
function frozen<T>(list: readonly T[]): readonly T[] {
  if (!Object.isFrozen(list)) for (const item of Object.freeze(list)) Object.freeze(item);
  return list;
}

// What `console.log(page)` shows in Node: all of it, not only the fields that are no getters.
Object.defineProperty(SitemapPage.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value(
    this: SitemapPage,
    _depth: number,
    options: unknown,
    inspect: (value: unknown, options: unknown) => string,
  ) {
    return `SitemapPage ${inspect(this.toJSON(), options)}`;
  },
});
