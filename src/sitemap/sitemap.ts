/**
 * The nodes of the tree. What does not apply to a node is empty, so that a tree is walked without asking for types.
 *
 * The base class and its subclasses share this file, since each names the other: a node lists nodes of any kind.
 */

import type { SitePageOptions } from '../filter/filter-options.ts';
import { LeftOutCounts, pageFilter } from '../filter/filter-pages.ts';
import { SITE_PAGE_FILTERS } from '../filter/filter-values.ts';
import { hostsOfTree, type SiteHosts } from '../filter/site-hosts.ts';
import type { SitemapKind } from '../parse/model/kinds.ts';
import { BOOLEAN, checkOptions } from '../problems/arguments.ts';
import { badInput, badOption, textForOneLoop } from '../problems/errors.ts';
import { type Problem, ProblemList } from '../problems/problem-list.ts';
import { type RobotsDirective, RobotsText, readDirectives } from '../robots/robots-rules.ts';
import { Closeable } from '../runtime/closing.ts';
import type { FetchFacts } from './kept-document.ts';
import {
  type CallResult,
  type DocumentSitemapKind,
  type Freshness,
  type InvalidSitemapFields,
  NODE_VALUES,
  type NodeInternals,
  type PagesSitemapFields,
  type Place,
  placesOf,
  type SitemapFields,
  type SiteOutcome,
  type Staleness,
  type Stopped,
  sitemapsBelow,
  type TopFields,
  type TreeOrigin,
  type TriedPath,
} from './node-fields.ts';
import { filtered, joined, type PageBatches, PageList, sampled, withAlternates } from './page-list.ts';
import { NO_PAGES, type PageSource } from './page-source.ts';
import { OutcomeNotes } from './site-outcome.ts';
import { type SitemapJSON, sitemapToObject, type ToObjectOptions, treeJson } from './tree-json.ts';

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
  readonly redirectedTo?: readonly string[] | undefined;
}

/** @internal What a node was made of; assigned below, where its private fields can be seen. */
export let internalsOf: (node: AbstractSitemap) => NodeInternals;

/** @internal Makes a node the top of its tree: closing it closes its documents. */
export let makeTop: (node: AbstractSitemap, fields: TopFields) => void;

const NO_PROBLEMS: readonly Problem[] = Object.freeze([]);
const NO_SITEMAPS: readonly Sitemap[] = Object.freeze([]);
const NO_URLS: readonly string[] = Object.freeze([]);

/** A node of the tree. */
export abstract class AbstractSitemap extends Closeable {
  /** What it is; `switch (node.kind)` narrows a `Sitemap` to its class. */
  abstract readonly kind: SitemapKind;
  /** As declared unless redirected, then the final URL. */
  readonly url: string;
  /** The URL before redirects, where there were any. */
  readonly declaredUrl: string | undefined;
  /** When it last changed, as its index declares it. */
  readonly lastModified: Date | undefined;
  /** How its document compares with that of the `previous` tree; undefined where there was none. */
  readonly freshness: Freshness | undefined;
  /** The HTTP status, where there was a response. */
  readonly status: number | undefined;
  /** The bytes of its document after all decoding, where it was read. */
  readonly bytes: number | undefined;
  /** The CRC-32 of these bytes: where it differs, so does the document. */
  readonly crc32: number | undefined;
  /** Whether something is missing at the end of its document; the pages and sitemaps before that are there. */
  readonly truncated: boolean;
  /**
   * Whether everything that was declared was fetched and read to its end. This and the next four are set on the node
   * that `sitemapTreeForHomepage` or `sitemapFromUrl` returned; they are `undefined` on the nodes below it, and on what
   * was read without a network.
   */
  readonly complete: boolean | undefined;
  /** The limit that ended the call before everything was fetched. */
  readonly stopped: Stopped | undefined;
  /** The outcome of the call in one word: `complete`, `partial`, `none` or `failed`. */
  readonly outcome: SiteOutcome | undefined;
  /**
   * A stable kebab-case word for why the outcome is not `complete`: `unresolved`, `http-status`, `limit`… An invalid
   * sitemap has its own, wherever it is in the tree.
   */
  readonly code: string | undefined;
  /** The meaning of `code` in a sentence. */
  readonly reason: string | undefined;
  /** The sitemaps that this one lists, in order. */
  readonly subSitemaps: readonly Sitemap[];
  /** The URLs of sitemaps that this one declares and a callback did not choose. */
  readonly filteredUrls: readonly string[];
  /** The pages that this one lists, in order: read and parsed as you walk over them, sync or async. */
  readonly pages: PageList;
  readonly #source: PageSource;
  readonly #problems: readonly Problem[];
  readonly #problemCount: number;
  readonly #facts: FetchFacts | undefined;
  #top: NodeInternals['top'];
  #allProblems: readonly Problem[] | undefined;

