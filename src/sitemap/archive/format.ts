/**
 * The file that `saveTree` writes: NDJSON, one JSON object a line, in UTF-8, gzipped as a whole.
 *
 *     {"format":"ultimate-sitemap-parser tree","version":1}       the first line
 *     {"sitemap":{"depth":0,"kind":"website","url":…}}            a node; nodes are depth-first, in order
 *     {"sitemap":{"depth":1,"kind":"pages-xml","url":…,"document":0}}
 *     {"url":…,"priority":0.5,…}                                  its pages, as in the tree's JSON
 *     {"document":{"pages":1,"problems":[…],"problemCount":1,"truncated":true}}
 *     {"sitemap":{"depth":1,"kind":"pages-xml","url":…,"document":0}}   the same document again: no pages follow
 *     {"end":{"sitemaps":3,"pages":1}}                            the last line
 *
 * Documents are numbered as they appear: a node with the next number is followed by that document's pages and its
 * closing line, which has what is known only at the end; a node with an earlier number shows the same pages. A node's
 * `problems` are those besides its document's. Whatever is absent is left out. A file without its last line is cut.
 *
 * `version` changes when an older reader would read a file wrongly; members that a reader does not know, it skips.
 */
import type { Problem } from '../../problems/problem-list.ts';
import { isIndexKind, isPagesKind, type SitemapKind } from '../kind.ts';
import type { Stopped } from '../stopped.ts';
import { isBoolean, isCount, isDate, isListOf, isMaybe, isNumber, isRecord, isText } from './json-shape.ts';

/** What the first line names. */
export const ARCHIVE_FORMAT = 'ultimate-sitemap-parser tree';
/** The newest version that is read, and the one that is written. */
export const ARCHIVE_VERSION = 1;

/** A node's line. */
export interface ArchivedSitemap {
  readonly depth: number;
  readonly kind: SitemapKind;
  readonly url: string;
  readonly declaredUrl?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Of a node that lists pages. */
  readonly document?: number | undefined;
  readonly problems?: readonly Problem[] | undefined;
  readonly problemCount?: number | undefined;
  readonly truncated?: boolean | undefined;
  readonly status?: number | undefined;
  /** Of an invalid node. */
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly option?: string | undefined;
  readonly error?: ArchivedError | undefined;
  /** Of the top of what was fetched. */
  readonly complete?: boolean | undefined;
  readonly stopped?: Stopped | undefined;
}

/** What is kept of an exception. */
export interface ArchivedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
}

/** The line behind a document's pages. */
export interface ArchivedDocument {
  readonly pages: number;
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  readonly truncated: boolean;
}

/** The last line. */
export interface ArchivedEnd {
  readonly sitemaps: number;
  readonly pages: number;
}

export function isArchivedSitemap(value: unknown): value is ArchivedSitemap {
  return (
    isRecord(value) &&
    isCount(value['depth']) &&
    isText(value['url']) &&
    isMaybe(value['declaredUrl'], isText) &&
    isMaybe(value['lastModified'], isDate) &&
    isMaybe(value['problems'], isProblems) &&
    isMaybe(value['problemCount'], isCount) &&
    isMaybe(value['complete'], isBoolean) &&
    isMaybe(value['stopped'], isStopped) &&
    isMaybe(value['option'], isText) &&
    isMaybe(value['truncated'], isBoolean) &&
    isMaybe(value['status'], isNumber) &&
    hasWhatItsKindNeeds(value)
  );
}

function hasWhatItsKindNeeds(value: Readonly<Record<string, unknown>>): boolean {
  const { kind, code, reason, error, complete, document } = value;
  if (typeof kind !== 'string') return false;
  if (isPagesKind(kind)) return isCount(document);
  if (kind === 'website') return isBoolean(complete);
  if (kind === 'invalid') {
    return isText(code) && isText(reason) && isMaybe(error, isArchivedError);
  }
  return isIndexKind(kind);
}

export function isArchivedDocument(value: unknown): value is ArchivedDocument {
  return (
    isRecord(value) &&
    isCount(value['pages']) &&
    isProblems(value['problems']) &&
    isCount(value['problemCount']) &&
    isBoolean(value['truncated'])
  );
}

export function isArchivedEnd(value: unknown): value is ArchivedEnd {
  return isRecord(value) && isCount(value['sitemaps']) && isCount(value['pages']);
}

function isArchivedError(value: unknown): boolean {
  return (
    isRecord(value) && isText(value['name']) && isText(value['message']) && isMaybe(value['code'], isText)
  );
}

function isStopped(value: unknown): boolean {
  return isRecord(value) && isText(value['limit']) && isText(value['message']);
}

function isProblems(value: unknown): boolean {
  return isListOf(
    value,
    (problem) =>
      isRecord(problem) &&
      isText(problem['code']) &&
      isText(problem['message']) &&
      isMaybe(problem['offset'], isNumber),
  );
}
