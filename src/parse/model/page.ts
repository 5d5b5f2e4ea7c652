/**
 * The model of a page: what every format and every extension is read into.
 *
 * A page is a value: all that it says is in fields of its own, so that it can be compared, spread, cloned and printed.
 * Pages are made by the million, so there is one hidden class, and a date is not kept as a string where its form can
 * write it.
 */
import type { SitemapImage } from '../extensions/image.ts';
import {
  NEWS_STORY,
  SitemapNewsStory,
  type SitemapNewsStoryFields,
  type SitemapNewsStoryJSON,
} from '../extensions/news.ts';
import { SitemapVideo, type SitemapVideoFields, type SitemapVideoJSON, VIDEO } from '../extensions/video.ts';
import { CHANGE_FREQUENCIES, type ChangeFrequency } from '../values/change-frequency.ts';
import { type DateForm, writtenDate } from '../values/w3c-date.ts';
import {
  DATE,
  DATE_FORM,
  frozenCopy,
  givenDate,
  listOf,
  NONE,
  numberTo,
  objectOf,
  oneOf,
  TEXT,
  WEB_ADDRESS,
} from './given-fields.ts';

/** The same page in another language or for another region. */
export interface SitemapAlternate {
  /** The code as written: it is not validated. */
  readonly hreflang: string;
  readonly href: string;
}

/** What a page is made of: the fields of a page or of a copy, or what its `toObject()` gives. */
export interface SitemapPageFields {
  /** An absolute URL of http or https. */
  readonly url: string;
  /** From 0 to 1. */
  readonly priority?: number | undefined;
  /** `undefined` beside a priority of 0.5 says that the document gives none. */
  readonly declaredPriority?: number | undefined;
  readonly changeFrequency?: ChangeFrequency | undefined;
  readonly lastModified?: Date | string | undefined;
  /** The date as written. */
  readonly lastModifiedText?: string | undefined;
  /** How the date is written, from a page: ignored if it stands for another date. */
  readonly lastModifiedForm?: string | number | undefined;
  readonly newsStory?: SitemapNewsStory | SitemapNewsStoryFields | undefined;
  readonly images?: readonly SitemapImage[] | undefined;
  readonly videos?: readonly (SitemapVideo | SitemapVideoFields)[] | undefined;
  readonly alternates?: readonly SitemapAlternate[] | undefined;
}

/** A page in JSON: absent values and empty lists are left out, dates are UTC ISO strings. */
export interface SitemapPageJSON {
  url: string;
  /** Where the document gives one. */
  priority?: number;
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
const DEFAULT_PRIORITY = 0.5;

/** @internal */
export const IMAGE: ReturnType<typeof objectOf> = objectOf(
  { loc: WEB_ADDRESS, caption: TEXT, geoLocation: TEXT, title: TEXT, license: TEXT },
  ['loc'],
);

/** @internal */
export const ALTERNATE: ReturnType<typeof objectOf> = objectOf({ hreflang: TEXT, href: WEB_ADDRESS }, [
  'hreflang',
  'href',
]);

/** @internal */
export const PAGE: ReturnType<typeof objectOf> = objectOf(
  {
    url: WEB_ADDRESS,
    priority: numberTo(1),
    declaredPriority: numberTo(1),
    changeFrequency: oneOf(CHANGE_FREQUENCIES),
    lastModified: DATE,
    lastModifiedText: TEXT,
    lastModifiedForm: DATE_FORM,
    newsStory: NEWS_STORY,
    images: listOf(IMAGE),
    videos: listOf(VIDEO),
    alternates: listOf(ALTERNATE),
  },
  ['url'],
);

/**
 * What was read of a page, or was checked: a page can be made of it as it is. A parser uses one for page after page.
 *
 * @internal
 */
export class ReadPage {
  url = '';
  declaredPriority: number | undefined;
  changeFrequency: ChangeFrequency | undefined;
  lastModified: Date | undefined;
  lastModifiedForm: string | DateForm | undefined;
  newsStory: SitemapNewsStory | undefined;
  images: readonly SitemapImage[] = NONE;
  videos: readonly SitemapVideo[] = NONE;
  alternates: readonly SitemapAlternate[] = NONE;