  static {
    internalsOf = (node) => ({
      source: node.#source,
      problems: node.#problems,
      problemCount: node.#problemCount,
      facts: node.#facts,
      top: node.#top,
    });
    makeTop = (node, top) => {
      const { complete, stopped } = top;
      node.#top = top;
      Object.assign(node, { complete, stopped }, complete !== undefined && outcomeOf(node, top));
    };
  }

  constructor(fields: SitemapFields & Partial<IndexSitemapFields & PagesSitemapFields>) {
    super();
    for (const name of NODE_VALUES) Reflect.set(this, name, fields[name]);
    this.url = fields.url;
    this.truncated = fields.truncated ?? false;
    const { subSitemaps = NO_SITEMAPS, filteredUrls = NO_URLS } = fields;
    this.subSitemaps = subSitemaps.length === 0 ? NO_SITEMAPS : Object.freeze([...subSitemaps]);
    this.filteredUrls = filteredUrls.length === 0 ? NO_URLS : Object.freeze([...filteredUrls]);
    this.#source = fields.pages ?? NO_PAGES;
    this.pages = new PageList(this.#source);
    this.#problems = fields.problems ?? NO_PROBLEMS;
    this.#problemCount = fields.problemCount ?? this.#problems.length;
    this.#facts = fields.facts;
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

  /** The call that made the tree: what is needed to make it again. Set on the same node as `complete`. */
  get origin(): TreeOrigin | undefined {
    return this.#top?.origin;
  }

  /** How many pages this one lists. The first use reads its document. */
  get pageCount(): number {
    return this.#source.summary.pageCount;
  }

  /** The problems of its document, at most a hundred. The first use reads the document. */
  get problems(): readonly Problem[] {
    this.#allProblems ??= inOneList(this.#problems, this.#source.summary.problems);
    return this.#allProblems;
  }

  /** How many problems there were in all. */
  get problemCount(): number {
    return this.#problemCount + this.#source.summary.problemCount;
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
  allPages(options: SitePageOptions = {}): PageList {
    checkOptions(options, SITE_PAGE_FILTERS);
    const { hosts = 'any', sample, listAlternates = false } = options;
    const pass = pageFilter(options);
    const site = hosts === 'any' ? undefined : hostsForFilter(this);
    const all = () => sourcesOf(this);
    const sources = listAlternates ? withAlternates(all) : all;
    const leftOut = new LeftOutCounts();
    // Each loop counts anew; a sample is chosen in one loop, and given in another.
    const filteredEach = (from: () => Iterable<PageBatches>) => () => {
      leftOut.clear();
      return pass === undefined
        ? from()
        : Array.from(from(), (source) => filtered(source, { pass, site, leftOut }));
    };
    const pages =
      sample === undefined
        ? joined(filteredEach(() => [joined(sources)]))
        : sampled(filteredEach(sources), sample);
    return new PageList(pages, leftOut);
  }

  /** The node as a plain object, as `JSON.stringify` writes it; `pages: false` leaves the pages out. */
  toObject(options: ToObjectOptions = {}): SitemapJSON {
    checkOptions(options, { pages: BOOLEAN });
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
  /** robots.txt and the known paths that were tried although nothing declares them, each with its result. */
  readonly triedPaths: readonly TriedPath[];
  /** Where its robots.txt and, if it was requested, its homepage redirect to: their hosts are hosts of the site. */
  readonly redirectedTo: readonly string[];
  declare readonly complete: boolean;
  declare readonly outcome: SiteOutcome;

  constructor(fields: IndexWebsiteSitemapFields) {
    super(fields);
    this.triedPaths = Object.freeze([...(fields.triedPaths ?? [])]);
    this.redirectedTo = Object.freeze([...(fields.redirectedTo ?? [])]);
    const { documents, complete, stopped, origin, run } = fields;
    makeTop(this, { documents, complete, stopped, origin, run });
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
      for (const chunk of internalsOf(this).facts?.document?.chunks() ?? []) if (!text.add(chunk)) break;
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
  declare readonly code: string;
  /** A sentence that names the URL and the cause. */
  declare readonly reason: string;
  /** The option that would change it, where there is one: `maxDepth`, `maxTimeMs`, `allowPrivateNetworks`. */
  readonly option: string | undefined;
  /** Whether it is an HTML page: an error page, a login form, a bot wall. */
  readonly isHtml: boolean;
  /**
   * The exception, where there was one: a `SitemapXMLParsingException` for an unsupported root. With code `limit` only
   * a document that was already being fetched has one.
   */
  readonly error: unknown;

  constructor(fields: InvalidSitemapFields) {
    super(fields);
    this.option = fields.option;
    this.isHtml = fields.isHtml ?? false;
    this.error = fields.error;
  }
}

function* sourcesOf(top: AbstractSitemap): Generator<PageSource, void, undefined> {
  yield internalsOf(top).source;
  for (const sitemap of sitemapsBelow(top)) {
    const { source } = internalsOf(sitemap);
    if (source !== NO_PAGES) yield source;
  }
}

function hostsForFilter(tree: AbstractSitemap): SiteHosts {
  const hosts = hostsOfTree(tree);
  if (!hosts.isEmpty) return hosts;
  throw badOption(
    'The option "hosts" needs the address of the sitemap, which is not known: give it as "url" where you read it.',
    'hosts',
  );
}

function inOneList(first: readonly Problem[], second: readonly Problem[]): readonly Problem[] {
  const all = new ProblemList();
  for (const problem of [...first, ...second]) all.addProblem(problem);
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
 * The JSON of a tree piece by piece, for trees whose JSON no string can hold. The pieces together are exactly what
 * `JSON.stringify(tree)` gives.
 *
 * @example
 * ```ts
 * await pipeline(Readable.from(jsonChunks(tree)), createWriteStream('tree.json'));
 * ```
 *
 * @throws SitemapException with code `bad-input` if it is not a tree, or `bad-option`
 */
export function jsonChunks(
  tree: Sitemap,
  options: ToObjectOptions = {},
): AsyncGenerator<string, void, undefined> {
  checkIsSitemap(tree, 'jsonChunks');
  checkOptions(options, { pages: BOOLEAN });
  return textForOneLoop(treeJson(tree, options), 'jsonChunks');
}

/** The outcome of the call that made the tree; its documents are not read for that. */
function outcomeOf(top: AbstractSitemap, { complete, stopped }: TopFields): Partial<CallResult> {
  const notes = new OutcomeNotes();
  const isSite = top instanceof IndexWebsiteSitemap;
  if (!isSite) notes.add(top, internalsOf(top).problems);
  for (const sitemap of sitemapsBelow(top)) notes.add(sitemap, internalsOf(sitemap).problems);
  const problems = isSite ? internalsOf(top).problems : [];
  const { outcome, code, reason } = notes.end({
    complete,
    stopped,
    problems,
    triedPaths: isSite ? top.triedPaths : [],
  });
  // An invalid sitemap has the code of its own failure.
  return top.kind === 'invalid' ? { outcome } : { outcome, code, reason };
}
