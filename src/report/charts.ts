/**
 * The charts of a report, as SVG, and text that is safe in it. They are drawn when the report is made, and again by the
 * page's own script when a reader drills down: there is nothing of Node here. The build puts d3 into this one module.
 */

import { max, sum } from 'd3-array';
import { scaleBand, scaleLinear } from 'd3-scale';
import { stack } from 'd3-shape';
import { count, number } from '../problems/wording.ts';

/** What a short text is allowed to have before it is cut in the middle. */
const LONGEST = 160;
/** Characters at the end that are kept: the file name of a URL is there. */
const KEPT_END = 40;

/**
 * Controls and format characters: those that change the direction of the text around them, and what HTML does not
 * allow. Joiners are left: emoji and some scripts need them.
 */
const INVISIBLE = /(?!\t|\n|\r|\u00ad|\u200c|\u200d)[\p{Cc}\p{Cf}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML. Invisible characters are shown by their number: they are a mistake or a trick in any value here. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(
      INVISIBLE,
      (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    )
    .replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
}

/** A text of bounded length: the middle of a long one is left out. */
export function withoutMiddle(text: string, longest: number = LONGEST): string {
  if (text.length <= longest) return text;
  const end = Math.min(KEPT_END, Math.floor(longest / 3));
  return `${text.slice(0, longest - end - 1)}…${text.slice(-end)}`;
}

/** Untrusted text as HTML, isolated from the direction of what is around it. */
export function untrusted(text: string, longest?: number): string {
  return `<bdi>${escaped(withoutMiddle(text, longest))}</bdi>`;
}

export interface ChartColumn {
  /** Below the axis. */
  readonly label: string;
  readonly value: number;
  /** What the column is for: `May 2024`. */
  readonly name: string;
  /** What a click leads to, if anything. */
  readonly key?: string | undefined;
  readonly isOver?: boolean | undefined;
}

export interface ColumnChartData {
  /** What the chart shows, for who cannot see it. */
  readonly title: string;
  readonly columns: readonly ChartColumn[];
  /** What is counted. */
  readonly unit: 'page' | 'sitemap';
  /** Where a limit is: in front of this column. */
  readonly limitBefore?: number | undefined;
}

/** Text has the same size on a desk and on a phone, so a chart is drawn for both: whole or half as wide as the page. */
const WIDTHS = { whole: 720, half: 500, narrow: 340 } as const;

type ChartSize = keyof typeof WIDTHS;

const HEIGHT = 240;
const MARGIN = { top: 26, right: 24, bottom: 28, left: 52 };
/** A column with more than this share is labelled. */
const LABELLED = 0.2;
const WIDEST_COLUMN = 64;
const LETTER_WIDTH = 8;

export function columnChart(data: ColumnChartData, size: 'whole' | 'half'): string {
  return `${drawnColumns(data, size)}${drawnColumns(data, 'narrow')}`;
}

function drawnColumns({ title, columns, unit, limitBefore }: ColumnChartData, size: ChartSize): string {
  const width = WIDTHS[size];
  const bottom = HEIGHT - MARGIN.bottom;
  const x = scaleBand<number>()
    .domain(columns.map((_, index) => index))
    .range([MARGIN.left, width - MARGIN.right])
    .paddingInner(columns.length > 30 ? 0.12 : 0.22)
    .paddingOuter(0.1);
  const y = scaleLinear()
    .domain([0, Math.max(1, max(columns, ({ value }) => value) ?? 0)])
    .nice(3)
    .range([bottom, MARGIN.top]);
  const total = sum(columns, ({ value }) => value);
  const ticks = y.ticks(3).filter(Number.isInteger);
  const lines = ticks.map((tick) => {
    const at = round(y(tick));
    return (
      `<line class="grid" x1="${MARGIN.left}" x2="${width - MARGIN.right}" y1="${at}" y2="${at}"/>` +
      `<text class="tick" x="${MARGIN.left - 8}" y="${at + 4}" text-anchor="end">${short(tick)}</text>`
    );
  });
  const bandwidth = Math.min(x.bandwidth(), WIDEST_COLUMN);
  const labelWidth = LETTER_WIDTH * Math.max(5, ...columns.map(({ label }) => label.length));
  const every = Math.max(1, Math.ceil((columns.length * labelWidth) / (width - MARGIN.left)));
  const bars = columns.map((column, index) => {
    const left = (x(index) ?? 0) + (x.bandwidth() - bandwidth) / 2;
    const middle = round(left + bandwidth / 2);
    // What is there is seen, however little it is.
    const top = column.value === 0 ? bottom : Math.min(y(column.value), bottom - 1.5);
    const isLabelled = total > 0 && column.value / total > LABELLED;
    const label = isLabelled
      ? `<text class="value" x="${middle}" y="${round(top) - 6}" text-anchor="middle">${number(column.value)}</text>`
      : '';
    const below =
      index % every === 0
        ? `<text class="tick" x="${middle}" y="${bottom + 18}" text-anchor="middle">${escaped(column.label)}</text>`
        : '';
    const key = column.key === undefined ? '' : ` data-key="${escaped(column.key)}"`;
    // The texts are in front of the bar, whose own name says more than they do.
    return (
      `${label}${below}<g class="bar${column.isOver === true ? ' over' : ''}" data-value="${column.value}"${key}>` +
      `<title>${escaped(`${column.name}: ${count(column.value, unit)}`)}</title>` +
      `<rect class="hit" x="${round(left)}" y="${MARGIN.top}" width="${round(bandwidth)}" ` +
      `height="${bottom - MARGIN.top}"/>` +
      `<rect class="fill" x="${round(left)}" y="${round(top)}" width="${round(bandwidth)}" ` +
      `height="${round(bottom - top)}" rx="2"/>` +
      '</g>'
    );
  });
  const limit =
    limitBefore === undefined ? '' : limitLine((x(limitBefore) ?? 0) - (x.step() - x.bandwidth()) / 2);
  const axis = `<line class="axis" x1="${MARGIN.left}" x2="${width - MARGIN.right}" y1="${bottom}" y2="${bottom}"/>`;
  return image(title, size, HEIGHT, [...lines, axis, ...bars, limit]);
}

function image(title: string, size: ChartSize, height: number, parts: readonly string[]): string {
  const width = WIDTHS[size];
  return (
    `<svg class="chart ${size === 'narrow' ? size : 'wide'}" viewBox="0 0 ${width} ${height}" ` +
    `width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">${parts.join('')}</svg>`
  );
}

function limitLine(at: number): string {
  const x = round(at);
  return (
    `<line class="limit" x1="${x}" x2="${x}" y1="12" y2="${HEIGHT - MARGIN.bottom}"/>` +
    `<text class="tick" x="${x - 6}" y="20" text-anchor="end">limit: 100 %</text>`
  );
}

/** `1.5M`: the numbers of an axis are round, and have little room. */
function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toFixed(2))}M`;
  return value >= 1e4 ? `${Number((value / 1e3).toFixed(1))}k` : number(value);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

interface ChartRow {
  readonly name: string;
  /** One for each part. */
  readonly values: readonly number[];
  readonly title: string;
  readonly key?: string | undefined;
}

/** Rows with a bar below their name: folders and languages. A bar may have several parts. */
export interface RowChartData {
  readonly title: string;
  readonly parts: readonly string[];
  readonly rows: readonly ChartRow[];
  /** Each bar is as long as the chart, and its parts are shares. @default false */
  readonly isShare?: boolean | undefined;
}

const ROW = 36;
const BAR = 10;
const CHAR_WIDTH = 7.2;
const VALUE_WIDTH = 90;

export function rowChart(data: RowChartData): string {
  return `${drawnRows(data, 'half')}${drawnRows(data, 'narrow')}`;
}

function drawnRows({ title, parts, rows, isShare = false }: RowChartData, size: ChartSize): string {
  const width = WIDTHS[size];
  const most = max(rows, ({ values }) => sum(values)) ?? 0;
  const series = stack<ChartRow, number>()
    .keys(parts.map((_, index) => index))
    .value(({ values }, part) => values[part] ?? 0)([...rows]);
  const longest = Math.floor((width - VALUE_WIDTH) / CHAR_WIDTH);
  const lines = rows.map((row, index) => {
    const total = sum(row.values);
    const x = scaleLinear()
      .domain([0, Math.max(1, isShare ? total : most)])
      .range([0, width]);
    const top = index * ROW;
    const bars = series.map((part, at) => {
      const [from, to] = part[index] ?? [0, 0];
      if (to === from) return '';
      // What is there is seen, however little it is.
      const length = Math.max(2, x(to) - x(from));
      return (
        `<rect class="fill ${parts[at]}" data-part="${parts[at]}" data-value="${to - from}" ` +
        `x="${round(Math.min(x(from), width - length))}" y="${top + 22}" width="${round(length)}" ` +
        `height="${BAR}" rx="2"/>`
      );
    });
    const key = row.key === undefined ? '' : ` data-key="${escaped(row.key)}"`;
    return (
      `<text class="name" x="0" y="${top + 15}">${escaped(withoutMiddle(row.name, longest))}</text>` +
      `<text class="amount" x="${width}" y="${top + 15}" text-anchor="end">${number(total)}</text>` +
      `<g class="bar" data-value="${total}"${key}><title>${escaped(row.title)}</title>` +
      `<rect class="hit" x="0" y="${top}" width="${width}" height="${ROW}"/>` +
      `<rect class="track" x="0" y="${top + 22}" width="${width}" height="${BAR}" rx="2"/>${bars.join('')}</g>`
    );
  });
  return image(title, size, rows.length * ROW + 4, lines);
}

export function rowChartRows({ rows }: RowChartData): string {
  return rows
    .map(({ name, values }) => {
      const cells = values.map((value) => `<td class="n">${number(value)}</td>`).join('');
      return `<tr><th scope="row">${untrusted(name)}</th>${cells}</tr>`;
    })
    .join('');
}

/** Years, months and days in the report: `[year, pages, [[month, pages, [[day, pages]]]]]`. */
export type DateData = readonly YearData[];
type YearData = readonly [year: number, pages: number, months: readonly MonthData[]];
type MonthData = readonly [month: number, pages: number, days: readonly DayData[]];
type DayData = readonly [day: number, pages: number];

const MONTHS: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const MOST_COLUMNS = 60;

/** Pages by last modification at a place: `''` for the years, `2024` for its months, `2024-05` for its days. */
export function dateChart(data: DateData, place: string): ColumnChartData | undefined {
  const [, yearText, monthText] = /^(-?\d+)(?:-(\d\d))?$/.exec(place) ?? [];
  if (yearText === undefined) return place === '' ? yearsChart(data) : undefined;
  const year = data.find(([number]) => number === Number(yearText));
  if (year === undefined) return undefined;
  if (monthText === undefined) return monthsChart(year);
  const month = year[2].find(([number]) => number === Number(monthText));
  return month === undefined || month[2].length === 0 ? undefined : daysChart(year[0], month);
}

/** Within so many years, months say more. */
const MOST_YEARS_BY_MONTH = 3;

function yearsChart(data: DateData): ColumnChartData {
  const first = data[0]?.[0] ?? 0;
  const last = data.at(-1)?.[0] ?? 0;
  const areMonthsKnown = data.every(([, , months]) => months.length > 0);
  if (data.length > 0 && last - first < MOST_YEARS_BY_MONTH && areMonthsKnown) return yearsByMonth(data);
  return yearsByYear(data, first, last);
}

/** From the first month that has pages to the last. */
function yearsByMonth(data: DateData): ColumnChartData {
  const byMonth = new Map(
    data.flatMap(([year, , months]) => months.map((each) => [year * 12 + each[0] - 1, each])),
  );
  const numbers = [...byMonth.keys()];
  const columns: ChartColumn[] = [];
  for (let at = Math.min(...numbers); at <= Math.max(...numbers); at++) {
    columns.push(monthColumn(Math.floor(at / 12), at % 12, byMonth.get(at), true));
  }
  return { title: `Pages by month of last modification, ${columns.length} columns`, columns, unit: 'page' };
}

function monthColumn(
  year: number,
  index: number,
  month: MonthData | undefined,
  hasYear: boolean,
): ChartColumn {
  const [, pages, days] = month ?? [index + 1, 0, []];
  const name = MONTHS[index] ?? '';
  const number = String(index + 1).padStart(2, '0');
  return {
    label: hasYear ? `${year}-${number}` : name.slice(0, 3),
    value: pages,
    name: `${name} ${year}`,
    key: days.length > 0 ? `${year}-${number}` : undefined,
  };
}

function yearsByYear(data: DateData, first: number, last: number): ColumnChartData {
  const byYear = new Map(data.map((year) => [year[0], year]));
  const from = Math.max(first, last - MOST_COLUMNS + 2);
  const columns: ChartColumn[] = [];
  if (first < from) {
    const earlier = data.filter(([year]) => year < from).reduce((sum, [, pages]) => sum + pages, 0);
    columns.push({ label: `<${from}`, value: earlier, name: `before ${from}` });
  }
  for (let year = from; year <= last && data.length > 0; year++) {
    const [, pages, months] = byYear.get(year) ?? [year, 0, []];
    const key = months.length > 0 ? String(year) : undefined;
    columns.push({ label: String(year), value: pages, name: String(year), key });
  }
  return { title: `Pages by year of last modification, ${columns.length} columns`, columns, unit: 'page' };
}

function monthsChart([year, , months]: YearData): ColumnChartData {
  const byMonth = new Map(months.map((month) => [month[0], month]));
  const columns = MONTHS.map((_, index) => monthColumn(year, index, byMonth.get(index + 1), false));
  return { title: `Pages by month of last modification, ${year}`, columns, unit: 'page' };
}

function daysChart(year: number, [month, , days]: MonthData): ColumnChartData {
  const byDay = new Map(days);
  const name = MONTHS[month - 1] ?? '';
  const length = new Date(Date.UTC(2000, month, 0)).getUTCDate();
  // February has 29 days only where the year has.
  const isShort = month === 2 && new Date(Date.UTC(year, 2, 0)).getUTCDate() === 28;
  const columns = Array.from({ length: isShort ? 28 : length }, (_, index): ChartColumn => {
    const day = index + 1;
    return { label: String(day), value: byDay.get(day) ?? 0, name: `${day} ${name} ${year}` };
  });
  return { title: `Pages by day of last modification, ${name} ${year}`, columns, unit: 'page' };
}

export function datePlaceInWords(place: string): string {
  const [year = '', month] = place.split('-');
  return month === undefined ? year : `${MONTHS[Number(month) - 1]} ${year}`;
}

export function chartRows({ columns }: ColumnChartData): string {
  return columns
    .map(
      ({ name, value }) =>
        `<tr><th scope="row">${escaped(name)}</th><td class="n">${number(value)}</td></tr>`,
    )
    .join('');
}

/** A folder in the report: `[name, pages, direct, other, folders]`. */
export type FolderData = readonly [
  name: string,
  pages: number,
  direct: number,
  other: number,
  folders: readonly FolderData[],
];

/** The folder at a place: the numbers of folders on the way down, with dots. Undefined where there is none. */
function folderAt(data: FolderData, place: string): FolderData | undefined {
  if (place === '') return data;
  let folder: FolderData | undefined = data;
  for (const number of place.split('.')) folder = folder?.[4][Number(number)];
  return folder;
}

export function folderPath(data: FolderData, place: string): string {
  let path = '/';
  let folder: FolderData | undefined = data;
  for (const number of place === '' ? [] : place.split('.')) {
    folder = folder?.[4][Number(number)];
    const name = folder?.[0] ?? '';
    path = name.includes('://') ? `${name}/` : `${path}${name}/`;
  }
  return path;
}

/** Pages by folder: the folders at a place. */
export function folderChart(data: FolderData, place: string): RowChartData | undefined {
  const folder = folderAt(data, place);
  if (folder === undefined) return undefined;
  const [, , direct, other, folders] = folder;
  const path = folderPath(data, place);
  const rows: ChartRow[] = folders.map(([name, pages, , , below], index) => {
    const shown = name.includes('://') ? name : `${path}${name}/`;
    const key = below.length > 0 ? (place === '' ? String(index) : `${place}.${index}`) : undefined;
    return { name: shown, values: [pages], title: `${shown}: ${count(pages, 'page')}`, key };
  });
  if (direct > 0) {
    const name = folders.length === 0 && other === 0 ? path : `directly in ${path}`;
    rows.push({ name, values: [direct], title: `${name}: ${count(direct, 'page')}` });
  }
  rows.sort((a, b) => b.values[0]! - a.values[0]!);
  if (other > 0)
    rows.push({ name: 'other folders', values: [other], title: `other folders: ${count(other, 'page')}` });
  return { title: `Pages by folder of ${path}, ${rows.length} rows`, parts: ['data'], rows };
}
