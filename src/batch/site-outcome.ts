/** What came of a site, in one word and one sentence: what a line of `sites.ndjson` says first. */
import { type IndexWebsiteSitemap, type InvalidSitemap, type Problem, walkTree } from '../reading.ts';

/**
 * `complete`: everything that is declared was read. `partial`: something was read, but not all. `none`: the site
 * responded and has no readable sitemap. `failed`: nothing is known, since the site could not be reached, refused
 * every request, or its crawl ended before anything was read.
 */
export type Outcome = 'complete' | 'partial' | 'none' | 'failed';

/** An outcome and, except for `complete`, why. */
export interface SiteOutcome {
  readonly outcome: Outcome;
  /** A stable kebab-case word for what the reason is about: `unresolved`, `http-status`, `maxTimeMs`… */
  readonly code?: string | undefined;
  /** A sentence. */
  readonly reason?: string | undefined;
  /** Sitemaps that were read, robots.txt not counted. */
  readonly sitemaps: number;
  /** Bytes of all documents that were read, after decoding. */
  readonly bytes: number;
}

interface Why {
  readonly code: string;
  readonly reason: string;
}

/** Decides what came of a site. */
export function outcomeOf(tree: IndexWebsiteSitemap): SiteOutcome {
  const invalid: InvalidSitemap[] = [];
  const read = new Map<string, number>();
  let hasRobots = false;
  let bytes = 0;
  for (const { sitemap } of walkTree(tree)) {
    if (sitemap.kind === 'invalid') {
      // A child that was not requested is not a failure.
      if (sitemap.code !== 'not-fetched') invalid.push(sitemap);
    } else if (sitemap.kind === 'robots-txt') {
      hasRobots = true;
      bytes += sitemap.bytes ?? 0;
    } else if (sitemap.kind !== 'website') {
      read.set(sitemap.url, sitemap.bytes ?? 0);
    }
  }
  for (const size of read.values()) bytes += size;
  const counts = { sitemaps: read.size, bytes };
  if (read.size > 0) {
    if (tree.complete) return { outcome: 'complete', ...counts };
    return { outcome: 'partial', ...whyIncomplete(tree, invalid), ...counts };
  }
  const failure = hasRobots ? undefined : whyUnreachable(tree, invalid);
  if (failure !== undefined) return { outcome: 'failed', ...failure, ...counts };
  const stopped = tree.stopped === undefined ? undefined : whyStopped(tree);
  // Stopped with nothing found does not mean that there is nothing to find.
  if (stopped !== undefined) return { outcome: 'failed', ...stopped, ...counts };
  return { outcome: 'none', ...(first(invalid, tree.problems) ?? NO_SITEMAP), ...counts };
}

const NO_SITEMAP: Why = {
  code: 'no-sitemap',
  reason: 'No sitemap is declared, and none is at a known path.',
};

function whyStopped({ stopped }: IndexWebsiteSitemap): Why | undefined {
  return stopped === undefined ? undefined : { code: stopped.limit, reason: stopped.message };
}

function whyIncomplete(tree: IndexWebsiteSitemap, invalid: readonly InvalidSitemap[]): Why {
  const found = whyStopped(tree) ?? first(invalid, tree.problems) ?? truncation(tree);
  return found ?? { code: 'incomplete', reason: 'Something that is declared was not read.' };
}

function truncation(tree: IndexWebsiteSitemap): Why | undefined {
  for (const { sitemap } of walkTree(tree)) {
    if (sitemap.truncated)
      return { code: 'truncated', reason: `${sitemap.url} is truncated: its end is missing.` };
  }
  return undefined;
}

function first(invalid: readonly InvalidSitemap[], problems: readonly Problem[]): Why | undefined {
  const [sitemap] = invalid;
  if (sitemap !== undefined) return { code: sitemap.code, reason: sitemap.reason };
  const [problem] = problems;
  if (problem === undefined) return undefined;
  return { code: problem.failure ?? problem.code, reason: problem.message };
}

/** Failures without a response. */
const NO_RESPONSE: ReadonlySet<string> = new Set([
  ...['host-down', 'proxy', 'rate-limited', 'refused', 'reset'],
  ...['timeout', 'tls', 'unreachable', 'unresolved', 'limit'],
]);

/** Whether a failure says nothing about what the site has. */
function saysNothing(code: string | undefined, status: number | undefined): boolean {
  if (code === undefined) return false;
  if (code !== 'http-status') return NO_RESPONSE.has(code);
  return status === 401 || status === 403 || status === 429 || (status !== undefined && status >= 500);
}

/** Why a site was not reached at all; undefined where one request had a response that says something. */
function whyUnreachable(tree: IndexWebsiteSitemap, invalid: readonly InvalidSitemap[]): Why | undefined {
  const tried = [...tree.triedPaths, ...invalid];
  if (tried.length === 0 || !tried.every(({ code, status }) => saysNothing(code, status))) return undefined;
  const named = first(invalid, tree.problems);
  const [path] = tree.triedPaths;
  return named ?? { code: path?.code ?? 'unreachable', reason: `${tree.url} could not be reached.` };
}
