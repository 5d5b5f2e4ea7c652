/** All pages of a site as an array, with what is missing: a tree is made, read and closed. */
import type { LeftOutPages } from './filter/filter-pages.ts';
import type { StreamOptions } from './options/options.ts';
import { resolveOptions } from './options/resolve.ts';
import type { SitemapPage } from './parse/model/page.ts';
import type { RobotsVerdict } from './robots/robots-rules.ts';
import { type MissingPart, missingOf } from './sitemap/missing-parts.ts';
import type { IndexWebsiteSitemap } from './sitemap/sitemap.ts';
import { robotsVerdicts } from './sitemap/tree-verdicts.ts';
import { treeOfSite } from './tree.ts';

/** What {@link collectPages} found. */
export interface CollectedPages
  extends Pick<IndexWebsiteSitemap, 'complete' | 'stopped' | 'outcome' | 'code' | 'reason'> {
  /** Each page once, in the order of declaration; with `unique: false` also the repeats. */
  readonly pages: readonly SitemapPage[];
  /** What is missing: of the site itself, of sitemaps that could not be read, and of those that are truncated. */
  readonly missing: readonly MissingPart[];
  /** How many pages the filters left out, by reason: `{ 'other-host': 3, undated: 1 }`. */
  readonly leftOut: LeftOutPages;
  /** Whether the `robotsAgent` of the options may fetch a page, by the site's robots.txt. Empty without that option. */
  readonly verdictOf: (url: string | URL) => RobotsVerdict;
}

/** The default of `maxPages`: an array of a million pages takes about 500 MB. */
const MOST_COLLECTED = 1_000_000;

/**
 * All pages of a site as an array, each once. The options are those of a tree, filters, and `maxPages`: where there are
 * more, `pages` has the first of them, and `stopped` says so. {@link streamPages} gives any number of pages.
 *
 * @example
 * ```ts
 * const { pages, outcome, missing } = await collectPages('https://example.org/', { since: '7d' });
 * if (outcome !== 'complete') console.log(missing);
 * ```
 *
 * @param options - `maxPages` is 1,000,000 by default
 * @throws what `sitemapTreeForHomepage` throws
 */
export async function collectPages(homepage: string | URL, options?: StreamOptions): Promise<CollectedPages> {
  const resolved = resolveOptions(options, 'stream');
  const { maxPages = MOST_COLLECTED, robotsAgent, signal } = resolved;
  const { since, until, undated, include, exclude, hosts, sample, listAlternates, unique = true } = resolved;
  const tree = await treeOfSite(homepage, resolved);
  try {
    const pages: SitemapPage[] = [];
    let limit: string | undefined;
    const filters = { since, until, undated, include, exclude, hosts, sample, listAlternates, unique };
    const matchingPages = tree.allPages(filters);
    for await (const batch of matchingPages.batchesAsync()) {
      signal?.throwIfAborted();
      const room = maxPages - pages.length;
      for (const page of batch.slice(0, room)) pages.push(page);
      if (batch.length <= room) continue;
      limit = `There are more than ${maxPages} pages (maxPages): raise it, or use streamPages, which keeps none.`;
      break;
    }
    const verdictOf = robotsAgent === undefined ? () => ({}) : await robotsVerdicts(tree, robotsAgent);
    return { pages, leftOut: matchingPages.leftOut, ...resultOf(tree, limit), verdictOf };
  } finally {
    tree.close();
  }
}

/** @param limit - a sentence, where there are more pages than `maxPages` */
function resultOf(
  tree: IndexWebsiteSitemap,
  limit: string | undefined,
): Omit<CollectedPages, 'pages' | 'leftOut' | 'verdictOf'> {
  const { url, complete, stopped, outcome, code, reason } = tree;
  const missing = missingOf(tree);
  if (limit === undefined) return { complete, stopped, outcome, code, reason, missing };
  const byLimit = { outcome: 'partial', code: 'limit', reason: stopped?.message ?? limit } as const;
  return {
    complete: false,
    stopped: stopped ?? { limit: 'maxPages', message: limit },
    ...byLimit,
    missing: [...missing, { url, code: 'limit', message: `${url}: ${limit}` }],
  };
}
