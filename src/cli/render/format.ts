/** What an output format is, and which there are. Each is loaded when it is asked for. */
import type { Sitemap } from '../../index.ts';
import type { ListedPage, PageFilter } from '../filter/page-filter.ts';

/** A format that lists pages one by one: it needs no tree, so pages are printed as they arrive. */
export interface PageFormat {
  /** Printed once, before the first page. */
  readonly header: string;
  /** One line a page, each with its line feed. */
  lines(pages: readonly ListedPage[], style: Style): string;
}

/** A format that shows the tree: piece by piece, never held as a whole. */
export type TreeFormat = (tree: Sitemap, style: TreeStyle) => AsyncIterable<string>;

/** How values are shown. */
export interface Style {
  /** A URL as it is to be shown: whole, or without the site's address. */
  shorten(url: string): string;
  /** Whether `shorten` does anything. */
  readonly isShort: boolean;
  /** What could harm the output is made harmless: on a terminal, control characters. */
  defuse(text: string): string;
}

/** How a tree is shown. */
export interface TreeStyle extends Style {
  readonly filter: PageFilter;
  /** `--no-pages` */
  readonly withPages: boolean;
  readonly hasColour: boolean;
}

/** The formats that list pages. */
export const PAGE_FORMATS: Readonly<Record<string, () => Promise<PageFormat>>> = {
  pages: async () => (await import('./pages.ts')).pages,
  ndjson: async () => (await import('./ndjson.ts')).ndjson,
  csv: async () => (await import('./csv.ts')).csv,
};

/** The formats that show the tree. */
export const TREE_FORMATS: Readonly<Record<string, () => Promise<TreeFormat>>> = {
  tabtree: async () => (await import('./tabtree.ts')).tabtree,
  tree: async () => (await import('./tree.ts')).tree,
  json: async () => (await import('./json.ts')).json,
};

/** All names, the default first. */
export const FORMAT_NAMES: readonly string[] = ['tabtree', 'pages', 'tree', 'json', 'ndjson', 'csv'];
