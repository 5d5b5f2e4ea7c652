/**
 * The two records that make a WARC file the archive of a tree. The first of them has the nodes: JSON in lines, so that
 * a reader never holds more of it than a line.
 *
 *     {"format":"ultimate-sitemap-parser tree","version":1,"origin":{…},"run":…,"documents":[
 *     {"url":…,"offset":…,"length":…,…},          a document, and where its record is
 *     …
 *     ],"nodes":[
 *     {"depth":0,"kind":"website","url":…},        a node; nodes are depth-first, in order
 *     {"depth":1,"kind":"pages-xml","url":…,"document":0}
 *     ]}
 *
 * Documents are numbered from 0. What is absent is left out. A reader skips members that it does not know; `version`
 * changes when an older reader would read a file wrongly. docs/saving.md describes every member.
 *
 * The last record says where the tree is. It has a fixed size and is not compressed, so that it is found at the end of
 * the file.
 */

import { HOSTS } from '../../filter/filter-values.ts';
import { isIndexKind, isPagesKind, type SitemapKind } from '../../parse/model/kinds.ts';
import { SitemapException } from '../../problems/errors.ts';
import type { Problem } from '../../problems/problem-list.ts';
import type { FetchFacts, KeptValidators, TruncatedBy, UnreadRecord } from '../kept-document.ts';
import type {
  InvalidSitemapFields,
  KeptOrigin,
  KeptPageFilters,
  Stopped,
  TriedPath,
} from '../node-fields.ts';
import type { NodeJSON } from '../tree-json.ts';
import {
  digestOf,
  RECORD_END,
  type RecordPlace,
  recordHead,
  STORED_MEMBER,
  storedMember,
} from './warc-writer.ts';

export const ARCHIVE_FORMAT = 'ultimate-sitemap-parser tree';
export const ARCHIVE_VERSION = 1;
export const NODES_URI = 'urn:ultimate-sitemap-parser:tree';

export interface ArchivedDocumentFields extends RecordPlace {
  /** The URL that responded; absent where the document had none. */
  readonly url?: string | undefined;
  /** When it was requested; absent where it was not fetched. */
  readonly requestedAt?: string | undefined;
  readonly charset?: string | undefined;
  readonly isUtf8?: boolean | undefined;
  readonly isRobotsPath?: boolean | undefined;
  readonly truncated?: TruncatedBy | undefined;
  /** The size of its body. */
  readonly bytes: number;
  /** The digest of its body. */
  readonly digest: string;
}

/**
 * A node: what it has in JSON, and what is known of its fetch, with numbers for its documents and texts for its dates.
 * What belongs to one kind of node alone is absent.
 */
export interface ArchivedNode
  extends NodeJSON,
    Omit<FetchFacts, 'document' | 'hops' | 'checkedAt'>,
    Pick<Partial<InvalidSitemapFields>, 'option' | 'isHtml'> {
  readonly depth: number;
  readonly kind: SitemapKind;
  /** The number of its document. */
  readonly document?: number | undefined;
  /** The numbers of the redirects that led to it. */
  readonly hops?: readonly number[] | undefined;
  readonly checkedAt?: string | undefined;
  /** For an index: the URLs that it declares and a callback did not choose. */
  readonly filteredUrls?: readonly string[] | undefined;
  /** For an invalid node. */
  readonly error?: ArchivedError | undefined;
  /** For the root of a site. */
  readonly triedPaths?: readonly TriedPath[] | undefined;
  readonly redirectedTo?: readonly string[] | undefined;
}

export interface ArchivedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
}

type Check = (value: unknown) => boolean;

