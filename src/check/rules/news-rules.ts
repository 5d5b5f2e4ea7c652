/** What is wrong with the news of one document. Only `<news:news>` is looked at, not the items of feeds. */
import { parseDate } from '../../parse/values/date.ts';
import { isLanguage, isThreeLetterLanguage } from '../language-codes.ts';
import { type DocumentRule, type Report, type Rows, ruleRows, type Severity } from '../rule.ts';
import { judgeDate } from './lastmod.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap';
const MOST_ARTICLES = 1000;
const DAY = 86_400_000;

const NEWS = { severity: 'error', about: 'news', documents: ['pages-xml'], source: GOOGLE } as const;

export const NEWS_RULES: Rows = ruleRows(NEWS, {
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
      'Remove the `<news:news>` of older articles, or remove them from the news sitemap. They can stay in ' +
      'other sitemaps.',
    bad: '<news:publication_date>2019-01-01</news:publication_date>',
    good: '<news:publication_date>(today)</news:publication_date>',
  },
  'news-bad-language': {
    what:
      'The language of a publication is not a code of ISO 639 with two or three letters, nor `zh-cn` or ' +
      '`zh-tw`. With a country, as `en-US`, it is a warning.',
    why: 'Google does not know which edition of Google News the article belongs to.',
    fix: 'Write the language alone: `en`, `de`, `fil`.',
    bad: '<news:language>english</news:language>',
    good: '<news:language>en</news:language>',
  },
  'news-date-not-w3c': {
    severity: 'warning',
    aggregated: true,
    what: 'The date of an article can be understood, but is not a W3C date.',
    why: 'We read it, Google does not: to Google the article has no date.',
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

/** The four fields that Google requires, with their names in messages. */
const FIELDS = {
  'news:name': 'publication name',
  'news:language': 'language',
  'news:publication_date': 'publication date',
  'news:title': 'title',
} as const;

export const news: DocumentRule = (document) => {
  const fields = new Set<keyof typeof FIELDS>();
  let start: number | undefined;
  let count = 0;
  let inEntry = 0;
  let firstOver: Pick<Report, 'offset' | 'position'> | undefined;

  const field = (name: keyof typeof FIELDS) => (text: string) => {
    if (start !== undefined && text !== '') fields.add(name);
  };
  const end = (): void => {
    inEntry = 0;
  };

  return {
    startTags: {
      'news:news': (offset) => {
        start = offset;
        fields.clear();
        count++;
        if (++inEntry === 2) {
          const message = 'The entry has more than one <news:news>; this is the second.';
          document.report({ rule: 'news-repeated', message, offset, isOfEntry: true });
        }
        if (count === MOST_ARTICLES + 1) firstOver = { offset, position: document.place(offset) };
      },
    },
    values: {
      'news:name': field('news:name'),
      'news:title': field('news:title'),
      'news:language': (text, offset) => {
        field('news:language')(text);
        const severity = start === undefined || text === '' ? undefined : languageFault(text);
        if (severity === undefined) return;
        const shown = text.slice(0, 40);
        const message =
          severity === 'warning'
            ? `The language "${shown}" has a country; Google asks for "${text.slice(0, 2).toLowerCase()}" alone.`
            : `"${shown}" is not the code of a language (ISO 639), such as en or fil.`;
        document.report({ rule: 'news-bad-language', message, offset, severity, isOfEntry: true });
      },
      'news:publication_date': (text, offset) => {
        field('news:publication_date')(text);
        if (start === undefined) return;
        judgeDate(document, 'news-date-not-w3c', text, offset);
        // A day has its last moment, too, to be two days old.
        const age = document.now - parseDate(text) - (text.length <= 10 ? DAY : 0);
        if (Number.isNaN(age) || age <= 2 * DAY) return;
        const message =
          `The article was published more than ${Math.floor(age / DAY)} days ago (${text}); Google reads those ` +
          'of the last two days.';
        document.report({ rule: 'news-too-old', message, offset, isOfEntry: true });
      },
    },
    endTags: {
      'news:news': () => {
        if (start === undefined) return;
        const missing = Object.entries(FIELDS).filter(([name]) => !fields.has(name as keyof typeof FIELDS));
        if (missing.length > 0) {
          const message = `<news:news> lacks: ${missing.map(([, words]) => words).join(', ')}.`;
          document.report({ rule: 'news-missing-field', message, offset: start, isOfEntry: true });
        }
        start = undefined;
      },
      'sitemap:url': end,
    },
    location: end,
    // They have no news.
    ignoresPlainPages: true,
    end() {
      if (firstOver === undefined) return;
      const message = `The sitemap has ${count} <news:news>, more than 1,000; this is the first one over the limit.`;
      document.report({ rule: 'news-too-many', message, ...firstOver });
    },
  };
};

/** How bad a language is; undefined for one that Google knows. */
function languageFault(text: string): Severity | undefined {
  if (isLanguage(text) || isThreeLetterLanguage(text) || /^zh-(?:cn|tw)$/i.test(text)) return undefined;
  return /^[a-z]{2}-[a-z]{2}$/i.test(text) && isLanguage(text.slice(0, 2)) ? 'warning' : 'error';
}
