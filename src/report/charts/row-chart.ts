/** Rows with a bar below their name, as SVG: folders and languages. A bar may have several parts. */
import { max, sum } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { stack } from 'd3-shape';
import { number } from '../../problems/wording.ts';
import { type ChartSize, WIDTHS } from './column-chart.ts';
import { clipped, escaped, untrusted } from './text.ts';

/** One row. */
export interface ChartRow {
  readonly name: string;
  /** One for each part. */
  readonly values: readonly number[];
  readonly title: string;
  /** What a click leads to, if anything. */
  readonly key?: string | undefined;
}

/** What a chart is drawn from. */
export interface RowChartData {
  readonly title: string;
  /** The class of each part. */
  readonly parts: readonly string[];
  readonly rows: readonly ChartRow[];
  /** Each bar is as long as the chart, and its parts are shares. @default false */
  readonly isShare?: boolean | undefined;
}

const ROW = 36;
const BAR = 10;
const CHAR_WIDTH = 7.2;
const VALUE_WIDTH = 90;

/** Both drawings. */
export function rowChart(data: RowChartData): string {
  return `${drawn(data, 'half')}${drawn(data, 'narrow')}`;
}

function drawn({ title, parts, rows, isShare = false }: RowChartData, size: ChartSize): string {
  const width = WIDTHS[size];
  const height = rows.length * ROW + 4;
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
      `<text class="name" x="0" y="${top + 15}">${escaped(clipped(row.name, longest))}</text>` +
      `<text class="amount" x="${width}" y="${top + 15}" text-anchor="end">${number(total)}</text>` +
      `<g class="bar" data-value="${total}"${key}><title>${escaped(row.title)}</title>` +
      `<rect class="hit" x="0" y="${top}" width="${width}" height="${ROW}"/>` +
      `<rect class="track" x="0" y="${top + 22}" width="${width}" height="${BAR}" rx="2"/>${bars.join('')}</g>`
    );
  });
  return (
    `<svg class="chart ${size === 'narrow' ? size : 'wide'}" viewBox="0 0 ${width} ${height}" ` +
    `width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">${lines.join('')}</svg>`
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The chart as the rows of a table. */
export function rowChartRows({ rows }: RowChartData): string {
  return rows
    .map(({ name, values }) => {
      const cells = values.map((value) => `<td class="n">${number(value)}</td>`).join('');
      return `<tr><th scope="row">${untrusted(name)}</th>${cells}</tr>`;
    })
    .join('');
}
