/** Google's news sitemap extension, and what a feed's item says of itself. */
import {
  type Changeable,
  DATE,
  DATE_FORM,
  dateInJson,
  givenDate,
  listOf,
  NONE,
  objectOf,
  present,
  TEXT,
} from '../model/given-fields.ts';
import { writtenDate } from '../values/w3c-date.ts';
import { type TagRoles, tagsOf } from '../xml/entry-format.ts';
import { commaList, dateField, type FieldReaders, fieldsOf, ownText, sharedText } from './field-readers.ts';

/** What a news story is made of: the fields of a story or of a copy, or what its `toObject()` gives. */
export interface SitemapNewsStoryFields {
  readonly title?: string | undefined;
  readonly publishDate?: Date | string | undefined;
  /** The date as written. */
  readonly publishDateText?: string | undefined;
  /** How the date is written, from a story: ignored if it stands for another date. */
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

/** The fields of a story that a parser is about to read. */
const UNREAD: SitemapNewsStoryFields = Object.freeze({});

/** The news story that a page is. */
export class SitemapNewsStory {
  readonly title: string | undefined;
  /** When it was published. */
  readonly publishDate: Date | undefined;
  /** How that date is written: the text, or the number of a usual form. Read it as `publishDateText`. */
  readonly publishDateForm: string | number | undefined;
  readonly publicationName: string | undefined;
  readonly publicationLanguage: string | undefined;
  /** `Subscription` or `Registration`, as written. */
  readonly access: string | undefined;
  readonly genres: readonly string[] = NONE;
  readonly keywords: readonly string[] = NONE;
  readonly stockTickers: readonly string[] = NONE;

  /**
   * @param fields - those of a story, a copy of one, or what `toObject()` gives
   * @throws SitemapException (`bad-input`) for an unknown field, or a value that cannot be used
   */
  constructor(fields: SitemapNewsStoryFields) {
    if (fields !== UNREAD) Object.assign(this, checkedStory(fields));
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

function checkedStory(input: SitemapNewsStoryFields): object {
  NEWS_STORY(input, 'newsStory');
  const { publishDate, publishDateText, publishDateForm, ...others } = input;
  const { genres = NONE, keywords = NONE, stockTickers = NONE, ...texts } = others;
  const { date, form } = givenDate(publishDate, publishDateText, publishDateForm);
  return {
    ...texts,
    publishDate: date,
    publishDateForm: form,
    genres: Object.freeze([...genres]),
    keywords: Object.freeze([...keywords]),
    stockTickers: Object.freeze([...stockTickers]),
  };
}

/** @internal A story that is being read: its fields are not all there. */
export type OpenStory = Changeable<SitemapNewsStory>;

/** @internal */
export function openStory(): OpenStory {
  return new SitemapNewsStory(UNREAD);
}

/** @internal */
export const NEWS_TAGS: TagRoles = tagsOf('news', {
  group: 'news publication',
  value: 'name language access genres publication_date title keywords stock_tickers',
});

const field = fieldsOf<OpenStory>();
/** @internal */
export const NEWS_READERS: FieldReaders<OpenStory> = {
  'news:name': field('publicationName', sharedText),
  'news:language': field('publicationLanguage', sharedText),
  'news:access': field('access', sharedText),
  'news:genres': field('genres', commaList),
  'news:publication_date': dateField('publishDate'),
  'news:title': field('title', ownText),
  'news:keywords': field('keywords', commaList),
  'news:stock_tickers': field('stockTickers', commaList),
};
