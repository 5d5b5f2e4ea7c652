/** The newest date of a sitemap, against the dates that indexes give it. */
import { parseDate } from '../parse/values/date.ts';
import { type DateForm, writePlainDate } from '../parse/values/plain-date.ts';
import type { Finding } from './finding.ts';
import type { PlainPage } from './plain-page.ts';
import type { CheckedDocument, DocumentListener } from './rule.ts';
import { RULES, type RuleName } from './rule-table.ts';
import type { PendingLastmod } from './site.ts';

const DAY = 86_400_000;

/** Listens to the dates of the pages of one document. */
export class NewestPage implements DocumentListener {
  readonly #document: CheckedDocument<RuleName>;
  #time = Number.NEGATIVE_INFINITY;
  /** As it was written; undefined where it has one of the usual forms, or there is none. */
  #text: string | undefined;
  #form: DateForm = 0;

  readonly values: NonNullable<DocumentListener['values']> = {
    'sitemap:lastmod': (text) => {
      // Sorted lists repeat a date again and again.
      if (text === this.#text || this.#document.kind !== 'pages-xml') return;
      const time = parseDate(text);
      // What is in the future has a rule of its own.
      if (!(time > this.#time) || time > this.#document.now + DAY) return;
      this.#time = time;
      this.#text = text;
    },
  };

  constructor(document: CheckedDocument<RuleName>) {
    this.#document = document;
  }

  plainPage({ entry }: PlainPage): void {
    const { time } = entry;
    if (!(time > this.#time) || time > this.#document.now + DAY) return;
    this.#time = time;
    this.#form = entry.dateForm;
    this.#text = undefined;
  }

  /** The findings about what indexes say of the document. */
  compare(pending: readonly PendingLastmod[]): Finding[] {
    if (this.#time === Number.NEGATIVE_INFINITY) return [];
    const newest = this.#text ?? writePlainDate(this.#time, this.#form);
    return pending
      .filter(({ text }) => isOverADayOlder(text, newest))
      .map(({ text, place }) => ({
        rule: 'index-lastmod-old',
        severity: RULES['index-lastmod-old'].severity,
        message: `The index says ${text}, but the newest page of ${this.#document.name} is of ${newest}.`,
        ...place,
        related: [{ document: this.#document.name }],
      }));
  }
}

/** Whether a date is more than a day before another one, as far as the less precise of them can tell. */
function isOverADayOlder(older: string, newer: string): boolean {
  const [first, second] = [parseDate(older), parseDate(newer)];
  const length = Math.min(precision(older), precision(newer));
  if (length > 10) return second - first > DAY;
  const [from, to] = [new Date(first), new Date(second)];
  if (length === 10) return Math.floor(second / DAY) - Math.floor(first / DAY) > 1;
  if (length === 7) {
    const months = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
    return months(to) > months(from);
  }
  return to.getUTCFullYear() > from.getUTCFullYear();
}

/** 4 for a year, 7 for a month, 10 for a day, more for a time. What is in another form is a time or a day. */
function precision(text: string): number {
  const match = /^\d{4}(-\d\d(-\d\d)?)?$/.exec(text);
  if (match !== null) return match[0].length;
  return /\d:\d\d/.test(text) || /^\d{10,}$/.test(text) ? 20 : 10;
}
