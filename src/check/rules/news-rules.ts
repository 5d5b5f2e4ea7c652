/** What is wrong with the news of one document. Only `<news:news>` is looked at, not the items of feeds. */
import { parseDate } from '../../parse/values/date.ts';
import type { Position } from '../../problems/position.ts';
import { isLanguage, isThreeLetterLanguage } from '../codes/iso-codes.ts';
import type {
  CheckedDocument,
  CheckedKind,
  DocumentListener,
  DocumentRule,
  RuleRow,
  RuleRows,
  Severity,
} from '../rule.ts';
import { EntryReports } from './entry-reports.ts';
import { isW3cDate } from './lastmod.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap';
const DOCUMENTS: readonly CheckedKind[] = ['pages-xml'];
const MOST_ARTICLES = 1000;
const DAY = 86_400_000;

export type NewsRule =
  | 'news-missing-field'
  | 'news-too-many'
  | 'news-too-old'
  | 'news-bad-language'
  | 'news-date-not-w3c'
  | 'news-repeated';

const NEWS = {
  about: 'news',
  severity: 'error',
  documents: DOCUMENTS,
  source: GOOGLE,
} as const satisfies Partial<RuleRow>;

export const NEWS_RULES: RuleRows<NewsRule> = {
  'news-missing-field': {
    ...NEWS,
    explanation: {
      what: 'A `<news:news>` lacks its title, the name or the language of the publication, or its date.',
      why: 'All four are required: without one of them, Google does not take the article into Google News.',
      fix: 'Write all four fields, and leave none of them empty.',
    },
    bad: '<news:news>\n  <news:title>Rain tomorrow</news:title>\n</news:news>',
    good:
      '<news:news>\n' +
      '  <news:publication>\n' +
      '    <news:name>The Example</news:name>\n' +
      '    <news:language>en</news:language>\n' +
      '  </news:publication>\n' +
      '  <news:publication_date>2024-05-06T08:00:00Z</news:publication_date>\n' +
      '  <news:title>Rain tomorrow</news:title>\n' +
      '</news:news>',
  },
  'news-too-many': {
    ...NEWS,
    explanation: {
      what: 'A sitemap has more than 1,000 `<news:news>`.',
      why: 'Google reads no more than 1,000 from one sitemap.',
      fix: 'Remove articles that are older than two days, or divide the sitemap.',
    },
    bad: '1,001 × <news:news>',
    good: 'at most 1,000 × <news:news>',
  },
  'news-too-old': {
    ...NEWS,
    severity: 'warning',
    explanation: {
      what: 'An article was published more than two days before the sitemap was fetched.',
      why: 'A news sitemap is for articles of the last two days; Google ignores the others.',
      fix:
        'Remove the `<news:news>` of older articles, or remove them from the news sitemap. They can stay in ' +
        'other sitemaps.',
    },
    bad: '<news:publication_date>2019-01-01</news:publication_date>',
    good: '<news:publication_date>(today)</news:publication_date>',
  },
  'news-bad-language': {
    ...NEWS,
    explanation: {
      what:
        'The language of a publication is not a code of ISO 639 with two or three letters, nor `zh-cn` or ' +
        '`zh-tw`. With a country, as `en-US`, it is a warning.',
      why: 'Google does not know which edition of Google News the article belongs to.',
      fix: 'Write the language alone: `en`, `de`, `fil`.',
    },
    bad: '<news:language>english</news:language>',
    good: '<news:language>en</news:language>',
  },
  'news-date-not-w3c': {
    ...NEWS,
    severity: 'warning',
    aggregated: true,
    explanation: {
      what: 'The date of an article can be understood, but is not a W3C date.',
      why: 'We read it, Google does not: to Google the article has no date.',
      fix: 'Write `2024-05-06` or `2024-05-06T07:08:09+02:00`.',
    },
    bad: '<news:publication_date>Mon, 06 May 2024 07:08:09 GMT</news:publication_date>',
    good: '<news:publication_date>2024-05-06T07:08:09Z</news:publication_date>',
  },
  'news-repeated': {
    ...NEWS,
    severity: 'warning',
    explanation: {
      what: 'An entry has two `<news:news>`.',
      why: 'A page is one article. Google reads one of them, and the schema allows no second.',
      fix: 'Write one `<news:news>` for each `<url>`.',
    },
    bad: '<url>\n  <news:news>…</news:news>\n  <news:news>…</news:news>\n</url>',
    good: '<url>\n  <news:news>…</news:news>\n</url>',
  },
};

/** The four fields that Google requires, with their names in messages. */
const FIELDS = {
  'news:name': 'publication name',
  'news:language': 'language',
  'news:publication_date': 'publication date',
  'news:title': 'title',
} as const;

