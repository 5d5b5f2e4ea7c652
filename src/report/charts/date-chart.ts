/**
 * Pages by last modification: a chart of years, of the months of a year, of the days of a month. The same data gives
 * the first chart when the report is made, and the others when a reader drills down.
 */
import { count, number } from '../../problems/wording.ts';
import type { ChartColumn, ColumnChartData } from './column-chart.ts';

/** Years, months and days in the report: `[year, pages, [[month, pages, [[day, pages]]]]]`. */
export type DateData = readonly YearData[];
type YearData = readonly [year: number, pages: number, months: readonly MonthData[]];
type MonthData = readonly [month: number, pages: number, days: readonly DayData[]];
type DayData = readonly [day: number, pages: number];

const MONTHS: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

const MOST_COLUMNS = 60;

/** The chart of a place: `''` for the years, `2024` for its months, `2024-05` for its days. */
export function dateChart(data: DateData, place: string): ColumnChartData | undefined {
  const [, yearText, monthText] = /^(-?\d+)(?:-(\d\d))?$/.exec(place) ?? [];
  if (yearText === undefined) return place === '' ? yearsChart(data) : undefined;
  const year = data.find(([number]) => number === Number(yearText));
  if (year === undefined) return undefined;
  if (monthText === undefined) return monthsChart(year);
  const month = year[2].find(([number]) => number === Number(monthText));
  return month === undefined || month[2].length === 0 ? undefined : daysChart(year[0], month);
}

function yearsChart(data: DateData): ColumnChartData {
  const byYear = new Map(data.map((year) => [year[0], year]));
  const last = data.at(-1)?.[0] ?? 0;
  const first = data[0]?.[0] ?? 0;
  const from = Math.max(first, last - MOST_COLUMNS + 2);
  const columns: ChartColumn[] = [];
  if (first < from) {
    const earlier = data.filter(([year]) => year < from).reduce((sum, [, pages]) => sum + pages, 0);
    columns.push({ label: `<${from}`, value: earlier, title: `before ${from}: ${count(earlier, 'page')}` });
  }
  for (let year = from; year <= last && data.length > 0; year++) {
    const [, pages, months] = byYear.get(year) ?? [year, 0, []];
    const key = months.length > 0 ? String(year) : undefined;
    columns.push({ label: String(year), value: pages, title: `${year}: ${count(pages, 'page')}`, key });
  }
  return { title: `Pages by year of last modification, ${columns.length} columns`, columns };
}

function monthsChart([year, , months]: YearData): ColumnChartData {
  const byMonth = new Map(months.map((month) => [month[0], month]));
  const columns = MONTHS.map((name, index): ChartColumn => {
    const [, pages, days] = byMonth.get(index + 1) ?? [index + 1, 0, []];
    const key = days.length > 0 ? `${year}-${String(index + 1).padStart(2, '0')}` : undefined;
    return { label: name.slice(0, 3), value: pages, title: `${name} ${year}: ${count(pages, 'page')}`, key };
  });
  return { title: `Pages by month of last modification, ${year}`, columns };
}

function daysChart(year: number, [month, , days]: MonthData): ColumnChartData {
  const byDay = new Map(days);
  const name = MONTHS[month - 1] ?? '';
  const length = new Date(Date.UTC(2000, month, 0)).getUTCDate();
  // February has 29 days only where the year has.
  const isShort = month === 2 && new Date(Date.UTC(year, 2, 0)).getUTCDate() === 28;
  const columns = Array.from({ length: isShort ? 28 : length }, (_, index): ChartColumn => {
    const pages = byDay.get(index + 1) ?? 0;
    return {
      label: String(index + 1),
      value: pages,
      title: `${index + 1} ${name} ${year}: ${count(pages, 'page')}`,
    };
  });
  return { title: `Pages by day of last modification, ${name} ${year}`, columns };
}

/** The place as people say it. */
export function datePlaceInWords(place: string): string {
  const [year = '', month] = place.split('-');
  return month === undefined ? year : `${MONTHS[Number(month) - 1]} ${year}`;
}

/** The chart as the rows of a table. */
export function chartRows({ columns }: ColumnChartData): string {
  return columns
    .map(({ title, value }) => {
      const name = title.slice(0, title.lastIndexOf(':'));
      return `<tr><th scope="row">${name.replaceAll('<', '&lt;')}</th><td class="n">${number(value)}</td></tr>`;
    })
    .join('');
}