/** A check of what came out of `JSON.parse`, member by member: a file may hold anything. */
function shapeOf<Shape>(
  checks: { readonly [Name in keyof Shape]-?: Check },
): (value: unknown) => value is Shape {
  const members: [string, Check][] = Object.entries(checks);
  return (value): value is Shape => isRecord(value) && members.every(([name, check]) => check(value[name]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => Number.isFinite(value);
const isBoolean: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isDate: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

export const isArchivedDocument: (value: unknown) => value is ArchivedDocumentFields =
  shapeOf<ArchivedDocumentFields>({
    url: maybe(isText),
    requestedAt: maybe(isDate),
    charset: maybe(isText),
    isUtf8: maybe(isBoolean),
    isRobotsPath: maybe(isBoolean),
    truncated: maybe(oneOf('length', 'disconnect', 'unspecified')),
    bytes: isCount,
    digest: isText,
    offset: isCount,
    length: isCount,
    crc32: isCount,
    start: isCount,
    pieces: maybe(listOf(isCount)),
  });

const isProblem = shapeOf<Problem>({
  code: isText,
  message: isText,
  offset: maybe(isNumber),
  line: maybe(isNumber),
  column: maybe(isNumber),
  option: maybe(isText),
  failure: maybe(isText),
  status: maybe(isNumber),
  documents: maybe(isNumber),
  kept: maybe(isBoolean),
});

const isNode = shapeOf<ArchivedNode>({
  depth: isCount,
  kind: (kind) => typeof kind === 'string' && (isIndexKind(kind) || isPagesKind(kind) || kind === 'invalid'),
  url: isText,
  declaredUrl: maybe(isText),
  lastModified: maybe(isDate),
  document: maybe(isCount),
  hops: maybe(listOf(isCount)),
  problems: maybe(listOf(isProblem)),
  problemCount: maybe(isCount),
  truncated: maybe(isBoolean),
  bytes: maybe(isCount),
  crc32: maybe(isCount),
  status: maybe(isNumber),
  freshness: maybe(oneOf('new', 'changed', 'unchanged', 'stale')),
  durationMs: maybe(isNumber),
  checkedAt: maybe(isDate),
  validators: maybe(shapeOf<KeptValidators>({ etag: maybe(isText), lastModified: maybe(isText) })),
  unread: maybe(
    shapeOf<UnreadRecord>({
      runs: isCount,
      notFound: maybe(isCount),
      declaredIn: maybe(isCount),
      undeclared: maybe(
        shapeOf<NonNullable<UnreadRecord['undeclared']>>({ since: isCount, parents: listOf(isText) }),
      ),
    }),
  ),
  filteredUrls: maybe(listOf(isText)),
  code: maybe(isText),
  reason: maybe(isText),
  option: maybe(isText),
  isHtml: maybe(isBoolean),
  error: maybe(shapeOf<ArchivedError>({ name: isText, message: isText, code: maybe(isText) })),
  complete: maybe(isBoolean),
  stopped: maybe(shapeOf<Stopped>({ limit: isText, message: isText })),
  outcome: maybe(oneOf('complete', 'partial', 'none', 'failed')),
  triedPaths: maybe(
    listOf(
      shapeOf<TriedPath>({
        url: isText,
        code: maybe(isText),
        status: maybe(isNumber),
        isHtml: maybe(isBoolean),
      }),
    ),
  ),
  redirectedTo: maybe(listOf(isText)),
});

export function isArchivedNode(value: unknown): value is ArchivedNode {
  if (!isNode(value)) return false;
  const { kind, code, reason, complete } = value;
  if (kind === 'website') return complete !== undefined;
  return kind !== 'invalid' || (code !== undefined && reason !== undefined);
}

const isKeptOrigin = shapeOf<KeptOrigin>({
  call: oneOf('homepage', 'sitemap'),
  url: isText,
  options: isRecord,
  notKept: listOf(isText),
  pages: maybe(
    shapeOf<KeptPageFilters>({
      include: listOf(isText),
      exclude: listOf(isText),
      hosts: maybe(oneOf(...HOSTS)),
      agent: maybe(isText),
      onlyAllowed: maybe(isBoolean),
    }),
  ),
});

export interface ArchiveHeader {
  readonly origin: KeptOrigin | undefined;
  readonly run: number | undefined;
}

/** @throws ArchiveFault where this is not the first line of a record that is read */
export function readHeader(value: unknown): ArchiveHeader {
  if (!isRecord(value) || value['format'] !== ARCHIVE_FORMAT) {
    throw archiveDamaged('the nodes have another format');
  }
  const { version, origin, run } = value;
  if (version !== ARCHIVE_VERSION) {
    throw new ArchiveFault(
      `it has version ${String(version)} of the format, and this ultimate-sitemap-parser reads version ` +
        `${ARCHIVE_VERSION}; update the package`,
      { code: 'archive-version' },
    );
  }
  if (origin !== undefined && !isKeptOrigin(origin)) {
    throw archiveDamaged('it does not say what it is an archive of');
  }
  return { origin, run: isCount(run) ? Number(run) : undefined };
}

/** Where the record with the nodes is, and the digest of what is in the file there. */
export interface EndRecord extends Pick<RecordPlace, 'offset' | 'length'> {
  readonly digest: string;
}

const END_URI = 'urn:ultimate-sitemap-parser:end';
const END_BLOCK_BYTES = 160;

function plainEnd({ offset, length, digest }: EndRecord, date: number): Uint8Array {
  const block = Buffer.from(JSON.stringify({ offset, length, digest }).padEnd(END_BLOCK_BYTES));
  const fields = { type: 'metadata', date, targetUri: END_URI, contentType: 'application/json' } as const;
  const digests = { block: digestOf(block), payload: digestOf(block) };
  return Buffer.concat([
    Buffer.from(recordHead(fields, block.length, digests)),
    block,
    Buffer.from(RECORD_END),
  ]);
}

const PLAIN_END_BYTES = plainEnd({ offset: 0, length: 0, digest: '' }, 0).length;

/** The most bytes that the last record takes in any file. */
export const MOST_END_BYTES: number = STORED_MEMBER.before + PLAIN_END_BYTES + STORED_MEMBER.behind;

export function endRecord(
  end: EndRecord,
  date: number,
  { isGzip }: { readonly isGzip: boolean },
): Uint8Array {
  const record = plainEnd(end, date);
  return isGzip ? storedMember(record) : record;
}

const isEndRecord = shapeOf<EndRecord>({ offset: isCount, length: isCount, digest: isText });

/** What the last bytes of a file say; undefined where they are not the last record of an archive. */
export function readEndRecord(
  tail: Uint8Array,
): { readonly end: EndRecord; readonly isGzip: boolean; readonly bytes: number } | undefined {
  const gzip = tail.subarray(-MOST_END_BYTES);
  const isGzip = gzip[0] === 0x1f && gzip[1] === 0x8b;
  const record = isGzip
    ? gzip.subarray(STORED_MEMBER.before, -STORED_MEMBER.behind)
    : tail.subarray(-PLAIN_END_BYTES);
  if (record.length !== PLAIN_END_BYTES) return undefined;
  const text = Buffer.from(record).toString('latin1');
  const block = record.subarray(-END_BLOCK_BYTES - RECORD_END.length, -RECORD_END.length);
  const isOurs = text.startsWith('WARC/1.1\r\n') && text.includes(`\r\nWARC-Target-URI: ${END_URI}\r\n`);
  if (!isOurs || !text.includes(`\r\nWARC-Block-Digest: ${digestOf(block)}\r\n`)) return undefined;
  try {
    const end: unknown = JSON.parse(Buffer.from(block).toString('latin1'));
    return isEndRecord(end) ? { end, isGzip, bytes: isGzip ? MOST_END_BYTES : PLAIN_END_BYTES } : undefined;
  } catch {
    return undefined;
  }
}

/** Why a file cannot be loaded, as a part of a sentence: `loadTree` puts the name of the file in front. */
export class ArchiveFault extends SitemapException {}

export function archiveDamaged(why: string, cause?: unknown): ArchiveFault {
  return new ArchiveFault(why, { code: 'archive-damaged', cause });
}

/** The fault of an archive that has more sitemaps than `maxSitemaps` allows. */
export function archiveTooLarge(why: string): ArchiveFault {
  return new ArchiveFault(`${why} (maxSitemaps)`, { code: 'archive-limit', option: 'maxSitemaps' });
}
