/** What an output format is, and what it is given. */
import type { Sitemap } from '../../index.ts';
import type { ListedPage, PageFilter } from '../filter/page-filter.ts';

/** A format that lists pages one by one: it needs no tree, so pages are printed as they arrive. */
export interface PageFormat {
  /** Printed once, before the first page. */
  readonly header: string;
  /** One line per page, each with its line feed. */
  lines(pages: readonly ListedPage[], style: Style): string;
}

/** A format that shows the tree: piece by piece, never held as a whole. */
export type TreeFormat = (tree: Sitemap, style: TreeStyle) => AsyncIterable<string>;

/** How values are shown. */
export interface Style {
  /** A URL as it is shown: whole, or without the site's address. */
  shorten(url: string): string;
  /** Whether `shorten` does anything. */
  readonly isShort: boolean;
  /** Makes harmless what could harm the output: on a terminal, control characters. */
  defuse(text: string): string;
}

/** How a tree is shown. */
export interface TreeStyle extends Style {
  readonly filter: PageFilter;
  /** `--no-pages` makes it false. */
  readonly withPages: boolean;
  readonly hasColour: boolean;
}
