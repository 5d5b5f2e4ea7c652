/**
 * The options of every entry point: one object, checked by {@link resolveOptions} before anything is fetched.
 * `undefined` always means the default. All times are in milliseconds.
 */

import type { SitemapFilterOptions, SitePageOptions } from '../filter/filter-options.ts';
import type { SitemapEntry } from '../parse/model/item.ts';
import type { SitemapKind } from '../parse/model/kinds.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { WebClient } from './web-seam.ts';

/** The index that a child sitemap was declared in, or the urlset that lists it as a page (`followListedSitemaps`). */
export interface ParentSitemap {
  readonly url: string;
  readonly kind: 'robots-txt' | 'index-xml' | 'pages-xml';
}

/**
 * Decides about one child sitemap: `true` fetches it, `false` leaves it out of the tree. If it throws, the whole call
 * rejects.
 *
 * @param url - the child, as declared
 * @param recursionLevel - the index's own level; robots.txt and known paths are level 0
 * @param parentUrls - the child's ancestors, the index itself included
 */
export type RecurseCallback = (
  url: string,
  recursionLevel: number,
  parentUrls: ReadonlySet<string>,
  context: { readonly entry: SitemapEntry; readonly parent: ParentSitemap },
) => boolean | Promise<boolean>;

/** Decides about all children of one index at once, before {@link RecurseCallback}: returns those to keep. */
export type RecurseListCallback = (
  urls: readonly string[],
  recursionLevel: number,
  parentUrls: ReadonlySet<string>,
  context: { readonly entries: readonly SitemapEntry[]; readonly parent: ParentSitemap },
) => Iterable<string> | Promise<Iterable<string>>;

/** Where log lines go. `console` and a `pino` logger both fit. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Running totals of one call. */
export interface ProgressTotals {
  /** Sitemaps known so far, fetched or not. The robots.txt of the site is not counted. */
  readonly known: number;
  /** Sitemaps that were read. */
  readonly done: number;
  /** Sitemaps that could not be read. */
  readonly failed: number;
  /**
   * Pages so far. For a tree this is an estimate, since its pages are parsed when they are asked for: the entries of
   * its documents as they arrive, those of a document that is fetched again included.
   */
  readonly pages: number;
  /** Bytes of documents after all decoding. */
  readonly bytes: number;
  readonly elapsedMs: number;
}

/** What {@link SitemapOptions.onProgress} is called with. `bytes` comes at most ten times a second. */
export type SitemapProgress = { readonly totals: ProgressTotals } & (
  | { readonly type: 'queued'; readonly url: string }
  | { readonly type: 'started'; readonly url: string }
  | { readonly type: 'finished'; readonly url: string }
  | { readonly type: 'failed'; readonly url: string; readonly code: string; readonly reason: string }
  | {
      readonly type: 'retried';
      readonly url: string;
      /** The number of the attempt that failed, from 1. */
      readonly attempt: number;
      readonly waitMs: number;
      readonly reason: string;
    }
  | {
      /** A response made all requests to a host wait: it asked for a pause, or its pace was reduced. */
      readonly type: 'waiting';
      /** The document that the response was for. */
      readonly url: string;
      readonly host: string;
      /** The length of the pause or, for a reduced pace, from the start of one request to the start of the next. */
      readonly waitMs: number;
      readonly reason: string;
    }
  | { readonly type: 'bytes'; readonly url?: string }
  | {
      /**
       * In a stream only: the problems of a document that was read to its end. In a tree its node has them.
       */
      readonly type: 'problems';
      readonly url: string;
      /** At most a hundred of the document, and those of its fetch. */
      readonly problems: readonly Problem[];
      readonly problemCount: number;
    }
);

/** The part of `Headers` that is needed, so that those of any library's `fetch` fit. */
export interface FetchHeaders extends Iterable<readonly [name: string, value: string]> {
  getSetCookie(): readonly string[];
}

/** Headers of a request: an object with their names, or the `Headers` of a `fetch`. */
export type RequestHeaders = Readonly<Record<string, string>> | FetchHeaders;

/** Headers to send, or a function that returns the headers for a URL. */
export type HeadersOption = RequestHeaders | ((url: string) => RequestHeaders | undefined);

/** A tree, or one sitemap, as `sitemapTreeForHomepage`, `sitemapFromUrl` and `loadTree` give it. */
export interface PreviousTree {
  readonly kind: SitemapKind;
  readonly url: string;
  allSitemaps(): Iterable<PreviousTree>;
}

/** The content of a PEM file: certificates, or a private key. */
export type Pem = string | Uint8Array;

/**
 * The options of `sitemapTreeForHomepage`, `sitemapFromUrl` and `SitemapFetcher`; with `maxPages`, those of the
 * streams.
 */
