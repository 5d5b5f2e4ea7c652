/** All pages of a site in one pass, while its documents are still arriving: no tree, no spool, constant memory. */

import { isFiltered } from './crawl/filters.ts';
import { Crawl, runCrawl } from './crawl/node-crawl.ts';
import { homepageOf, oneSitemap, type SiteSitemaps, sitemapsOfSite, sitemapUrl } from './crawl/site.ts';
import { StreamedAlternates } from './crawl/streamed-alternates.ts';
import { spoolFor } from './crawl/tree-crawl.ts';
import { sampledFrom } from './filter/alternates.ts';
import { LeftOutCounts, type LeftOutPages, pageFilter } from './filter/filter-pages.ts';
import { PageChoice } from './filter/page-choice.ts';
import { SiteHosts } from './filter/site-hosts.ts';
import type { OneSitemapStreamOptions, ProgressTotals, StreamOptions } from './options/options.ts';
import { type ResolvedOptions, resolveOptions } from './options/resolve.ts';
import type { SitemapEntry } from './parse/model/item.ts';
import { isMissing, missingParts } from './problems/catalogue.ts';
import { forOneLoop } from './problems/errors.ts';
import type { Problem } from './problems/problem-list.ts';
import type { IndexOutcome, NodeFactory, Outcome, PagesOutcome } from './read/outcome.ts';
import { treeNodes } from './read/outcome.ts';
import { PageChannel } from './read/page-channel.ts';
import { EntryAllowance } from './read/reader.ts';
import { type StreamedPage, StreamingReader } from './read/streaming-reader.ts';
import { AgentVerdicts, NO_RULES, type RobotsVerdict } from './robots/robots-rules.ts';
import type { CallResult, SiteOutcome, Stopped } from './sitemap/node-fields.ts';
import { AsyncBatchItems } from './sitemap/page-list.ts';
import { OutcomeNotes } from './sitemap/site-outcome.ts';
import { InvalidSitemap } from './sitemap/sitemap.ts';
import { documentKey, urlKey } from './url.ts';

/**
 * Streams the pages of a site. They are those of its tree, with two differences: their order across sitemaps is that of
 * arrival, and a sitemap that is declared twice is streamed once.
 *
 * @example
 * ```ts
 * for await (const { page, sitemap } of streamPages('https://example.org/')) {
 *   console.log(page.url, sitemap.url);
 * }
 * ```
 *
 * @throws SitemapException for a homepage that is not http(s), or an unknown or wrong option
 */
export function streamPages(homepage: string | URL, options?: StreamOptions): PageStream {
  const resolved = resolveOptions(options, 'stream');
  const site = homepageOf(homepage, resolved);
  return new PageStream(site, resolved, sitemapsOfSite);
}

/**
 * Streams the pages of one sitemap and of everything below it, without the other sitemaps of its site. A sitemap that
 * cannot be read ends the stream and is in its `invalidSitemaps`.
 *
 * @example
 * ```ts
 * for await (const { page } of streamSitemap('https://example.org/sitemap_index.xml')) console.log(page.url);
 * ```
 *
 * @throws SitemapException for a URL that is not http(s), or an unknown or wrong option
 */
export function streamSitemap(url: string | URL, options?: OneSitemapStreamOptions): PageStream {
  const resolved = resolveOptions(options, 'sitemap-stream');
  const site = sitemapUrl(url, resolved);
  return new PageStream(site, resolved, async (crawl) => {
    const node = await oneSitemap(crawl);
    return { nodes: [node], problems: [], complete: crawl.isComplete, triedPaths: [] };
  });
}

/** The URLs of the page sitemaps below a place, in order: the nodes of a stream. Only a sample needs them. */
type PageSitemaps = readonly string[];

const NO_SITEMAPS: PageSitemaps = Object.freeze([]);

/** The result of a crawl, apart from the pages that it has streamed. */
type CrawlEnd = Pick<SiteSitemaps<PageSitemaps>, 'nodes' | 'problems' | 'complete' | 'triedPaths'>;

