/**
 * Crawls many sites: takes their homepages, and yields the result of each. At most `sitesAtOnce` sites are in memory at
 * a time. All sites share one network, so the pace of a host and the limit of requests to an address hold for all of
 * them.
 */

import { setMaxListeners } from 'node:events';
import { Alternates, sampledFrom } from '../filter/alternates.ts';
import { LeftOutCounts, type LeftOutPages, type PagePass, pageFilter } from '../filter/filter-pages.ts';
import { PageChoice, takeSample } from '../filter/page-choice.ts';
import { hostsOfTree } from '../filter/site-hosts.ts';
import {
  type IndexWebsiteSitemap,
  robotsVerdicts,
  type Sitemap,
  SitemapException,
  type SitemapPage,
  type SiteOutcome,
  type Stopped,
  type StreamOptions,
  walkTree,
} from '../index.ts';
import { ownOptions, withDefaultsFor } from '../options/resolve.ts';
import { isPagesKind } from '../parse/model/kinds.ts';
import { checkIterable } from '../problems/arguments.ts';
import { forOneLoop, oneLoopOver } from '../problems/errors.ts';
import { onAbort, unlessAborted } from '../runtime/abort.ts';
import { Closeable } from '../runtime/closing.ts';
import { inTurn, Waiters } from '../runtime/time.ts';
import { SitePool } from '../site-pool.ts';
import { parsedUrl, shownUrl, urlArgumentText, urlKey, withoutUserinfo } from '../url.ts';
import type { PageRow } from './output/parts.ts';

/**
 * The options of {@link crawlSites}: those of a single site, which apply to each site, and how many sites are crawled
 * at once.
 */
export interface CrawlSitesOptions extends StreamOptions {
  /** Sites that are crawled at once, and results that wait to be read. @default 32 */
  readonly sitesAtOnce?: number | undefined;
}

/** A site with a signal of its own: when that aborts, its outcome is `failed`, and the other sites go on. */
export interface SiteToCrawl {
  readonly url: string | URL;
  readonly signal?: AbortSignal | undefined;
  /**
   * Loads the tree of an earlier crawl of the site, if there is one. Called when the crawl of the site starts.
   * Documents that have not changed since are not fetched again (option `previous`). The tree is closed with that of
   * the result.
   */
  readonly previous?: (() => Promise<Sitemap | undefined>) | undefined;
}

/** Requests in flight over all hosts, for each site that is crawled at once. */
const REQUESTS_PER_SITE = 4;

/**
 * Crawls many sites. The results come in the order in which sites are finished. The tree of a result is closed when the
 * next one is asked for, so read what you need before that. The results can be iterated over once: a second loop throws
 * (`crawl-used`).
 *
 * A site that cannot be read does not end the crawl: its outcome is `failed`, with the reason. The options are those of
 * `streamPages`, for each site: filters, `maxPages` and `robotsAgent` are about its pages. Three have other defaults:
 * `concurrency`, which is that of all sites together (4 × `sitesAtOnce`), `maxTimeMs` (3,600,000, for each site) and
 * `useKnownPaths` (`'if-none-declared'`).
 *
 * @example
 * ```ts
 * import { crawlSites } from 'ultimate-sitemap-parser/batch';
 *
 * for await (const site of crawlSites(['https://example.org/'])) {
 *   console.log(site.site, site.outcome, site.sitemaps);
 *   for await (const { page } of site.pages()) console.log(page.url);
 * }
 * ```
 *
 * @throws SitemapException with code `bad-option`; the signal's reason when it aborts
 */
export function crawlSites(
  sites: Iterable<string | URL | SiteToCrawl> | AsyncIterable<string | URL | SiteToCrawl>,
  options: CrawlSitesOptions = {},
): AsyncGenerator<CrawledSite, void, undefined> {
  checkIterable(sites, 'crawlSites needs a list of sites: an iterable of URLs.');
  return oneLoopOver(
    results(sites, sharedCrawl(options), options.signal),
    forOneLoop('crawl-used', 'A crawl can be iterated over once; call crawlSites again.'),
  );
}

/** @internal The options of `usp crawl`: plain values, so that a message can carry them to another process. */
export interface CrawlCommandOptions extends CrawlSitesOptions {
  /** With `robotsAgent`: leave out the pages that it may not fetch. @default false */
  readonly onlyAllowed?: boolean | undefined;
}

