/** What a document is, and what comes out of it. */
import type { SitemapPage } from './page.ts';

export type XmlKind = 'pages-xml' | 'index-xml' | 'pages-rss' | 'pages-atom';

/** What a document turned out to be. */
export type DocumentKind = XmlKind | 'robots-txt' | 'pages-text' | 'invalid';

/** A child sitemap as its index or robots.txt declares it. */
export interface SitemapEntry {
  readonly url: string;
  /** As the index declares it. */
  readonly lastModified: Date | undefined;
  /** `lastModified` as written: it may name a day, a month or a year. */
  readonly lastModifiedText?: string | undefined;
}

/** A page or a sub-sitemap, in the order of the document. */
export type SitemapItem =
  | { readonly type: 'page'; readonly page: SitemapPage }
  | { readonly type: 'sitemap'; readonly sitemap: SitemapEntry };

/** Takes in decoded bytes of one document in one format, and puts out items. */
export interface FormatParser {
  /** Whether anything of the format was found; a text without a URL is not a sitemap. */
  readonly isConfirmed: boolean;
  /** Whether the document ended too early; known once it ended. */
  readonly truncated: boolean;
  write(chunk: Uint8Array): void;
  /** @param isCut - whether the rest of the document never arrived: then half a line does not count */
  end(isCut: boolean): void;
}
