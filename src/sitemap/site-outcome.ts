/** What came of a site, in one word: for trees, and for `sites.ndjson` of a crawl. */
import { isRobotsTxt } from '../parse/opening/detect.ts';
import { isNothingKnown } from '../problems/catalogue.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { SitemapKind, Staleness, Stopped, TriedPath } from './node-fields.ts';
import { sitemapsBelow } from './walk.ts';

/**
 * `complete`: everything that is declared was read. `partial`: something was read, but not all. `none`: the site
 * responded and has no readable sitemap. `failed`: nothing is known, since the site could not be reached, refused
 * every request or every sitemap that it declares, or its crawl ended before anything was read.
 */
export type SiteOutcome = 'complete' | 'partial' | 'none' | 'failed';

/** A stable kebab-case word, and a sentence. */
interface Why {
  readonly code: string;
  readonly reason: string;
}

/** An outcome and, except for `complete`, why. */
export type ExplainedOutcome = { readonly outcome: SiteOutcome } & Partial<Why>;

/** A document that could not be read: an invalid sitemap, or one that is shown as it was earlier. */
interface Unread extends Why {
  readonly status?: number | undefined;
}

/** What is needed of a node. */
interface OutcomeNode {
  readonly kind: SitemapKind;
  readonly url: string;
  readonly subSitemaps: readonly OutcomeNode[];
  readonly truncated: boolean;
  readonly staleness: Staleness | undefined;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly status: number | undefined;
}

/** What is needed of the root of a site. */
interface OutcomeRoot {
  readonly url: string;
  readonly subSitemaps: readonly OutcomeNode[];
  readonly complete: boolean;
  readonly stopped: Stopped | undefined;
  readonly problems: readonly Problem[];
  readonly triedPaths: readonly TriedPath[];
}

export function outcomeOf(tree: OutcomeRoot): ExplainedOutcome {
  const unread: Unread[] = [];
  let truncation: Why | undefined;
  let isAnyRead = false;
  for (const sitemap of sitemapsBelow(tree)) {
    const { kind, url, staleness, code = '', reason = '', status } = sitemap;
    if (sitemap.truncated)
      truncation ??= { code: 'truncated', reason: `${url} is truncated: its end is missing.` };
    if (kind === 'invalid') {
      // A child that was not requested is not a failure.
      if (code !== 'not-fetched') unread.push({ code, reason, status });
    } else if (staleness !== undefined) unread.push({ ...staleness, code: staleness.failure ?? 'stale' });
    else if (kind !== 'robots-txt') isAnyRead = true;
  }
  const { stopped } = tree;
  const limit = stopped === undefined ? undefined : { code: stopped.limit, reason: stopped.message };
  if (isAnyRead) {
    if (tree.complete) return { outcome: 'complete' };
    return { outcome: 'partial', ...(limit ?? first(unread, tree.problems) ?? truncation ?? INCOMPLETE) };
  }
  const failure = whyUnreachable(tree, unread);
  // Stopped with nothing found, or with what an earlier crawl found, does not mean that there is nothing to find.
  const why = failure ?? limit;
  if (why !== undefined) return { outcome: 'failed', ...why };
  return { outcome: 'none', ...(first(unread, tree.problems) ?? NO_SITEMAP) };
}

const INCOMPLETE: Why = { code: 'incomplete', reason: 'Something that is declared was not read.' };

const NO_SITEMAP: Why = {
  code: 'no-sitemap',
  reason: 'No sitemap is declared, and none is at a known path.',
};

function first(unread: readonly Unread[], problems: readonly Problem[]): Why | undefined {
  const [sitemap] = unread;
  if (sitemap !== undefined) return { code: sitemap.code, reason: sitemap.reason };
  const [problem] = problems;
  if (problem === undefined) return undefined;
  return { code: problem.failure ?? problem.code, reason: problem.message };
}

/** Why nothing is known of a site that has no readable sitemap; undefined where one of its responses says something. */
function whyUnreachable(tree: OutcomeRoot, unread: readonly Unread[]): Why | undefined {
  const knownPaths = tree.triedPaths.filter(({ url }) => !isRobotsTxt(url)).length;
  if (!isNothingKnown(unread, tree.problems, knownPaths)) return undefined;
  return first(unread, tree.problems) ?? INCOMPLETE;
}
