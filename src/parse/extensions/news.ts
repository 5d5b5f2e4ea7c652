/** Google's news sitemap extension, and what a feed's item says of itself. */
import {
  DATE,
  DATE_FORM,
  type DateAndForm,
  dateInJson,
  givenDate,
  listOf,
  NONE,
  objectOf,
  present,
  TEXT,
} from '../model/given-fields.ts';
import type { ReportedValues } from '../reported-values.ts';
import { writtenDate } from '../values/w3c-date.ts';
import { type TagRoles, tagsOf } from '../xml/entry-format.ts';
import type { Value } from '../xml/value.ts';
import {
  commaList,
  date,
  type FieldReaders,
  fieldsOf,
  NO_ATTRIBUTES,
  ownText,
  sharedText,
} from './field-readers.ts';

/** What a news story is made of: the fields of a story or of a copy, or what its `toObject()` gives. */
export interface SitemapNewsStoryFields {
  readonly title?: string | undefined;
  readonly publishDate?: Date | string | undefined;
  /** The date as written. */
  readonly publishDateText?: string | undefined;
  /** The same, from a story: left out where it does not write the date. */
  readonly publishDateForm?: string | number | undefined;
  readonly publicationName?: string | undefined;
  readonly publicationLanguage?: string | undefined;
  readonly access?: string | undefined;
  readonly genres?: readonly string[] | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly stockTickers?: readonly string[] | undefined;
}

/** A news story in JSON: absent values and empty lists are left out, the date is a UTC ISO string. */
export interface SitemapNewsStoryJSON {
  title?: string;
  publishDate?: string;
  /** The date as written, where that is not exactly its ISO form. */
  publishDateText?: string;
  publicationName?: string;
  publicationLanguage?: string;
  access?: string;
  genres?: string[];
  keywords?: string[];
  stockTickers?: string[];
}

/** @internal */
export const NEWS_STORY: ReturnType<typeof objectOf> = objectOf({
  title: TEXT,
  publishDate: DATE,
  publishDateText: TEXT,
  publishDateForm: DATE_FORM,
  publicationName: TEXT,
  publicationLanguage: TEXT,
  access: TEXT,
  genres: listOf(TEXT),
  keywords: listOf(TEXT),
  stockTickers: listOf(TEXT),
});

/** @internal What was read of a story, or was checked. */
export class ReadStory {
  title: string | undefined;
  published: DateAndForm | undefined;
  publicationName: string | undefined;
  publicationLanguage: string | undefined;
  access: string | undefined;
  genres: readonly string[] = NONE;
  keywords: readonly string[] = NONE;
  stockTickers: readonly string[] = NONE;
}

/** The news story that a page is. */
export class SitemapNewsStory {
  readonly title: string | undefined;
  /** When it was published. */
  readonly publishDate: Date | undefined;
  /** How that date is written in a news sitemap: the text, or the number of a usual form. Read it as `publishDateText`. */
  readonly publishDateForm: string | number | undefined;
  readonly publicationName: string | undefined;
  readonly publicationLanguage: string | undefined;
  /** `Subscription` or `Registration`, as written. */
  readonly access: string | undefined;
  readonly genres: readonly string[];
  readonly keywords: readonly string[];
  readonly stockTickers: readonly string[];

  /**
   * @param fields - those of a story, a copy of one, or what `toObject()` gives
   * @throws SitemapException (`bad-input`) for an unknown field, or a value that cannot be used
   */
  constructor(fields: SitemapNewsStoryFields) {
    const read = fields instanceof ReadStory ? fields : checkedStory(fields);
    this.title = read.title;
    this.publishDate = read.published?.date;
    this.publishDateForm = read.published?.form;
    this.publicationName = read.publicationName;
    this.publicationLanguage = read.publicationLanguage;
    this.access = read.access;
    this.genres = read.genres;
    this.keywords = read.keywords;
    this.stockTickers = read.stockTickers;
  }

  /** The date of publication as written, in a news sitemap. */
  get publishDateText(): string | undefined {
    return writtenDate(this.publishDate, this.publishDateForm);
  }

  /** The story as a plain object, as `JSON.stringify` writes it. */
  toObject(): SitemapNewsStoryJSON {
    return this.toJSON();
  }

  /** For `JSON.stringify`. */
  toJSON(): SitemapNewsStoryJSON {
    const { title, publishDate, publishDateForm: _, ...others } = this;
    return present({ title, ...dateInJson('publishDate', publishDate, this.publishDateText), ...others });
  }
}

function checkedStory(given: SitemapNewsStoryFields): ReadStory {
  NEWS_STORY(given, 'newsStory');
  const { publishDate, publishDateText, publishDateForm, genres, keywords, stockTickers, ...texts } = given;
  return Object.assign(new ReadStory(), {
    ...texts,
    published: givenDate(publishDate, publishDateText, publishDateForm),
    genres: Object.freeze([...(genres ?? NONE)]),
    keywords: Object.freeze([...(keywords ?? NONE)]),
    stockTickers: Object.freeze([...(stockTickers ?? NONE)]),
  });
}

/** @internal */
export const NEWS_TAGS: TagRoles = tagsOf('news', {
  group: 'news publication',
  value: 'name language access genres publication_date title keywords stock_tickers',
});

const field = fieldsOf<ReadStory>();
const READERS: FieldReaders<ReadStory> = {
  'news:name': field('publicationName', sharedText),
  'news:language': field('publicationLanguage', sharedText),
  'news:access': field('access', sharedText),
  'news:genres': field('genres', commaList),
  'news:publication_date': field('published', date),
  'news:title': field('title', ownText),
  'news:keywords': field('keywords', commaList),
  'news:stock_tickers': field('stockTickers', commaList),
};

/** @internal */
export class NewsReader {
  readonly #values: ReportedValues;
  #story: ReadStory | undefined;

  constructor(values: ReportedValues) {
    this.#values = values;
  }

  value(name: string, value: Value): void {
    if (value.textLength === 0) return;
    this.#story ??= new ReadStory();
    READERS[name]?.(this.#story, value, this.#values, NO_ATTRIBUTES);
  }

  /** Ends the entry; a story has a title or a date. */
  end(): SitemapNewsStory | undefined {
    const story = this.#story;
    this.#story = undefined;
    if (story?.title === undefined && story?.published === undefined) return undefined;
    return new SitemapNewsStory(story);
  }
}
