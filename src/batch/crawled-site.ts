/** What a crawl of many sites gives for each of them. */
import {
  type IndexWebsiteSitemap,
  type Problem,
  type Sitemap,
  SitemapException,
  walkTree,
} from '../index.ts';
import type { PageRow } from './output/page-columns.ts';

/** One site that was crawled. Its tree is open until the next result is asked for. */
export class CrawledSite {
  /** The normalised homepage; for what is not a URL, the text as it was given. */
  readonly site: string;
  readonly outcome: Outcome;
  /** A stable kebab-case word for what the reason is about; absent where the outcome is `complete`. */
  readonly code: string | undefined;
  /** Why the outcome is not `complete`, in a sentence. */
  readonly reason: string | undefined;
  /** Sitemaps that were read, each document once; robots.txt is not counted. */
  readonly sitemaps: number;
  /** Sitemaps that could not be read this time and are those of an earlier crawl (`staleIfError`). */
  readonly stale: number;
  /** Bytes of the documents that were read, after decoding. */
  readonly bytes: number;
  /** From the start of the site to its last document. */
  readonly elapsedMs: number;
  /** The tree; undefined where the crawl of the site ended with an error. */
  readonly tree: IndexWebsiteSitemap | undefined;
  readonly #maxPages: number;
  readonly #previous: Sitemap | undefined;

  constructor(
    site: string,
    outcome: SiteOutcome,
    details: {
      readonly elapsedMs: number;
      readonly tree?: IndexWebsiteSitemap | undefined;
      readonly maxPages?: number | undefined;
      /** The tree of an earlier crawl, which this one may share documents with. */
      readonly previous?: Sitemap | undefined;
    },
  ) {
    this.site = site;
    this.outcome = outcome.outcome;
    this.code = outcome.code;
    this.reason = outcome.reason;
    this.sitemaps = outcome.sitemaps;
    this.stale = outcome.stale;
    this.bytes = outcome.bytes;
    this.elapsedMs = Math.round(details.elapsedMs);
    this.tree = details.tree;
    this.#previous = details.previous;
    this.#maxPages = details.maxPages ?? Number.POSITIVE_INFINITY;
  }

  /** Closes its tree; done when the next result is asked for. */
  close(): void {
    this.tree?.close();
    this.#previous?.close();
  }

  /**
   * The pages of all documents, each document once, in arrays of a few hundred: at most `maxPages` of them. They are
   * parsed on the way and not held.
   */
  async *pages(): AsyncGenerator<readonly PageRow[], void, undefined> {
    if (this.tree === undefined) return;
    const seen = new Set<string>();
    let left = this.#maxPages;
    for (const { sitemap } of walkTree(this.tree)) {
      if (!sitemap.kind.startsWith('pages-') || seen.has(sitemap.url)) continue;
      seen.add(sitemap.url);
      const stale = sitemap.freshness === 'stale';
      for await (const batch of sitemap.pages.batchesAsync()) {
        const rows = batch.slice(0, left).map((page) => ({ sitemap: sitemap.url, page, stale }));
        if (rows.length > 0) yield rows;
        left -= rows.length;
        if (left <= 0) return;
      }
    }
  }
}

export function failedSite(site: string, error: unknown, elapsedMs = 0): CrawledSite {
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof SitemapException ? error.code : 'error';
  return new CrawledSite(
    site,
    { outcome: 'failed', code, reason, sitemaps: 0, stale: 0, bytes: 0 },
    { elapsedMs },
  );
}

/**
 * `complete`: everything that is declared was read. `partial`: something was read, but not all. `none`: the site
 * responded and has no readable sitemap. `failed`: nothing is known, since the site could not be reached, refused
 * every request, or its crawl ended before anything was read.
 */
export type Outcome = 'complete' | 'partial' | 'none' | 'failed';

interface SiteOutcome {
  readonly outcome: Outcome;
  /** A stable kebab-case word for what the reason is about: `unresolved`, `http-status`, `maxTimeMs`… */
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  /** Sitemaps that were read, robots.txt not counted. */
  readonly sitemaps: number;
  /** Sitemaps that are those of an earlier crawl. */
  readonly stale: number;
  /** Bytes of all documents that were read, after decoding. */
  readonly bytes: number;
}

