/** Which pages and sitemaps are wanted: one decision for the library, the command and agents. */

import type { SitemapEntry } from '../parse/model/item.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { dateOf, dateTextOf } from '../parse/model/page-date.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import { endOfDate } from '../parse/values/date.ts';
import { checkIterable, checkOptions, checkValue } from '../problems/arguments.ts';
import { badInput } from '../problems/errors.ts';
import type { PageFilterOptions, SitemapFilterOptions, SitePageOptions } from './filter-options.ts';
import {
  anyMatches,
  matchersOf,
  PAGE_FILTERS,
  SITE_PAGE_FILTERS,
  SITEMAP_FILTERS,
  timeOf,
} from './filter-values.ts';
import type { SiteHosts } from './site-hosts.ts';

const NO_PAGES = 'filterPages needs pages, as a tree or a stream has them.';

/** Why a page or a sitemap is left out. */
export type LeftOut = 'other-host' | 'not-included' | 'excluded' | 'undated' | 'older' | 'newer' | 'repeated';

/**
 * How many pages were left out, by reason: they are on other hosts (`other-host`), have no date (`undated`), are
 * disallowed by robots.txt (`disallowed`), and so on. A reason without pages is absent.
 */
export type LeftOutPages = Readonly<Partial<Record<LeftOut | 'disallowed', number>>>;

/** Counts pages that are left out. */
export class LeftOutCounts {
  readonly #counts = new Map<keyof LeftOutPages, number>();

  add(why: keyof LeftOutPages, many = 1): void {
    this.#counts.set(why, (this.#counts.get(why) ?? 0) + many);
  }

  clear(): void {
    this.#counts.clear();
  }

