/** Rows as lines of NDJSON and of CSV; schema.ts has the columns. */
import { stringify } from 'csv-stringify/sync';
import type { LineFormat } from './gzip-part.ts';
import { COLUMNS, valuesOf } from './schema.ts';

const SITE_AT = '{"site":'.length;
const NAMES = COLUMNS.map(({ name }) => name);

/** One JSON object per row, without what is absent. */
export const NDJSON: LineFormat = {
  header: '',
  lines: (site, rows) =>
    rows
      .map((row) => {
        const values = valuesOf(row, site);
        return `${JSON.stringify(Object.fromEntries(NAMES.map((name, at) => [name, values[at]])))}\n`;
      })
      .join(''),
  // Only the first field is parsed. Within a text the quotes would be escaped.
  siteOf: (line) => JSON.parse(line.slice(SITE_AT, line.indexOf(',"sitemap":'))),
  isWhole: () => true,
};

/** One row per page below a row of names; structs and lists are JSON. */
export const CSV: LineFormat = {
  header: cells([NAMES]),
  lines: (site, rows) => cells(rows.map((row) => valuesOf(row, site).map(cell))),
  // A site is a URL, which has no quotes: one that is quoted has a comma.
  siteOf: (line) =>
    line.startsWith('"') ? line.slice(1, line.indexOf('",')) : line.slice(0, line.indexOf(',')),
  isWhole: (text) => (text.split('"').length - 1) % 2 === 0,
};

type Cell = string | number | undefined;

function cell(value: unknown): Cell {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value as Cell;
}

// As in `usp ls -f csv`: a cell that a spreadsheet would take for a formula gets a ' in front.
function cells(rows: readonly (readonly Cell[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    { escape_formulas: true, quoted_match: /[\r\n]/ },
  );
}