export interface SitemapOptions {
  /** Read robots.txt for its `Sitemap:` lines. @default true */
  readonly useRobots?: boolean | undefined;
  /**
   * Request the known paths, such as `/sitemap.xml`: always, never, or with `'if-none-declared'` only if robots.txt was
   * read or responded with 404 or 410, and has no `Sitemap:` line. @default true
   */
  readonly useKnownPaths?: boolean | 'if-none-declared' | undefined;
  /**
   * More paths to request, relative to the homepage (`['sitemaps/main.xml']`); also with `useKnownPaths: false`.
   * @default []
   */
  readonly extraKnownPaths?: readonly string[] | undefined;
  /** Also follow the sitemap and feed links of the homepage's own HTML, and its `Link:` header. @default false */
  readonly useHomepageLinks?: boolean | undefined;
  /** Shorten the homepage to the root of its site; `false` keeps its path and looks below it. @default true */
  readonly normalizeHomepageUrl?: boolean | undefined;
  /**
   * Also read sitemaps that a `<urlset>` lists as pages: on its own host, with `.xml` or `.xml.gz` at the end and
   * `sitemap` in the last part of the path. They stay pages, too. @default false
   */
  readonly followListedSitemaps?: boolean | undefined;
  /** Which children to fetch, one at a time. @default all */
  readonly recurseCallback?: RecurseCallback | undefined;
  /** Which children of an index to fetch, all at once; runs before `recurseCallback`. @default all */
  readonly recurseListCallback?: RecurseListCallback | undefined;
  /**
   * An earlier tree of the site, from `loadTree` or from an earlier call: what has not changed since is not downloaded
   * again, and every node has a `freshness`. It must stay open until the call has ended, and may be closed then.
   * @default none
   */
  readonly previous?: PreviousTree | undefined;
  /**
   * With `previous`: do not request a page sitemap at all if its index declares the same `<lastmod>` as at its last
   * good read, and that date had already passed. Many sites declare wrong dates. @default false
   */
  readonly trustLastmod?: boolean | undefined;
  /**
   * With `previous`: if a sitemap cannot be read this time, show that of `previous`, with freshness `stale` and the
   * problem `stale`. A sitemap that nothing declares any more is kept until everything declared since then was read.
   * @default false
   */
  readonly staleIfError?: boolean | undefined;
  /**
   * With `staleIfError`: how many runs must see a 404 before a document of `previous` counts as gone, since a
   * deployment makes a sitemap disappear for a minute. A 410 is gone at once. @default 2
   */
  readonly goneAfter?: number | undefined;
  /** With `staleIfError`: drop a page sitemap whose last good read is longer ago than this. @default none */
  readonly maxStaleMs?: number | undefined;
  /** Most requests at once. A request counts until its body has arrived, not while it waits to retry. @default 16 */
  readonly concurrency?: number | undefined;
  /**
   * Most requests at once to one host. A call starts with 4, adds one for each response in good time, and slows down if
   * the host refuses. @default 16
   */
  readonly perHostConcurrency?: number | undefined;
  /** Minimum delay between the starts of two requests to one host. @default 0 */
  readonly waitMs?: number | undefined;
  /** Multiply each `waitMs` by a random factor from 0.5 to 1.5. @default false */
  readonly randomWait?: boolean | undefined;
  /**
   * Most levels of nested indexes; robots.txt and known paths are level 0. Deeper sitemaps are `InvalidSitemap`s with
   * code `max-depth`. @default 11
   */
  readonly maxDepth?: number | undefined;
  /**
   * Most nodes of the tree; a shared sitemap counts at each place. Above it, children get no node, and their index gets
   * the problem `too-many-sitemaps`. @default 50000
   */
  readonly maxSitemaps?: number | undefined;
  /**
   * Most bytes of one document after all decoding (100 MiB). A larger document is truncated, with the problem
   * `too-large`. A compressed body may have twice as many bytes and 64 KiB. @default 104857600
   */
  readonly maxSitemapBytes?: number | undefined;
  /** Time limit of the whole call. Sitemaps that it ends are `InvalidSitemap`s with code `limit`. @default none */
  readonly maxTimeMs?: number | undefined;
  /**
   * Hosts that stand for others: `{ 'staging.example.org': 'www.example.org' }` reads the staging server as if it were
   * the public site. URLs on the first host are returned as URLs on the second one. A request for the second host goes
   * to the first, which counts as the site itself. Ports and schemes (on both sides) are possible: `{
   * 'http://localhost:3000': 'https://www.example.org' }`. @default none
   */
  readonly mapHosts?: Readonly<Record<string, string>> | undefined;
  /** Aborts the call, which then rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Most repeats of a failed request; with `0` every request is sent once. @default 4 */
  readonly retries?: number | undefined;
  /** Most time to connect; for the default client. @default 10000 */
  readonly connectTimeoutMs?: number | undefined;
  /** Most time without a response or a byte. @default 60000 */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Most time to download one document, all attempts together; pauses of the consumer are not counted. @default 600000
   */
  readonly sitemapTimeoutMs?: number | undefined;
  /** Most redirects that are followed for one document. @default 10 */
  readonly maxRedirects?: number | undefined;
  /** The `User-Agent` header; sent to every host. @default 'ultimate-sitemap-parser/<version>' */
  readonly userAgent?: string | undefined;
  /**
   * More headers. An object is sent to the homepage's host only (its https upgrade and `www.` variant included). A
   * function gets the URL of each request, and returns the headers for it. @default {}
   */
  readonly headers?: HeadersOption | undefined;
  /**
   * The URL of a proxy (`http:`, `https:`, `socks5:`, `socks5h:`), or `false` to ignore the environment.
   * @default HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY of the environment
   */
  readonly proxy?: string | URL | false | undefined;
  /** Check certificates. @default true */
  readonly verifyTls?: boolean | undefined;
  /**
   * Certificates of authorities to trust in addition to those that Node trusts: the content of PEM files, not their
   * names.
   * @default none
   */
  readonly ca?: Pem | readonly Pem[] | undefined;
  /**
   * The client certificate, as the content of a PEM file, with its chain if there is one; needs `key`. Like `headers`,
   * it is sent to the homepage's host only. @default none
   */
  readonly cert?: Pem | undefined;
  /** The private key of `cert`, as the content of a PEM file, without a passphrase. @default none */
  readonly key?: Pem | undefined;
  /**
   * Keep cookies during the call, and send each one back to the origin that set it, and to no other. Some sites
   * redirect in circles without them. @default false
   */
  readonly cookies?: boolean | undefined;
  /** Allow requests to private, loopback and link-local addresses. @default false */
  readonly allowPrivateNetworks?: boolean | undefined;
  /**
   * A function shaped like `fetch` that sends all requests, instead of the default client, which is built on
   * `node:http`. It cannot be combined with `proxy`, `verifyTls`, `ca`, `cert`, `key`, `cookies`,
   * `allowPrivateNetworks` or `connectTimeoutMs`. @default the default client
   */
  readonly webClient?: WebClient | undefined;
  /**
   * Give the problems of documents their `line` and `column`. Counting lines makes parsing take about a fifth longer.
   * @default false
   */
  readonly problemPositions?: boolean | undefined;
  /** Where log lines go; `console` and a pino logger fit. @default silent */
  readonly logger?: Logger | undefined;
  /**
   * Called with events, each with `totals`: sitemaps that are `queued`, `started`, `finished`, `failed` or `retried`,
   * hosts that make a call wait (`waiting`), and `bytes`, at most ten times a second; in a stream also the `problems`
   * of each document. @default silent
   */
  readonly onProgress?: ((event: SitemapProgress) => void) | undefined;
  /** The directory of a tree's temporary file. @default that of the system */
  readonly spoolDirectory?: string | undefined;
  /**
   * Bytes of documents that a tree keeps in memory before it uses a temporary file (32 MiB). A document of more than
   * 1/32 of that (1 MiB) goes to the file at once. @default 33554432
   */
  readonly spoolMemoryBytes?: number | undefined;
}

