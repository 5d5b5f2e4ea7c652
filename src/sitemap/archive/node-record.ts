/**
 * The record with the nodes of a tree: JSON in lines, so that a reader never holds more of it than a line.
 *
 *     {"format":"ultimate-sitemap-parser tree","version":2,"origin":{…},"documents":[
 *     {"url":…,"offset":…,"length":…,…},          a document, and where its record is
 *     …
 *     ],"nodes":[
 *     {"depth":0,"kind":"website","url":…},        a node; nodes are depth-first, in order
 *     {"depth":1,"kind":"pages-xml","url":…,"document":0}
 *     ]}
 *
 * Documents are numbered from 0. What is absent is left out. A reader skips members that it does not know; `version`
 * changes when an older reader would read a file wrongly. docs/saving.md describes every member.
 */
import type { Problem } from '../../problems/problem-list.ts';
import type { Freshness, TreeOrigin, TriedPath } from '../fields.ts';
import type { KeptValidators, TruncatedBy } from '../kept-document.ts';
import { isIndexKind, isPagesKind, type SitemapKind } from '../kind.ts';
import type { Stopped } from '../stopped.ts';
import { isBoolean, isCount, isDate, isListOf, isMaybe, isNumber, isRecord, isText } from './json-shape.ts';
import type { RecordPlace } from './record-file.ts';

/** What the first line names; the file of version 1 was not a WARC file, and named the same. */
export const ARCHIVE_FORMAT = 'ultimate-sitemap-parser tree';
/** The version that is read and written. */
export const ARCHIVE_VERSION = 2;
export const NODES_URI = 'urn:ultimate-sitemap-parser:tree';

/** A document, and where its record is. */
export interface ArchivedDocumentFields extends RecordPlace {
  /** The URL that responded; absent where the document had none. */
  readonly url?: string | undefined;
  /** When it was requested; absent where it was not fetched. */
  readonly requestedAt?: string | undefined;
  /** The charset of its Content-Type header. */
  readonly charset?: string | undefined;
  readonly isUtf8?: boolean | undefined;
  readonly isRobotsPath?: boolean | undefined;
  readonly truncated?: TruncatedBy | undefined;
  /** Of its body. */
  readonly bytes: number;
  /** Of its body. */
  readonly digest: string;
}

/** A node. */
export interface ArchivedNode {
  readonly depth: number;
  readonly kind: SitemapKind;
  readonly url: string;
  readonly declaredUrl?: string | undefined;
  readonly lastModified?: string | undefined;
  /** The number of its document. */
  readonly document?: number | undefined;
  /** The numbers of the redirects that led to it. */
  readonly hops?: readonly number[] | undefined;
  readonly problems?: readonly Problem[] | undefined;
  readonly problemCount?: number | undefined;
  readonly truncated?: boolean | undefined;
  readonly bytes?: number | undefined;
  readonly status?: number | undefined;
  readonly freshness?: Freshness | undefined;
  readonly durationMs?: number | undefined;
  /** When its document was last found to be the same, where that was after it was read. */
  readonly checkedAt?: string | undefined;
  /** The validators of the response that said so, where they are not those of the document's own. */
  readonly validators?: KeptValidators | undefined;
  /** Of an index: the URLs that it declares and a callback did not choose. */
  readonly filteredUrls?: readonly string[] | undefined;
  /** Of an invalid node. */
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly option?: string | undefined;
  readonly error?: ArchivedError | undefined;
  /** Of the top of what was fetched. */
  readonly complete?: boolean | undefined;
  readonly stopped?: Stopped | undefined;
  /** Of the root of a site. */
  readonly triedPaths?: readonly TriedPath[] | undefined;
}

/** What is kept of an exception. */
export interface ArchivedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
}

export function isArchivedDocument(value: unknown): value is ArchivedDocumentFields {
  return (
    isRecord(value) &&
    isMaybe(value['url'], isText) &&
    isMaybe(value['requestedAt'], isDate) &&
    isMaybe(value['charset'], isText) &&
    isMaybe(value['isUtf8'], isBoolean) &&
    isMaybe(value['isRobotsPath'], isBoolean) &&
    isMaybe(value['truncated'], isTruncatedBy) &&
    isMaybe(value['pieces'], isCounts) &&
    isText(value['digest']) &&
    ['offset', 'length', 'crc32', 'start', 'bytes'].every((name) => isCount(value[name]))
  );
}

