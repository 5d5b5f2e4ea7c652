/** Which children of an index are fetched: `--sitemap-include`, `--sitemap-exclude` and `--since`. */
import { anyMatches, isSince, parsePattern, type UrlMatcher } from '../../filter/filter-pages.ts';
import type { RecurseCallback } from '../../index.ts';
import { count, list } from '../../problems/wording.ts';

/** What the user asked for. */
export interface SitemapFilterOptions {
  readonly sitemapInclude?: readonly string[] | undefined;
  readonly sitemapExclude?: readonly string[] | undefined;
  readonly since?: Date | undefined;
}

/** How many sitemaps a message names. */
const NAMED = 3;

/** Chooses the sitemaps of one site, and remembers what it left out. */
export class SitemapFilter {
  readonly #include: readonly UrlMatcher[];
  readonly #exclude: readonly UrlMatcher[];
  readonly #since: number | undefined;
  readonly #leftOut = { notIncluded: 0, excluded: 0, older: 0 };
  readonly #named: string[] = [];

  constructor({ sitemapInclude = [], sitemapExclude = [], since }: SitemapFilterOptions) {
    this.#include = sitemapInclude.map(parsePattern);
    this.#exclude = sitemapExclude.map(parsePattern);
    this.#since = since?.getTime();
  }

  /** For the library; undefined where nothing is filtered. */
  get callback(): RecurseCallback | undefined {
    const isOpen = this.#include.length === 0 && this.#exclude.length === 0 && this.#since === undefined;
    if (isOpen) return undefined;
    return (url, _level, _parents, { entry }) => {
      const why = this.#whyNot(url, entry.lastModified);
      if (why === undefined) return true;
      this.#leftOut[why]++;
      if (this.#named.length < NAMED) this.#named.push(url);
      return false;
    };
  }

  #whyNot(url: string, lastModified: Date | undefined): keyof SitemapFilter['leftOut'] | undefined {
    if (this.#include.length > 0 && !anyMatches(this.#include, url)) return 'notIncluded';
    if (anyMatches(this.#exclude, url)) return 'excluded';
    if (this.#since === undefined || lastModified === undefined) return undefined;
    return isSince(lastModified, undefined, this.#since) ? undefined : 'older';
  }

  get leftOut(): { readonly notIncluded: number; readonly excluded: number; readonly older: number } {
    return this.#leftOut;
  }

  /** How many sitemaps were not fetched. */
  get count(): number {
    return this.#leftOut.notIncluded + this.#leftOut.excluded + this.#leftOut.older;
  }

  /** What was left out and why, with the first few by name. */
  get leftOutInWords(): string {
    const { notIncluded, excluded, older } = this.#leftOut;
    const reasons = [
      { sitemaps: notIncluded, why: 'not matched by --sitemap-include' },
      { sitemaps: excluded, why: 'matched by --sitemap-exclude' },
      { sitemaps: older, why: 'declared older than --since' },
    ].filter(({ sitemaps }) => sitemaps > 0);
    const names = this.#named.join(', ') + (this.count > NAMED ? ', …' : '');
    return `${list(reasons.map(({ sitemaps, why }) => `${count(sitemaps, 'sitemap')} ${why}`))} (${names})`;
  }
}