/** The options of `streamPages`, `streamSitemap` and `collectPages`. */
export interface StreamOptions extends SitemapOptions, SitePageOptions, SitemapFilterOptions {
  /**
   * In streams and `collectPages`: stop after this many pages, counted after the filters, and set `stopped`. A stream
   * does not check whether there are more. @default none; 1,000,000 for `collectPages`
   */
  readonly maxPages?: number | undefined;
  /**
   * In `streamPages` and `collectPages`: the crawler whose rules of robots.txt `verdictOf` applies: a name such as
   * `GPTBot`, or a `User-Agent` header that starts with it. It changes neither requests nor pages. @default none
   */
  readonly robotsAgent?: string | undefined;
}

/** Options that decide where to look for sitemaps. */
type Discovery =
  | 'useRobots'
  | 'useKnownPaths'
  | 'extraKnownPaths'
  | 'useHomepageLinks'
  | 'normalizeHomepageUrl'
  | 'followListedSitemaps';

/** The options of `sitemapFromUrl` and `SitemapFetcher`: all but those that decide where to look for sitemaps. */
export interface OneSitemapOptions extends Omit<SitemapOptions, Discovery> {}

/** The options of `streamSitemap`: those of a stream, without those that need the site and its robots.txt. */
export interface OneSitemapStreamOptions extends Omit<StreamOptions, Discovery | 'robotsAgent'> {}
