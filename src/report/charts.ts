/**
 * The charts of a report, each as one SVG that is as wide as its container, and text that is safe in it. Horizontal
 * places are percentages, so that text has the same size on a desktop and on a phone. The script of the page draws
 * charts, too, so nothing here needs Node.
 */
import { escapedHtml } from '../text/safe-text.ts';
import { count, number } from '../text/wording.ts';

/** A longer text is cut in the middle. */
const LONGEST = 160;
/** Characters at the end that are kept: the file name of a URL is there. */
const KEPT_END = 40;

/**
 * Control and format characters: HTML does not allow them, or they change the direction of the text around them.
 * Joiners are allowed: emoji and some scripts need them.
 */
export const INVISIBLE: RegExp = /(?!\t|\n|\r|\u00ad|\u200c|\u200d)[\p{Cc}\p{Cf}]/gu;

/**
 * Text as HTML. Invisible characters are shown by their number, since in these values they are a mistake or a trick.
 */
export function escaped(text: string): string {
  const visible = text
    .toWellFormed()
    .replaceAll(
      INVISIBLE,
      (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    );
  return escapedHtml(visible);
}

/** A text of bounded length. Not `clip`: the end of a URL tells it from others, so the middle is left out. */
export function withoutMiddle(text: string, longest: number = LONGEST): string {
  if (text.length <= longest) return text;
  const end = Math.min(KEPT_END, Math.floor(longest / 3));
  return `${text.slice(0, longest - end - 1)}…${text.slice(-end)}`;
}

/** Untrusted text as HTML, whose direction does not affect the text around it. */
export function untrusted(text: string, longest?: number): string {
  return `<bdi>${escaped(withoutMiddle(text, longest))}</bdi>`;
}

interface ChartBar {
  /** For example `May 2024` or `/blog/`. */
  readonly name: string;
  /** One for each segment. */
  readonly values: readonly number[];
  /** The text below a column. */
  readonly label?: string | undefined;
  /** The place that a click leads to, if any. */
  readonly key?: string | undefined;
  readonly isOver?: boolean | undefined;
}

/** A chart has columns, for times and percentages, or rows with a bar below their name, for folders and languages. */
export interface ChartData {
  readonly form: 'columns' | 'rows';
  /** What the chart shows, for screen readers. */
  readonly title: string;
  /** The name of its place, for the path above the chart. */
  readonly place?: string | undefined;
  readonly bars: readonly ChartBar[];
  /** What is counted. */
  readonly unit: 'page' | 'sitemap' | 'link';
  /** The classes of the segments of a bar. @default ['whole'] */
  readonly segments?: readonly string[] | undefined;
  /** Each bar is as long as the chart, and its segments are shares. @default false */
  readonly isShare?: boolean | undefined;
  /** The column after the line of a limit. */
  readonly limitBefore?: number | undefined;
}

const HEIGHT = 240;
const TOP = 26;
const BOTTOM = HEIGHT - 28;
/** A column with more than this share of the total is labelled. */
const LABELLED = 0.2;
/** A chart of few columns is narrower than its container. */
const WIDEST_STEP = 90;
const LETTER_WIDTH = 8;
/** The width of a chart in pixels: usually half of a page, and on a phone. */
const ROOM = { wide: 448, narrow: 288 };
/** How many letters of a name fit beside its number. */
const NAME_LETTERS = { wide: 56, narrow: 34 };
const ROW = 36;
const BAR = 10;
/** In percent of the width: a small value must be visible. */
const LEAST = 0.5;

export function chartMarkup(chart: ChartData): string {
  return chart.form === 'columns' ? drawnColumns(chart) : drawnRows(chart);
}

export function tableRows({ bars }: ChartData): string {
  return bars
    .map(({ name, values }) => {
      const cells = values.map((value) => `<td class="n">${number(value)}</td>`).join('');
      return `<tr><th scope="row">${untrusted(name)}</th>${cells}</tr>`;
    })
    .join('');
}

function drawnColumns(chart: ChartData): string {
  const { bars, limitBefore } = chart;
  const totals = bars.map(totalOf);
  const total = totals.reduce((sum, value) => sum + value, 0);
  const ticks = ticksTo(Math.max(1, ...totals));
  const y = (value: number): number => round(BOTTOM - ((BOTTOM - TOP) * value) / (ticks.at(-1) ?? 1));
  const lines = ticks.map(
    (tick) =>
      `<line class="grid" x1="0" x2="100%" y1="${y(tick)}" y2="${y(tick)}"/>` +
      `<text class="tick" x="-8" y="${y(tick) + 4}" text-anchor="end">${short(tick)}</text>`,
  );
  const step = 100 / bars.length;
  const width = step * (bars.length > 30 ? 0.88 : 0.78);
  const labelWidth = LETTER_WIDTH * Math.max(5, ...bars.map(({ label = '' }) => label.length));
  // The chart of dates has the whole width of a page.
  const wide = labelsEvery(bars.length * labelWidth, chart.unit === 'page' ? 1.5 * ROOM.wide : ROOM.wide);
  const narrow = wide * labelsEvery((bars.length * labelWidth) / wide, ROOM.narrow);
  const columns = bars.map((bar, index) => {
    const value = totals[index]!;
    const middle = percent((index + 0.5) * step);
    const top = value === 0 ? BOTTOM : Math.min(y(value), BOTTOM - 1.5);
    const isLabelled = total > 0 && value / total > LABELLED;
    const above = isLabelled
      ? `<text class="value" x="${middle}" y="${round(top - 6)}" text-anchor="middle">${number(value)}</text>`
      : '';
    const kind = index % narrow === 0 ? 'tick' : 'tick wide';
    const label = escaped(bar.label ?? '');
    const below =
      index % wide === 0
        ? `<text class="${kind}" x="${middle}" y="${BOTTOM + 18}" text-anchor="middle">${label}</text>`
        : '';
    const across = `x="${percent((index + 0.5) * step - width / 2)}" width="${percent(width)}"`;
    // The texts come before the bar, whose title says more.
    return (
      `${above}${below}${barStart(chart, bar)}<rect class="hit" ${across} y="${TOP}" height="${BOTTOM - TOP}"/>` +
      `<rect class="fill" ${across} y="${top}" height="${round(BOTTOM - top)}" rx="2"/></g>`
    );
  });
  const axis = `<line class="axis" x1="0" x2="100%" y1="${BOTTOM}" y2="${BOTTOM}"/>`;
  const limit = limitBefore === undefined ? '' : limitLine(percent(limitBefore * step));
  return image(chart, bars.length * WIDEST_STEP, HEIGHT, [...lines, axis, ...columns, limit]);
}

function drawnRows(chart: ChartData): string {
  const { bars, segments = ['whole'], isShare = false } = chart;
  const most = Math.max(1, ...bars.map(totalOf));
  const rows = bars.map((bar, index) => {
    const total = totalOf(bar);
    const whole = isShare ? Math.max(1, total) : most;
    const top = index * ROW;
    const across = (from: number, to: number): string => {
      const length = Math.max(LEAST, (100 * (to - from)) / whole);
      return `x="${percent(Math.min((100 * from) / whole, 100 - length))}" width="${percent(length)}"`;
    };
    let end = 0;
    const fills = bar.values.map((value, at) => {
      const start = end;
      end += value;
      if (value === 0) return '';
      return (
        `<rect class="fill ${segments[at]}" data-part="${segments[at]}" data-value="${value}" ${across(start, end)} ` +
        `y="${top + 22}" height="${BAR}" rx="2"/>`
      );
    });
    return (
      `${rowName(bar.name, top + 15)}` +
      `<text class="amount" x="100%" y="${top + 15}" text-anchor="end">${number(total)}</text>` +
      `${barStart(chart, bar)}<rect class="hit" x="0" y="${top}" width="100%" height="${ROW}"/>` +
      `<rect class="track" x="0" y="${top + 22}" width="100%" height="${BAR}" rx="2"/>${fills.join('')}</g>`
    );
  });
  return image(chart, '100%', bars.length * ROW + 4, rows);
}

/** A long name is cut in the middle, sooner on a phone. */
function rowName(name: string, y: number): string {
  const text = (kind: string, letters: number): string =>
    `<text class="name${kind}" x="0" y="${y}">${escaped(withoutMiddle(name, letters))}</text>`;
  if (name.length <= NAME_LETTERS.narrow) return text('', NAME_LETTERS.narrow);
  return text(' wide', NAME_LETTERS.wide) + text(' narrow', NAME_LETTERS.narrow);
}

function barStart({ unit, segments }: ChartData, bar: ChartBar): string {
  const { name, values, key, isOver = false } = bar;
  const total = totalOf(bar);
  const what =
    segments === undefined
      ? count(total, unit)
      : values.map((value, at) => `${number(value)} ${segments[at]?.replaceAll('-', ' ')}`).join(', ');
  return (
    `<g class="bar${isOver ? ' over' : ''}" data-value="${total}"` +
    `${key === undefined ? '' : ` data-key="${escaped(key)}"`}><title>${escaped(`${name}: ${what}`)}</title>`
  );
}

function image(
  { title, form }: ChartData,
  width: number | string,
  height: number,
  segments: readonly string[],
): string {
  return (
    `<svg class="chart ${form}" width="${width}" height="${height}" role="img" ` +
    `aria-label="${escaped(title)}">${segments.join('')}</svg>`
  );
}

function limitLine(x: string): string {
  return (
    `<line class="limit" x1="${x}" x2="${x}" y1="2" y2="${BOTTOM}"/>` +
    `<text class="tick" x="${x}" dx="-6" y="11" text-anchor="end">limit: 100 %</text>`
  );
}

/** Round numbers from 0 to at least the largest value, in at most four steps. */
function ticksTo(largest: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(largest / 4));
  const step = Math.max(1, power * ([1, 2, 5].find((factor) => 4 * factor * power >= largest) ?? 10));
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, at) => at * step);
}

