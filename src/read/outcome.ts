/**
 * The outcome of a URL that was fetched: what was detected and, for an index, its children. And the nodes that a crawl
 * makes of outcomes: those of a tree, or none for a stream.
 */

import type { DocumentEnd } from '../fetch/document.ts';
import { type Description, isHtmlPage, notASitemapReason } from '../parse/detection/detect.ts';
import type { SitemapEntry } from '../parse/model/item.ts';
import type { PagesSitemapKind } from '../parse/model/kinds.ts';
import { isTruncated } from '../problems/catalogue.ts';
import { SitemapException, SitemapXMLParsingException } from '../problems/errors.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { KeptDocument } from '../sitemap/kept-document.ts';
import type { InvalidSitemapFields, PagesSitemapFields, SitemapFields } from '../sitemap/node-fields.ts';
import { NO_PAGES, type PageSource } from '../sitemap/page-source.ts';
import { documentNode, type IndexSitemapFields, InvalidSitemap, type Sitemap } from '../sitemap/sitemap.ts';

export type IndexKind = 'robots-txt' | 'index-xml';

interface ReadDocument extends Pick<SitemapFields, 'freshness' | 'status' | 'bytes' | 'crc32' | 'facts'> {
  readonly url: string;
  /** Whether `url` is not the requested one. Readers never set it: several URLs may lead to one document. */
  readonly redirected?: boolean;
  /** The problems of the fetch and, for an index, of its document. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  readonly truncated: boolean;
  /** Whether pages of it were handed on, by a stream: these cannot be taken back. */
  readonly isHandedOn?: boolean | undefined;
}

export interface IndexOutcome extends ReadDocument {
  readonly type: 'index';
  readonly kind: IndexKind;
  /** Its children, each once, in order. */
  readonly entries: readonly SitemapEntry[];
  /** How many more children it lists than one call keeps. */
  readonly leftOut: number;
  /** The children that are not below the homepage, where that is a path: they are not among the entries. */
  readonly elsewhere?: readonly string[] | undefined;
  /** The text of a robots.txt, where a stream keeps it. */
  readonly text?: Uint8Array | undefined;
}

/** Sitemaps that a document lists as pages. */
export interface ListedSitemaps {
  readonly entries: readonly SitemapEntry[];
  /** How many more it lists than one call keeps. */
  readonly leftOut: number;
}

export interface PagesOutcome extends ReadDocument {
  readonly type: 'pages';
  readonly kind: PagesSitemapKind;
  /** Its pages; absent where they were streamed. */
  readonly pages: PageSource | undefined;
  /** The sitemaps that it lists as pages, where these are followed. */
  readonly listed?: ListedSitemaps | undefined;
}

export interface InvalidOutcome
  extends Pick<InvalidSitemapFields, 'code' | 'reason' | 'status' | 'option' | 'error' | 'facts' | 'isHtml'> {
  readonly type: 'invalid';
  /** The URL that it redirects to, where it does. */
  readonly target?: string | undefined;
  /** Whether it may be a sitemap all the same, where its end is missing. */
  readonly isUnsure?: boolean;
  /** The earlier version of an index that is older than `maxStaleMs`: it stays while one of its children does. */
  readonly former?: IndexOutcome | undefined;
}

export type Outcome = IndexOutcome | PagesOutcome | InvalidOutcome;

/**
 * The outcome for a URL that redirects to the one that was read.
 *
 * @param hops - the redirects in between
 */
export function redirectedFrom(
  url: string,
  target: string,
  outcome: Outcome,
  hops: readonly KeptDocument[] = [],
): Outcome {
  if (outcome.type !== 'invalid') {
    const facts = hops.length === 0 ? outcome.facts : { ...outcome.facts, hops };
    return { ...outcome, redirected: true, facts };
  }
  return { ...outcome, target, reason: `${url} redirects: ${outcome.reason}` };
}

export function recursion(url: string, why: string): InvalidOutcome {
  return { type: 'invalid', code: 'recursion', reason: `${url} was not read again: ${why} (recursion).` };
}

