/**
 * The nodes of the tree. What does not apply to a node is empty, so that a tree is walked without asking for types.
 *
 * The base class and its subclasses share this file, since each names the other: a node lists nodes of any kind.
 */

import { badInput } from '../errors.ts';
import { pageFilter } from '../filter/filter-pages.ts';
import { PAGE_FILTERS } from '../options/filter-values.ts';
import { checkOptions } from '../options/names.ts';
import type { PageFilterOptions } from '../options/options.ts';
import { isRobotsTxt } from '../parse/opening/detect.ts';
import { isNothingKnown } from '../problems/catalogue.ts';
import type { SitemapKind } from '../problems/kinds.ts';
import { type Problem, ProblemList } from '../problems/problem-list.ts';
import { type RobotsDirective, RobotsText, readDirectives } from '../robots/robots-rules.ts';
import type { Closes, FetchFacts } from './kept-document.ts';
import {
  type DocumentSitemapKind,
  type Freshness,
  type InvalidSitemapFields,
  type NodeParts,
  type PagesSitemapFields,
  type Place,
  placesOf,
  type SitemapFields,
  type Staleness,
  type Stopped,
  sitemapsBelow,
  type TopFields,
  type TreeOrigin,
  type TriedPath,
} from './node-fields.ts';
import { filtered, joined, PageList } from './page-list.ts';
import { NO_PAGES, type PageSource } from './page-source.ts';
import { type SitemapJSON, sitemapToObject, type ToObjectOptions } from './tree-json.ts';

/** Any node; `switch (node.kind)` narrows it. */
export type Sitemap =
  | IndexWebsiteSitemap
  | IndexRobotsTxtSitemap
  | IndexXMLSitemap
  | PagesXMLSitemap
  | PagesTextSitemap
  | PagesRSSSitemap
  | PagesAtomSitemap
  | InvalidSitemap;

export interface IndexSitemapFields extends SitemapFields {
  readonly subSitemaps: readonly Sitemap[];
  /** The URLs that its document declares and a callback did not choose, in order. @default [] */
  readonly filteredUrls?: readonly string[] | undefined;
}

export interface IndexWebsiteSitemapFields extends IndexSitemapFields, TopFields {
  readonly complete: boolean;
  /** robots.txt and the known paths that were tried, in order. @default [] */
  readonly triedPaths?: readonly TriedPath[] | undefined;
}

/** @internal What a node was made of; assigned below, where its private parts can be seen. */
export let partsOf: (node: AbstractSitemap) => NodeParts;

/** @internal Makes a node the top of its tree: closing it closes its documents. */
export let makeTop: (node: AbstractSitemap, fields: TopFields) => void;

const NO_PROBLEMS: readonly Problem[] = Object.freeze([]);
const NO_SITEMAPS: readonly Sitemap[] = Object.freeze([]);
const NO_URLS: readonly string[] = Object.freeze([]);

// `Symbol.dispose` is in every Node that we run on, but not in every consumer's `lib`: a declaration that names it does
// not compile without `esnext.disposable`. So the declaration asks whether it is there, and says nothing if it is not.
type DisposeSymbol = SymbolConstructor extends { readonly dispose: infer Dispose extends symbol }
  ? Dispose
  : never;

type Disposes = { [Key in DisposeSymbol]: () => void };

class ClosedByUsing implements Closes {
  close(): void {}

  [Symbol.dispose](): void {
    this.close();
  }
}

const Closeable: new () => Closes & Disposes = ClosedByUsing;

