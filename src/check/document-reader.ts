/** What reads along while a document is checked, so that it need not be parsed again. */
import type { SitemapPage } from '../parse/model/page.ts';
import type { Problem } from '../problems/problem-list.ts';

/** Reads one document along. */
export interface DocumentReader {
  /** The next pages, in order. */
  pages(pages: readonly SitemapPage[]): void;
  /** The document is over: what the parser noticed in it. */
  end(noticed: { readonly problems: readonly Problem[]; readonly problemCount: number }): void;
}
