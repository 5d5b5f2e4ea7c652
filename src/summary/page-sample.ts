/** Samples of the pages of a tree: some pages of each sitemap. */
import type { SitemapPage } from '../parse/model/page.ts';
import { dateOf } from '../parse/model/page-date.ts';
import { clip, LONGEST_TEXT } from '../text/wording.ts';
import type { SampledPage } from './tree-summary.ts';

/** How many pages all samples together have, and one sample. */
const MOST_SAMPLED = 1_500;
const MOST_OF_SITEMAP = 20;

/**
 * Returns the sample size of each sitemap, one call after the other: few pages of each rather than many of the first.
 */
export function sampleSizes(documents: number): () => number {
  const each = Math.max(1, Math.min(MOST_OF_SITEMAP, Math.floor(MOST_SAMPLED / documents)));
  const every = Math.ceil(documents / MOST_SAMPLED);
  let at = 0;
  return () => (at++ % every === 0 ? each : 0);
}

/**
 * Some pages of a sitemap at even distances, although the number of pages is not known. At first every page is taken.
 * Whenever there are twice as many as needed, every other page is dropped and the distance is doubled.
 */
export class PageSample {
  readonly #size: number;
  #pages: SitemapPage[] = [];
  #distance = 1;
  #pagesSeen = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Whether the next page must be added. */
  isNext(): boolean {
    return this.#pagesSeen++ % this.#distance === 0 && this.#size !== 0;
  }

  add(page: SitemapPage): void {
    this.#pages.push(page);
    if (this.#pages.length < 2 * this.#size) return;
    this.#pages = this.#pages.filter((_, index) => index % 2 === 0);
    this.#distance *= 2;
  }

  get pages(): readonly SampledPage[] {
    const step = Math.max(1, this.#pages.length / this.#size);
    const count = Math.min(this.#size, this.#pages.length);
    return Array.from({ length: count }, (_, index) => sampledPage(this.#pages[Math.floor(index * step)]!));
  }
}

function sampledPage(page: SitemapPage): SampledPage {
  const { declaredPriority, changeFrequency, newsStory } = page;
  const lastModified = dateOf(page);
  return {
    url: clip(page.url, LONGEST_TEXT),
    ...(lastModified !== undefined && { lastModified: lastModified.toISOString() }),
    ...(declaredPriority !== undefined && { priority: declaredPriority }),
    ...(changeFrequency !== undefined && { changeFrequency }),
    ...(newsStory?.title !== undefined && { title: clip(newsStory.title, LONGEST_TEXT) }),
    images: page.images.length,
    videos: page.videos.length,
    alternates: page.alternates.length,
  };
}
