/** Changes that a repair makes only if they are asked for: the flags of `usp fix`. */

import type { JudgedPage } from '../check/check-pages.ts';
import { addRobots, type CheckTreeOptions, TreeRun } from '../check/check-tree.ts';
import type { CheckSummary } from '../check/finding.ts';
import { urlKey } from '../check/ordinary-url.ts';
import type { RuleName } from '../check/rule.ts';
import { withoutTracking } from '../check/rules/urls.ts';
import { resolveCheckOptions } from '../check/site-check.ts';
import { SiteHosts, siteUrls } from '../filter/site-hosts.ts';
import { SitemapPage, timeOf } from '../parse/model/page.ts';
import { AgentRules } from '../robots/robots-rules.ts';
import { type Sitemap, walkTree } from '../sitemap/sitemap.ts';
import { parsedUrl } from '../url.ts';
import type { PageRepair, Repair } from './repair.ts';

/** Changes that a valid form does not need. All are off by default. */
export interface Opinions {
  /** Remove tracking parameters from URLs. */
  readonly dropTracking?: boolean | undefined;
  /** Write http URLs as https. */
  readonly https?: boolean | undefined;
  /** Of two URLs that differ only in a slash at the end, keep one. */
  readonly canonicalSlash?: boolean | undefined;
  /** Keep pages on these hosts only. */
  readonly hosts?: SiteHosts | undefined;
  /** Why a page must not be fetched, by robots.txt. */
  readonly blocked?: ((url: string) => string | undefined) | undefined;
  /** Drop such pages; else they are counted. */
  readonly dropBlocked?: boolean | undefined;
  /** The pages that are gone, redirect or say noindex: the rule and the message, by the key of the URL. */
  readonly dead?: ReadonlyMap<string, Pick<Repair, 'rule' | 'message'>> | undefined;
  /** When pages changed by their own header, by the key of the URL. */
  readonly lastModified?: ReadonlyMap<string, number> | undefined;
}

/** What the opinions make of a page: undefined where they drop it. */
export function judged(
  page: SitemapPage,
  opinions: Opinions,
  tell: (repair: PageRepair) => void,
): SitemapPage | undefined {
  const key = urlKey(page.url);
  const reason = reasonToDrop(page.url, key, opinions);
  if (reason !== undefined) {
    tell({ action: 'dropped', ...reason });
    return undefined;
  }
  const url = rewritten(page.url, opinions, tell);
  const time = opinions.lastModified?.get(key);
  if (url === page.url && time === undefined) return page;
  if (time !== undefined && time !== timeOf(page)) {
    const message = `The date is that of the page's Last-Modified header: ${new Date(time).toISOString()}.`;
    tell({ action: 'changed', rule: 'lastmod-from-head', message });
  }
  const quiet = (): void => {};
  return new SitemapPage({
    ...page,
    url,
    ...(time !== undefined && { lastModified: new Date(time), lastModifiedForm: undefined }),
    // A page is among its own alternates.
    alternates: page.alternates.map((one) => ({ ...one, href: rewritten(one.href, opinions, quiet) })),
  });
}

function reasonToDrop(
  url: string,
  key: string,
  { hosts, blocked, dropBlocked, dead }: Opinions,
): Pick<Repair, 'rule' | 'message'> | undefined {
  if (hosts !== undefined) {
    const host = parsedUrl(url)?.host ?? '';
    if (!hosts.has(url, 'same'))
      return { rule: 'url-other-host', message: `The page is on another host: ${host}.` };
  }
  const why = dropBlocked === true ? blocked?.(url) : undefined;
  if (why !== undefined) return { rule: 'page-blocked', message: `robots.txt forbids fetching it: ${why}.` };
  return dead?.get(key);
}

function rewritten(
  url: string,
  { dropTracking, https }: Opinions,
  tell: (repair: PageRepair) => void,
): string {
  let result = url;
  if (dropTracking === true) {
    result = withoutTracking(result);
    if (result !== url) {
      const message = `The tracking parameters are removed: ${result}`;
      tell({ action: 'changed', rule: 'url-tracking-parameter', message });
    }
  }
  if (https === true && /^http:/i.test(result)) {
    result = result.replace(/^http:/i, 'https:').replace(/^(https:\/\/[^/?#]*):80(?=[/?#]|$)/, '$1');
    tell({ action: 'changed', rule: 'url-other-scheme', message: `http is written as https: ${result}` });
  }
  return result;
}

/** The hosts of the trees: of sites and sitemaps that were fetched, and of the robots.txt that declare them. */
export function hostsOf(trees: readonly Sitemap[], baseUrl: string | undefined): SiteHosts {
  return new SiteHosts([baseUrl, ...trees.flatMap(siteUrls)]);
}

/** Says of a page which line of robots.txt forbids fetching it. */
export async function blockedBy(
  trees: readonly Sitemap[],
  { baseUrl, agent }: { readonly baseUrl: string | undefined; readonly agent: string | undefined },
): Promise<(url: string) => string | undefined> {
  const rules = new AgentRules(resolveCheckOptions({ robotsAgent: agent }).agent);
  for (const tree of trees)
    for (const { sitemap } of walkTree(tree)) await addRobots(rules, sitemap, baseUrl);
  return (url) => {
    const line = rules.of(url)?.disallowing(url);
    return line === undefined ? undefined : `Disallow: ${line.pattern}`;
  };
}

/** What makes a page not worth listing. */
const DEAD: ReadonlySet<string> = new Set<RuleName>(['page-missing', 'page-redirected', 'page-noindex']);

interface RequestOptions
  extends Pick<CheckTreeOptions, 'requestPages' | 'network' | 'site' | 'robotsAgent' | 'signal'> {}

/** Requests pages of the trees: which are gone, redirect or say noindex, and when each changed by its own header. */
export async function requestedPages(
  trees: readonly Sitemap[],
  options: RequestOptions,
): Promise<
  Required<Pick<Opinions, 'dead' | 'lastModified'>> & { readonly stopped: CheckSummary['stopped'] }
> {
  const dead = new Map<string, Pick<Repair, 'rule' | 'message'>>();
  const lastModified = new Map<string, number>();
  const onPage = (page: JudgedPage): void => {
    const key = urlKey(page.url);
    const report = page.reports.find(({ rule }) => DEAD.has(rule));
    if (report !== undefined) dead.set(key, report);
    const time = Date.parse(page.lastModified ?? '');
    // What another page responds with is about that page.
    if (report === undefined && !Number.isNaN(time)) lastModified.set(key, time);
  };
  const run = new TreeRun(trees, resolveCheckOptions(options), options, { onPage });
  for await (const _ of run.findings());
  return { dead, lastModified, stopped: run.summary.stopped };
}