/** A node of the tree. */
export abstract class AbstractSitemap extends Closeable {
  /** What it is; `switch (node.kind)` narrows a `Sitemap` to its class. */
  abstract readonly kind: SitemapKind;
  /** As declared unless redirected, then the final URL. */
  readonly url: string;
  /** The URL before redirects, where there were any. */
  readonly declaredUrl: string | undefined;
  /** Whether something is missing at the end of its document; the pages and sitemaps before that are there. */
  readonly truncated: boolean;
  /** The bytes of its document after all decoding, where it was read. */
  readonly bytes: number | undefined;
  /** The HTTP status, where there was a response. */
  readonly status: number | undefined;
  /** How its document compares with that of the `previous` tree; undefined where there was none. */
  readonly freshness: Freshness | undefined;
  /** The sitemaps that this one lists, in order. */
  readonly subSitemaps: readonly Sitemap[];
  /** The URLs of sitemaps that this one declares and a callback did not choose. */
  readonly filteredUrls: readonly string[];
  /** The pages that this one lists, in order: read and parsed as you walk over them, sync or async. */
  readonly pages: PageList;
  readonly #lastModifiedTime: number | undefined;
  readonly #source: PageSource;
  readonly #problems: readonly Problem[];
  readonly #problemCount: number;
  readonly #facts: FetchFacts | undefined;
  #top: NodeParts['top'];
  #allProblems: readonly Problem[] | undefined;

  static {
    partsOf = (node) => ({
      source: node.#source,
      problems: node.#problems,
      problemCount: node.#problemCount,
      facts: node.#facts,
      top: node.#top,
    });
    makeTop = (node, fields) => {
      node.#top = fields;
    };
  }