  /** Forgets all but the address and what the extensions say. */
  clear(): void {
    this.declaredPriority = undefined;
    this.changeFrequency = undefined;
    this.lastModified = undefined;
    this.lastModifiedForm = undefined;
  }
}

/** @internal The milliseconds since 1970 of its date, `NaN` where it has none. */
export function timeOf(page: SitemapPage): number {
  return page.lastModified === undefined ? Number.NaN : page.lastModified.getTime();
}

/** One page of a site, as a sitemap or feed lists it. Its fields are its own: it can be compared, spread and cloned. */
export class SitemapPage {
  /** The address, as written: entities decoded and white space removed, nothing else changed. */
  readonly url: string;
  /** From 0 to 1, relative to the other pages of the site. @default 0.5 */
  readonly priority: number;
  /** The priority that the document gives the page; `undefined` where it gives none, or one that is not valid. */
  readonly declaredPriority: number | undefined;
  /** How often the page is said to change. */
  readonly changeFrequency: ChangeFrequency | undefined;
  /** When the page last changed. */
  readonly lastModified: Date | undefined;
  /** How that date is written: the text, or the number of a usual form. Read it as `lastModifiedText`. */
  readonly lastModifiedForm: string | number | undefined;
  /** The news story that the page is, in a news sitemap or a feed. */
  readonly newsStory: SitemapNewsStory | undefined;
  /** The images on the page, in order. */
  readonly images: readonly SitemapImage[];
  /** The videos on the page, in order. */
  readonly videos: readonly SitemapVideo[];
  /** The same page in other languages (`hreflang`). */
  readonly alternates: readonly SitemapAlternate[];

  /**
   * @param fields - those of a page, a copy of one, or what `toObject()` gives
   * @throws SitemapException (`bad-input`) for an unknown field, or a value that cannot be used
   */
  constructor(fields: SitemapPageFields) {
    const page = fields instanceof ReadPage ? fields : checkedPage(fields);
    this.url = page.url;
    this.priority = page.declaredPriority ?? DEFAULT_PRIORITY;
    this.declaredPriority = page.declaredPriority;
    this.changeFrequency = page.changeFrequency;
    this.lastModified = page.lastModified;
    this.lastModifiedForm = page.lastModifiedForm;
    this.newsStory = page.newsStory;
    this.images = page.images;
    this.videos = page.videos;
    this.alternates = page.alternates;
  }

  /** The date of the last change as written. */
  get lastModifiedText(): string | undefined {
    return writtenDate(this.lastModified, this.lastModifiedForm);
  }

  /** The page as a plain object, as `JSON.stringify` writes it. */
  toObject(): SitemapPageJSON {
    return this.toJSON();
  }

  /** For `JSON.stringify`. */
  toJSON(): SitemapPageJSON {
    const json: SitemapPageJSON = { url: this.url };
    if (this.declaredPriority !== undefined) json.priority = this.declaredPriority;
    const { lastModifiedText, newsStory, images, videos, alternates } = this;
    const iso = this.lastModified?.toISOString();
    if (iso !== undefined) json.lastModified = iso;
    if (lastModifiedText !== undefined && lastModifiedText !== iso) json.lastModifiedText = lastModifiedText;
    if (this.changeFrequency !== undefined) json.changeFrequency = this.changeFrequency;
    if (newsStory !== undefined) json.newsStory = newsStory.toJSON();
    if (images.length > 0) json.images = images.map((image) => ({ ...image }));
    if (videos.length > 0) json.videos = videos.map((video) => video.toJSON());
    if (alternates.length > 0) json.alternates = alternates.map((alternate) => ({ ...alternate }));
    return json;
  }
}

function checkedPage(input: SitemapPageFields): ReadPage {
  PAGE(input, 'page');
  const { url, changeFrequency, lastModified, lastModifiedText, lastModifiedForm, newsStory, videos } = input;
  const { date, form } = givenDate(lastModified, lastModifiedText, lastModifiedForm);
  return Object.assign(new ReadPage(), {
    url,
    declaredPriority: givenPriority(input),
    changeFrequency,
    lastModified: date,
    lastModifiedForm: form,
    newsStory: newsStory && new SitemapNewsStory(newsStory),
    images: frozenCopy(input.images),
    videos: videos === undefined ? NONE : Object.freeze(videos.map((video) => new SitemapVideo(video))),
    alternates: frozenCopy(input.alternates),
  });
}

/**
 * The priority that a page declares, or a copy of one: a page has a priority even where its document declares none, and
 * so has a copy unless that was changed.
 *
 * @internal
 */
export function givenPriority<Priority extends number | null | undefined>(page: {
  readonly priority?: Priority;
  readonly declaredPriority?: Priority;
}): Priority | undefined {
  if (!('priority' in page && 'declaredPriority' in page)) return page.priority ?? page.declaredPriority;
  const isChanged = page.priority !== (page.declaredPriority ?? DEFAULT_PRIORITY);
  return isChanged ? page.priority : page.declaredPriority;
}

// What `console.log(page)` shows in Node: its fields, without those that are empty.
Object.defineProperty(SitemapPage.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value(
    this: SitemapPage,
    _depth: number,
    options: unknown,
    inspect: (value: unknown, options: unknown) => string,
  ) {
    const entries = Object.entries(this).filter(([, value]) => value !== undefined && value !== NONE);
    return `SitemapPage ${inspect(Object.fromEntries(entries), options)}`;
  },
});
