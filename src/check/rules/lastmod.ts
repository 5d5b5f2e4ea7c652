/** Rules about the dates of one document. */
import type { EventValue } from '../../parse/listener.ts';
import { hasTimeOfDay, parseDate } from '../../parse/values/date.ts';
import { PlainDate } from '../../parse/values/w3c-date.ts';
import { clip, number } from '../../text/wording.ts';
import type { PendingLastmod } from '../known-site.ts';
import {
  type CheckedDocument,
  type DocumentRule,
  oneOrMany,
  type Report,
  type RuleName,
  type RuleNames,
  type RuleRows,
  ruleRows,
} from '../rule.ts';

const GOOGLE = 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap';
const W3C = 'https://www.w3.org/TR/NOTE-datetime';
const DAY = 86_400_000;
/** The first website was announced on 6 August 1991. */
const FIRST_WEBSITE = Date.UTC(1991, 7, 6);

/** Equal dates are reported if at least so many pages have a date, and at least this share of the dates are equal. */
const LEAST_DATED = 20;
const EQUAL_SHARE = 0.95;
/** How far a server's clock may be from ours. */
const CLOCK_DIFFERENCE = 60_000;
/** How many days are counted; with more days, no day can have nearly all dates. */
const MOST_DAYS = 10_000;

/**
 * `2024`, `2024-05`, `2024-05-06` (xs:date allows a zone), `2024-05-06T07:08+02:00`, with seconds, with a fraction.
 * Hours end at 23 there, and seconds at 59.
 */