/** @internal What all sites of a crawl share, and which of its pages each lists. */
interface SharedCrawl {
  readonly sitesAtOnce: number;
  readonly pool: SitePool;
  readonly maxPages: number;
  readonly sample: number | undefined;
  readonly listAlternates: boolean;
  readonly agent: string | undefined;
  readonly passOver: PagePass | undefined;
  readonly onlyAllowed: boolean;
}

/**
 * @internal
 * @param command - what only `usp crawl` has
 * @throws SitemapException with code `bad-option`
 */
export function sharedCrawl(
  options: CrawlSitesOptions,
  { onlyAllowed = false }: Pick<CrawlCommandOptions, 'onlyAllowed'> = {},
): SharedCrawl {
  const [{ sitesAtOnce }, perSite] = ownOptions(options, ['sitesAtOnce']);
  const concurrency = perSite.concurrency ?? Math.max(16, REQUESTS_PER_SITE * sitesAtOnce);
  const pool = new SitePool({ ...withDefaultsFor('sites', perSite), concurrency });
  const { maxPages = Number.POSITIVE_INFINITY, sample, listAlternates = false, robotsAgent: agent } = perSite;
  const passOver = pageFilter(perSite);
  return { sitesAtOnce, pool, maxPages, sample, listAlternates, agent, passOver, onlyAllowed };
}

async function* results(
  sites: Iterable<string | URL | SiteToCrawl> | AsyncIterable<string | URL | SiteToCrawl>,
  shared: SharedCrawl,
  aborted: AbortSignal | undefined,
): AsyncGenerator<CrawledSite, void, undefined> {
  const ending = new AbortController();
  const { signal } = ending;
  // Every document of every site listens to it.
  setMaxListeners(0, signal);
  const stopListening = onAbort(aborted, (reason) => ending.abort(reason));
  const nextSite = oneAtATime(sites, signal);
  // In the order in which they settle. Not `Promise.race`: each call would add a handler to every promise that is
  // pending, and a slow site may be pending while a million others finish.
  const outcomes: Promise<CrawledSite | undefined>[] = [];
  let expected = 0;
  const waiters = new Waiters();
  const start = (): void => {
    expected++;
    const crawled = nextSite().then((site) =>
      site === undefined ? undefined : crawlOne(site, shared, signal),
    );
    const settle = (): void => {
      outcomes.push(crawled);
      waiters.wake();
    };
    crawled.then(settle, settle);
  };
  const take = async (): Promise<CrawledSite | undefined> => {
    while (outcomes.length === 0) await waiters.wait();
    expected--;
    return outcomes.shift();
  };
  try {
    for (let at = 0; at < shared.sitesAtOnce; at++) start();
    while (expected > 0) {
      const result = await take();
      if (result === undefined) continue;
      try {
        signal.throwIfAborted();
        yield result;
      } finally {
        result.close();
      }
      start();
    }
    signal.throwIfAborted();
  } finally {
    stopListening();
    ending.abort(new SitemapException('The crawl is over.', { code: 'closed' }));
    while (expected > 0) (await take().catch(() => undefined))?.close();
    await shared.pool.close();
  }
}

/**
 * Asks for sites one at a time, since an async iterator need not support two calls of `next` at once. Resolves to
 * undefined at the end of the list, and once the signal aborts: an iterator that is busy is ended after its current
 * call.
 */
