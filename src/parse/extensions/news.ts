/** Google's news sitemap extension, and what a feed's item says of itself. */
import type { ReportedValues } from '../reported-values.ts';
import { type DateForm, writtenDate } from '../values/w3c-date.ts';
import { type TagRoles, tagsOf } from '../xml/entry-format.ts';
import type { Value } from '../xml/value.ts';

/** What a news story is made of. */
export interface SitemapNewsStoryFields {
  readonly title?: string | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly publishTime?: number | undefined;
  /** The date as written, or how to write it again. */
  readonly publishText?: string | DateForm | undefined;
  readonly publicationName?: string | undefined;
  readonly publicationLanguage?: string | undefined;
  readonly access?: string | undefined;
  readonly genres?: readonly string[] | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly stockTickers?: readonly string[] | undefined;
}

/** A news story in JSON. */
export interface SitemapNewsStoryJSON {
  title?: string;
  publishDate?: string;
  publicationName?: string;
  publicationLanguage?: string;
  access?: string;
  genres?: string[];
  keywords?: string[];
  stockTickers?: string[];
}

const NONE: readonly string[] = Object.freeze([]);

/** The news story that a page is. */
export class SitemapNewsStory {
  readonly title: string | undefined;
  readonly publicationName: string | undefined;
  readonly publicationLanguage: string | undefined;
  /** `Subscription` or `Registration`, as written. */
  readonly access: string | undefined;
  readonly genres: readonly string[];
  readonly keywords: readonly string[];
  readonly stockTickers: readonly string[];
  readonly #publishTime: number | undefined;
  readonly #publishText: string | DateForm | undefined;

  constructor(fields: SitemapNewsStoryFields) {
    this.title = fields.title;
    this.publicationName = fields.publicationName;
    this.publicationLanguage = fields.publicationLanguage;
    this.access = fields.access;
    this.genres = fields.genres ?? NONE;
    this.keywords = fields.keywords ?? NONE;
    this.stockTickers = fields.stockTickers ?? NONE;
    this.#publishTime = fields.publishTime;
    this.#publishText = fields.publishText;
  }

  /** When it was published: a `Date` of your own each time. */
  get publishDate(): Date | undefined {
    return this.#publishTime === undefined ? undefined : new Date(this.#publishTime);
  }

  /** The date of publication as written, in a news sitemap. */
  get publishDateText(): string | undefined {
    return writtenDate(this.#publishTime, this.#publishText);
  }

  /** The story as plain data, for `JSON.stringify`. */
  toJSON(): SitemapNewsStoryJSON {
    const { title, publicationName, publicationLanguage, access, genres, keywords, stockTickers } = this;
    const publishDate = this.publishDate?.toISOString();
    const names = { publicationName, publicationLanguage, access };
    return present({ title, publishDate, ...names, genres, keywords, stockTickers });
  }
}

/** What is there, for JSON: without what is undefined and without empty lists. Lists are copied: they may be changed. @internal */
export function present<Json>(fields: object): Json {
  const kept = Object.entries(fields).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return value === undefined ? [] : [[name, value]];
    return value.length === 0 ? [] : [[name, [...value]]];
  });
  return Object.fromEntries(kept);
}

/** @internal */
export const NEWS_TAGS: TagRoles = tagsOf('news', {
  group: 'news publication',
  value: 'name language access genres publication_date title keywords stock_tickers',
});

/** @internal */
export class NewsReader {
  readonly #values: ReportedValues;
  #fields: { -readonly [Field in keyof SitemapNewsStoryFields]: SitemapNewsStoryFields[Field] } | undefined;

  constructor(values: ReportedValues) {
    this.#values = values;
  }

  value(name: string, value: Value): void {
    if (value.textLength === 0) return;
    this.#fields ??= {};
    const fields = this.#fields;
    switch (name) {
      case 'news:name':
        fields.publicationName = value.repeatedText();
        break;
      case 'news:language':
        fields.publicationLanguage = value.repeatedText();
        break;
      case 'news:access':
        fields.access = value.repeatedText();
        break;
      case 'news:genres':
        fields.genres = splitList(value.text());
        break;
      case 'news:publication_date':
        fields.publishTime = knownTime(value.time(this.#values));
        fields.publishText = value.dateText;
        break;
      case 'news:title':
        fields.title = value.keptText();
        break;
      case 'news:keywords':
        fields.keywords = splitList(value.text());
        break;
      case 'news:stock_tickers':
        fields.stockTickers = splitList(value.text());
        break;
    }
  }

  /** Ends the entry; a story has a title or a date. */
  end(): SitemapNewsStory | undefined {
    const fields = this.#fields;
    this.#fields = undefined;
    if (fields?.title === undefined && fields?.publishTime === undefined) return undefined;
    return new SitemapNewsStory(fields);
  }
}

/** A comma-separated list without its empty parts. @internal */
export function splitList(text: string): readonly string[] {
  return Object.freeze(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
}

/** @internal */
export function knownTime(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}