  constructor(fields: SitemapFields & Partial<IndexSitemapFields & PagesSitemapFields>) {
    super();
    this.url = fields.url;
    this.declaredUrl = fields.declaredUrl;
    this.truncated = fields.truncated ?? false;
    this.bytes = fields.bytes;
    this.status = fields.status;
    this.freshness = fields.freshness;
    const { subSitemaps = NO_SITEMAPS, filteredUrls = NO_URLS } = fields;
    this.subSitemaps = subSitemaps.length === 0 ? NO_SITEMAPS : Object.freeze([...subSitemaps]);
    this.filteredUrls = filteredUrls.length === 0 ? NO_URLS : Object.freeze([...filteredUrls]);
    this.#source = fields.pages ?? NO_PAGES;
    this.pages = new PageList(this.#source);
    this.#lastModifiedTime = fields.lastModified?.getTime();
    this.#problems = fields.problems ?? NO_PROBLEMS;
    this.#problemCount = fields.problemCount ?? this.#problems.length;
    this.#facts = fields.facts;
  }

  /** When it last changed, as its index declares it: a new `Date` each time. */
  get lastModified(): Date | undefined {
    return this.#lastModifiedTime === undefined ? undefined : new Date(this.#lastModifiedTime);
  }

  /** Why its document is shown as an earlier tree has it; undefined where it is not stale. */
  get staleness(): Staleness | undefined {
    if (this.freshness !== 'stale') return undefined;
    const { document, checkedAt, unread } = this.#facts ?? {};
    const problem = this.#problems.find(({ code }) => code === 'stale');
    const { message: reason = '', status, failure } = problem ?? {};
    const since = new Date(checkedAt ?? document?.requestedAt ?? 0);
    return { reason, since, runs: unread?.runs ?? 1, status, failure };
  }

  /**
   * Whether everything that was declared was fetched and read to its end. Set on the node that
   * `sitemapTreeForHomepage` or `sitemapFromUrl` returned; `undefined` on the nodes below it, and on what was read
   * without a network.
   */
  get complete(): boolean | undefined {
    return this.#top?.complete;
  }

  /** The limit that ended the call before everything was fetched; on the same node. */
  get stopped(): Stopped | undefined {
    return this.#top?.stopped;
  }

  /** The call that made the tree, on the same node: what is needed to make it again. */
  get origin(): TreeOrigin | undefined {
    return this.#top?.origin;
  }

  /** How many pages this one lists. The first use reads its document. */
  get pageCount(): number {
    return this.#source.pageCount;
  }

  /** The problems of its document, at most a hundred. The first use reads the document. */
  get problems(): readonly Problem[] {
    this.#allProblems ??= inOneList(this.#problems, this.#source.problems);
    return this.#allProblems;
  }

  /** How many problems there were in all. */
  get problemCount(): number {
    return this.#problemCount + this.#source.problemCount;
  }

  /**
   * All sitemaps below this one, depth-first in the order of declaration.
   *
   * @example
   * ```ts
   * for (const sitemap of tree.allSitemaps()) console.log(sitemap.kind, sitemap.url, sitemap.pageCount);
   * ```
   */
  allSitemaps(): Iterable<Sitemap> {
    return { [Symbol.iterator]: () => sitemapsBelow(this) };
  }

  /**
   * The pages of this sitemap and of all below it, depth-first in the order of declaration. A page that is listed twice
   * comes twice, unless `unique` is set.
   *
   * @example
   * ```ts
   * for (const page of tree.allPages({ unique: true, since: '7d' })) console.log(page.url);
   * ```
   *
   * @throws SitemapException with code `bad-option`
   */
  allPages(options: PageFilterOptions = {}): PageList {
    checkOptions(options, PAGE_FILTERS);
    return new PageList(
      filtered(
        joined(() => sourcesOf(this)),
        pageFilter(options),
      ),
    );
  }

  /** The node as a plain object, as `JSON.stringify` writes it; `pages: false` leaves the pages out. */
  toObject(options: ToObjectOptions = {}): SitemapJSON {
    return sitemapToObject(this, options);
  }

  /** For `JSON.stringify`. A tree whose JSON no string can hold goes through `jsonChunks`. */
  toJSON(): SitemapJSON {
    return this.toObject();
  }

  /**
   * Releases the documents of the whole tree, where this is its top; reading pages afterwards throws a
   * `SitemapException` with code `tree-closed`. What a later tree took over (option `previous`) stays open for that
   * one. Also done by `using`, and when the tree is no longer reachable.
   */
  override close(): void {
    if (this.#top === undefined) return;
    this.#top = { ...this.#top, isClosed: true };
    this.#top.documents?.close();
  }
}

/** The root of a site's tree: the parent of its robots.txt and of the sitemaps that were found. */
export class IndexWebsiteSitemap extends AbstractSitemap {
  override readonly kind = 'website';
  /** robots.txt and the known paths that were tried although nothing declares them, and what came of each. */
  readonly triedPaths: readonly TriedPath[];
  #outcome: ExplainedOutcome | undefined;

  constructor(fields: IndexWebsiteSitemapFields) {
    super(fields);
    const { documents, complete, stopped, origin, run } = fields;
    makeTop(this, { documents, complete, stopped, origin, run });
    this.triedPaths = Object.freeze([...(fields.triedPaths ?? [])]);
  }

  /** What came of the site in one word: `complete`, `partial`, `none` or `failed`. */
  get outcome(): SiteOutcome {
    return this.#explained.outcome;
  }

  /** A stable kebab-case word for why the outcome is not `complete`: `unresolved`, `http-status`, `maxTimeMs`… */
  get code(): string | undefined {
    return this.#explained.code;
  }

  /** Why the outcome is not `complete`, in a sentence. */
  get reason(): string | undefined {
    return this.#explained.reason;
  }

  get #explained(): ExplainedOutcome {
    this.#outcome ??= outcomeOf(this);
    return this.#outcome;
  }

  /** Whether everything that was declared was fetched and read to its end. */
  override get complete(): boolean {
    return super.complete === true;
  }
}

/** A robots.txt, and the sitemaps that its `Sitemap:` lines declare. */
export class IndexRobotsTxtSitemap extends AbstractSitemap {
  override readonly kind = 'robots-txt';
  #directives: readonly RobotsDirective[] | undefined;

