/** `summarize`: everything that a report shows of a tree, in one pass over its documents and in bounded memory. */
import { UrlTable } from '../../diff/url-table.ts';
import { SitemapException } from '../../errors.ts';
import { checkNames } from '../../options/names.ts';
import type { SitemapPage } from '../../parse/model/page.ts';
import { isPagesKind } from '../../sitemap/kind.ts';
import { AbstractSitemap, partsOf, type Sitemap } from '../../sitemap/sitemap.ts';
import { placesOf } from '../../sitemap/walk.ts';
import { DateCounts } from './date-counts.ts';
import { FolderCounts } from './folder-counts.ts';
import { LanguageLinks } from './language-links.ts';
import { LimitCounts } from './limit-counts.ts';
import { PageSample } from './page-sample.ts';
import { SitemapCounts } from './sitemap-counts.ts';
import { sitemapRows } from './sitemap-rows.ts';
import type { SitemapSample, TreeSummary } from './summary.ts';

/** What {@link summarize} counts, and when it ends. */
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

const OPTIONS: readonly string[] = ['keep', 'now', 'signal'] satisfies (keyof SummarizeOptions)[];

/** Pages in all samples together, and in one. */
const MOST_SAMPLED = 1_500;
const MOST_OF_SITEMAP = 20;

/**
 * Counts what is in a tree: sitemaps, pages, dates, folders, languages, what could not be read. Each document is read
 * once. Memory grows with the number of different URLs, by about 25 bytes for each.
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
  if (!(tree instanceof AbstractSitemap)) {
    throw new SitemapException('summarize needs a sitemap, as sitemapTreeForHomepage or loadTree gives it.', {
      code: 'bad-input',
    });
  }
  checkNames(options, OPTIONS);
  const pages = new PageCounts(options);
  const sitemaps = new SitemapCounts();
  const limits = new LimitCounts();
  const samples: SitemapSample[] = [];
  const read = new Map<string, number>();
  const sampling = new Sampling(tree);
  for (const { sitemap } of placesOf(tree)) {
    options.signal?.throwIfAborted();
    const isRepeated = read.has(sitemap.url);
    if (isPagesKind(sitemap.kind) && !isRepeated) {
      const sample = new PageSample(sampling.next());
      const count = await pages.add(sitemap, sample);
      read.set(sitemap.url, count);
      limits.add(sitemap.url, sitemap.pageCount, sitemap.bytes ?? 0);
      if (sample.pages.length > 0) samples.push({ sitemap: sitemap.url, of: count, pages: sample.pages });
    } else if (sitemap.kind === 'index-xml' && !isRepeated) {
      read.set(sitemap.url, 0);
      const { subSitemaps, filteredUrls } = sitemap;
      limits.add(sitemap.url, subSitemaps.length + filteredUrls.length, sitemap.bytes ?? 0);
    }
    sitemaps.add(sitemap, isRepeated);
  }
  return {
    url: tree.url,
    ...(tree.complete !== undefined && { complete: tree.complete }),
    ...(tree.stopped !== undefined && { stopped: tree.stopped }),
    ...sitemaps.summary(),
    ...pages.summary(),
    limits: limits.summary(),
    tree: sitemapRows(tree, ({ url }) => read.get(url) ?? 0),
    samples,
  };
}

/** How many pages of which sitemap are sampled: few of each rather than many of the first. */
class Sampling {
  readonly #each: number;
  readonly #every: number;
  #at = 0;

  constructor(tree: Sitemap) {
    const documents = new Set<string>();
    for (const { sitemap } of placesOf(tree)) if (isPagesKind(sitemap.kind)) documents.add(sitemap.url);
    this.#each = Math.max(1, Math.min(MOST_OF_SITEMAP, Math.floor(MOST_SAMPLED / documents.size)));
    this.#every = Math.ceil(documents.size / MOST_SAMPLED);
  }

  next(): number {
    return this.#at++ % this.#every === 0 ? this.#each : 0;
  }
}

/** Counts pages, each document once. */
class PageCounts {
  readonly #keep: SummarizeOptions['keep'];
  readonly #now: number;
  readonly #signal: AbortSignal | undefined;
  readonly #urls = new UrlTable();
  /** By the number of a URL, a bit: whether a sitemap lists it. The targets of links have numbers too. */
  #listed = new Uint8Array(1024);
  #distinct = 0;
  #count = 0;
  readonly #dates = new DateCounts();
  readonly #folders = new FolderCounts();
  readonly #languages = new LanguageLinks(this.#urls);
  #news = 0;
  #withImages = 0;
  #images = 0;
  #withVideos = 0;
  #videos = 0;

  constructor({ keep, now = new Date(), signal }: SummarizeOptions) {
    this.#keep = keep;
    this.#now = now.getTime();
    this.#signal = signal;
  }

  /** Reads a document to its end, and returns how many of its pages count. */
  async add(sitemap: Sitemap, sample: PageSample): Promise<number> {
    const now = partsOf(sitemap).facts?.document?.requestedAt ?? this.#now;
    const before = this.#count;
    for await (const batch of sitemap.pages.batchesAsync()) {
      this.#signal?.throwIfAborted();
      for (const page of this.#keep === undefined ? batch : this.#keep(batch)) {
        this.#addPage(page, now);
        sample.add(page);
      }
    }
    return this.#count - before;
  }

  #addPage(page: SitemapPage, now: number): void {
    this.#count++;
    const { images, videos, alternates } = page;
    this.#dates.add(page.lastModified, now);
    this.#folders.add(page.url);
    const number = this.#urls.add(page.url);
    const isNew = !this.#isListed(number);
    if (isNew) this.#list(number);
    if (alternates.length > 0 && isNew) this.#languages.add(number, alternates);
    if (page.newsStory !== undefined) this.#news++;
    if (images.length > 0) this.#withImages++;
    this.#images += images.length;
    if (videos.length > 0) this.#withVideos++;
    this.#videos += videos.length;
  }

  #isListed(number: number): boolean {
    return ((this.#listed[number >>> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  #list(number: number): void {
    const at = number >>> 3;
    if (at >= this.#listed.length) {
      const grown = new Uint8Array(Math.max(this.#listed.length * 2, at + 1));
      grown.set(this.#listed);
      this.#listed = grown;
    }
    this.#listed[at] = this.#listed[at]! | (1 << (number & 7));
    this.#distinct++;
  }

  summary(): Pick<
    TreeSummary,
    'pages' | 'lastModified' | 'folders' | 'languages' | 'news' | 'images' | 'videos'
  > {
    return {
      pages: { count: this.#count, distinct: this.#distinct },
      lastModified: this.#dates.summary(),
      folders: this.#folders.summary(),
      languages: this.#languages.summary((number) => this.#isListed(number)),
      news: { pages: this.#news },
      images: { pages: this.#withImages, images: this.#images },
      videos: { pages: this.#withVideos, videos: this.#videos },
    };
  }
}
