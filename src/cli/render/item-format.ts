/** Items in, text out, bit by bit: what every format of pages, changes, findings and repairs is. */

import type { RobotsVerdict } from '../../index.ts';
import { BYTE_ORDER_MARK, type CsvCell, type CsvSeparator, csvLine } from '../../text/csv-lines.ts';

export interface ItemFormat<Item, Style = void, End = void> {
  /** Written once, before the first item. @default nothing */
  begin?(style: Style): string;
  item(item: Item, style: Style): string;
  /** Written once, behind the last item. @default nothing */
  end?(end: End): string;
}

/** How CSV is written. */
export interface CsvStyle {
  /** `--csv-raw`: cells are written as they are. @default false */
  readonly isRaw?: boolean | undefined;
  /** `--separator` @default a comma */
  readonly separator?: CsvSeparator | undefined;
  /** `--bom` @default false */
  readonly hasBom?: boolean | undefined;
}

/** How rows are written, in addition to their item. */
export interface RowStyle extends CsvStyle {
  /** Where several sites are listed. */
  readonly site?: string | undefined;
  /** `--agent`: whether it may fetch a page. */
  readonly verdictOf?: ((url: string) => RobotsVerdict) | undefined;
}

/** One object per line. `JSON.stringify` leaves out what is undefined. */
export function ndjsonOf<Item, Style extends RowStyle>(
  json: (item: Item, style: Style) => object,
): ItemFormat<Item, Style, unknown> {
  return {
    item(item, style) {
      const value = json(item, style);
      return `${JSON.stringify(style.site === undefined ? value : { ...value, site: style.site })}\n`;
    },
  };
}

/**
 * One row per item, below a row of names. The columns are fixed; new ones are added at the end, before those of
 * `--agent` and before `site`, which is there where several sites are listed.
 *
 * @param urlOf - of the page that `--agent` may fetch or not
 */
export function csvOf<Item, Style extends RowStyle>(
  columns: Readonly<Record<string, (item: Item, style: Style) => CsvCell>>,
  urlOf?: (item: Item) => string,
): ItemFormat<Item, Style, unknown> {
  const cells = Object.values(columns);
  return {
    begin({ verdictOf, site, separator, hasBom = false }) {
      const verdict = urlOf === undefined || verdictOf === undefined ? [] : ['allowed', 'rule', 'ruleLine'];
      const names = [...Object.keys(columns), ...verdict, ...(site === undefined ? [] : ['site'])];
      return (hasBom ? BYTE_ORDER_MARK : '') + csvLine(names, false, separator);
    },
    item(item, style) {
      const { site, verdictOf, isRaw, separator } = style;
      const row = cells.map((cell) => cell(item, style));
      if (urlOf !== undefined && verdictOf !== undefined) {
        const { allowed, rule, ruleLine } = verdictOf(urlOf(item));
        row.push(allowed, rule, ruleLine);
      }
      if (site !== undefined) row.push(site);
      return csvLine(row, isRaw, separator);
    },
  };
}

/**
 * One JSON document, an item a line, and what is known at the end: `{"changes":[…],"counts":{…}}`.
 *
 * @param name - of the list
 * @param atEnd - the other fields
 */
export function jsonDocument<Item, Style, End>(
  name: string,
  json: (item: Item, style: Style) => object,
  atEnd: (end: End) => object,
): Required<ItemFormat<Item, Style, End>> {
  let separator = '\n';
  return {
    begin: () => `{"${name}":[`,
    item(item, style) {
      const text = separator + JSON.stringify(json(item, style));
      separator = ',\n';
      return text;
    },
    end: (end) => `${separator === '\n' ? '' : '\n'}],${JSON.stringify(atEnd(end)).slice(1)}\n`,
  };
}
