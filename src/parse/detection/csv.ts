/**
 * Whether a text is CSV data (rows with columns) instead of a list of URLs. Numbers never decide, nor do commas and
 * semicolons inside a URL: `/0,1518,12,00.html` and `;jsessionid=1` are ordinary.
 */
import { isHttpUrl } from '../values/written-url.ts';

const SEPARATORS = [',', ';', '\t', '|'] as const;
const URL_COLUMN = /^(?:url|loc|link|address|page)$/i;

/** A date of the W3C. A year alone is a number. */
const DATE = String.raw`\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?)?`;
/** An absolute URL, or a date that fills its cell. */
const NEXT_CELL = new RegExp(
  String.raw` {0,8}["']?(?:https?://[^\s/?#]|${DATE}["']? {0,8}(?:[,;\t|]|$))`,
  'iy',
);

/** @param lines - of the beginning of a document, without those that are empty */
export function isCsv(lines: readonly string[]): boolean {
  const [first = ''] = lines;
  if (isHeader(first)) return true;
  return lines.filter(hasColumns).length * 2 > lines.length;
}

function isHeader(line: string): boolean {
  return SEPARATORS.some((separator) => {
    const cells = line.split(separator).map((cell) => cell.trim().replace(/^(["'])(.*)\1$/, '$2'));
    return cells.length > 1 && !cells.some(isHttpUrl) && cells.some((cell) => URL_COLUMN.test(cell));
  });
}

/** Whether a separator behind the first URL of a line is followed by another URL, or by a date. */
function hasColumns(line: string): boolean {
  const start = line.search(/https?:\/\/[^\s/?#]/i);
  if (start === -1) return false;
  for (const { index } of line.slice(start).matchAll(/[,;\t|]/g)) {
    NEXT_CELL.lastIndex = start + index + 1;
    if (NEXT_CELL.test(line)) return true;
  }
  return false;
}
