/** What a URL turned out to be, wherever in the tree it stands: fetched, detected and, if an index, parsed. */
import type { OpenDocument } from '../fetch/document.ts';
import type { SubSitemap } from '../parse/model/item.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { PageSource } from '../sitemap/page-source.ts';

/** The kinds of index documents. */
type IndexKind = 'robots-txt' | 'index-xml';
/** The kinds of page documents. */
export type PagesKind = 'pages-xml' | 'pages-text' | 'pages-rss' | 'pages-atom';

/** What fetching said of a document that could be read. */
interface Readable {
  /** The URL that answered. */
  readonly url: string;
  /** Whether that is another one than was asked for; not a reader's to say, since it reads for all who ask. */
  readonly redirected: boolean;
  /** Of the fetch and, for an index, of its document. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  /** Whether something is missing at its end. */
  readonly truncated: boolean;
  /** Its bytes after all decoding, and the HTTP status that it came with; absent where they are not known. */
  readonly bytes?: number | undefined;
  readonly status?: number | undefined;
}

/** A document that lists sitemaps. */
export interface IndexOutcome extends Readable {
  readonly type: 'index';
  readonly kind: IndexKind;
  /** Its children, each once, in order. */
  readonly entries: readonly SubSitemap[];
  /** How many more it lists: more than one call keeps. */
  readonly leftOut: number;
}

/** A document that lists pages. */
export interface PagesOutcome extends Readable {
  readonly type: 'pages';
  readonly kind: PagesKind;
  /** Its pages; absent where they were streamed. */
  readonly pages: PageSource | undefined;
}

/** A URL that gave no sitemap. */
export interface InvalidOutcome {
  readonly type: 'invalid';
  readonly code: string;
  /** A sentence that names the URL and the cause. */
  readonly reason: string;
  readonly status?: number | undefined;
  /** The option that would change it, where there is one. */
  readonly option?: string | undefined;
  readonly error?: unknown;
  /** Whether it is an HTML page: what a missing page often looks like. */
  readonly isHtml?: boolean;
}

/** What a URL turned out to be. */
export type Outcome = IndexOutcome | PagesOutcome | InvalidOutcome;

/** Of a sitemap that leads to one that was read, or will be, elsewhere. */
export function recursion(url: string, why: string): InvalidOutcome {
  return { type: 'invalid', code: 'recursion', reason: `${url} was not read again: ${why} (recursion).` };
}

/** On an index, for the children that have no place in a tree that is full. */
export function tooManySitemaps(leftOut: number, all: number): Problem {
  const message = `${leftOut} of its ${all} sitemaps were left out: the tree is full (maxSitemaps).`;
  return { code: 'too-many-sitemaps', message, option: 'maxSitemaps' };
}

/** Where a document was first asked for: what a stream says of its pages. */
export interface DocumentPlace {
  readonly url: string;
  readonly lastModified: Date | undefined;
  readonly parentUrls: ReadonlySet<string>;
  /** Whether nobody declared it: it counts as a sitemap only if it is one. */
  readonly isGuess?: boolean;
  /** Whether a request for it lets all others go first, and is hardly repeated. */
  readonly isPatient?: boolean;
}

/** Reads an open document to its end: a tree keeps its pages, a stream hands them on. */
export interface DocumentReader {
  read(document: OpenDocument, place: DocumentPlace): Promise<Outcome>;
}
