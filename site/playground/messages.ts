/** What the page and its worker say to each other. Documents, pages and findings stay in the worker. */
import type { RelatedPlace, Severity } from '../../src/check/rule.ts';

/** What a document is read from: a file as it is, gzipped or not, or a text that the user wrote. */
export type Source = { readonly file: Blob } | { readonly text: string };

/** One document, as the user gave it. */
export interface InputDocument {
  /** Stays the same while the document is edited. */
  readonly id: number;
  readonly name: string;
  /** Its address; empty where the user gave none. */
  readonly url: string;
  readonly source: Source;
}

/** Everything that a run needs. */
export interface Input {
  readonly documents: readonly InputDocument[];
  /** The time that dates are compared with, in milliseconds; undefined for the clock. */
  readonly now: number | undefined;
}

/** In place of a document: all of them. */
export const ALL = 0;

/** The lists that the page shows a part of at a time. */
export type ListName = 'text' | 'items' | 'findings' | 'repairs';

/** What the page asks for. */
export type Request =
  | { readonly type: 'read'; readonly run: number; readonly input: Input; readonly columns: number }
  | {
      readonly type: 'rows';
      readonly call: number;
      readonly list: ListName;
      /** The document; of findings, `ALL` or the one that they are in. */
      readonly document: number;
      /** Only findings of this severity; undefined for all. */
      readonly severity?: Severity | undefined;
      readonly from: number;
      readonly to: number;
    }
  | { readonly type: 'row-at'; readonly call: number; readonly document: number; readonly offset: number }
  | { readonly type: 'wrap'; readonly call: number; readonly columns: number }
  | { readonly type: 'text'; readonly call: number; readonly document: number }
  | { readonly type: 'json'; readonly call: number; readonly document: number }
  | { readonly type: 'repair'; readonly call: number; readonly document: number }
  /** The text has marks at the findings, or at what is different in the repaired document. */
  | { readonly type: 'mark'; readonly call: number; readonly list: 'findings' | 'repairs' };

/** What is known of a document once it was read. */
export interface DocumentResult {
  readonly id: number;
  /** Its address: as given, or as another document names it. */
  readonly url: string | undefined;
  /** The document that named its address, where the user did not. */
  readonly urlFrom: string | undefined;
  readonly kind: string;
  /** Why it could not be read, or what it is instead of a sitemap. */
  readonly reason: string | undefined;
  /** How many bytes its text has, inflated and as UTF-8. */
  readonly bytes: number;
  readonly lines: number;
  /** How many rows its text takes in the view. */
  readonly rows: number;
  /** How many pages or sub-sitemaps it lists. */
  readonly items: number;
  readonly counts: Readonly<Record<Severity, number>>;
}

/** What the worker says by itself, and what it answers. */
export type Reply =
  | { readonly type: 'progress'; readonly run: number; readonly name: string; readonly items: number }
  | { readonly type: 'read'; readonly run: number; readonly result: RunResult }
  | { readonly type: 'done'; readonly run: number; readonly result: RunResult }
  | { readonly type: 'failed'; readonly run: number; readonly message: string }
  | { readonly type: 'answer'; readonly call: number; readonly value: unknown };

/** What came out of a run. */
export interface RunResult {
  readonly documents: readonly DocumentResult[];
  /** How many findings there are in all documents. */
  readonly findings: number;
  readonly counts: Readonly<Record<Severity, number>>;
  readonly pages: number;
  readonly milliseconds: number;
}

/** A part of a row of the text that a finding points at. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly severity: Severity;
  /** The index of the finding. */
  readonly finding: number;
}

/** One row of the text. A long line takes several. */
export interface TextRow {
  readonly text: string;
  /** The number of its line, where it is the first row of it. */
  readonly line: number | undefined;
  readonly marks: readonly Mark[];
}

/** One page or sub-sitemap. */
export interface ItemRow {
  readonly url: string;
  readonly lastModified: string | undefined;
  /** What else is known of it, in words: `3 images, 2 languages`. */
  readonly more: string;
  /** Where it is written; undefined where that is not known. */
  readonly offset: number | undefined;
}

/** One finding. */
export interface FindingRow {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** The id of its document; undefined where that is not one of the input's. */
  readonly document: number | undefined;
  readonly documentName: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly offset: number | undefined;
  readonly page: string | undefined;
  readonly count: number | undefined;
  readonly related: readonly RelatedPlace[] | undefined;
}

/** Where an offset is in the view. */
export interface RowPlace {
  readonly row: number;
  /** In UTF-16 code units from the start of the row. */
  readonly column: number;
}
