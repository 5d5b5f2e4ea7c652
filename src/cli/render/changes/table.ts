/** `csv`: one change a row, below a row of names. The columns are fixed; new ones will be added at the end. */
import { stringify } from 'csv-stringify/sync';
import type { PageChange } from '../../../index.ts';
import { CHANGE_TYPES, type ChangeFormat } from './format.ts';

type Cell = (change: PageChange) => string | number | undefined;

const COLUMNS: Readonly<Record<string, Cell>> = {
  type: ({ type }) => type,
  url: ({ page }) => page.url,
  sitemap: ({ sitemap }) => sitemap.url,
  fields: ({ fields }) => fields?.join(' '),
  lastModified: ({ page }) => page.lastModified?.toISOString(),
  lastModifiedBefore: ({ before }) => before?.lastModified?.toISOString(),
  priority: ({ page }) => page.priority,
  priorityBefore: ({ before }) => before?.priority,
  changeFrequency: ({ page }) => page.changeFrequency,
  changeFrequencyBefore: ({ before }) => before?.changeFrequency,
};

export const table: ChangeFormat = {
  types: CHANGE_TYPES,
  header: `${Object.keys(COLUMNS).join(',')}\n`,
  lines(changes, { defuse }) {
    const cells = Object.values(COLUMNS);
    const rows = changes.map((change) => cells.map((cell) => cell(change)));
    // A cell that starts with =, +, -, @, tab or CR would be a formula to a spreadsheet: it gets a ' in front.
    return defuse(stringify(rows, { escape_formulas: true, quoted_match: /[\r\n]/ }));
  },
  footer: () => '',
};