function oneAtATime<Site>(
  sites: Iterable<Site> | AsyncIterable<Site>,
  signal: AbortSignal,
): () => Promise<Site | undefined> {
  const iterator = Symbol.asyncIterator in sites ? sites[Symbol.asyncIterator]() : sites[Symbol.iterator]();
  const oneByOne = inTurn();
  let isOver = false;
  const end = async (): Promise<unknown> => iterator.return?.();
  onAbort(signal, () => {
    if (!isOver) end().catch(() => {});
    isOver = true;
  });
  const ask = async (): Promise<Site | undefined> => {
    if (isOver) return undefined;
    try {
      const { value, done } = await iterator.next();
      isOver ||= done === true;
      return isOver ? undefined : value;
    } catch (error) {
      isOver = true;
      throw error;
    }
  };
  return () =>
    unlessAborted(oneByOne(ask), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
}

/** @internal Crawls one site. Rejects only where the whole crawl is aborted. */
export async function crawlOne(
  site: string | URL | SiteToCrawl,
  shared: SharedCrawl,
  crawl?: AbortSignal,
): Promise<CrawledSite> {
  const isUrl = typeof site !== 'object' || site === null || site instanceof URL;
  const { url, signal, previous: load }: SiteToCrawl = isUrl ? { url: site } : site;
  const startedAt = performance.now();
  const siteStop = new AbortController();
  setMaxListeners(0, siteStop.signal);
  const stopListening = [crawl, signal].map((from) => onAbort(from, (reason) => siteStop.abort(reason)));
  let previous: Sitemap | undefined;
  try {
    previous = await load?.();
    const tree = await shared.pool.tree(url, {
      signal: siteStop.signal,
      ...(previous === undefined ? {} : { previous }),
    });
    const elapsedMs = performance.now() - startedAt;
    return new CrawledSite(tree.url, tree, { elapsedMs, tree, shared, previous });
  } catch (error) {
    previous?.close();
    crawl?.throwIfAborted();
    const text = urlArgumentText(url);
    const parsed = parsedUrl(text);
    const name = parsed === undefined ? shownUrl(text) : withoutUserinfo(parsed).href;
    return failedSite(name, error, performance.now() - startedAt);
  } finally {
    for (const stop of stopListening) stop();
  }
}

/** The result of a site, from its tree. */
type SiteResult = Pick<IndexWebsiteSitemap, 'complete' | 'stopped' | 'outcome' | 'code' | 'reason'>;

/**
 * One site that was crawled. Its tree is open until the next result is asked for. If `maxPages` ends its pages,
 * `complete`, `stopped`, `outcome`, `code` and `reason` say so once the last page was read.
 */
export class CrawledSite extends Closeable {
  /** The normalised homepage; for an invalid URL, the text as it was given. */
  readonly site: string;
  /** Sitemaps that were read, each document once; robots.txt is not counted. */
  readonly sitemaps: number;
  /** Sitemaps that could not be read this time and are those of an earlier crawl (`staleIfError`). */
  readonly stale: number;
  /** Bytes of the documents that were read, after decoding. */
  readonly bytes: number;
  /** From the start of the site to its last document. */
  readonly elapsedMs: number;
  /** The tree; undefined where the crawl of the site ended with an error. */
  readonly tree: IndexWebsiteSitemap | undefined;
  #result: SiteResult;
  readonly #shared: SharedCrawl | undefined;
  readonly #previous: Sitemap | undefined;
  readonly #leftOut = new LeftOutCounts();

  /** @internal Use {@link crawlSites}. */
  constructor(
    site: string,
    { complete, stopped, outcome, code, reason }: SiteResult,
    details: {
      readonly elapsedMs: number;
      readonly tree?: IndexWebsiteSitemap | undefined;
      readonly shared?: SharedCrawl | undefined;
      /** The tree of an earlier crawl, which this one may share documents with. */
      readonly previous?: Sitemap | undefined;
    },
  ) {
    super();
    this.site = site;
    this.#result = { complete, stopped, outcome, code, reason };
    const counts = details.tree === undefined ? { sitemaps: 0, stale: 0, bytes: 0 } : countsOf(details.tree);
    this.sitemaps = counts.sitemaps;
    this.stale = counts.stale;
    this.bytes = counts.bytes;
    this.elapsedMs = Math.round(details.elapsedMs);
    this.tree = details.tree;
    this.#previous = details.previous;
    this.#shared = details.shared;
  }

  /** Whether everything that was declared was fetched and read to its end. */
  get complete(): boolean {
    return this.#result.complete === true;
  }

  /** The limit that ended the crawl of the site, if one did. */
  get stopped(): Stopped | undefined {
    return this.#result.stopped;
  }

  /** `complete`, `partial`, `none` or `failed`. */
  get outcome(): SiteOutcome {
    return this.#result.outcome;
  }

  /** A stable kebab-case word for what the reason is about; absent where the outcome is `complete`. */
  get code(): string | undefined {
    return this.#result.code;
  }

  /** Why the outcome is not `complete`, in a sentence. */
  get reason(): string | undefined {
    return this.#result.reason;
  }

  /**
   * How many pages the filters left out in the last loop over the pages, by reason. Complete once that loop has ended.
   */
  get leftOut(): LeftOutPages {
    return this.#leftOut.counts;
  }

  /** Closes its tree. Called when the next result is asked for, and by `using`. */
  override close(): void {
    this.tree?.close();
    this.#previous?.close();
  }

  /**
   * The pages of all documents that pass the filters, at most `maxPages`. Each document is read once. Pages are parsed
   * during the loop and not kept. Each call starts again, as long as the tree is open.
   */
  async *pages(): AsyncGenerator<PageRow, void, undefined> {
    for await (const rows of this.batches()) yield* rows;
  }

  /** The pages in arrays of a few hundred, which is less work per page. */
  async *batches(): AsyncGenerator<readonly PageRow[], void, undefined> {
    if (this.tree === undefined || this.#shared === undefined) return;
    const { maxPages, sample } = this.#shared;
    const sampleKeys = sample === undefined ? undefined : await this.#sampleKeys(sample);
    let pages = 0;
    for await (const batch of this.#unlimitedRows(this.tree, this.#shared)) {
      const rows = sampleKeys === undefined ? batch : takeSample(batch, sampleKeys, ({ page }) => page.url);
      pages += rows.length;
      if (pages >= maxPages) this.#stop(maxPages);
      const allowedRows = pages > maxPages ? rows.slice(0, maxPages - pages) : rows;
      if (allowedRows.length > 0) yield allowedRows;
      if (pages >= maxPages) return;
    }
  }

  /** The pages that pass the filters, without limits. */
  async *#unlimitedRows(
    tree: IndexWebsiteSitemap,
    { agent, passOver, onlyAllowed, listAlternates }: SharedCrawl,
  ): AsyncGenerator<readonly PageRow[], void, undefined> {
    this.#leftOut.clear();
    const whyNot = passOver?.(hostsOfTree(tree));
    const verdictOf = agent === undefined ? undefined : await robotsVerdicts(tree, agent);
    const withAlternates = listAlternates
      ? (await Alternates.of(tree.allPages().batchesAsync())).pass()
      : (pages: readonly SitemapPage[]) => pages;
    const seen = new Set<string>();
    for (const { sitemap } of walkTree(tree)) {
      if (!isPagesKind(sitemap.kind) || seen.has(sitemap.url)) continue;
      seen.add(sitemap.url);
      const stale = sitemap.freshness === 'stale';
      for await (const batch of sitemap.pages.batchesAsync()) {
        const all = withAlternates(batch);
        const pages = whyNot === undefined ? all : all.filter((page) => this.#leftOut.keeps(whyNot, page));
        const rows = pages.map((page) => ({
          sitemap: sitemap.url,
          page,
          stale,
          verdict: verdictOf?.(page.url),
        }));
        const allowed = onlyAllowed ? rows.filter(({ verdict }) => verdict?.allowed !== false) : rows;
        if (allowed.length < rows.length) this.#leftOut.add('disallowed', rows.length - allowed.length);
        yield allowed;
      }
    }
  }

  async #sampleKeys(size: number): Promise<Set<string>> {
    const choice = new PageChoice<undefined>(size);
    for await (const rows of this.#unlimitedRows(this.tree!, this.#shared!))
      for (const { sitemap, page } of rows)
        choice.note(sampledFrom(page, sitemap), urlKey(page.url), () => undefined);
    return choice.keys;
  }

  #stop(maxPages: number): void {
    const message = `The pages of the site end after ${maxPages} (maxPages).`;
    const { outcome, code = 'limit', reason = message, stopped } = this.#result;
    this.#result = {
      complete: false,
      stopped: stopped ?? { limit: 'maxPages', message },
      outcome: outcome === 'complete' ? 'partial' : outcome,
      code,
      reason,
    };
  }
}

export function failedSite(site: string, error: unknown, elapsedMs = 0): CrawledSite {
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof SitemapException ? error.code : 'error';
  return new CrawledSite(
    site,
    { complete: false, stopped: undefined, outcome: 'failed', code, reason },
    { elapsedMs },
  );
}

function countsOf(tree: IndexWebsiteSitemap): Pick<CrawledSite, 'sitemaps' | 'stale' | 'bytes'> {
  const sizes = new Map<string, number>();
  const stale = new Set<string>();
  let robots = 0;
  for (const { sitemap } of walkTree(tree)) {
    const { kind, url, bytes = 0 } = sitemap;
    if (kind === 'invalid' || kind === 'website') continue;
    const isStale = sitemap.freshness === 'stale';
    if (kind === 'robots-txt') robots += isStale ? 0 : bytes;
    else if (isStale) stale.add(url);
    else sizes.set(url, bytes);
  }
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, robots);
  return { sitemaps: sizes.size, stale: stale.size, bytes };
}