/** A document that could not be read: an invalid sitemap, or one that is shown as it was earlier. */
interface Unread {
  readonly code: string;
  readonly reason: string;
  readonly status?: number | undefined;
}

interface Why {
  readonly code: string;
  readonly reason: string;
}

export function outcomeOf(tree: IndexWebsiteSitemap): SiteOutcome {
  const unread: Unread[] = [];
  const read = new Map<string, number>();
  const stale = new Set<string>();
  /** The same with robots.txt. */
  const shown = new Set<string>();
  let hasRobots = false;
  let bytes = 0;
  for (const { sitemap } of walkTree(tree)) {
    if (sitemap.kind === 'invalid') {
      // A child that was not requested is not a failure.
      if (sitemap.code !== 'not-fetched') unread.push(sitemap);
    } else if (sitemap.freshness === 'stale') {
      const [failure] = sitemap.problems.filter(({ code }) => code === 'stale');
      if (failure !== undefined)
        unread.push({ ...failure, code: failure.failure ?? 'stale', reason: failure.message });
      shown.add(sitemap.url);
      if (sitemap.kind !== 'robots-txt') stale.add(sitemap.url);
    } else if (sitemap.kind === 'robots-txt') {
      hasRobots = true;
      bytes += sitemap.bytes ?? 0;
    } else if (sitemap.kind !== 'website') {
      read.set(sitemap.url, sitemap.bytes ?? 0);
    }
  }
  for (const size of read.values()) bytes += size;
  const counts = { sitemaps: read.size, stale: stale.size, bytes };
  if (read.size > 0) {
    if (tree.complete) return { outcome: 'complete', ...counts };
    return { outcome: 'partial', ...whyIncomplete(tree, unread), ...counts };
  }
  const failure = hasRobots ? undefined : whyUnreachable(tree, unread, shown);
  if (failure !== undefined) return { outcome: 'failed', ...failure, ...counts };
  const stopped = whyStopped(tree);
  // Stopped with nothing found, or with what an earlier crawl found, does not mean that there is nothing to find.
  if (stopped !== undefined) return { outcome: 'failed', ...stopped, ...counts };
  return { outcome: 'none', ...(first(unread, tree.problems) ?? NO_SITEMAP), ...counts };
}

const NO_SITEMAP: Why = {
  code: 'no-sitemap',
  reason: 'No sitemap is declared, and none is at a known path.',
};

function whyStopped({ stopped }: IndexWebsiteSitemap): Why | undefined {
  return stopped === undefined ? undefined : { code: stopped.limit, reason: stopped.message };
}

function whyIncomplete(tree: IndexWebsiteSitemap, unread: readonly Unread[]): Why {
  const found = whyStopped(tree) ?? first(unread, tree.problems) ?? truncation(tree);
  return found ?? { code: 'incomplete', reason: 'Something that is declared was not read.' };
}

function truncation(tree: IndexWebsiteSitemap): Why | undefined {
  for (const { sitemap } of walkTree(tree)) {
    if (sitemap.truncated)
      return { code: 'truncated', reason: `${sitemap.url} is truncated: its end is missing.` };
  }
  return undefined;
}

function first(unread: readonly Unread[], problems: readonly Problem[]): Why | undefined {
  const [sitemap] = unread;
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
function whyUnreachable(
  tree: IndexWebsiteSitemap,
  unread: readonly Unread[],
  shown: ReadonlySet<string>,
): Why | undefined {
  // A path that is shown as it was earlier has no code there, and is among the unread.
  const tried = [...tree.triedPaths.filter(({ url }) => !shown.has(url)), ...unread];
  if (tried.length === 0 || !tried.every(({ code, status }) => saysNothing(code, status))) return undefined;
  const named = first(unread, tree.problems);
  const [path] = tree.triedPaths;
  return named ?? { code: path?.code ?? 'unreachable', reason: `${tree.url} could not be reached.` };
}
