/** What an output format is, and what it is given. */
import type { RobotsVerdict, Sitemap } from '../../index.ts';
import type { ListedPage, PageFilter } from '../filter/page-filter.ts';

interface LineFormat<Item> {
  /** Printed once, before the first line. */
  header(style: Style): string;
  lines(items: readonly Item[], style: Style): string;
  /** Printed once, behind the last line, what else is to be said, and whether nothing was worth printing. */
  end?(): { readonly text: string; readonly notes: readonly string[]; readonly isEmpty: boolean };
}

/** A format that lists pages one by one: it needs no tree, so pages are printed as they arrive. */
export type PageFormat = LineFormat<ListedPage>;

export type SitemapFormat = LineFormat<SitemapRow>;

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
  readonly site: string | undefined;
  /** `--agent`: whether it may fetch a page. */
  readonly verdictOf?: ((url: string) => RobotsVerdict) | undefined;
  /** `--csv-raw`: cells are written as they are. */
  readonly isRaw: boolean;
}

export interface TreeStyle extends Style {
  readonly filter: PageFilter;
  /** `--no-pages` makes it false. */
  readonly withPages: boolean;
  readonly hasColour: boolean;
  readonly signal: AbortSignal;
}

/** The name of a sitemap where people read it: its URL, which only a document from stdin may lack. */
export function sitemapName({ url }: Sitemap, { shorten }: Style): string {
  return url === '' ? 'stdin' : shorten(url);
}
