/** Rows as CSV (RFC 4180): one writer for listings, changes, findings and the parts of a crawl. */

export type CsvCell = string | number | boolean | null | undefined;

/** What makes a cell a formula to a spreadsheet; some read the wide forms of these signs too. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/** Each row with its line break. @param isRaw - whether formulas stay what they are; else each gets a `'` in front */
export function csvLines(rows: readonly (readonly CsvCell[])[], isRaw = false): string {
  return rows.map((row) => `${row.map((cell) => cellText(cell, isRaw)).join(',')}\n`).join('');
}

function cellText(value: CsvCell, isRaw: boolean): string {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = !isRaw && FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
