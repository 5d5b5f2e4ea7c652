/** `summarize`: everything that a report shows of a tree, in one pass over its documents and in bounded memory. */

import type { ReadAlong } from '../check/document-check.ts';
import { urlKey } from '../check/ordinary-url.ts';
import { PROTOCOL_LIMITS } from '../check/protocol-limits.ts';
import { badOption, checkFunction, checkNames, checkSignal } from '../options/names.ts';
import { Fingerprint, FingerprintTable, int32Column } from '../parse/fingerprint-table.ts';
import { isPagesKind } from '../parse/model/kinds.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { dateOf } from '../parse/model/page-date.ts';
import { placesOf } from '../sitemap/node-fields.ts';
import { checkIsSitemap, partsOf, type Sitemap } from '../sitemap/sitemap.ts';
import { DateCounts, FolderCounts, LanguageLinks } from './page-counts.ts';
import { firstRequest, LimitCounts, type Noticed, SitemapCounts, sitemapRows } from './sitemap-counts.ts';
import { cut, type SampledPage, type SitemapSample, type TreeSummary } from './tree-summary.ts';

/** What {@link summarize} counts, and when it ends. @experimental */
export interface SummarizeOptions {
  /**
   * Chooses the pages that are counted: gets those of a document a few hundred at a time, and returns the ones to keep.
   * @default all
   */
  readonly keep?: ((pages: readonly SitemapPage[]) => readonly SitemapPage[]) | undefined;
  /** The time that dates are compared with, where a document was not fetched. @default the clock */
  readonly now?: Date | undefined;
  /** Ends it; it then rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** Pages in all samples together, and in one. */
const MOST_SAMPLED = 1_500;
const MOST_OF_SITEMAP = 20;

/**
 * Counts what is in a tree: sitemaps, pages, dates, folders, languages, what could not be read. Each document is read
 * once. Memory grows with the number of different URLs, by about 25 bytes for each, and twice that where one is not
 * written as `new URL` writes it.
 *
 * @example
 * ```ts
 * const { pages, lastModified } = await summarize(tree);
 * console.log(`${pages.distinct} pages, the newest of ${lastModified.newest}`);
 * ```
 *
 * @throws SitemapException with code `bad-input` where it is not a tree, or `bad-option`
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

const NO_PROBLEMS: Noticed['problems'] = [];

interface ReadDocument extends Noticed {
  /** The pages that count. */
  readonly pages: number;
  /** All that it lists. */
  readonly listed: number;
}

/** Summarizes a tree. Documents that are read anyway are read along; the others are read in the end. */
export class Summarizer {
  readonly #tree: Sitemap;
  readonly #options: SummarizeOptions;
  readonly #pages: PageCounts;
  readonly #nextSample: () => number;
  readonly #samples: SitemapSample[] = [];
  /** By URL. */
  readonly #read = new Map<string, ReadDocument>();

  constructor(tree: Sitemap, options: SummarizeOptions) {
    this.#tree = tree;
    this.#options = options;
    const documents = new Map<string, Sitemap>();
    for (const { sitemap } of placesOf(tree))
      if (isPagesKind(sitemap.kind)) documents.set(sitemap.url, sitemap);
    this.#pages = new PageCounts(options);
    this.#nextSample = sampleSizes(documents.size);
  }

