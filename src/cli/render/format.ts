/** What an output format is, and what it is given. */
import type { RobotsVerdict, Sitemap } from '../../index.ts';
import { type CsvCell, csvLines } from '../../problems/csv-lines.ts';
import type { PageFilter } from '../filter/page-filter.ts';

/** A format that lists items one by one, as they arrive: `Item` is a page, a sitemap or a change. */
export interface LineFormat<Item> {
  /** Printed once, before the first line. @default nothing */
  header?(style: Style): string;
  lines(items: readonly Item[], style: Style): string;
  /** Printed once, behind the last line, what else is to be said, and whether nothing was worth printing. */
  end?(): { readonly text: string; readonly notes: readonly string[]; readonly isEmpty: boolean };
}

/** One object per line. `JSON.stringify` leaves out what is undefined. */
export function ndjsonOf<Item>(json: (item: Item, style: Style) => object): LineFormat<Item> {
  return {
    lines: (items, style) =>
      items
        .map((item) => {
          const value = json(item, style);
          return `${JSON.stringify(style.site === undefined ? value : { ...value, site: style.site })}\n`;
        })
        .join(''),
  };
}

/**
 * One row per item, below a row of names. The columns are fixed; new ones are added at the end, before those of `--agent`
 * and before `site`, which is there where several sites are listed.
 *
 * @param urlOf - of the page that `--agent` may fetch or not
 */
export function csvOf<Item>(
  columns: Readonly<Record<string, (item: Item, style: Style) => CsvCell>>,
  urlOf?: (item: Item) => string,
): LineFormat<Item> {
  const cells = Object.values(columns);
  return {
    header({ verdictOf, site }) {
      const verdict = urlOf === undefined || verdictOf === undefined ? [] : ['allowed', 'rule', 'ruleLine'];
      return csvLines([[...Object.keys(columns), ...verdict, ...(site === undefined ? [] : ['site'])]]);
    },
    lines(items, style) {
      const { site, verdictOf, isRaw } = style;
      const rows = items.map((item) => {
        const row = cells.map((cell) => cell(item, style));
        if (urlOf !== undefined && verdictOf !== undefined) {
          const { allowed, rule, ruleLine } = verdictOf(urlOf(item));
          row.push(allowed, rule, ruleLine);
        }
        return site === undefined ? row : [...row, site];
      });
      return csvLines(rows, isRaw);
    },
  };
}

/** A sitemap in an inventory. What is not known or does not apply is `undefined`. */
export interface SitemapRow {
  readonly url: string;
  readonly kind: Sitemap['kind'];
  /** The URL of the sitemap that lists it; of one at the top, that of the site. */
  readonly parent: string | undefined;
  /** As its index declares it. */
  readonly lastModified: string | undefined;
  /** How many pages it lists; `undefined` for one that lists sitemaps. */
  readonly pages: number | undefined;
  /** Of its document, after all decoding. */
  readonly bytes: number | undefined;
  readonly status: number | undefined;
  /** Why it could not be read, or what is missing in it: the code for programs, and a sentence. */
  readonly code: string | undefined;
  readonly reason: string | undefined;
}

export type TreeFormat = (tree: Sitemap, style: TreeStyle) => AsyncIterable<string>;

export interface Style {
  /** A URL as it is shown: whole, or without the site's address. */
  shorten(url: string): string;
  /** Whether `shorten` does anything. */
  readonly isShort: boolean;
  /** The site, where several are listed. */
  readonly site?: string | undefined;
  /** `--agent`: whether it may fetch a page. */
  readonly verdictOf?: ((url: string) => RobotsVerdict) | undefined;
  /** @default false */
  readonly hasColour?: boolean | undefined;
  /** `--csv-raw`: cells are written as they are. @default false */
  readonly isRaw?: boolean | undefined;
}

export interface TreeStyle extends Style {
  readonly filter: PageFilter;
  /** `--no-pages` makes it false. */
  readonly withPages: boolean;
  readonly signal: AbortSignal;
}

/** The name of a sitemap where people read it: its URL, which only a document from stdin may lack. */
export function sitemapName({ url }: Sitemap, { shorten }: Style): string {
  return url === '' ? 'stdin' : shorten(url);
}
