/**
 * Some pages of a sitemap at even distances, without knowing how many there are: every page at first; whenever there
 * are twice as many as wanted, every other one is dropped and the distance is doubled.
 */
import type { SitemapPage } from '../../parse/model/page.ts';
import type { SampledPage } from './summary.ts';

/** Longer texts are cut: what is shown of them is shorter still. */
const LONGEST_TEXT = 2048;

/** The sample of one sitemap. */
export class PageSample {
  readonly #wanted: number;
  #pages: SitemapPage[] = [];
  #distance = 1;
  #seen = 0;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  add(page: SitemapPage): void {
    this.addOf({ page });
  }

  /** The same of what has a page, which is asked for it only if it is taken. */
  addOf(one: { readonly page: SitemapPage }): void {
    if (this.#seen++ % this.#distance !== 0 || this.#wanted === 0) return;
    this.#pages.push(one.page);
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
  const { lastModified, declaredPriority, changeFrequency, newsStory } = page;
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

/** A text that is not too long to be kept. */
export function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