  /** @internal What reads the document of a sitemap along; undefined where there is none, or it was read before. */
  reader(sitemap: Sitemap): ReadAlong | undefined {
    if (!isPagesKind(sitemap.kind) || this.#read.has(sitemap.url)) return undefined;
    const sample = new PageSample(this.#nextSample());
    const now = partsOf(sitemap).facts?.document?.requestedAt ?? this.#pages.now;
    const isFeed = sitemap.kind === 'pages-rss' || sitemap.kind === 'pages-atom';
    let [pages, listed] = [0, 0];
    return {
      pages: (batch) => {
        listed += batch.length;
        pages += this.#pages.add(batch, now, sample, isFeed);
      },
      end: ({ problems, problemCount }) => {
        const kept = problems.length === 0 ? NO_PROBLEMS : problems;
        this.#read.set(sitemap.url, { pages, listed, problems: kept, problemCount });
        if (sample.pages.length === 0) return;
        this.#samples.push({ sitemap: cut(sitemap.url), of: pages, pages: sample.pages });
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
      const read = this.#read.get(sitemap.url);
      sitemaps.add(sitemap, isRepeated, noticedIn(sitemap, read));
      if (sitemap.kind === 'invalid' || sitemap.kind === 'website' || isRepeated) continue;
      counted.add(sitemap.url);
      const { kind, subSitemaps, filteredUrls, bytes = 0 } = sitemap;
      if (kind === 'robots-txt') continue;
      const url = cut(sitemap.url);
      entries.add(url, read?.listed ?? subSitemaps.length + filteredUrls.length);
      sizes.add(url, bytes);
    }
    const readAt = firstRequest(tree);
    return {
      url: cut(tree.url),
      ...(tree.complete !== undefined && { complete: tree.complete }),
      ...(tree.stopped !== undefined && { stopped: tree.stopped }),
      ...(readAt !== undefined && { readAt }),
      ...sitemaps.summary(),
      ...(await this.#pages.summary(this.#options.signal)),
      limits: { sitemaps: entries.sitemaps, entries: entries.summary(), bytes: sizes.summary() },
      tree: sitemapRows(tree, (sitemap) => {
        const read = this.#read.get(sitemap.url);
        const pages = isPagesKind(sitemap.kind) ? (read?.pages ?? 0) : 0;
        return { pages, problems: noticedIn(sitemap, read).problemCount };
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
    reader.end(partsOf(sitemap).source.summary);
  }
}

function noticedIn(sitemap: Sitemap, read: ReadDocument | undefined): Noticed {
  if (read === undefined || !isPagesKind(sitemap.kind)) return sitemap;
  const { problems, problemCount } = partsOf(sitemap);
  if (problemCount === 0) return read;
  return { problems: [...problems, ...read.problems], problemCount: problemCount + read.problemCount };
}

/** How many pages are sampled of each sitemap, one after the other: few of each rather than many of the first. */
function sampleSizes(documents: number): () => number {
  const each = Math.max(1, Math.min(MOST_OF_SITEMAP, Math.floor(MOST_SAMPLED / documents)));
  const every = Math.ceil(documents / MOST_SAMPLED);
  let at = 0;
  return () => (at++ % every === 0 ? each : 0);
}

class PageCounts {
  readonly #keep: SummarizeOptions['keep'];
  /** The time that dates are compared with, where a document was not fetched. */
  readonly now: number;
  readonly #urls = new FingerprintTable();
  readonly #print = new Fingerprint();
  /** The numbers of the URLs that sitemaps list, as they are written. The targets of links have numbers too. */
  readonly #listed = new NumberSet();
  /** The numbers of what the other URLs that are listed are compared by: those that are not ordinary. */
  readonly #listedKeys = new NumberSet();
  readonly #counts = { count: 0, distinct: 0 };
  readonly #dates = new DateCounts();
  readonly #folders = new FolderCounts();
  readonly #languages: LanguageLinks;
  readonly #news = { pages: 0 };
  readonly #feeds = { items: 0 };
  readonly #images = { pages: 0, images: 0 };
  readonly #videos = { pages: 0, videos: 0 };

  constructor({ keep, now = new Date() }: SummarizeOptions) {
    this.#keep = keep;
    this.#languages = new LanguageLinks(this.#urls);
    this.now = now.getTime();
  }

  /** Adds pages, and returns how many of them count. @param now - when their document was requested */
  add(batch: readonly SitemapPage[], now: number, sample: PageSample, isFeed: boolean): number {
    const kept = this.#keep === undefined ? batch : this.#keep(batch);
    for (const page of kept) {
      this.#addPage(page, now);
      if (!isFeed && page.newsStory !== undefined) this.#news.pages++;
      if (sample.isNext()) sample.add(page);
    }
    if (isFeed) this.#feeds.items += kept.length;
    return kept.length;
  }

  /** Counts a page, and returns the number by which links know it: that of its key. */
  #addUrl(url: string): number {
    this.#counts.count++;
    const number = this.#urls.add(this.#print.take(url));
    if (this.#listed.add(number)) this.#counts.distinct++;
    const key = urlKey(url);
    if (key === url) return number;
    const linked = this.#urls.add(this.#print.take(key));
    this.#listedKeys.add(linked);
    return linked;
  }

  #addPage(page: SitemapPage, now: number): void {
    const { images, videos, alternates } = page;
    this.#dates.add(dateOf(page)?.getTime() ?? Number.NaN, now);
    this.#folders.add(page.url);
    const number = this.#addUrl(page.url);
    if (alternates.length > 0) this.#languages.add(number, alternates);
    if (images.length > 0) this.#images.pages++;
    this.#images.images += images.length;
    if (videos.length > 0) this.#videos.pages++;
    this.#videos.videos += videos.length;
  }

  #isListed(number: number): boolean {
    return this.#listed.has(number) || this.#listedKeys.has(number);
  }

  async summary(
    signal?: AbortSignal,
  ): Promise<
    Pick<
      TreeSummary,
      'pages' | 'lastModified' | 'folders' | 'languages' | 'news' | 'feeds' | 'images' | 'videos'
    >
  > {
    return {
      pages: this.#counts,
      lastModified: this.#dates.summary(),
      folders: this.#folders.summary(),
      languages: await this.#languages.summary((number) => this.#isListed(number), signal),
      news: this.#news,
      feeds: this.#feeds,
      images: this.#images,
      videos: this.#videos,
    };
  }
}

/** A set of small numbers, a bit for each. */
class NumberSet {
  readonly #bits = int32Column();

  has(number: number): boolean {
    return (this.#bits.get(number >>> 5) & (1 << (number & 31))) !== 0;
  }

  /** Returns whether it is new. */
  add(number: number): boolean {
    if (this.has(number)) return false;
    const at = number >>> 5;
    this.#bits.set(at, this.#bits.get(at) | (1 << (number & 31)));
    return true;
  }
}

/**
 * Some pages of a sitemap at even distances, without knowing how many there are: every page at first; whenever there
 * are twice as many as wanted, every other one is dropped and the distance is doubled.
 */
class PageSample {
  readonly #wanted: number;
  #pages: SitemapPage[] = [];
  #distance = 1;
  #seen = 0;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  /** Whether the next page is to be added. */
  isNext(): boolean {
    return this.#seen++ % this.#distance === 0 && this.#wanted !== 0;
  }

  add(page: SitemapPage): void {
    this.#pages.push(page);
    if (this.#pages.length < 2 * this.#wanted) return;
    this.#pages = this.#pages.filter((_, index) => index % 2 === 0);
    this.#distance *= 2;
  }

  get pages(): readonly SampledPage[] {
    const step = Math.max(1, this.#pages.length / this.#wanted);
    const count = Math.min(this.#wanted, this.#pages.length);
    return Array.from({ length: count }, (_, index) => sampled(this.#pages[Math.floor(index * step)]!));
  }
}

function sampled(page: SitemapPage): SampledPage {
  const { declaredPriority, changeFrequency, newsStory } = page;
  const lastModified = dateOf(page);
  return {
    url: cut(page.url),
    ...(lastModified !== undefined && { lastModified: lastModified.toISOString() }),
    ...(declaredPriority !== undefined && { priority: declaredPriority }),
    ...(changeFrequency !== undefined && { changeFrequency }),
    ...(newsStory?.title !== undefined && { title: cut(newsStory.title) }),
    images: page.images.length,
    videos: page.videos.length,
    alternates: page.alternates.length,
  };
}