  /**
   * Its lines `Crawl-delay`, `Content-Signal`, `Content-Usage` and `AI-…` as they are written; at most a hundred. The
   * first use reads its document.
   */
  get directives(): readonly RobotsDirective[] {
    if (this.#directives === undefined) {
      const text = new RobotsText();
      for (const chunk of partsOf(this).facts?.document?.chunks() ?? []) if (!text.add(chunk)) break;
      this.#directives = Object.freeze(readDirectives(text.bytes));
    }
    return this.#directives;
  }
}

/** A `<sitemapindex>`. */
export class IndexXMLSitemap extends AbstractSitemap {
  override readonly kind = 'index-xml';
}

/** A `<urlset>`. */
export class PagesXMLSitemap extends AbstractSitemap {
  override readonly kind = 'pages-xml';
}

/** A plain text of URLs. */
export class PagesTextSitemap extends AbstractSitemap {
  override readonly kind = 'pages-text';
}

/** An RSS feed, 0.9x to 2.0, or RSS 1.0 (`RDF`). */
export class PagesRSSSitemap extends AbstractSitemap {
  override readonly kind = 'pages-rss';
}

/** An Atom feed, 0.3 or 1.0. */
export class PagesAtomSitemap extends AbstractSitemap {
  override readonly kind = 'pages-atom';
}

const DOCUMENT_CLASSES = {
  'robots-txt': IndexRobotsTxtSitemap,
  'index-xml': IndexXMLSitemap,
  'pages-xml': PagesXMLSitemap,
  'pages-text': PagesTextSitemap,
  'pages-rss': PagesRSSSitemap,
  'pages-atom': PagesAtomSitemap,
};

/** @internal The node of a document that was read. */
export function documentNode(
  kind: DocumentSitemapKind,
  fields: IndexSitemapFields & PagesSitemapFields,
): Sitemap {
  return new DOCUMENT_CLASSES[kind](fields);
}

/** A sitemap that was declared, but could not be fetched or read. Its URL is the declared one. */
export class InvalidSitemap extends AbstractSitemap {
  override readonly kind = 'invalid';
  /** A stable kebab-case word for programs: `http-status`, `timeout`, `recursion`, `not-a-sitemap`… */
  readonly code: string;
  /** A sentence that names the URL and the cause. */
  readonly reason: string;
  /** The option that would change it, where there is one: `maxDepth`, `maxTimeMs`, `allowPrivateNetworks`. */
  readonly option: string | undefined;
  /** Whether it is an HTML page: an error page, a login form, a bot wall. */
  readonly isHtml: boolean;
  /**
   * The exception, where there was one: a `SitemapXMLParsingException` for an unsupported root. With code `limit` only
   * what was on its way has one; the rest only waited.
   */
  readonly error: unknown;

