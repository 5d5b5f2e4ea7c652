/** The flags of `usp crawl` that decide what is found: what its child processes and `usp worker` need of them. */
import type { SiteRules } from '../../batch/serve-crawl.ts';
import { pageFilter } from '../../index.ts';
import type { PageFlags } from '../filter/page-filter.ts';
import { SitemapFilter, type SitemapFilterOptions } from '../filter/sitemap-filter.ts';
import { type CrawlFlags, crawlOptions } from './crawl-flags.ts';

/** What shapes the result of a crawl. */
export interface CrawlCommandFlags
  extends CrawlFlags,
    Omit<PageFlags, 'since'>,
    Omit<SitemapFilterOptions, 'since'> {
  /** A time in ISO 8601: a `Date` does not survive a message or crawl.json. */
  readonly since?: string | undefined;
  /** Whether a WARC file of each site is kept. */
  readonly archives?: boolean | undefined;
  /** The folder of an earlier crawl with archives. */
  readonly previous?: string | undefined;
}

/** Each flag that shapes a crawl, and the value that commander gives it where the user gave none. */
const SHAPING: Readonly<Record<keyof Omit<CrawlCommandFlags, 'fromWarc'>, unknown>> = {
  ...{ robots: true, known: true, normalize: true, homepageLinks: undefined, knownPath: undefined },
  ...{ concurrency: undefined, wait: undefined, randomWait: undefined, timeout: undefined },
  ...{ maxSitemaps: undefined, maxDepth: undefined, maxPages: undefined, retries: undefined },
  ...{ userAgent: undefined, header: undefined, proxy: undefined, insecure: undefined },
  ...{ cacert: undefined, cert: undefined, key: undefined, cookies: undefined, allowPrivate: undefined },
  ...{ include: undefined, exclude: undefined, since: undefined, undated: undefined },
  ...{ sitemapInclude: undefined, sitemapExclude: undefined, archives: undefined, previous: undefined },
};

/** Flags whose values may hold secrets: crawl.json says that they were given, and a worker is given them itself. */
export const SECRET_FLAGS = ['header', 'proxy', 'cacert', 'cert', 'key'] as const;

/** The flags that the user gave. */
export function givenFlags(flags: CrawlCommandFlags): CrawlCommandFlags {
  const given = Object.entries(SHAPING)
    .map(([name, unset]) => [name, Reflect.get(flags, name), unset])
    .filter(([, value, unset]) => value !== undefined && value !== unset);
  return Object.fromEntries(given.map(([name, value]) => [name, value]));
}

/** The same without secrets, as crawl.json has them. */
export function shownFlags(flags: CrawlCommandFlags): Readonly<Record<string, unknown>> {
  const isSecret = (name: string): boolean => SECRET_FLAGS.some((secret) => secret === name);
  return Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [name, isSecret(name) && value !== false ? true : value]),
  );
}

/** The options of each site, and the filter of its pages. */
export function siteRules(flags: CrawlCommandFlags): SiteRules {
  const { include, exclude, undated, maxPages = Number.POSITIVE_INFINITY } = flags;
  const since = flags.since === undefined ? undefined : new Date(flags.since);
  const { concurrency: _ofAllSites, ...options } = crawlOptions(flags);
  const sitemaps = new SitemapFilter({ ...flags, since });
  const isFiltered = [include ?? [], exclude ?? []].flat().length > 0 || since !== undefined;
  const whyNot = isFiltered ? pageFilter({ include, exclude, undated, since }) : undefined;
  return {
    options: {
      ...options,
      recurseCallback: sitemaps.callback,
      // With a filter, the pages that are left count.
      maxPages: whyNot === undefined ? flags.maxPages : undefined,
    },
    keepFor:
      whyNot === undefined
        ? undefined
        : () => {
            let kept = 0;
            return (rows) => {
              const left = rows.filter(({ page }) => whyNot(page) === undefined).slice(0, maxPages - kept);
              kept += left.length;
              return left;
            };
          },
  };
}