export function notASitemap(url: string, description: Description): InvalidOutcome {
  const reason = notASitemapReason(url, description);
  const code = 'not-a-sitemap';
  const Exception = description.what === 'other-xml' ? SitemapXMLParsingException : SitemapException;
  const isHtml = isHtmlPage(description);
  const isUnsure = UNSURE.has(description.what);
  return { type: 'invalid', code, reason, error: new Exception(reason, { code, url }), isHtml, isUnsure };
}

/** What a document may look like before its root element has arrived. */
const UNSURE: ReadonlySet<string> = new Set<Description['what']>(['empty', 'other-xml', 'text']);

/** The outcome of a document that is not a sitemap; where its end is missing, that is the failure. */
export function unlessCut(
  url: string | undefined,
  outcome: Outcome,
  { problems, failure }: DocumentEnd,
): Outcome {
  if (outcome.type !== 'invalid' || outcome.isUnsure !== true) return outcome;
  if (failure !== undefined) {
    const { code, reason, status, option, error } = failure;
    return { type: 'invalid', code, reason, status, option, error };
  }
  const truncations = problems.filter((problem) => isTruncated([problem]));
  const damage = truncations.find((problem) => problem.code !== 'too-large') ?? truncations[0];
  if (damage === undefined) return outcome;
  // A limit of ours is not a fault of the server.
  const isTooLarge = damage.code === 'too-large';
  if (isTooLarge && outcome.error instanceof SitemapXMLParsingException) return outcome;
  const code = isTooLarge ? 'not-a-sitemap' : 'bad-response';
  const until = isTooLarge ? ' Up to there it is not a sitemap (too-large).' : '';
  const message = `${damage.message}${until}`;
  const reason = url === undefined ? message : `${url}: ${message.replace(/^The/, 'the')}`;
  return { type: 'invalid', code, reason, error: new SitemapException(reason, { code, url }) };
}

/** Makes nodes of the kind that the caller wants: a tree makes node objects, a stream makes nothing. */
export interface NodeFactory<Node> {
  index(
    declared: SitemapEntry,
    outcome: IndexOutcome,
    children: readonly Node[],
    problems: readonly Problem[],
    filteredUrls?: readonly string[],
  ): Node;
  pages(declared: SitemapEntry, outcome: PagesOutcome): Node;
  invalid(declared: SitemapEntry, outcome: InvalidOutcome): Node;
}

/** The nodes of `sitemapTreeForHomepage` and `sitemapFromUrl`. */
export const treeNodes: NodeFactory<Sitemap> = {
  index(declared, outcome, subSitemaps, problems, filteredUrls) {
    return documentNode(outcome.kind, fieldsOf(declared, outcome, problems, subSitemaps, filteredUrls));
  },

  pages(declared, outcome) {
    return documentNode(outcome.kind, fieldsOf(declared, outcome, NOTHING, NOTHING));
  },

  // An invalid sitemap keeps the URL it was declared by: what it redirects to is in the reason.
  invalid({ url, lastModified }, outcome) {
    return new InvalidSitemap({ ...outcome, url, lastModified });
  },
};

const NOTHING: readonly never[] = [];

/** The fields of a node: of an index with its children, of any other one with its pages. */
function fieldsOf(
  { url, lastModified }: SitemapEntry,
  outcome: IndexOutcome | PagesOutcome,
  moreProblems: readonly Problem[],
  subSitemaps: readonly Sitemap[],
  filteredUrls?: readonly string[],
): PagesSitemapFields & IndexSitemapFields {
  const { problems, problemCount } = outcome;
  return {
    ...outcome,
    url: outcome.redirected ? outcome.url : url,
    declaredUrl: outcome.redirected ? url : undefined,
    lastModified,
    problems: moreProblems.length === 0 ? problems : [...problems, ...moreProblems],
    problemCount: problemCount + moreProblems.length,
    pages: (outcome.type === 'pages' ? outcome.pages : undefined) ?? NO_PAGES,
    subSitemaps,
    filteredUrls,
  };
}
