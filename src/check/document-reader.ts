/** What reads along while a document is checked, so that it need not be parsed again. */
import type { SitemapPage } from '../parse/model/page.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { PlainPage } from './plain-page.ts';

/** Reads one document along. */
export interface DocumentReader {
  /** The next pages, in order. */
  pages(pages: readonly SitemapPage[]): void;
  /** The page of a plain entry, once rules have heard of it; none is made then. @default it is among the pages */
  readonly plainPage?: ((page: PlainPage) => void) | undefined;
  /** The document is over: what the parser noticed in it. */
  end(noticed: { readonly problems: readonly Problem[]; readonly problemCount: number }): void;
}
