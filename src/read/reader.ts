/** The seam between deciding what to fetch and reading what was fetched. */
import type { OpenDocument } from '../fetch/document.ts';
import type { ResponseHead } from '../fetch/fetch-failure.ts';
import { isRobotsTxt } from '../parse/detection/detect.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import { pieces } from '../parse/given-input.ts';
import type { SitemapEntry } from '../parse/model/item.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { StopSignal } from '../runtime/abort.ts';
import type { FetchFacts, KeptDocument } from '../sitemap/kept-document.ts';
import type { Freshness } from '../sitemap/node-fields.ts';
import type { EarlierDocument } from '../sitemap/previous.ts';
import { isListedSitemap, shownUrl, webUrl } from '../url.ts';
import type { IndexOutcome, ListedSitemaps, Outcome, PagesOutcome } from './outcome.ts';

/** The place in the tree that a document was first requested for; a stream tells it with the pages of the document. */
export interface DocumentPlace {
  readonly url: string;
  readonly lastModified: Date | undefined;
  /** `lastModified` as the index writes it. */
  readonly lastModifiedText?: string | undefined;
  /** Whether the index that declares it was read by this call: what an earlier index says is not news. @default true */
  readonly isCurrent?: boolean | undefined;
  /** The URLs of the sitemaps above it. */
  readonly parentUrls: ReadonlySet<string>;
}

export function isSiteRobots({ url, parentUrls }: DocumentPlace): boolean {
  return parentUrls.size === 0 && isRobotsTxt(url);
}

/** Whether the robots.txt of a site redirects to another path: what is there may be a robots.txt, too (RFC 9309). */
export function isRedirectedRobots(url: string, place: DocumentPlace): boolean {
  return isSiteRobots(place) && !isRobotsTxt(url);
}

/** How a document of an earlier tree is used again. */
export interface EarlierUse extends Pick<FetchFacts, 'checkedAt' | 'validators' | 'unread'> {
  /** It is still the same, or it could not be read this time. */
  readonly freshness: 'unchanged' | 'stale';
  /** Why it could not be read. */
  readonly problem?: Problem | undefined;
}

export interface DocumentReader {
  /**
   * Whether documents are kept, as a tree does it. Then one that is declared twice is shown at each place, and one
   * may be fetched before it is known whether it is wanted. A stream, which hands pages on at once, can do neither.
   */
  readonly keepsDocuments: boolean;
  /**
   * @param deadline - aborted when the time of the call is over; reading then rejects with its reason
   * @param freshness - what a stream says of it: that it is new, or that an earlier tree has it
   */
  read(
    document: OpenDocument,
    place: DocumentPlace,
    deadline: StopSignal,
    freshness?: Freshness,
  ): Promise<Outcome>;
  /** Shows a document of an earlier tree as if it had been read. */
  readEarlier(earlier: EarlierDocument, place: DocumentPlace, earlierUse: EarlierUse): Promise<Outcome>;
  /** Keeps redirects of an earlier tree, where documents are kept. */
  keepEarlier?(earlier: EarlierDocument): Promise<readonly KeptDocument[]>;
  /** Keeps a response without its body, where documents are kept: a redirect, or one that gave no document. */
  keepHead?(head: ResponseHead): KeptDocument;
}

/**
 * What a document of an earlier tree is, where it is shown again: an index is parsed for its children, pages are not.
 */
export async function earlierOutcome(
  earlier: EarlierDocument,
  { freshness, problem }: EarlierUse,
  allowance: EntryAllowance,
): Promise<IndexOutcome | PagesOutcome> {
  const { kind, url, node, problems } = earlier;
  const outcome = {
    url,
    status: node.status,
    bytes: node.bytes,
    crc32: node.crc32,
    problems: problem === undefined ? problems.kept : [...problems.kept, problem],
    problemCount: problems.count + (problem === undefined ? 0 : 1),
    truncated: node.truncated,
    freshness,
  };
  if (kind !== 'robots-txt' && kind !== 'index-xml')
    return { type: 'pages', kind, pages: undefined, ...outcome };
  const { kept, leftOut } = await entriesOf(earlier, allowance);
  return { type: 'index', kind, entries: kept, leftOut, ...outcome };
}

