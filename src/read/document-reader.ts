/** The seam between deciding what to fetch and reading what was fetched. */
import type { OpenDocument } from '../fetch/document.ts';
import type { ResponseHead } from '../fetch/rules/exchange.ts';
import type { KeptDocument } from '../sitemap/kept-document.ts';
import type { Outcome } from './outcome.ts';

/** Where a document was first asked for: what a stream says about the pages in it. */
export interface DocumentPlace {
  readonly url: string;
  readonly lastModified: Date | undefined;
  /** The URLs of the sitemaps above it. */
  readonly parentUrls: ReadonlySet<string>;
}

/** Reads an open document to its end. */
export interface DocumentReader {
  /**
   * Whether documents are kept, as a tree does it. Then one that is declared twice is shown at each place, and one
   * may be fetched before it is known whether it is wanted. A stream, which hands pages on at once, can do neither.
   */
  readonly keepsDocuments: boolean;
  /** @param deadline - aborted when the time of the call is over; reading then rejects with its reason */
  read(document: OpenDocument, place: DocumentPlace, deadline: AbortSignal): Promise<Outcome>;
  /** Keeps a redirect, where documents are kept. */
  keepHop?(hop: ResponseHead): KeptDocument;
}
