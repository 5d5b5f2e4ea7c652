/** From a homepage to everything that is wrong with its sitemaps. */

import { checkIsPlain } from '../options/names.ts';
import type { SitemapOptions } from '../options/options.ts';
import { AsyncBatchItems } from '../sitemap/page-list.ts';
import { sitemapTreeForHomepage } from '../tree.ts';
import { type CheckOptions, checkParts } from './check-options.ts';
import { type CheckTreeOptions, checkPages, TreeRun } from './check-tree.ts';
import type { CheckSummary, Finding } from './finding.ts';
import { SummaryCounter } from './site-check.ts';

/** Options of {@link checkSite}: those of a crawl, and those of a check. */
export interface CheckSiteOptions extends SitemapOptions, CheckOptions, Pick<CheckTreeOptions, 'pages'> {}

/**
 * Fetches all sitemaps of a site and checks them, its robots.txt included.
 *
 * @example
 * ```ts
 * const check = checkSite('https://example.org/');
 * for await (const { severity, document, line, message } of check) console.log(severity, document, line, message);
 * if (check.summary.error > 0) process.exitCode = 1;
 * ```
 *
 * @throws SitemapException, when it is iterated over, for a homepage that is not http(s), or an option that does not
 * exist or has a wrong value; what `sitemapTreeForHomepage` throws
 */
export function checkSite(homepage: string | URL, options: CheckSiteOptions = {}): SiteFindings {
  return new SiteFindings(homepage, options);
}

/** The findings of a site: each iteration fetches and checks it anew. */
export class SiteFindings implements AsyncIterable<Finding> {
  readonly #homepage: string | URL;
  readonly #options: CheckSiteOptions;
  #run: { readonly summary: CheckSummary } = new SummaryCounter();

  /** Use {@link checkSite}. */
  constructor(homepage: string | URL, options: CheckSiteOptions) {
    checkIsPlain(options);
    this.#homepage = homepage;
    this.#options = options;
  }

  /** What was found: by the last iteration, and complete once that has ended. */
  get summary(): CheckSummary {
    return this.#run.summary;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Finding, undefined, undefined> {
    return new AsyncBatchItems(this.#batches());
  }

  async *#batches(): AsyncGenerator<readonly Finding[], void, undefined> {
    const { now, agent, rules, adjust, pages, ...network } = this.#options;
    const parts = checkParts({ now, agent, rules, adjust });
    checkPages(pages);
    const tree = await sitemapTreeForHomepage(this.#homepage, network);
    try {
      const run = new TreeRun([tree], parts, {
        ...{ pages, network, signal: network.signal },
        site: this.#homepage,
      });
      this.#run = run;
      yield* run.findings();
    } finally {
      tree.close();
    }
  }
}
