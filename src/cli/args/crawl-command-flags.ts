/** The flags of `usp crawl` that decide what is found: what its child processes and `usp worker` need of them. */
import type { SiteRules } from '../../batch/crawl-process.ts';
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
}

/** Each site may have as many requests to its hosts as `usp ls` has in total. */
const { POSITIVE_INFINITY } = Number;

/** The options of each site, and the filter of its pages. */
export function siteRules(flags: CrawlCommandFlags): SiteRules {
  const { include, exclude, undated, maxPages = POSITIVE_INFINITY } = flags;
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
