/**
 * A sample of the pages of a site: those with the smallest SHA-256 of their URL, one of each sitemap first. So the
 * choice is the same every time, and a page stays in it as long as it is listed.
 */

import { createHash } from 'node:crypto';
import { urlKey } from '../url.ts';

interface Candidate<Page> {
  readonly digest: string;
  readonly key: string;
  readonly page: Page;
}

export class PageChoice<Page> {
  readonly #size: number;
  /** The smallest of all pages, and at most as many others: no order, and a URL may be twice. */
  #smallest: Candidate<Page>[] = [];
  /** Only smaller digests are kept; 'g' is above all hex. */
  #limit = 'g';
  readonly #ofSitemaps = new Map<unknown, Candidate<Page>>();

  constructor(size: number) {
    this.#size = size;
  }

  /**
   * @param sitemap - what lists the page: one value for each sitemap
   * @param key - what URLs are compared by: see `urlKey`
   * @param pageOf - called where the page may be in the sample
   */
  note(sitemap: unknown, key: string, pageOf: () => Page): void {
    const digest = createHash('sha256').update(key).digest('hex');
    const best = this.#ofSitemaps.get(sitemap);
    const isBest = best === undefined || digest < best.digest;
    const isSmall = digest < this.#limit;
    if (!isBest && !isSmall) return;
    const candidate = { digest, key, page: pageOf() };
    if (isBest) this.#ofSitemaps.set(sitemap, candidate);
    if (!isSmall) return;
    this.#smallest.push(candidate);
    // So each page costs a logarithm, however many are wanted.
    if (this.#smallest.length >= 2 * this.#size + 100) this.#shrink();
  }

  /** The sample, by digest; the best page of each sitemap first. */
  get pages(): readonly Page[] {
    return this.#choice().map(({ page }) => page);
  }

  /** The keys of the sample. */
  get keys(): Set<string> {
    return new Set(this.#choice().map(({ key }) => key));
  }

  #choice(): readonly Candidate<Page>[] {
    this.#shrink();
    const ofSitemaps = [...this.#ofSitemaps.values()].sort(byDigest);
    return distinct([...ofSitemaps, ...this.#smallest]).slice(0, this.#size);
  }

  #shrink(): void {
    this.#smallest = distinct(this.#smallest.sort(byDigest)).slice(0, this.#size);
    if (this.#smallest.length === this.#size) this.#limit = this.#smallest.at(-1)!.digest;
  }
}

/** Pages with different URLs; the first of each is kept. */
function distinct<Page>(pages: readonly Candidate<Page>[]): Candidate<Page>[] {
  const byUrl = new Map<string, Candidate<Page>>();
  for (const page of pages) if (!byUrl.has(page.digest)) byUrl.set(page.digest, page);
  return [...byUrl.values()];
}

function byDigest(a: Candidate<unknown>, b: Candidate<unknown>): number {
  return a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : 0;
}

/** The items whose pages are in a sample, each the first time it comes. @param keys - the sample; loses what came */
export function takeSample<Item>(
  items: readonly Item[],
  keys: Set<string>,
  urlOf: (item: Item) => string,
): readonly Item[] {
  return items.filter((item) => keys.delete(urlKey(urlOf(item))));
}
