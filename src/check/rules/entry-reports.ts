/** What rules say about one entry, until its page is known: the address of an entry is heard of at its end. */
import { parseDate } from '../../parse/values/date.ts';
import { type CheckedDocument, oneOrMany, type Report, type RuleName } from '../rule.ts';
import { isW3cDate } from './lastmod.ts';

/** An entry with more reports than this gets them without the page, so that a hostile one is not kept. */
const MOST_HELD = 1000;

export class EntryReports {
  readonly #document: CheckedDocument;
  #held: Report[] = [];

  constructor(document: CheckedDocument) {
    this.#document = document;
  }

  add(report: Report): void {
    const { rule, cause, offset, severity } = report;
    // Of a rule that is broken everywhere, the number is enough.
    if (severity === undefined && this.#document.counts(rule, cause)) return;
    if (this.#held.length >= MOST_HELD) this.flush();
    this.#held.push(offset === undefined ? report : { ...report, position: this.#document.place(offset) });
  }

  /** The entry is over; `page` is its address, where it has one. */
  flush(page?: string): void {
    if (this.#held.length === 0) return;
    const held = this.#held;
    this.#held = [];
    for (const report of held) this.#document.report(page === undefined ? report : { ...report, page });
  }
}

/** Reports a date that can be understood and is not a W3C date. */
export function judgeDate(reports: EntryReports, rule: RuleName, text: string, offset: number): void {
  if (Number.isNaN(parseDate(text)) || isW3cDate(text)) return;
  const shown = `"${text.slice(0, 100)}"`;
  const message = `${shown} is not a W3C date; Google ignores it.`;
  const total = oneOrMany(message, (many) => `${many} dates are not W3C dates; the first is ${shown}.`);
  reports.add({ rule, message, total, offset });
}