  constructor(fields: InvalidSitemapFields) {
    super(fields);
    this.code = fields.code;
    this.reason = fields.reason;
    this.option = fields.option;
    this.isHtml = fields.isHtml ?? false;
    this.error = fields.error;
  }
}

function* sourcesOf(top: AbstractSitemap): Generator<PageSource, void, undefined> {
  yield partsOf(top).source;
  for (const sitemap of sitemapsBelow(top)) {
    const { source } = partsOf(sitemap);
    if (source !== NO_PAGES) yield source;
  }
}

function inOneList(first: readonly Problem[], second: readonly Problem[]): readonly Problem[] {
  const all = new ProblemList();
  for (const problem of [...first, ...second]) all.addFound(problem);
  return Object.freeze([...all.kept]);
}

export function isSitemap(value: unknown): value is Sitemap {
  return value instanceof AbstractSitemap;
}

/** @param who - the function that needs it @throws SitemapException with code `bad-input` for anything but a sitemap */
export function checkIsSitemap(tree: unknown, who: string): void {
  if (isSitemap(tree)) return;
  throw badInput(`${who} needs a sitemap, as sitemapTreeForHomepage, sitemapFromFile or loadTree gives it.`);
}

/** A sitemap and its position in a tree: `sitemap`, `depth`, `parent`, `index` and `isLast`. */
export interface SitemapPlace extends Place<Sitemap> {}

/**
 * A sitemap and all below it, depth-first in the order of declaration, each with its depth and its parent.
 *
 * @example
 * ```ts
 * for (const { sitemap, depth } of walkTree(tree)) console.log('  '.repeat(depth) + sitemap.url);
 * ```
 */
export function walkTree(tree: Sitemap): Iterable<SitemapPlace> {
  checkIsSitemap(tree, 'walkTree');
  return { [Symbol.iterator]: () => placesOf(tree) };
}

/**
 * `complete`: everything that is declared was read. `partial`: something was read, but not all. `none`: the site
 * responded and has no readable sitemap. `failed`: nothing is known, since the site could not be reached, refused
 * every request or every sitemap that it declares, leads nowhere but to private addresses, or its crawl ended before
 * anything was read.
 */
export type SiteOutcome = 'complete' | 'partial' | 'none' | 'failed';

/** A stable kebab-case word, and a sentence. */
interface Why {
  readonly code: string;
  readonly reason: string;
}

/** An outcome and, except for `complete`, why. */
type ExplainedOutcome = { readonly outcome: SiteOutcome } & Partial<Why>;

/** A document that could not be read: an invalid sitemap, or one that is shown as it was earlier. */
interface UnreadSitemap extends Why {
  readonly status?: number | undefined;
}

function outcomeOf(tree: IndexWebsiteSitemap): ExplainedOutcome {
  const unread: UnreadSitemap[] = [];
  let truncation: Why | undefined;
  let isAnyRead = false;
  for (const sitemap of sitemapsBelow(tree)) {
    const { kind, url, staleness, truncated } = sitemap;
    if (truncated) truncation ??= { code: 'truncated', reason: `${url} is truncated: its end is missing.` };
    // A child that was not requested is not a failure.
    if (kind === 'invalid' && sitemap.code !== 'not-fetched') unread.push(sitemap);
    else if (staleness !== undefined) unread.push({ ...staleness, code: staleness.failure ?? 'stale' });
    else if (kind !== 'robots-txt' && kind !== 'invalid') isAnyRead = true;
  }
  const { stopped } = tree;
  const limit = stopped === undefined ? undefined : { code: stopped.limit, reason: stopped.message };
  if (isAnyRead) {
    if (tree.complete) return { outcome: 'complete' };
    return { outcome: 'partial', ...(limit ?? first(unread, tree.problems) ?? truncation ?? INCOMPLETE) };
  }
  const failure = whyUnreachable(tree, unread);
  // Stopped with nothing found, or with what an earlier crawl found, does not mean that there is nothing to find.
  const why = failure ?? limit;
  if (why !== undefined) return { outcome: 'failed', ...why };
  return { outcome: 'none', ...(first(unread, tree.problems) ?? NO_SITEMAP) };
}

const INCOMPLETE: Why = { code: 'incomplete', reason: 'Something that is declared was not read.' };

/** Where they are looked for depends on the options: that there is none is not known. */
const NO_SITEMAP: Why = { code: 'no-sitemap', reason: 'No sitemap was found.' };

function first(unread: readonly UnreadSitemap[], problems: readonly Problem[]): Why | undefined {
  const [sitemap] = unread;
  if (sitemap !== undefined) return { code: sitemap.code, reason: sitemap.reason };
  const [problem] = problems;
  if (problem === undefined) return undefined;
  return { code: problem.failure ?? problem.code, reason: problem.message };
}

/** Why nothing is known of a site that has no readable sitemap; undefined where one of its responses says something. */
function whyUnreachable(tree: IndexWebsiteSitemap, unread: readonly UnreadSitemap[]): Why | undefined {
  const knownPaths = tree.triedPaths.filter(({ url }) => !isRobotsTxt(url)).length;
  if (!isNothingKnown(unread, tree.problems, knownPaths)) return undefined;
  return first(unread, tree.problems) ?? INCOMPLETE;
}
