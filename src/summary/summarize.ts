/** `summarize` counts everything that a report shows of a tree, in one pass over its documents. */

import type { DocumentObserver } from '../check/document-check.ts';
import { PROTOCOL_LIMITS } from '../check/protocol-limits.ts';
import { isPagesKind } from '../parse/model/kinds.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { checkFunction, checkSignal } from '../problems/arguments.ts';
import { badOption } from '../problems/errors.ts';
import { checkNames } from '../problems/option-names.ts';
import { placesOf } from '../sitemap/node-fields.ts';
import { checkIsSitemap, internalsOf, type Sitemap } from '../sitemap/sitemap.ts';
import { clip, LONGEST_TEXT } from '../text/wording.ts';
import { PageCounts } from './page-counts.ts';
import { PageSample, sampleSizes } from './page-sample.ts';
import { firstRequest, LimitCounts, type NoticedProblems, SitemapCounts } from './sitemap-counts.ts';
import { sitemapRows } from './sitemap-rows.ts';
import type { SitemapSample, TreeSummary } from './tree-summary.ts';

/** Options of {@link summarize}. @experimental */
export interface SummarizeOptions {
  /**
   * Chooses the pages that are counted. Called with a few hundred pages of a document at a time; returns those to
   * count.
   * @default all
   */
  readonly keep?: ((pages: readonly SitemapPage[]) => readonly SitemapPage[]) | undefined;
  /** The time that dates are compared with, if a document was not fetched. @default the clock */
  readonly now?: Date | undefined;
  /** Ends the call, which then rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Counts the sitemaps, pages, dates, folders, languages and failures of a tree. Each document is read once. Memory
 * grows by about 25 bytes for each different URL, and by twice as much for a URL that `new URL` would write
 * differently.
 *
 * @example
 * ```ts
 * const { pages, lastModified } = await summarize(tree);
 * console.log(`${pages.distinct} pages, the newest of ${lastModified.newest}`);
 * ```
 *
 * @throws SitemapException with code `bad-input` if it is not a tree, or `bad-option`
 */
export async function summarize(tree: Sitemap, options: SummarizeOptions = {}): Promise<TreeSummary> {
  checkIsSitemap(tree, 'summarize');
  checkNames(options, ['keep', 'now', 'signal']);
  const { keep, now, signal } = options;
  checkFunction(keep, 'keep');
  if (now !== undefined && !(now instanceof Date && Number.isFinite(now.getTime())))
    throw badOption('The option "now" must be a Date.', 'now');
  checkSignal(signal);
  return await new Summarizer(tree, options).summary();
}

const NO_PROBLEMS: NoticedProblems['problems'] = [];

interface ReadDocument extends NoticedProblems {
  /** The pages that were counted. */
  readonly pages: number;
  /** All pages that it lists. */
  readonly listed: number;
}

/** Summarizes a tree. A check can pass its documents to `reader`; `summary` reads the other documents. */
export class Summarizer {
  readonly #tree: Sitemap;
  readonly #options: SummarizeOptions;
  readonly #pages: PageCounts;
  readonly #nextSample: () => number;
  readonly #samples: SitemapSample[] = [];
  /** By URL. */
  readonly #documents = new Map<string, ReadDocument>();

  constructor(tree: Sitemap, options: SummarizeOptions) {
    this.#tree = tree;
    this.#options = options;
    const documents = new Set<string>();
    for (const { sitemap } of placesOf(tree)) if (isPagesKind(sitemap.kind)) documents.add(sitemap.url);
    this.#pages = new PageCounts(options);
    this.#nextSample = sampleSizes(documents.size);
  }

  /**
   * @internal Gets the pages of a document while a check reads it; undefined if it has no pages, or was read before.
   */
  reader(sitemap: Sitemap): DocumentObserver | undefined {
    if (!isPagesKind(sitemap.kind) || this.#documents.has(sitemap.url)) return undefined;
    const sample = new PageSample(this.#nextSample());
    const now = internalsOf(sitemap).facts?.document?.requestedAt ?? this.#pages.now;
    const isFeed = sitemap.kind === 'pages-rss' || sitemap.kind === 'pages-atom';
    let [pages, listed] = [0, 0];
    return {
      pages: (batch) => {
        listed += batch.length;
        pages += this.#pages.add(batch, now, sample, isFeed);
      },
      end: ({ problems, problemCount }) => {
        const sharedProblems = problems.length === 0 ? NO_PROBLEMS : problems;
        this.#documents.set(sitemap.url, { pages, listed, problems: sharedProblems, problemCount });
        if (sample.pages.length === 0) return;
        this.#samples.push({ sitemap: clip(sitemap.url, LONGEST_TEXT), of: pages, pages: sample.pages });
      },
    };
  }

  async summary(): Promise<TreeSummary> {
    const tree = this.#tree;
    const sitemaps = new SitemapCounts();
    const entries = new LimitCounts(PROTOCOL_LIMITS.entries);
    const sizes = new LimitCounts(PROTOCOL_LIMITS.bytes);
    const counted = new Set<string>();
    for (const { sitemap } of placesOf(tree)) {
      this.#options.signal?.throwIfAborted();
      await this.#readHere(sitemap);
      const isRepeated = counted.has(sitemap.url);
      const document = this.#documents.get(sitemap.url);
      sitemaps.add(sitemap, isRepeated, problemsOf(sitemap, document));
      if (sitemap.kind === 'invalid' || sitemap.kind === 'website' || isRepeated) continue;
      counted.add(sitemap.url);
      const { kind, subSitemaps, filteredUrls, bytes = 0 } = sitemap;
      if (kind === 'robots-txt') continue;
      const url = clip(sitemap.url, LONGEST_TEXT);
      entries.add(url, document?.listed ?? subSitemaps.length + filteredUrls.length);
      sizes.add(url, bytes);
    }
    const readAt = firstRequest(tree);
    return {
      url: clip(tree.url, LONGEST_TEXT),
      ...(tree.complete !== undefined && { complete: tree.complete }),
      ...(tree.stopped !== undefined && { stopped: tree.stopped }),
      ...(readAt !== undefined && { readAt }),
      ...sitemaps.summary(),
      ...(await this.#pages.summary(this.#options.signal)),
      limits: { sitemaps: entries.sitemaps, entries: entries.summary(), bytes: sizes.summary() },
      tree: sitemapRows(tree, (sitemap) => {
        const document = this.#documents.get(sitemap.url);
        const pages = isPagesKind(sitemap.kind) ? (document?.pages ?? 0) : 0;
        return { pages, problems: problemsOf(sitemap, document).problemCount };
      }),
      samples: this.#samples,
    };
  }

  async #readHere(sitemap: Sitemap): Promise<void> {
    const reader = this.reader(sitemap);
    if (reader === undefined) return;
    for await (const batch of sitemap.pages.batchesAsync()) {
      this.#options.signal?.throwIfAborted();
      reader.pages(batch);
    }
    reader.end(internalsOf(sitemap).source.summary);
  }
}

function problemsOf(sitemap: Sitemap, document: ReadDocument | undefined): NoticedProblems {
  if (document === undefined || !isPagesKind(sitemap.kind)) return sitemap;
  const { problems, problemCount } = internalsOf(sitemap);
  if (problemCount === 0) return document;
  return {
    problems: [...problems, ...document.problems],
    problemCount: problemCount + document.problemCount,
  };
}
