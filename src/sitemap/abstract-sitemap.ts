/**
 * What all nodes of the tree have in common. What does not apply to a node is empty, so that a tree is walked without
 * asking for types.
 */
import { type Problem, ProblemList } from '../problems/problem-list.ts';
import { Closeable } from './closeable.ts';
import { type SitemapJSON, sitemapToObject, type ToObjectOptions } from './json.ts';
import type { SitemapKind } from './kind.ts';
import { joined, PageList, unique } from './page-list.ts';
import { NO_PAGES, type PageSource } from './page-source.ts';
import type { Sitemap, Stopped } from './sitemap.ts';
import type { Spool } from './spool/spool.ts';

/** What every node is made of. */
export interface SitemapFields {
  readonly url: string;
  /** The URL before redirects, where there were any. */
  readonly declaredUrl?: string | undefined;
  /** As its index declares it. */
  readonly lastModified?: Date | undefined;
  /** Of the fetch and, for an index, of its document; those of a page document come from its source. */
  readonly problems?: readonly Problem[] | undefined;
  /** How many problems there were in all. @default the number of `problems` */
  readonly problemCount?: number | undefined;
  /** Given to the top node of whatever made the tree: closing that node closes the spool. */
  readonly spool?: Spool | undefined;
  /** Given to the top node of what was fetched. */
  readonly complete?: boolean | undefined;
  /** Given to the top node of what was fetched, where a limit ended the call. */
  readonly stopped?: Stopped | undefined;
}

/** What makes a node the top of its tree. */
export type TopFields = Pick<SitemapFields, 'spool' | 'complete' | 'stopped'>;

/** What a node that lists sitemaps is made of. */
export interface IndexSitemapFields extends SitemapFields {
  readonly subSitemaps: readonly Sitemap[];
}

/** What a node that lists pages is made of. */
export interface PagesSitemapFields extends SitemapFields {
  readonly pages: PageSource;
}

/** Which pages {@link AbstractSitemap.allPages} yields. */
export interface AllPagesOptions {
  /** Leave out pages whose URL was there before, anywhere in the tree. @default false */
  readonly unique?: boolean | undefined;
}

/** What saving a tree needs of a node, and nobody else. */
export interface NodeParts {
  readonly source: PageSource;
  readonly problems: readonly Problem[];
  readonly problemCount: number;
}

/** @internal What a node was made of; assigned below, where its private parts can be seen. */
export let partsOf: (node: AbstractSitemap) => NodeParts;

/** @internal Makes a node the top of its tree: closing it closes the spool. */
export let makeTop: (node: AbstractSitemap, fields: TopFields) => void;

const NO_PROBLEMS: readonly Problem[] = Object.freeze([]);
const NO_SITEMAPS: readonly Sitemap[] = Object.freeze([]);

/** A node of the tree. */
export abstract class AbstractSitemap extends Closeable {
  /** What it is; `switch (node.kind)` narrows a `Sitemap` to its class. */
  abstract readonly kind: SitemapKind;
  /** As declared unless redirected, then the final URL. */
  readonly url: string;
  /** The URL before redirects, where there were any. */
  readonly declaredUrl: string | undefined;
  /** The sitemaps that this one lists, in order. */
  readonly subSitemaps: readonly Sitemap[];
  /** The pages that this one lists, in order: read and parsed as you walk over them, sync or async. */
  readonly pages: PageList;
  readonly #lastModifiedTime: number | undefined;
  readonly #source: PageSource;
  readonly #problems: readonly Problem[];
  readonly #problemCount: number;
  #top: TopFields | undefined;
  #allProblems: readonly Problem[] | undefined;

  static {
    partsOf = (node) => ({
      source: node.#source,
      problems: node.#problems,
      problemCount: node.#problemCount,
    });
    makeTop = (node, fields) => {
      node.#top = fields;
    };
  }

  constructor(fields: SitemapFields & Partial<IndexSitemapFields & PagesSitemapFields>) {
    super();
    this.url = fields.url;
    this.declaredUrl = fields.declaredUrl;
    this.subSitemaps =
      fields.subSitemaps === undefined ? NO_SITEMAPS : Object.freeze([...fields.subSitemaps]);
    this.#source = fields.pages ?? NO_PAGES;
    this.pages = new PageList(this.#source);
    this.#lastModifiedTime = fields.lastModified?.getTime();
    this.#problems = fields.problems ?? NO_PROBLEMS;
    this.#problemCount = fields.problemCount ?? this.#problems.length;
    const { spool, complete, stopped } = fields;
    if (spool !== undefined || complete !== undefined) this.#top = { spool, complete, stopped };
  }

  /** When it last changed, as its index declares it: a `Date` of your own each time. */
  get lastModified(): Date | undefined {
    return this.#lastModifiedTime === undefined ? undefined : new Date(this.#lastModifiedTime);
  }

  /**
   * Whether nothing that was declared was unreadable, not fetched or cut: of the node that `sitemapTreeForHomepage` or
   * `sitemapFromUrl` gave you. `undefined` on those below it, and on what was read without a network.
   */
  get complete(): boolean | undefined {
    return this.#top?.complete;
  }

  /** The limit that ended the call before everything was fetched; on the same node. */
  get stopped(): Stopped | undefined {
    return this.#top?.stopped;
  }

  /** How many pages this one lists; its document is read for that, the first time. */
  get pageCount(): number {
    return this.#source.pageCount;
  }

  /** What was odd about it: at most a hundred. Its document is read for that, the first time. */
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
   * for (const page of tree.allPages({ unique: true })) console.log(page.url);
   * ```
   */
  allPages(options: AllPagesOptions = {}): PageList {
    const source = joined(() => sourcesOf(this));
    return new PageList(options.unique === true ? unique(source) : source);
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
   * Lets go of the documents of the whole tree, where this is its top; reading pages afterwards throws a
   * `SitemapException` with code `tree-closed`. Also done by `using`, and when the tree is no longer reachable.
   */
  override close(): void {
    this.#top?.spool?.close();
  }
}

// By a stack of our own: `maxDepth` may be set to anything.
function* sitemapsBelow(top: AbstractSitemap): Generator<Sitemap, void, undefined> {
  const stack = [top.subSitemaps.values()];
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const { done, value } = level.next();
    if (done === true) {
      stack.pop();
    } else {
      yield value;
      if (value.subSitemaps.length > 0) stack.push(value.subSitemaps.values());
    }
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
  for (const { code, message, offset } of first) all.add(code, message, offset);
  for (const { code, message, offset } of second) all.add(code, message, offset);
  return Object.freeze([...all.kept]);
}
