/** What of a site was looked at: only of that may a check say that something is not there. */
import { isRobotsTxt } from '../parse/opening/detect.ts';
import { isMissing } from '../problems/catalogue.ts';
import { isPagesKind } from '../problems/kinds.ts';
import type { Problem } from '../problems/problem-list.ts';

interface Failure {
  readonly code?: string | undefined;
  readonly status?: number | undefined;
}

interface TriedAddress extends Failure {
  readonly url: string;
}

interface SiteNode extends TriedAddress {
  readonly kind: string;
  readonly subSitemaps: readonly SiteNode[];
  readonly filteredUrls: readonly string[];
  readonly truncated: boolean;
  readonly freshness: string | undefined;
}

/** What is needed of the top of the tree of a site. */
export interface SiteTop {
  readonly url: string;
  readonly subSitemaps: readonly SiteNode[];
  readonly triedPaths: readonly TriedAddress[];
  readonly problems: readonly Problem[];
  readonly stopped?: unknown;
  readonly origin?: { readonly options: Readonly<Record<string, unknown>> } | undefined;
}

export interface LookedAt {
  /** Whether all is known that robots.txt declares: it was read to its end, or there is none. */
  readonly robotsTxt: boolean;
  /** Whether the same is known of robots.txt and everything below it. */
  readonly declarations: boolean;
  /** Whether the known paths were requested and, where they are wanted, the links of the homepage read. */
  readonly undeclared: boolean;
}

export function lookedAt(site: SiteTop): LookedAt {
  const robotsTxt = isRobotsTxtKnown(site);
  return {
    robotsTxt,
    declarations: robotsTxt && site.stopped === undefined && isAllKnown(site),
    undeclared:
      site.origin?.options['useKnownPaths'] !== false &&
      site.triedPaths.some(({ url }) => !isRobotsTxt(url)) &&
      !site.problems.some(({ code }) => code === 'homepage-links-failed'),
  };
}

/** Whether a failure says that there is no sitemap: whatever else it is, it declares nothing and lists no page. */
export function isNone(failure: Failure): boolean {
  return isMissing(failure) || /^(?:not-a-sitemap|recursion|bad-url)$/.test(failure.code ?? '');
}

function isRobotsTxtKnown({ triedPaths, subSitemaps }: SiteTop): boolean {
  const tried = triedPaths.find(({ url }) => isRobotsTxt(url));
  if (tried === undefined) return false;
  if (tried.code !== undefined) return isNone(tried);
  const robotsTxt = subSitemaps.find(({ kind }) => kind === 'robots-txt');
  return robotsTxt !== undefined && isRead(robotsTxt);
}

function isAllKnown({ subSitemaps }: SiteTop): boolean {
  // An explicit stack, since `maxDepth` may be set to anything.
  const open = [...subSitemaps];
  for (let sitemap = open.pop(); sitemap !== undefined; sitemap = open.pop()) {
    if (!isKnown(sitemap) || sitemap.filteredUrls.length > 0) return false;
    for (const child of sitemap.subSitemaps) open.push(child);
  }
  return true;
}

/** Whether all is known that a sitemap declares: one that lists pages declares nothing, even if its end is missing. */
function isKnown(sitemap: SiteNode): boolean {
  if (sitemap.kind === 'invalid') return isNone(sitemap);
  return isRead(isPagesKind(sitemap.kind) ? { ...sitemap, truncated: false } : sitemap);
}

function isRead({ truncated, freshness }: SiteNode): boolean {
  return !truncated && freshness !== 'stale';
}
