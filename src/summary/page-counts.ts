/** Counts the pages of all documents: all, distinct ones, by date, folder and language, and those with extensions. */
import { urlKey } from '../check/ordinary-url.ts';
import { Fingerprint, FingerprintTable, int32Column } from '../parse/fingerprint-table.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { dateOf } from '../parse/model/page-date.ts';
import { DateCounts } from './date-counts.ts';
import { FolderCounts } from './folder-counts.ts';
import { LanguageLinks } from './language-links.ts';
import type { PageSample } from './page-sample.ts';
import type { TreeSummary } from './tree-summary.ts';

interface PageCountOptions {
  /** Chooses the pages that are counted. @default all */
  readonly keep?: ((pages: readonly SitemapPage[]) => readonly SitemapPage[]) | undefined;
  readonly now?: Date | undefined;
}

export class PageCounts {
  readonly #keep: PageCountOptions['keep'];
  /** The time that dates are compared with, if a document was not fetched. */
  readonly now: number;
  readonly #urls = new FingerprintTable();
  readonly #print = new Fingerprint();
  /** The numbers of the URLs that sitemaps list, as they are written. The targets of links have numbers, too. */
  readonly #listedUrls = new NumberSet();
  /** The numbers of the keys of listed URLs that differ from their keys. */
  readonly #listedKeys = new NumberSet();
  readonly #counts = { count: 0, distinct: 0 };
  readonly #dates = new DateCounts();
  readonly #folders = new FolderCounts();
  readonly #languages: LanguageLinks;
  readonly #news = { pages: 0 };
  readonly #feeds = { items: 0 };
  readonly #images = { pages: 0, images: 0 };
  readonly #videos = { pages: 0, videos: 0 };

  constructor({ keep, now = new Date() }: PageCountOptions) {
    this.#keep = keep;
    this.#languages = new LanguageLinks(this.#urls);
    this.now = now.getTime();
  }

  /** Adds pages, and returns how many of them were counted. @param now - when their document was requested */
  add(batch: readonly SitemapPage[], now: number, sample: PageSample, isFeed: boolean): number {
    const pages = this.#keep === undefined ? batch : this.#keep(batch);
    for (const page of pages) {
      this.#addPage(page, now);
      if (!isFeed && page.newsStory !== undefined) this.#news.pages++;
      if (sample.isNext()) sample.add(page);
    }
    if (isFeed) this.#feeds.items += pages.length;
    return pages.length;
  }

  /** Counts a page, and returns the number of its key, which links use. */
  #addUrl(url: string): number {
    this.#counts.count++;
    const number = this.#urls.add(this.#print.take(url));
    if (this.#listedUrls.add(number)) this.#counts.distinct++;
    const key = urlKey(url);
    if (key === url) return number;
    const linkNumber = this.#urls.add(this.#print.take(key));
    this.#listedKeys.add(linkNumber);
    return linkNumber;
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
    return this.#listedUrls.has(number) || this.#listedKeys.has(number);
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
