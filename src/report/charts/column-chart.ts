/** Columns over an axis, as SVG: dates and histograms. Drawn when the report is made, and again by its script. */
import { max, sum } from 'd3-array';
import { scaleBand, scaleLinear } from 'd3-scale';
import { number } from '../../problems/wording.ts';
import { escaped } from './text.ts';

/** One column. */
export interface ChartColumn {
  /** Below the axis. */
  readonly label: string;
  readonly value: number;
  /** What the column says by itself: `May 2024: 12 pages`. */
  readonly title: string;
  /** What a click leads to, if anything. */
  readonly key?: string | undefined;
  /** Whether it is beyond a limit. */
  readonly isOver?: boolean | undefined;
}

/** What a chart is drawn from. */
export interface ColumnChartData {
  /** What the chart shows, for who cannot see it. */
  readonly title: string;
  readonly columns: readonly ChartColumn[];
  /** Where a limit is: in front of this column. */
  readonly limitBefore?: number | undefined;
}

/** Text has the same size on a desk and on a phone, so a chart is drawn for both: whole or half as wide as the page. */
export const WIDTHS = { whole: 720, half: 500, narrow: 340 } as const;

/** What a chart is drawn for. */
export type ChartSize = keyof typeof WIDTHS;

const HEIGHT = 240;
const MARGIN = { top: 26, right: 24, bottom: 28, left: 52 };
/** A column with more than this share is labelled. */
const LABELLED = 0.2;
const WIDEST_COLUMN = 64;
const LABEL_WIDTH = 40;

/** Both drawings. */
export function columnChart(data: ColumnChartData, size: 'whole' | 'half'): string {
  return `${drawn(data, size)}${drawn(data, 'narrow')}`;
}

function drawn({ title, columns, limitBefore }: ColumnChartData, size: ChartSize): string {
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
  const every = Math.max(1, Math.ceil((columns.length * LABEL_WIDTH) / (width - MARGIN.left)));
  const bars = columns.map((column, index) => {
    const left = (x(index) ?? 0) + (x.bandwidth() - bandwidth) / 2;
    const middle = round(left + bandwidth / 2);
    // What is there is seen, however little it is.
    const top = column.value === 0 ? bottom : Math.min(y(column.value), bottom - 1.5);
    const isLabelled = total > 0 && column.value / total > LABELLED;
    const label = isLabelled
      ? `<text class="value" x="${middle}" y="${round(top) - 6}" text-anchor="middle">${number(column.value)}</text>`
      : '';
    const name =
      index % every === 0
        ? `<text class="tick" x="${middle}" y="${bottom + 18}" text-anchor="middle">${escaped(column.label)}</text>`
        : '';
    const key = column.key === undefined ? '' : ` data-key="${escaped(column.key)}"`;
    // The texts are in front of the bar, whose own name says more than they do.
    return (
      `${label}${name}<g class="bar${column.isOver === true ? ' over' : ''}" data-value="${column.value}"${key}>` +
      `<title>${escaped(column.title)}</title>` +
      `<rect class="hit" x="${round(left)}" y="${MARGIN.top}" width="${round(bandwidth)}" ` +
      `height="${bottom - MARGIN.top}"/>` +
      `<rect class="fill" x="${round(left)}" y="${round(top)}" width="${round(bandwidth)}" ` +
      `height="${round(bottom - top)}" rx="2"/>` +
      '</g>'
    );
  });
  const limit =
    limitBefore === undefined ? '' : limitLine((x(limitBefore) ?? 0) - (x.step() - x.bandwidth()) / 2);
  return (
    `<svg class="chart ${size === 'narrow' ? size : 'wide'}" viewBox="0 0 ${width} ${HEIGHT}" ` +
    `width="${width}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}">` +
    `${lines.join('')}<line class="axis" x1="${MARGIN.left}" x2="${width - MARGIN.right}" y1="${bottom}" ` +
    `y2="${bottom}"/>` +
    `${bars.join('')}${limit}</svg>`
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
