/** The outcome of a site in one word, and its reason: for a tree, for a stream, and for a line of `sites.ndjson`. */

import { isRobotsTxt } from '../parse/detection/detect.ts';
import type { SitemapKind } from '../parse/model/kinds.ts';
import { isNothingKnown } from '../problems/catalogue.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { CallResult, NodeValues, SiteOutcome, TriedPath } from './node-fields.ts';

/** A stable kebab-case word, and a sentence. */
interface Why {
  readonly code: string;
  readonly reason: string;
}

/** An outcome and, except for `complete`, why. */
type ExplainedOutcome = { readonly outcome: SiteOutcome } & Partial<Why>;

/** A document that could not be read: an invalid sitemap, or one that is shown as it was earlier. */
interface UnreadSitemap extends Why {
  readonly status?: number | undefined;
}

/** A sitemap of the site. The problems are those of its fetch: its document is not read for this. */
interface SitemapFacts
  extends Pick<NodeValues, 'url' | 'truncated' | 'freshness' | 'status' | 'code' | 'reason'> {
  readonly kind: SitemapKind;
}

/** How a call ended. */
interface CallEnd extends Pick<CallResult, 'complete' | 'stopped'> {
  /** The problems of the site itself. */
  readonly problems: readonly Problem[];
  readonly triedPaths?: readonly TriedPath[] | undefined;
}

const INCOMPLETE: Why = { code: 'incomplete', reason: 'Something that is declared was not read.' };

/** The options decide where sitemaps are looked for: there may be one elsewhere. */
const NO_SITEMAP: Why = { code: 'no-sitemap', reason: 'No sitemap was found.' };

/** Takes every sitemap of a site, and returns the outcome of the site in the end. */
export class OutcomeNotes {
  readonly #unread: UnreadSitemap[] = [];
  #truncation: Why | undefined;
  #isAnyRead = false;

  /** @param problems - of the sitemap, as far as they are known without its document */
  add(sitemap: SitemapFacts, problems: readonly Problem[]): void {
    const { kind, url, truncated, freshness, code = '', reason = '', status } = sitemap;
    if (truncated === true)
      this.#truncation ??= { code: 'truncated', reason: `${url} is truncated: its end is missing.` };
    if (freshness === 'stale') {
      const why = problems.find((problem) => problem.code === 'stale');
      this.#unread.push({
        code: why?.failure ?? 'stale',
        reason: why?.message ?? '',
        status: why?.status,
      });
    } else if (kind !== 'invalid') this.#isAnyRead ||= kind !== 'robots-txt';
    // A child that was not requested is not a failure.
    else if (code !== 'not-fetched') this.#unread.push({ code, reason, status });
  }

  /** Notes that there are pages, in any sitemap. */
  addPages(): void {
    this.#isAnyRead = true;
  }

  end({ complete, stopped, problems, triedPaths = [] }: CallEnd): ExplainedOutcome {
    const limit = stopped && { code: 'limit', reason: stopped.message };
    const first = this.#first(problems);
    if (this.#isAnyRead) {
      if (complete === true) return { outcome: 'complete' };
      return { outcome: 'partial', ...(limit ?? first ?? this.#truncation ?? INCOMPLETE) };
    }
    const knownPaths = triedPaths.filter(({ url }) => !isRobotsTxt(url)).length;
    // Stopped with nothing found, or with what an earlier crawl found, does not mean that there is nothing to find.
    const why = isNothingKnown(this.#unread, problems, knownPaths) ? (first ?? INCOMPLETE) : limit;
    if (why !== undefined) return { outcome: 'failed', ...why };
    return { outcome: 'none', ...(first ?? NO_SITEMAP) };
  }

  #first(problems: readonly Problem[]): Why | undefined {
    // A sitemap that is left out since it is elsewhere is not missing.
    const problem = problems.find(({ code }) => code !== 'sitemaps-elsewhere');
    const [sitemap] = this.#unread;
    if (sitemap !== undefined) return { code: sitemap.code, reason: sitemap.reason };
    return problem && { code: problem.failure ?? problem.code, reason: problem.message };
  }
}
