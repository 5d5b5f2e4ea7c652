/** Counts pages by day, month and year. */
import type { DateSummary, MonthCount, YearCount } from './tree-summary.ts';

const DAY_MS = 86_400_000;

/** The days of 55 years. With more days, a new day counts for its month only. */
const MOST_DAYS = 20_000;

export class DateCounts {
  /** By days since 1970. */
  readonly #days = new Map<number, number>();
  /** By months since the year 0, if there are too many days. */
  readonly #months = new Map<number, number>();
  #undated = 0;
  #future = 0;
  #oldest = Number.POSITIVE_INFINITY;
  #newest = Number.NEGATIVE_INFINITY;

  /**
   * @param time - the page's date, in milliseconds; `NaN` if it has none
   * @param now - when its document was requested, in milliseconds
   */
  add(time: number, now: number): void {
    if (Number.isNaN(time)) {
      this.#undated++;
      return;
    }
    if (time > now + DAY_MS) {
      this.#future++;
      return;
    }
    if (time < this.#oldest) this.#oldest = time;
    if (time > this.#newest) this.#newest = time;
    const day = Math.floor(time / DAY_MS);
    const ofDay = this.#days.get(day);
    if (ofDay !== undefined || this.#days.size < MOST_DAYS) {
      this.#days.set(day, (ofDay ?? 0) + 1);
      return;
    }
    const month = monthOf(new Date(time));
    this.#months.set(month, (this.#months.get(month) ?? 0) + 1);
  }

  summary(): DateSummary {
    const years = this.#years();
    const hasDates = this.#newest !== Number.NEGATIVE_INFINITY;
    return {
      dated: years.reduce((sum, { pages }) => sum + pages, 0),
      undated: this.#undated,
      future: this.#future,
      ...(hasDates && { oldest: dayText(this.#oldest), newest: dayText(this.#newest) }),
      years,
    };
  }

  #years(): YearCount[] {
    const months = new Map<number, { pages: number; days: { day: number; pages: number }[] }>();
    const add = (number: number, pages: number) => {
      const month = months.get(number) ?? { pages: 0, days: [] };
      months.set(number, month);
      month.pages += pages;
      return month;
    };
    for (const [day, pages] of [...this.#days].sort((a, b) => a[0] - b[0])) {
      const date = new Date(day * DAY_MS);
      add(monthOf(date), pages).days.push({ day: date.getUTCDate(), pages });
    }
    // These months have days that were not counted.
    for (const [number, pages] of this.#months) add(number, pages).days = [];
    const years = new Map<number, { year: number; pages: number; months: MonthCount[] }>();
    for (const [number, { pages, days }] of [...months].sort((a, b) => a[0] - b[0])) {
      const year = Math.floor(number / 12);
      const entry = years.get(year) ?? { year, pages: 0, months: [] };
      entry.pages += pages;
      entry.months.push({ month: number - year * 12 + 1, pages, days });
      years.set(year, entry);
    }
    return [...years.values()];
  }
}

/** Months since the year 0. */
function monthOf(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function dayText(time: number): string {
  return new Date(time).toISOString().replace(/T.*/, '');
}
