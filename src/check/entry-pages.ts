/**
 * Finds the page of reports about an entry. The address of an entry is known at its end. The strict XML reader may be
 * behind the parser by a chunk or a long tag, or ahead of it at a tag that is cut. So reports are assigned to entries
 * by offset, not by time. A report whose entry has not ended waits, and so do all reports after it: findings keep the
 * order of reports.
 */
import type { Report } from './rule.ts';

/** If more reports than this wait, they are passed on without a page, so that a hostile entry needs little memory. */
const MOST_HELD = 256;

type Deliver = (report: Report) => void;

/** An entry that has ended: where its start and end tags are, and its address. */
interface EndedEntry {
  readonly start: number;
  readonly end: number;
  readonly page: string | undefined;
}

/** @internal */
export class EntryPages {
  readonly #reports: { report: Report; readonly deliver: Deliver }[] = [];
  /** The entries that may still get reports, in their order. */
  readonly #endedEntries: EndedEntry[] = [];
  /** Where the open entry begins; undefined between entries. */
  #start: number | undefined;
  #page: string | undefined;
  #lastEnd = -1;

  /** Forgets the entries that end before an offset: there will be no more reports about them. */
  forget(offset: number): void {
    const count = lastUpTo(this.#endedEntries, 'end', offset - 1) + 1;
    if (count === 0) return;
    // A report that waits behind one of a later entry may be about one of these.
    for (const each of this.#reports) each.report = this.#withPage(each.report);
    this.#endedEntries.splice(0, count);
  }

  start(offset: number): void {
    this.#start = offset;
    this.#page = undefined;
    if (this.#reports.length > 0) this.#release();
  }

  /** Takes the address of the open entry, or of one without a start tag: a `loc` that is in no `url`. */
  locate(page: string, offset: number): void {
    if (this.#start !== undefined) {
      this.#page ??= page;
      return;
    }
    if (this.#reports.length === 0) return;
    this.#start = offset;
    this.#page = page;
    this.end(Math.max(offset, this.#reports.at(-1)!.report.offset ?? 0));
  }

  end(offset: number): void {
    if (this.#start === undefined) return;
    this.#endedEntries.push({ start: this.#start, end: offset, page: this.#page });
    this.#start = undefined;
    this.#lastEnd = offset;
    if (this.#reports.length > 0) this.#release();
  }

  /** Passes a report on with the page of its entry: at once, or when the page is known. */
  add(report: Report, deliver: Deliver): void {
    const reportWithPage = this.#withPage(report);
    if (this.#reports.length === 0 && !this.#isAhead(reportWithPage)) {
      deliver(reportWithPage);
      return;
    }
    if (this.#reports.length >= MOST_HELD) this.#deliver(MOST_HELD);
    this.#reports.push({ report: reportWithPage, deliver });
  }

  /** Called at the end of the document: later reports are about the whole document, and do not wait. */
  close(): void {
    this.#lastEnd = Number.POSITIVE_INFINITY;
    this.end(this.#lastEnd);
    this.#deliver(this.#reports.length);
    this.forget(Number.POSITIVE_INFINITY);
  }

  /** Whether the entry of a report has not ended, or the parser has not reached it. */
  #isAhead({ offset, page }: Report): boolean {
    return page === undefined && offset !== undefined && offset >= (this.#start ?? this.#lastEnd + 1);
  }

  #release(): void {
    const first = this.#reports.findIndex(({ report }) => this.#isAhead(report));
    this.#deliver(first < 0 ? this.#reports.length : first);
  }

  #deliver(count: number): void {
    for (const { report, deliver } of this.#reports.splice(0, count)) deliver(this.#withPage(report));
  }

  #withPage(report: Report): Report {
    const { offset, page } = report;
    const isOfOpen = offset !== undefined && this.#start !== undefined && offset >= this.#start;
    if (page !== undefined || offset === undefined || isOfOpen) return report;
    const entry = this.#endedEntries[lastUpTo(this.#endedEntries, 'start', offset)];
    if (entry?.page === undefined || offset > entry.end) return report;
    return { ...report, page: entry.page };
  }
}

/** The index of the last entry whose start or end is not greater than a value; -1 if there is none. */
function lastUpTo(sorted: readonly EndedEntry[], side: 'start' | 'end', value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]![side] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
