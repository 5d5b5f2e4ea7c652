/** What a node of the tree can be, what it is made of without the names of other nodes, and the walk over a tree. */
import type { SitePageOptions } from '../filter/filter-options.ts';
import type { SitemapKind } from '../parse/model/kinds.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { DocumentStore, FetchFacts } from './kept-document.ts';
import type { PageSource } from './page-source.ts';

/** The kinds of sitemaps that come from a document. */
export type DocumentSitemapKind = Exclude<SitemapKind, 'website' | 'invalid'>;

/**
 * How a document compares with the one that an earlier tree holds of it (option `previous`): there was none, it
 * differs, it is the same, or it could not be read this time and the earlier one is shown.
 */
export type Freshness = 'new' | 'changed' | 'unchanged' | 'stale';

/** Why the document of a node is that of an earlier tree, and since when. */
export interface Staleness {
  /** A sentence: what failed, or that nothing declares it any more. */
  readonly reason: string;
  /** When it was last known to be the document. */
  readonly since: Date;
  /** How many runs have not read it since then. */
  readonly runs: number;
  /** The HTTP status that was the reason, where there was one. */
  readonly status: number | undefined;
  /** The code of the failure that was the reason, where there was one. */
  readonly failure: string | undefined;
}

/** A path that was tried although nothing declares it, and its result. */
export interface TriedPath {
  readonly url: string;
  /** Why there is no sitemap; absent if there is one. */
  readonly code?: string | undefined;
  /** The HTTP status, if that was the reason. */
  readonly status?: number | undefined;
  /** Whether an HTML page is there. */
  readonly isHtml?: boolean | undefined;
}

/** Which limit ended a call before everything was fetched. */
export interface Stopped {
  /** The option that set it: `maxSitemaps`, `maxTimeMs` or `maxPages`. */
  readonly limit: string;
  readonly message: string;
}

/**
 * `complete`: everything that is declared was read. `partial`: something was read, but not all. `none`: the site
 * responded (at least once with 2xx, 404 or 410) and has no readable sitemap. `failed`: nothing is known, since the
 * site could not be reached, responded with errors only or refused every sitemap that it declares, the web client
 * failed, the site leads nowhere but to private addresses, or its crawl ended before anything was read.
 */
export type SiteOutcome = 'complete' | 'partial' | 'none' | 'failed';

/** The result of a call, with the same fields for a tree, a stream and `collectPages`. */
export interface CallResult {
  /** Whether nothing that was declared was unreadable, not fetched or truncated. */
  readonly complete?: boolean | undefined;
  /** The limit that ended it before everything was fetched. */
  readonly stopped?: Stopped | undefined;
  /** The outcome in one word. */
  readonly outcome?: SiteOutcome | undefined;
  /** A stable kebab-case word for why the outcome is not `complete`: `unresolved`, `http-status`, `limit`… */
  readonly code?: string | undefined;
  /** Why the outcome is not `complete`, in a sentence. */
  readonly reason?: string | undefined;
}

/** The values of a node: fields of its own in a tree, and members of its JSON and of its line in an archive. */
export interface NodeValues extends CallResult {
  readonly url: string;
  readonly declaredUrl?: string | undefined;
  /** As its index declares it. */
  readonly lastModified?: Date | undefined;
  /** How its document compares with that of an earlier tree; absent where nothing was fetched. */
  readonly freshness?: Freshness | undefined;
  readonly status?: number | undefined;
  /** The size and the checksum of its document after all decoding; both are absent where it was not read. */
  readonly bytes?: number | undefined;
  readonly crc32?: number | undefined;
  /** @default false */
  readonly truncated?: boolean | undefined;
}

/** Their names, in the order of JSON. */
export const NODE_VALUES: readonly (keyof NodeValues)[] = [
  'url',
  'declaredUrl',
  'lastModified',
  'freshness',
  'status',
  'bytes',
  'crc32',
  'truncated',
  'complete',
  'stopped',
  'outcome',
  'code',
  'reason',
];