export function isArchivedNode(value: unknown): value is ArchivedNode {
  return (
    isRecord(value) &&
    isCount(value['depth']) &&
    isText(value['url']) &&
    isMaybe(value['declaredUrl'], isText) &&
    isMaybe(value['lastModified'], isDate) &&
    isMaybe(value['document'], isCount) &&
    isMaybe(value['hops'], isCounts) &&
    isMaybe(value['problems'], isProblems) &&
    isMaybe(value['problemCount'], isCount) &&
    isMaybe(value['truncated'], isBoolean) &&
    isMaybe(value['bytes'], isCount) &&
    isMaybe(value['status'], isNumber) &&
    isMaybe(value['freshness'], isFreshness) &&
    isMaybe(value['durationMs'], isNumber) &&
    isMaybe(value['checkedAt'], isDate) &&
    isMaybe(value['validators'], isValidators) &&
    isMaybe(value['filteredUrls'], isTexts) &&
    isMaybe(value['option'], isText) &&
    isMaybe(value['error'], isArchivedError) &&
    isMaybe(value['complete'], isBoolean) &&
    isMaybe(value['stopped'], isStopped) &&
    isMaybe(value['triedPaths'], isTriedPaths) &&
    hasWhatItsKindNeeds(value)
  );
}

function hasWhatItsKindNeeds({ kind, code, reason, complete }: Readonly<Record<string, unknown>>): boolean {
  if (typeof kind !== 'string') return false;
  if (kind === 'website') return isBoolean(complete);
  if (kind === 'invalid') return isText(code) && isText(reason);
  return isIndexKind(kind) || isPagesKind(kind);
}

export function isTreeOrigin(value: unknown): value is TreeOrigin {
  return (
    isRecord(value) &&
    (value['call'] === 'homepage' || value['call'] === 'sitemap') &&
    isText(value['url']) &&
    isRecord(value['options']) &&
    isListOf(value['notKept'], isText)
  );
}

function isCounts(value: unknown): value is readonly number[] {
  return isListOf(value, isCount);
}

function isTexts(value: unknown): value is readonly string[] {
  return isListOf(value, isText);
}

function isValidators(value: unknown): value is KeptValidators {
  return isRecord(value) && isMaybe(value['etag'], isText) && isMaybe(value['lastModified'], isText);
}

function isTruncatedBy(value: unknown): value is TruncatedBy {
  return value === 'length' || value === 'disconnect' || value === 'unspecified';
}

function isFreshness(value: unknown): value is Freshness {
  return value === 'new' || value === 'changed' || value === 'unchanged' || value === 'stale';
}

function isArchivedError(value: unknown): value is ArchivedError {
  return (
    isRecord(value) && isText(value['name']) && isText(value['message']) && isMaybe(value['code'], isText)
  );
}

function isStopped(value: unknown): value is Stopped {
  return isRecord(value) && isText(value['limit']) && isText(value['message']);
}

function isTriedPath(value: unknown): value is TriedPath {
  return (
    isRecord(value) &&
    isText(value['url']) &&
    isMaybe(value['code'], isText) &&
    isMaybe(value['status'], isNumber)
  );
}

function isTriedPaths(value: unknown): value is readonly TriedPath[] {
  return isListOf(value, isTriedPath);
}

function isProblem(value: unknown): value is Problem {
  return (
    isRecord(value) &&
    isText(value['code']) &&
    isText(value['message']) &&
    isMaybe(value['offset'], isNumber) &&
    isMaybe(value['option'], isText) &&
    isMaybe(value['failure'], isText) &&
    isMaybe(value['status'], isNumber) &&
    isMaybe(value['documents'], isNumber)
  );
}

function isProblems(value: unknown): value is readonly Problem[] {
  return isListOf(value, isProblem);
}