type CrawlSteps = (crawl: Crawl<PageSitemaps>) => Promise<CrawlEnd>;

/** Why the crawl is ended when the consumer wants no more pages. */
const ENOUGH = Symbol('enough');

/** A page that may be in the sample, and how many came before it. */
interface ArrivedPage {
  readonly item: StreamedPage;
  readonly at: number;
}

/** A sitemap that was read, but not as a whole. */
export interface IncompleteSitemap {
  /** The URL of its document. */
  readonly url: string;
  /** What is missing, and why. */
  readonly problems: readonly Problem[];
}

/**
 * Pages as they arrive: to be iterated once, page by page or in {@link batches}; a second loop throws, with code
 * `stream-used`. Its result is known once it has ended, by itself or at a limit.
 */
export class PageStream implements AsyncIterable<StreamedPage>, CallResult {
  readonly #site: URL;
  readonly #options: ResolvedOptions;
  readonly #steps: CrawlSteps;
  readonly #invalid: InvalidSitemap[] = [];
  readonly #incomplete = new Map<string, IncompleteSitemap>();
  readonly #notes = new OutcomeNotes();
  readonly #leftOut = new LeftOutCounts();
  readonly #verdicts: AgentVerdicts | undefined;
  /** @internal The hosts of the site, for filters; complete before the first page comes. */
  readonly hosts: SiteHosts;
  #crawl: Crawl<PageSitemaps> | undefined;
  readonly #begin = forOneLoop(
    'stream-used',
    'A PageStream can be iterated once; make a new one with streamPages or streamSitemap.',
  );
  #crawlEnd: CrawlEnd | undefined;
  #result: CallResult = {};

  /** @internal Use {@link streamPages} or {@link streamSitemap}. */
  constructor(site: URL, options: ResolvedOptions, steps: CrawlSteps) {
    this.#site = site;
    this.hosts = new SiteHosts([site.href]);
    this.#options = options;
    this.#steps = steps;
    this.#verdicts = options.robotsAgent === undefined ? undefined : new AgentVerdicts(options.robotsAgent);
  }

  /** Once it ended: whether nothing that was declared was unreadable, not fetched or truncated. */
  get complete(): boolean {
    return this.#result.complete ?? false;
  }

  /** Once it ended: the limit that stopped it, if one did. */
  get stopped(): Stopped | undefined {
    return this.#result.stopped;
  }

  /** Once it ended: its result in one word, as on a tree. */
  get outcome(): SiteOutcome | undefined {
    return this.#result.outcome;
  }

  /** Once it ended: a stable kebab-case word for why the outcome is not `complete`. */
  get code(): string | undefined {
    return this.#result.code;
  }

  /** Once it ended: why the outcome is not `complete`, in a sentence. */
  get reason(): string | undefined {
    return this.#result.reason;
  }

  /** The sitemaps that could not be read, so far. */
  get invalidSitemaps(): readonly InvalidSitemap[] {
    return this.#invalid;
  }

  /**
   * The sitemaps that were read, but not as a whole, so far: truncated ones, indexes with children left out, and those
   * that are shown as `previous` has them (`staleIfError`).
   */
  get incompleteSitemaps(): readonly IncompleteSitemap[] {
    return [...this.#incomplete.values()];
  }

  /** How many pages the filters left out so far, by reason: `{ 'other-host': 3, undated: 1 }`. */
  get leftOut(): LeftOutPages {
    return this.#leftOut.counts;
  }

  /** The problems of the site itself, once it ended: those that the root of its tree would have. */
  get problems(): readonly Problem[] {
    return this.#crawlEnd?.problems ?? [];
  }

  /**
   * Whether the `robotsAgent` of the options may fetch a page, by the robots.txt of the site: it is read before the
   * first page comes. Empty without that option.
   */
  verdictOf(url: string | URL): RobotsVerdict {
    return this.#verdicts?.of(url) ?? {};
  }

  /** What was done so far. */
  get totals(): ProgressTotals {
    return this.#crawl?.progress.totals ?? { known: 0, done: 0, failed: 0, pages: 0, bytes: 0, elapsedMs: 0 };
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<StreamedPage, undefined, undefined> {
    return new AsyncBatchItems(this.batches(), this.#options.signal);
  }

  /** The pages in arrays, as they arrive: less work per page, where speed matters. */
  batches(): AsyncIterableIterator<readonly StreamedPage[], void, undefined> {
    const channel = new PageChannel<StreamedPage>();
    const batches = this.#batchesFrom(channel);
    // Not the generator itself: one that waits for its next value cannot be ended before that comes. A server that
    // pipes a stream to a client ends it when the client goes away, and must not have to wait for a slow site.
    return {
      next: () => batches.next(),
      return() {
        channel.close();
        return batches.return();
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  async *#batchesFrom(
    channel: PageChannel<StreamedPage>,
  ): AsyncGenerator<readonly StreamedPage[], void, undefined> {
    this.#begin();
    const ending = new AbortController();
    const { crawl, whenOver } = this.#start(channel, ending);
    const { maxPages = Number.POSITIVE_INFINITY, signal } = this.#options;
    const whyNot = pageFilter(this.#options)?.(this.hosts);
    const { sample: size, listAlternates } = this.#options;
    const alternates = listAlternates === true ? new StreamedAlternates(spoolFor(this.#options)) : undefined;
    let alternatePages: AsyncIterator<readonly StreamedPage[], undefined, undefined> | undefined;
    const take = async (): Promise<readonly StreamedPage[] | undefined> => {
      const batch = alternatePages === undefined ? await channel.take() : undefined;
      if (batch === undefined) {
        alternatePages ??= alternates?.pages();
        return (await alternatePages?.next())?.value;
      }
      alternates?.note(batch);
      return batch;
    };
    const sample = size === undefined ? undefined : new PageChoice<ArrivedPage>(size);
    let pages = 0;
    // Not in a second generator with `yield*`: every batch would pass through both.
    try {
      for (let arrived = await take(); arrived !== undefined; arrived = await take()) {
        signal?.throwIfAborted();
        const batch =
          whyNot === undefined ? arrived : arrived.filter(({ page }) => this.#leftOut.keeps(whyNot, page));
        if (batch.length === 0) continue;
        if (sample !== undefined) {
          for (const item of batch) {
            const at = pages++;
            const { page, sitemap } = item;
            sample.note(sampledFrom(page, sitemap.url), urlKey(page.url), () => ({ item, at }));
          }
          continue;
        }
        pages += batch.length;
        if (pages < maxPages) {
          yield batch;
          continue;
        }
        crawl.limits.stop('maxPages', `The stream was stopped after ${maxPages} pages (maxPages).`);
        this.#notes.addPages();
        yield batch.slice(0, batch.length - (pages - maxPages));
        return;
      }
      if (sample !== undefined && sample.pages.length > 0) yield this.#inTreeOrder(sample.pages);
    } finally {
      channel.close();
      ending.abort(ENOUGH);
      await whenOver;
      alternates?.close();
      this.#end(crawl.limits.stopped);
    }
  }

  /** The pages of one sitemap arrive in order, the sitemaps in any order. */
  #inTreeOrder(pages: readonly ArrivedPage[]): readonly StreamedPage[] {
    const places = new Map<string, number>();
    for (const url of this.#crawlEnd?.nodes.flat() ?? []) {
      const key = documentKey(url);
      if (!places.has(key)) places.set(key, places.size);
    }
    const placeOf = ({ item }: ArrivedPage): number =>
      places.get(documentKey(item.sitemap.url)) ?? places.size;
    const sorted = [...pages].sort((a, b) => placeOf(a) - placeOf(b) || a.at - b.at);
    return sorted.map(({ item }) => item);
  }

  /** Sets the result. If the loop was left before its end, there is none. */
  #end(stopped: Stopped | undefined): void {
    if (this.#crawlEnd === undefined && stopped === undefined) return;
    const { problems = [], triedPaths, complete: isAllRead = false } = this.#crawlEnd ?? {};
    const complete = isAllRead && stopped === undefined;
    const explained = this.#notes.end({ complete, stopped, problems, triedPaths });
    this.#result = { complete, stopped, ...explained };
  }

  #start(
    channel: PageChannel<StreamedPage>,
    ending: AbortController,
  ): { crawl: Crawl<PageSitemaps>; whenOver: Promise<void> } {
    const options = { ...this.#options, signal: linkedSignal(this.#options.signal, ending) };
    const crawl = new Crawl<PageSitemaps>(this.#site, options, (progress) => ({
      reader: new StreamingReader({
        channel,
        problemPositions: options.problemPositions,
        followsListed: options.followListedSitemaps,
        keepsRobots: this.#verdicts !== undefined || options.staleIfError,
        allowance: new EntryAllowance(options.maxSitemaps, { isFiltered: isFiltered(options) }),
        // The host that a single sitemap redirects to is one of the site. Its children have parents.
        onOpen: ({ url, parentUrls }, opened) => {
          if (parentUrls.size === 0 && url === this.#crawl?.url) this.hosts.add(opened);
        },
        onPages: (count) => progress.addPages(count),
        onProblems: (url, problems, problemCount) =>
          progress.report({ type: 'problems', url, problems, problemCount }),
      }),
      nodes: this.#nodes(),
      onRobots: (url, outcome) => this.#noteRobots(url, outcome),
      onSiteUrl: (url) => this.hosts.add(url),
    }));
    this.#crawl = crawl;
    const whenOver = runCrawl(crawl, options, async () => {
      this.#crawlEnd = await this.#steps(crawl);
    }).then(
      () => channel.end(),
      (reason: unknown) => channel.fail(reason),
    );
    return { crawl, whenOver };
  }

  #noteRobots(url: string, outcome: Outcome): void {
    if (outcome.type === 'index' && outcome.text !== undefined)
      this.#verdicts?.add(outcome.text, { ...outcome, declaredUrl: url });
    else if (outcome.type === 'invalid' && isMissing(outcome)) this.#verdicts?.add(NO_RULES, { url });
  }

  #noteMissing(
    declared: SitemapEntry,
    outcome: IndexOutcome | PagesOutcome,
    moreProblems: readonly Problem[],
  ): void {
    const { url } = outcome.redirected ? outcome : declared;
    const { kind, truncated, freshness } = outcome;
    const all = [...outcome.problems, ...moreProblems];
    this.#notes.add({ kind, url, truncated, freshness }, all);
    const problems = [...missingParts(all), ...all.filter(({ code }) => code === 'stale')];
    if (problems.length > 0) this.#incomplete.set(documentKey(url), { url, problems });
  }

  #nodes(): NodeFactory<PageSitemaps> {
    const isSample = this.#options.sample !== undefined;
    return {
      index: (declared, outcome, children, problems) => {
        this.#noteMissing(declared, outcome, problems);
        return isSample ? children.flat() : NO_SITEMAPS;
      },
      pages: (declared, outcome) => {
        this.#noteMissing(declared, outcome, []);
        return isSample ? [(outcome.redirected ? outcome : declared).url] : NO_SITEMAPS;
      },
      invalid: (declared, outcome) => {
        const node = treeNodes.invalid(declared, outcome);
        this.#notes.add(node, []);
        if (node instanceof InvalidSitemap) this.#invalid.push(node);
        return NO_SITEMAPS;
      },
    };
  }
}

/** A signal that aborts with the caller's, or when the consumer wants no more pages. */
function linkedSignal(signal: AbortSignal | undefined, ending: AbortController): AbortSignal {
  return signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
}