async function entriesOf({ document }: EarlierDocument, allowance: EntryAllowance): Promise<Entries> {
  const parser = new DocumentParser(document.options);
  const entries = new Entries(allowance);
  for await (const chunk of document.chunksAsync()) {
    for (const piece of pieces(chunk)) {
      parser.write(piece);
      entries.add(parser.takeSitemaps());
    }
  }
  parser.end(document.truncatedBy !== undefined);
  entries.add(parser.takeSitemaps());
  return entries;
}

/** Collects the sitemaps that a urlset lists as pages, where `followListedSitemaps` wants them. */
export class ListedAsPages {
  readonly #host: string | undefined;
  readonly #entries: Entries;

  /** @param url - of the document: what is listed must be on its host */
  constructor(url: string, allowance: EntryAllowance) {
    this.#host = webUrl(url)?.host;
    this.#entries = new Entries(allowance);
  }

  add(pages: readonly SitemapPage[]): void {
    if (this.#host === undefined) return;
    const sitemaps = pages.filter(({ url }) => isListedSitemap(url, this.#host));
    this.#entries.add(sitemaps.map(({ url, lastModified }) => ({ url: shownUrl(url), lastModified })));
  }

  /** Undefined where there are none, as for most documents. */
  get sitemaps(): ListedSitemaps | undefined {
    const { kept, leftOut } = this.#entries;
    return kept.length + leftOut === 0 ? undefined : { entries: kept, leftOut };
  }
}

/** The problem of an index some of whose children have no place in the tree. */
export function tooManySitemaps(leftOut: number, all: number): Problem {
  const message = `${leftOut} of its ${all} sitemaps were left out: the tree is full (maxSitemaps).`;
  return { code: 'too-many-sitemaps', message, option: 'maxSitemaps' };
}

/** The limit allows for at least this many children. */
const LEAST_CHILDREN = 250_000;
/** Where callbacks choose, an index may list this many times more children than are wanted. */
const TO_CHOOSE_FROM = 8;
/** The bytes of a child without its URL, and of its URL on an average site. */
const ENTRY_BYTES = 200;
const AVERAGE_URL_BYTES = 200;

/**
 * How many children of indexes one call keeps. A tree has room for `maxSitemaps` nodes, but an index may list
 * millions of children in a hundred kilobytes of gzip, and a thousand such indexes may arrive before the tree is
 * full. So the memory of children is limited, in bytes, since a URL may be long; the children beyond are counted and
 * forgotten.
 */
export class EntryAllowance {
  #leftBytes: number;

  /** @param isFiltered - whether callbacks choose among the children */
  constructor(maxSitemaps: number, { isFiltered }: { readonly isFiltered: boolean }) {
    const entries = Math.max(maxSitemaps, LEAST_CHILDREN) * (isFiltered ? TO_CHOOSE_FROM : 1);
    this.#leftBytes = entries * (ENTRY_BYTES + AVERAGE_URL_BYTES);
  }

  take(entry: SitemapEntry): boolean {
    const bytes = bytesOf(entry);
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  giveBack(entry: SitemapEntry): void {
    this.#leftBytes += bytesOf(entry);
  }
}

function bytesOf({ url }: SitemapEntry): number {
  return ENTRY_BYTES + url.length;
}

export class Entries {
  readonly #allowance: EntryAllowance;
  readonly kept: SitemapEntry[] = [];
  /** How many more there were than the allowance has room for. */
  leftOut = 0;

  constructor(allowance: EntryAllowance) {
    this.#allowance = allowance;
  }

  add(entries: readonly SitemapEntry[]): void {
    for (const entry of entries) {
      // Never one behind a gap: the children that are kept are the first ones.
      if (this.leftOut === 0 && this.#allowance.take(entry)) this.kept.push(entry);
      else this.leftOut++;
    }
  }

  /** Another attempt at the document was better: these are not wanted. */
  discard(): void {
    for (const entry of this.kept) this.#allowance.giveBack(entry);
    this.kept.length = 0;
  }
}
