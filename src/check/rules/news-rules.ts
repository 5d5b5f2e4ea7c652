/** Rules about the news of one document: about `<news:news>`, not the items of feeds. */

import type { ValueHandler } from '../../parse/listener.ts';
import { endOfDate, parseDate } from '../../parse/values/date.ts';
import { PlainDate } from '../../parse/values/w3c-date.ts';
import { clip } from '../../text/wording.ts';
import { isLanguage, isThreeLetterLanguage } from '../language-codes.ts';
import { PROTOCOL_LIMITS } from '../protocol-limits.ts';
import {
  type DocumentRule,
  type Report,
  type RuleNames,
  type RuleRows,
  ruleRows,
  type Severity,
} from '../rule.ts';
import { judgeDate } from './lastmod.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap';
const DAY = 86_400_000;

const NEWS = { severity: 'error', about: 'news', documents: ['pages-xml'], source: GOOGLE } as const;

export const NEWS_RULES: RuleRows<RuleNames['news']> = ruleRows(NEWS, {
  'news-missing-field': {
    what: 'A `<news:news>` lacks its title, the name or the language of the publication, or its date.',
    why: 'All four are required: without one of them, Google does not take the article into Google News.',
    fix: 'Write all four fields, and leave none of them empty.',
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
    what: 'A sitemap has more than 1,000 `<news:news>`.',
    why: 'Google reads no more than 1,000 from one sitemap.',
    fix: 'Remove articles that are older than two days, or divide the sitemap.',
    bad: '1,001 × <news:news>',
    good: 'at most 1,000 × <news:news>',
  },
  'news-too-old': {
    severity: 'warning',
    what: 'An article was published more than two days before the sitemap was fetched.',
    why: 'A news sitemap is for articles of the last two days; Google ignores the others.',
    fix:
      'Remove the article from the news sitemap, and leave its date as it is. It can stay in other sitemaps, ' +
      'without `<news:news>`.',
    bad:
      '<url>\n  <loc>https://example.org/article</loc>\n' +
      '  <news:news>…<news:publication_date>2019-01-01</news:publication_date>…</news:news>\n</url>',
    good: 'In another sitemap: <url><loc>https://example.org/article</loc></url>',
  },
  'news-bad-language': {
    what:
      'The language of a publication is not a code of ISO 639 with two or three letters, nor `zh-cn` or ' +
      '`zh-tw`. A language with a country, such as `en-US`, is a warning.',
    why: 'Google does not know which edition of Google News the article belongs to.',
    fix: 'Write the language alone: `en`, `de`, `fil`.',
    bad: '<news:language>english</news:language>',
    good: '<news:language>en</news:language>',
  },
  'news-date-not-w3c': {
    severity: 'warning',
    aggregated: true,
    what: 'The date of an article can be understood, but is not a W3C date: a time without a zone, for example.',
    why: 'This program reads it, but Google does not: for Google the article has no date.',
    fix: 'Write `2024-05-06` or `2024-05-06T07:08:09+02:00`.',
    bad: '<news:publication_date>Mon, 06 May 2024 07:08:09 GMT</news:publication_date>',
    good: '<news:publication_date>2024-05-06T07:08:09Z</news:publication_date>',
  },
  'news-repeated': {
    severity: 'warning',
    what: 'An entry has two `<news:news>`.',
    why: 'A page is one article. Google reads one of them, and the schema allows no second.',
    fix: 'Write one `<news:news>` for each `<url>`.',
    bad: '<url>\n  <news:news>…</news:news>\n  <news:news>…</news:news>\n</url>',
    good: '<url>\n  <news:news>…</news:news>\n</url>',
  },
});

/** The four fields that Google requires, as bits, by their names in messages. */
const Field = { 'publication name': 1, language: 2, 'publication date': 4, title: 8 } as const;
const ALL_FIELDS = 15;
const DATE = new PlainDate();

export const news: DocumentRule = (document) => {
  let fields = 0;
  let start: number | undefined;
  let count = 0;
  let inEntry = 0;
  let goodLanguage = '';
  let firstOver: Pick<Report, 'offset' | 'position'> | undefined;

  const field =
    (bit: number): ValueHandler =>
    ({ textLength }) => {
      if (start !== undefined && textLength > 0) fields |= bit;
    };
  const end = (): void => {
    inEntry = 0;
  };

  return {
    startTags: {
      'news:news': (offset) => {
        start = offset;
        fields = 0;
        count++;
        if (++inEntry === 2) {
          const message = 'The entry has more than one <news:news>; this is the second.';
          document.report({ rule: 'news-repeated', message, offset });
        }
        if (count === PROTOCOL_LIMITS.newsStories + 1)
          firstOver = { offset, position: document.place(offset) };
      },
    },
    values: {
      'news:name': field(Field['publication name']),
      'news:title': field(Field.title),
      'news:language': (value) => {
        const { offset, textLength } = value;
        if (start === undefined || textLength === 0) return;
        fields |= Field.language;
        const text = value.text();
        // Nearly all articles of a document have the same language.
        if (text === goodLanguage) return;
        const severity = languageFault(text);
        if (severity === undefined) {
          goodLanguage = text;
          return;
        }
        const shortText = clip(text, 40);
        const message =
          severity === 'warning'
            ? `The language "${shortText}" has a country; Google asks for "${text.slice(0, 2).toLowerCase()}" alone.`
            : `"${shortText}" is not the code of a language (ISO 639), such as en or fil.`;
        document.report({ rule: 'news-bad-language', message, offset, severity });
      },
      'news:publication_date': (value) => {
        const { offset, textLength } = value;
        if (start === undefined) return;
        if (textLength > 0) fields |= Field['publication date'];
        judgeDate(document, 'news-date-not-w3c', value);
        const time = value.plainDate(DATE) ? DATE.time : parseDate(value.text());
        if (!(document.now - time > 2 * DAY)) return;
        // A date without a time is two days old when the end of its day is.
        const age = document.now - endOfDate(time, value.text());
        if (age <= 2 * DAY || document.isOnlyCounted('news-too-old')) return;
        const days = Math.floor(age / DAY);
        const message =
          `The article was published more than ${days} days ago (${value.text()}); Google reads those of the last ` +
          'two days.';
        document.report({ rule: 'news-too-old', message, offset });
      },
    },
    endTags: {
      'news:news': () => {
        if (start === undefined) return;
        if (fields !== ALL_FIELDS) {
          const missing = Object.entries(Field).filter(([, bit]) => (fields & bit) === 0);
          const message = `<news:news> lacks: ${missing.map(([words]) => words).join(', ')}.`;
          document.report({ rule: 'news-missing-field', message, offset: start });
        }
        start = undefined;
      },
      'sitemap:url': end,
    },
    location: end,
    end() {
      if (firstOver === undefined) return;
      const message = `The sitemap has ${count} <news:news>, more than 1,000; this is the first one over the limit.`;
      document.report({ rule: 'news-too-many', message, ...firstOver });
    },
  };
};

/** The severity of a wrong language; undefined for one that Google knows. */
function languageFault(text: string): Severity | undefined {
  if (isLanguage(text) || isThreeLetterLanguage(text) || /^zh-(?:cn|tw)$/i.test(text)) return undefined;
  return /^[a-z]{2}-[a-z]{2}$/i.test(text) && isLanguage(text.slice(0, 2)) ? 'warning' : 'error';
}