const W3C_DATE =
  /^\d{4}(?:-\d\d(?:-\d\d(?:Z|[+-]\d\d:\d\d|T(?:[01]\d|2[0-3]):\d\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?$/;
const NO_ZONE = /T[\d:.]+$/;
const DATE = new PlainDate();

function isW3cDate(text: string): boolean {
  return W3C_DATE.test(text);
}

/** Reports a date of an extension that can be understood and is not a W3C date. */
export function judgeDate(document: CheckedDocument, rule: RuleName, value: EventValue): void {
  // A plain date is a W3C date.
  if (value.plainDate(DATE)) return;
  const text = value.text();
  const isW3c = isW3cDate(text);
  if (Number.isNaN(parseDate(text)) || (isW3c && !NO_ZONE.test(text))) return;
  const { offset } = value;
  const quotedText = `"${clip(text, 100)}"`;
  const [one, many] = isW3c
    ? ['has a time but no time zone.', 'have a time but no time zone']
    : ['is not a W3C date; Google ignores it.', 'are not W3C dates'];
  const message = `${quotedText} ${one}`;
  const total = oneOrMany(message, (times) => `${times} dates ${many}; the first is ${quotedText}.`);
  document.report({ rule, cause: many, message, total, offset });
}

const LASTMOD = {
  severity: 'warning',
  about: 'lastmod',
  documents: ['pages-xml', 'index-xml'],
  source: GOOGLE,
} as const;

export const LASTMOD_RULES: RuleRows<RuleNames['lastmod']> = ruleRows(LASTMOD, {
  'lastmod-not-w3c': {
    source: W3C,
    what: 'A date can be understood, but is not a W3C date: RFC 822, Unix seconds, `2024/05/06`, a zone like `+0200`.',
    why: 'This program reads it, but search engines do not: for them the page has no date.',
    fix: 'Write `2024-05-06` or `2024-05-06T07:08:09+02:00`.',
    bad: '<lastmod>Mon, 06 May 2024 07:08:09 GMT</lastmod>',
    good: '<lastmod>2024-05-06T07:08:09Z</lastmod>',
  },
  'lastmod-no-zone': {
    source: W3C,
    what: 'A date has a time of day but no time zone.',
    why: 'A W3C date with a time must have a zone. Without it readers guess, or ignore the date.',
    fix: 'Add the zone, `Z` for UTC, or leave the time of day out.',
    bad: '<lastmod>2024-05-06T07:08:09</lastmod>',
    good: '<lastmod>2024-05-06T07:08:09+02:00</lastmod>',
  },
  'lastmod-future': {
    what: 'A date is more than a day in the future, seen from when the document was fetched.',
    why: 'A page cannot have changed then. Search engines stop believing the dates of a site that does this.',
    fix: 'Write when the content last changed; do not write dates of events or of planned publications.',
    bad: '<lastmod>2099-01-01</lastmod>',
    good: '<lastmod>2024-05-06</lastmod>',
  },
  'lastmod-epoch': {
    aggregated: true,
    what: 'A date is from before there was a web (August 1991). Most often it is 1 January 1970.',
    why: 'It is an unset value of a program, not a date. Search engines stop believing the dates of such a site.',
    fix: 'Leave the date out if it is not known.',
    bad: '<lastmod>1970-01-01T00:00:00Z</lastmod>',
    good: '<lastmod>2024-05-06</lastmod>',
  },
  'lastmod-all-equal': {
    documents: ['pages-xml'],
    what: 'At least 20 pages have a date, and 95 % of them the same day (UTC). Not reported for news sitemaps.',
    why: 'It is usually the day when the sitemap was written, not the dates of the pages. Google then ignores them.',
    fix: 'Write for each page when its content last changed, or leave the dates out.',
    bad: '<lastmod>2024-05-06</lastmod> for each of 500 pages',
    good: '<lastmod>2023-11-30</lastmod>, <lastmod>2024-02-14</lastmod>, …',
  },
  'lastmod-is-fetch-time': {
    what: 'At least 95 % of the dates of a document, and three or more, are within a minute of the request.',
    why: 'The dates are made when the sitemap is requested, and say nothing about pages. Google then ignores them.',
    fix: 'Write when the content last changed, or leave the dates out.',
    bad: '<lastmod>the time of the request</lastmod> for each page',
    good: '<lastmod>2023-11-30T10:00:00Z</lastmod>, <lastmod>2024-02-14T09:30:00Z</lastmod>, …',
  },
  'lastmod-missing': {
    severity: 'info',
    documents: ['pages-xml'],
    aggregated: true,
    what: 'Pages have no lastmod. News stories, which have a date of publication, are not counted.',
    why: 'It is the one optional value that Google uses: it says which pages to crawl again.',
    fix: 'Write when the content of the page last changed, if that is known reliably.',
    bad: '<url><loc>https://example.org/</loc></url>',
    good: '<url><loc>https://example.org/</loc><lastmod>2024-05-06</lastmod></url>',
  },
  'index-lastmod-old': {
    documents: ['site'],
    what:
      'The date that an index gives a sitemap is older than its newest page. Up to a day is not reported; if ' +
      'one of the dates has no time of day, days are compared.',
    why: 'Search engines may not fetch the sitemap again, and miss the changed pages.',
    fix: 'Write the date of the newest page, or leave the date out.',
    bad: 'In the index: <lastmod>2024-01-01</lastmod>\nIn the sitemap: <lastmod>2024-05-06</lastmod>',
    good: 'In the index: <lastmod>2024-05-06</lastmod>\nIn the sitemap: <lastmod>2024-05-06</lastmod>',
  },
});

export const lastmod: DocumentRule = (document) => {
  const perDay = new Map<number, number>();
  let isNews = false;
  let dated = 0;
  let atFetchTime = 0;
  let first: Pick<Report, 'offset' | 'position'> | undefined;
  let entryOffset = 0;
  let hasDate = false;
  let entries = 0;

  const judgeForm = (text: string, offset: number): void => {
    if (!isW3cDate(text)) {
      const message = `"${clip(text, 100)}" is not a W3C date; search engines ignore it.`;
      document.report({ rule: 'lastmod-not-w3c', message, offset });
    } else if (NO_ZONE.test(text)) {
      document.report({ rule: 'lastmod-no-zone', message: `${text} has a time but no time zone.`, offset });
    }
  };
  const isUsual = (time: number): boolean => time <= document.now + DAY && time >= FIRST_WEBSITE;
  const judgeTime = (time: number, dateText: string, offset: number): void => {
    if (time > document.now + DAY) {
      const message = `The date ${dateText} is in the future.`;
      document.report({ rule: 'lastmod-future', message, offset });
    } else {
      const what = 'from before there was a web';
      const message = `The date is ${what}: ${dateText}`;
      const total = oneOrMany(message, (many) => `${many} dates are ${what}; the first is ${dateText}`);
      document.report({ rule: 'lastmod-epoch', message, total, offset });
    }
  };
  const count = (time: number, hasTimeOfDay: boolean, offset: number): void => {
    dated++;
    first ??= { offset, position: document.place(offset) };
    const day = Math.floor(time / DAY);
    const ofDay = perDay.get(day);
    if (ofDay !== undefined || perDay.size < MOST_DAYS) perDay.set(day, (ofDay ?? 0) + 1);
    if (hasTimeOfDay && Math.abs(time - document.now) <= CLOCK_DIFFERENCE) atFetchTime++;
  };
  const missing = (offset: number, url: string): void => {
    if (document.isOnlyCounted('lastmod-missing')) return;
    const message = `The page has no lastmod: ${url}`;
    const total = (without: number): string =>
      entries === 1
        ? message
        : `${number(without)} of ${number(entries)} pages ${without === 1 ? 'has' : 'have'} no lastmod.`;
    document.report({ rule: 'lastmod-missing', message, total, offset, page: url });
  };

  return {
    startTags: {
      'sitemap:url': (offset) => {
        entryOffset = offset;
        hasDate = false;
      },
      'news:news': () => {
        isNews = true;
        // An article has the date of its publication.
        hasDate = true;
      },
    },
    values: {
      'sitemap:lastmod': (value) => {
        const { offset, textLength } = value;
        if (textLength === 0) return;
        hasDate = true;
        const isPlain = value.plainDate(DATE);
        const time = isPlain ? DATE.time : parseDate(value.text());
        // A date that cannot be understood has a problem of the parser.
        if (Number.isNaN(time)) return;
        if (!isPlain) judgeForm(value.text(), offset);
        if (!isUsual(time)) judgeTime(time, value.text(), offset);
        count(time, isPlain ? textLength > 10 : hasTimeOfDay(value.text()), offset);
      },
    },
    /** A repeated page counts once. */
    location({ url }, _offset, isRepeated) {
      if (document.kind !== 'pages-xml') return;
      if (!isRepeated) entries++;
      if (!hasDate && !isRepeated) missing(entryOffset, url);
      hasDate = false;
    },
    end() {
      const { kind, isFetched } = document;
      if (isFetched && dated >= 3 && atFetchTime >= dated * EQUAL_SHARE) {
        const message = `${atFetchTime} of ${dated} dates are the time of the request.`;
        document.report({ rule: 'lastmod-is-fetch-time', message, ...first });
        return;
      }
      if (kind !== 'pages-xml' || isNews || dated < LEAST_DATED) return;
      for (const [day, times] of perDay) {
        if (times < dated * EQUAL_SHARE) continue;
        const date = new Date(day * DAY).toISOString().slice(0, 10);
        const message = `${number(times)} of ${number(dated)} dates are ${date}.`;
        document.report({ rule: 'lastmod-all-equal', message, ...first });
      }
    },
  };
};

/** The newest page of a document, to compare with the dates that indexes give the document. */
export class NewestPage {
  #time = Number.NEGATIVE_INFINITY;
  #text = '';

  readonly rule: DocumentRule = (document) => ({
    values: {
      'sitemap:lastmod': (value) => {
        if (document.kind !== 'pages-xml') return;
        const time = value.plainDate(DATE) ? DATE.time : parseDate(value.text());
        // Dates in the future have a rule of their own.
        if (!(time > this.#time && time <= document.now + DAY)) return;
        this.#time = time;
        this.#text = value.text();
      },
    },
  });

  /** The dates that indexes give the document and that are wrong, each with a message. */
  compare(name: string, pending: readonly PendingLastmod[]): (PendingLastmod & { message: string })[] {
    if (this.#time === Number.NEGATIVE_INFINITY) return [];
    const newest = this.#text;
    return pending
      .filter(({ text }) => isOverADayOlder(text, newest))
      .map((each) => ({
        ...each,
        message: `The index says ${each.text}, but the newest page of ${name} is of ${newest}.`,
      }));
  }
}

/** Whether a date is more than a day before another one, compared with the precision of the less precise one. */
function isOverADayOlder(older: string, newer: string): boolean {
  const length = Math.min(precision(older), precision(newer));
  if (length > 10) return parseDate(newer) - parseDate(older) > DAY;
  const [from, to] = [dayAsWritten(older), dayAsWritten(newer)];
  if (length === 10) return to.getTime() - from.getTime() > DAY;
  const years = to.getUTCFullYear() - from.getUTCFullYear();
  return length === 4 ? years > 0 : years * 12 + to.getUTCMonth() > from.getUTCMonth();
}

/** The day of a date in its own time zone, which is that of the site, as it is for dates without a time. */
function dayAsWritten(text: string): Date {
  const day = new Date(parseDate(isW3cDate(text) ? text.slice(0, 10) : text));
  day.setUTCHours(0, 0, 0, 0);
  return day;
}

/** 4 for a year, 7 for a month, 10 for a day, more for a time. A date in another form is a time or a day. */
function precision(text: string): number {
  const match = /^\d{4}(-\d\d(-\d\d)?)?$/.exec(text);
  if (match !== null) return match[0].length;
  return hasTimeOfDay(text) ? 20 : 10;
}