/** The rules about news. */
export const news: DocumentRule<NewsRule> = (document): DocumentListener => {
  const articles = new Articles(document);
  return {
    startTags: { 'news:news': (offset) => articles.start(offset) },
    values: {
      'news:name': (text) => articles.field('news:name', text),
      'news:title': (text) => articles.field('news:title', text),
      'news:language': (text, offset) => articles.language(text, offset),
      'news:publication_date': (text, offset) => articles.date(text, offset),
    },
    endTags: { 'news:news': () => articles.end(), 'sitemap:url': () => articles.flush() },
    location: (url) => articles.flush(url),
    // They have no news.
    ignoresPlainPages: true,
    end: () => articles.total(),
  };
};

class Articles {
  readonly #document: CheckedDocument<NewsRule>;
  readonly #reports: EntryReports<NewsRule>;
  readonly #fields = new Set<keyof typeof FIELDS>();
  #start: number | undefined;
  #count = 0;
  #inEntry = 0;
  #firstOver: { readonly offset: number; readonly position: Position | undefined } | undefined;

  constructor(document: CheckedDocument<NewsRule>) {
    this.#document = document;
    this.#reports = new EntryReports(document);
  }

  start(offset: number): void {
    this.#start = offset;
    this.#fields.clear();
    this.#count++;
    if (++this.#inEntry === 2) {
      const message = 'The entry has more than one <news:news>; this is the second.';
      this.#reports.add({ rule: 'news-repeated', message, offset });
    }
    if (this.#count === MOST_ARTICLES + 1)
      this.#firstOver = { offset, position: this.#document.place(offset) };
  }

  field(name: keyof typeof FIELDS, text: string): void {
    if (this.#start !== undefined && text !== '') this.#fields.add(name);
  }

  language(text: string, offset: number): void {
    this.field('news:language', text);
    if (this.#start === undefined || text === '') return;
    const severity = languageFault(text);
    if (severity === undefined) return;
    const shown = text.slice(0, 40);
    const message =
      severity === 'warning'
        ? `The language "${shown}" has a country; Google asks for "${text.slice(0, 2).toLowerCase()}" alone.`
        : `"${shown}" is not the code of a language (ISO 639), such as en or fil.`;
    this.#reports.add({ rule: 'news-bad-language', message, offset, severity });
  }

  date(text: string, offset: number): void {
    this.field('news:publication_date', text);
    if (this.#start === undefined) return;
    const time = parseDate(text);
    if (!Number.isNaN(time) && !isW3cDate(text)) {
      const message = `"${text.slice(0, 100)}" is not a W3C date; Google ignores it.`;
      const total = (count: number): string =>
        count === 1
          ? message
          : `${count.toLocaleString('en')} dates are not W3C dates; the first is "${text.slice(0, 100)}".`;
      this.#reports.add({ rule: 'news-date-not-w3c', message, total, offset });
    }
    // A day has its last moment, too, to be two days old.
    const end = text.length <= 10 ? time + DAY : time;
    const age = this.#document.now - end;
    if (Number.isNaN(age) || age <= 2 * DAY) return;
    const days = Math.floor(age / DAY);
    const message =
      `The article was published more than ${days} days ago (${text}); Google reads those of the last two ` +
      'days.';
    this.#reports.add({ rule: 'news-too-old', message, offset });
  }

  end(): void {
    if (this.#start === undefined) return;
    const missing = Object.entries(FIELDS).filter(([name]) => !this.#fields.has(name as keyof typeof FIELDS));
    if (missing.length > 0) {
      const message = `<news:news> lacks: ${missing.map(([, words]) => words).join(', ')}.`;
      this.#reports.add({ rule: 'news-missing-field', message, offset: this.#start });
    }
    this.#start = undefined;
  }

  flush(page?: string): void {
    this.#inEntry = 0;
    this.#reports.flush(page);
  }

  total(): void {
    if (this.#firstOver === undefined) return;
    const message = `The sitemap has ${this.#count} <news:news>, more than 1,000; this is the first one over the limit.`;
    this.#document.report({ rule: 'news-too-many', message, ...this.#firstOver });
  }
}

/** How bad a language is; undefined for one that Google knows. */
function languageFault(text: string): Severity | undefined {
  if (isLanguage(text) || isThreeLetterLanguage(text) || /^zh-(?:cn|tw)$/i.test(text)) return undefined;
  return /^[a-z]{2}-[a-z]{2}$/i.test(text) && isLanguage(text.slice(0, 2)) ? 'warning' : 'error';
}