/** What a node is made of. */
export interface SitemapFields extends NodeValues {
  /** The problems of the fetch and, for an index, of its document. Those of a page document come from its source. */
  readonly problems?: readonly Problem[] | undefined;
  /** How many problems there were in all. @default the number of `problems` */
  readonly problemCount?: number | undefined;
  readonly facts?: FetchFacts | undefined;
}

/** The fields that only the top node of a tree has. */
export interface TopFields extends Pick<CallResult, 'complete' | 'stopped'> {
  /** What holds the documents of the tree. Closing the node closes it. */
  readonly documents?: DocumentStore | undefined;
  /** The call that made the tree; absent where nothing was fetched. */
  readonly origin?: KeptOrigin | undefined;
  /** How many runs there were before it, where it was made with `previous`. */
  readonly run?: number | undefined;
}

/** The call that made a tree: what is needed to make it again. */
export interface TreeOrigin {
  /** `homepage` for `sitemapTreeForHomepage`, `sitemap` for `sitemapFromUrl`. */
  readonly call: 'homepage' | 'sitemap';
  /** The URL that the call is about, without userinfo. */
  readonly url: string;
  /** The options that shape the tree, where they are not the default. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** What an archive keeps of it, for `usp update`. */
export interface KeptOrigin extends TreeOrigin {
  /** The names of options that were given and are not kept: they may hold secrets, or are functions. */
  readonly notKept: readonly string[];
  /** @internal What `usp update` printed the changes through, where there was anything. */
  readonly pages?: KeptPageFilters | undefined;
}

/** The patterns of pages, and whose rules of robots.txt count. */
export interface KeptPageFilters {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly hosts?: SitePageOptions['hosts'];
  readonly agent?: string | undefined;
  /** Whether pages are left out that robots.txt disallows for the agent. */
  readonly onlyAllowed?: boolean | undefined;
}

export interface PagesSitemapFields extends SitemapFields {
  readonly pages: PageSource;
}

export interface InvalidSitemapFields extends SitemapFields {
  readonly code: string;
  readonly reason: string;
  readonly option?: string | undefined;
  readonly isHtml?: boolean | undefined;
  readonly error?: unknown;
}

export interface NodeInternals {
  readonly source: PageSource;
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  readonly facts: FetchFacts | undefined;
  readonly top: (TopFields & { readonly isClosed?: boolean }) | undefined;
}

interface HasSubSitemaps<Node> {
  readonly subSitemaps: readonly Node[];
}

export interface Place<Node> {
  readonly sitemap: Node;
  /** 0 for the top. */
  readonly depth: number;
  /** The node that lists it; `undefined` for the top. */
  readonly parent: Node | undefined;
  /** Its number among the children of its parent, from 0. */
  readonly index: number;
  /** Whether it is the last child of its parent. */
  readonly isLast: boolean;
}

/** A tree depth-first, in the order of declaration. */
export function* placesOf<Node extends HasSubSitemaps<Node>>(
  top: Node,
): Generator<Place<Node>, void, undefined> {
  yield { sitemap: top, depth: 0, parent: undefined, index: 0, isLast: true };
  // An explicit stack, since `maxDepth` may be set to anything.
  const open: { readonly parent: Node; next: number }[] = [{ parent: top, next: 0 }];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { parent } = level;
    const index = level.next++;
    const sitemap = parent.subSitemaps[index];
    if (sitemap === undefined) {
      open.pop();
      continue;
    }
    yield { sitemap, depth: open.length, parent, index, isLast: level.next === parent.subSitemaps.length };
    if (sitemap.subSitemaps.length > 0) open.push({ parent: sitemap, next: 0 });
  }
}

export function* sitemapsBelow<Node extends HasSubSitemaps<Node>>(
  top: HasSubSitemaps<Node>,
): Generator<Node, void, undefined> {
  for (const child of top.subSitemaps) for (const { sitemap } of placesOf(child)) yield sitemap;
}