/** Returns n if there is room for a label at every nth column. */
function labelsEvery(needed: number, room: number): number {
  return Math.max(1, Math.ceil(needed / room));
}

function totalOf({ values }: ChartBar): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** `1.5M`: the numbers of an axis are round, and have little room. */
function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toFixed(2))}M`;
  return value >= 1e4 ? `${Number((value / 1e3).toFixed(1))}k` : number(value);
}

function percent(value: number): string {
  return `${Math.round(value * 100) / 100}%`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The pages of a year, a month or a day, and of the periods within: `[2024, 7, [[5, 7, [[6, 7]]]]]`. */
export type PeriodData = readonly [number: number, pages: number, within?: readonly PeriodData[]];

const MONTHS: readonly string[] =
  'January February March April May June July August September October November December'.split(' ');

const MOST_COLUMNS = 60;

/** Pages by last modification at a place: `''` for the years, `2024` for its months, `2024-05` for its days. */
export function dateChart(data: readonly PeriodData[], place: string): ChartData | undefined {
  const [, yearText, monthText] = /^(-?\d+)(?:-(\d\d))?$/.exec(place) ?? [];
  if (yearText === undefined) return place === '' ? yearsChart(data) : undefined;
  const year = data.find(([number]) => number === Number(yearText));
  if (year === undefined) return undefined;
  const [number, , months = []] = year;
  if (monthText === undefined) {
    const bars = monthBars(monthsOf([year]), number * 12, number * 12 + 11, (month) => month.slice(0, 3));
    return datesChart('month', String(number), bars);
  }
  const [month, , days = []] = months.find((each) => each[0] === Number(monthText)) ?? [0, 0];
  return days.length === 0 ? undefined : daysChart(number, month, days);
}

/** For fewer years than this, the chart shows months. */
const MOST_YEARS_BY_MONTH = 3;

export function yearsChart(data: readonly PeriodData[]): ChartData {
  const first = data[0]?.[0] ?? 0;
  const last = data.at(-1)?.[0] ?? -1;
  const months = monthsOf(data);
  const isByMonth = last - first < MOST_YEARS_BY_MONTH && data.every(([, , within]) => within?.length);
  if (isByMonth && data.length > 0) {
    const bars = monthBars(months, months[0]![0], months.at(-1)![0], (_, key) => key);
    return datesChart('month', undefined, bars);
  }
  const from = Math.max(first, last - MOST_COLUMNS + 2);
  const years = periodBars(data, from, last, (year) => {
    const text = String(year);
    return { name: text, label: text, key: text };
  });
  if (first < from) {
    const earlier = data.filter(([year]) => year < from).reduce((sum, [, pages]) => sum + pages, 0);
    years.unshift({ label: `<${from}`, values: [earlier], name: `before ${from}` });
  }
  return datesChart('year', undefined, years);
}

/** The months of some years, counted from the year 0. */
function monthsOf(years: readonly PeriodData[]): readonly PeriodData[] {
  return years.flatMap(([year, , months = []]) =>
    months.map(([month, ...rest]): PeriodData => [year * 12 + month - 1, ...rest]),
  );
}

function monthBars(
  months: readonly PeriodData[],
  first: number,
  last: number,
  labelOf: (name: string, key: string) => string,
): ChartBar[] {
  return periodBars(months, first, last, (at) => {
    const year = Math.floor(at / 12);
    const index = at - year * 12;
    const name = MONTHS[index] ?? '';
    const key = `${year}-${String(index + 1).padStart(2, '0')}`;
    return { name: `${name} ${year}`, label: labelOf(name, key), key };
  });
}

function daysChart(year: number, month: number, days: readonly PeriodData[]): ChartData {
  const name = `${MONTHS[month - 1]} ${year}`;
  // Not `Date.UTC(year, …)`: it takes 24 for 1924. The calendar repeats after 400 years.
  const last = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  const bars = periodBars(days, 1, last, (day) => ({ name: `${day} ${name}`, label: String(day) }));
  return datesChart('day', name, bars);
}

/**
 * The bars of all periods from `first` to `last`; the data has only those with pages. A period with details has a key.
 */
function periodBars(
  data: readonly PeriodData[],
  first: number,
  last: number,
  wordsOf: (number: number) => Pick<ChartBar, 'name' | 'label' | 'key'>,
): ChartBar[] {
  const periods = new Map(data.map((period) => [period[0], period]));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const [, pages, within = []] = periods.get(first + index) ?? [0, 0];
    const { name, label, key } = wordsOf(first + index);
    return { name, label, values: [pages], key: within.length > 0 ? key : undefined };
  });
}

function datesChart(by: string, place: string | undefined, bars: readonly ChartBar[]): ChartData {
  const title = `Pages by ${by} of last modification, ${place ?? `${bars.length} columns`}`;
  return { form: 'columns', title, place: place ?? 'All years', bars, unit: 'page' };
}

/** A folder in the report: `[name, pages, direct, other, folders]`. */
export type FolderData = readonly [
  name: string,
  pages: number,
  direct: number,
  other: number,
  folders: readonly FolderData[],
];

/** Pages by folder, at a place: the numbers of the folders on the way down, joined by dots. */
export function folderChart(data: FolderData, place: string): ChartData | undefined {
  let folder: FolderData | undefined = data;
  let path = '/';
  for (const number of place === '' ? [] : place.split('.')) {
    folder = folder?.[4][Number(number)];
    const name = folder?.[0] ?? '';
    path = name.includes('://') ? `${name}/` : `${path}${name}/`;
  }
  if (folder === undefined) return undefined;
  const [, , direct, other, folders] = folder;
  const bars: ChartBar[] = folders.map(([name, pages, , , below], index) => {
    const label = name.includes('://') ? name : `${path}${name}/`;
    const key = below.length > 0 ? (place === '' ? String(index) : `${place}.${index}`) : undefined;
    return { name: label, values: [pages], key };
  });
  if (direct > 0) {
    const name = folders.length === 0 && other === 0 ? path : `directly in ${path}`;
    bars.push({ name, values: [direct] });
  }
  bars.sort((a, b) => b.values[0]! - a.values[0]!);
  if (other > 0) bars.push({ name: 'other folders', values: [other] });
  const title = `Pages by folder of ${path}, ${bars.length} rows`;
  return { form: 'rows', title, place: place === '' ? 'All folders' : path, bars, unit: 'page' };
}

/** The data that the script of the page needs to show details of the charts. */
export interface DrillData {
  readonly dates: readonly PeriodData[];
  readonly folders: FolderData;
}