  get counts(): LeftOutPages {
    return Object.fromEntries(this.#counts);
  }

  /** Whether a filter keeps a page; one that it does not keep is counted. */
  keeps(whyNot: (page: SitemapPage) => LeftOut | undefined, page: SitemapPage): boolean {
    const why = whyNot(page);
    if (why !== undefined) this.add(why);
    return why === undefined;
  }
}

/** A page, or a page with its sitemap, as a stream yields them. */
export type PageItem = SitemapPage | { readonly page: SitemapPage };

/**
 * The pages that match, as they come: of a tree, a sitemap or a stream. Sync where the pages are, async where they are.
 *
 * @example
 * ```ts
 * for (const page of filterPages(tree.allPages(), { since: '7d', include: '/blog/' })) console.log(page.url);
 *
 * const pages = filterPages(streamPages('https://example.org/'), { exclude: ['*.pdf', /\/tag\//] });
 * for await (const { page } of pages) console.log(page.url);
 * ```
 *
 * @throws SitemapException with code `bad-option`, or `bad-input` for what are not pages
 */
export function filterPages<Item extends PageItem>(
  pages: Iterable<Item>,
  options: PageFilterOptions,
): Iterable<Item>;
export function filterPages<Item extends PageItem>(
  pages: AsyncIterable<Item>,
  options: PageFilterOptions,
): AsyncIterable<Item>;
export function filterPages<Item extends PageItem>(
  pages: Iterable<Item> | AsyncIterable<Item>,
  options: PageFilterOptions,
): Iterable<Item> | AsyncIterable<Item> {
  checkOptions(options, PAGE_FILTERS);
  checkIterable(pages, NO_PAGES);
  const pass = pageFilter(options) ?? (() => () => undefined);
  // The pages of a tree are both: they stay so, and each loop takes what it needs.
  const filtered: Partial<Iterable<Item> & AsyncIterable<Item>> = {};
  if (Symbol.iterator in pages) {
    filtered[Symbol.iterator] = function* () {
      const whyNot = pass();
      for (const item of pages) if (whyNot(pageOf(item)) === undefined) yield item;
    };
  }
  if (Symbol.asyncIterator in pages) {
    filtered[Symbol.asyncIterator] = async function* () {
      const whyNot = pass();
      for await (const item of pages) if (whyNot(pageOf(item)) === undefined) yield item;
    };
  }
  return filtered as Iterable<Item> | AsyncIterable<Item>;
}

function pageOf(item: PageItem): SitemapPage {
  const isWithSitemap = typeof item === 'object' && item !== null && 'page' in item;
  const page = isWithSitemap ? item.page : item;
  if (typeof Object(page).url !== 'string') throw badInput(NO_PAGES);
  return page;
}

/** Starts one pass over the pages of a site, which `hosts` needs; `unique` remembers URLs within a pass. */
export type PagePass = (site?: SiteHosts) => (page: SitemapPage) => LeftOut | undefined;

/**
 * Says why a page is left out, or `undefined` where it is kept. Itself `undefined` where every page is kept.
 *
 * @throws SitemapException with code `bad-option`
 */
export function pageFilter(options: SitePageOptions): PagePass | undefined {
  const { undated = 'drop', unique, hosts = 'any' } = options;
  for (const [name, row] of Object.entries(SITE_PAGE_FILTERS))
    checkValue(name, row, Reflect.get(options, name));
  const now = Date.now();
  const since = timeOf(options.since, now);
  const until = timeOf(options.until, now);
  const whyNotUrl = urlFilter(options.include, options.exclude);
  const isDated = since !== undefined || until !== undefined;
  if (whyNotUrl === undefined && !isDated && unique !== true && hosts === 'any') return undefined;
  const whyNot = (page: SitemapPage, site: SiteHosts | undefined): LeftOut | undefined => {
    if (site?.has(page.url, hosts) === false) return 'other-host';
    const why = whyNotUrl?.(page.url);
    if (why !== undefined || !isDated) return why;
    const date = dateOf(page);
    if (date === undefined) return undated === 'keep' ? undefined : 'undated';
    if (since !== undefined && !isSince(date, dateTextOf(page), since)) return 'older';
    return until !== undefined && date.getTime() >= until ? 'newer' : undefined;
  };
  return (site) => {
    if (unique !== true) return (page) => whyNot(page, site);
    const seen = new SeenUrls();
    return (page) => whyNot(page, site) ?? (seen.add(page.url) ? undefined : 'repeated');
  };
}

/**
 * Says why a child of an index is not fetched, or `undefined` where it is: what is declared to be older than `since`
 * has no page that is wanted. Itself `undefined` where every child is fetched.
 *
 * @throws SitemapException with code `bad-option`
 */
export function sitemapFilter(
  options: SitemapFilterOptions & Pick<PageFilterOptions, 'since'>,
): ((sitemap: SitemapEntry) => LeftOut | undefined) | undefined {
  for (const [name, row] of Object.entries(SITEMAP_FILTERS))
    checkValue(name, row, Reflect.get(options, name));
  const since = timeOf(options.since, Date.now());
  const whyNotUrl = urlFilter(options.sitemapInclude, options.sitemapExclude);
  if (whyNotUrl === undefined && since === undefined) return undefined;
  return ({ url, lastModified, lastModifiedText }) => {
    const why = whyNotUrl?.(url);
    if (why !== undefined || since === undefined || lastModified === undefined) return why;
    return isSince(lastModified, lastModifiedText, since) ? undefined : 'older';
  };
}

function urlFilter(
  included: PageFilterOptions['include'],
  excluded: PageFilterOptions['exclude'],
): ((url: string) => 'not-included' | 'excluded' | undefined) | undefined {
  const include = matchersOf(included);
  const exclude = matchersOf(excluded);
  if (include.length + exclude.length === 0) return undefined;
  return (url) => {
    if (include.length > 0 && !anyMatches(include, url)) return 'not-included';
    return anyMatches(exclude, url) ? 'excluded' : undefined;
  };
}

/**
 * Whether something that changed at `date` may have changed at `since` or later. A date without a time covers its day
 * (a month its month, a year its year): what is dated today changed some time today.
 *
 * @param text - the date as written, where it is known; otherwise midnight counts as a date without a time
 */
export function isSince(date: Date, text: string | undefined, since: number): boolean {
  return endOfDate(date.getTime(), text) > since;
}
