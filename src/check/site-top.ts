/** Rules about the whole site: no sitemap, no robots.txt, undeclared sitemaps. */

import { isRobotsTxt } from '../parse/detection/detect.ts';
import { isPagesKind } from '../parse/model/kinds.ts';
import { isMissing, isNeverRequested, saysNothing } from '../problems/catalogue.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { TriedPath } from '../sitemap/node-fields.ts';
import { type IndexWebsiteSitemap, type Sitemap, walkTree } from '../sitemap/sitemap.ts';
import { documentKey } from '../url.ts';
import type { Reporter } from './rules/delivery.ts';

type Failure = Pick<TriedPath, 'code' | 'status'>;

interface Coverage {
  /** Whether everything that robots.txt declares is known: it was read to its end, or does not exist. */
  readonly robotsTxt: boolean;
  /** Whether everything that robots.txt and the sitemaps below it declare is known. */
  readonly declarations: boolean;
  /** Whether the known paths were requested, and the links of the homepage were read if the options ask for that. */
  readonly undeclared: boolean;
}

export function coverageOf(site: IndexWebsiteSitemap): Coverage {
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

/** Whether a failure means that there is no sitemap, so that nothing is declared or listed there. */
function isNone(failure: Failure): boolean {
  return isMissing(failure) || /^(?:not-a-sitemap|recursion|bad-url)$/.test(failure.code ?? '');
}

function isRobotsTxtKnown({ triedPaths, subSitemaps }: IndexWebsiteSitemap): boolean {
  const tried = triedPaths.find(({ url }) => isRobotsTxt(url));
  if (tried === undefined) return false;
  if (tried.code !== undefined) return isNone(tried);
  const robotsTxt = subSitemaps.find(({ kind }) => kind === 'robots-txt');
  return robotsTxt !== undefined && isRead(robotsTxt);
}

function isAllKnown({ subSitemaps }: IndexWebsiteSitemap): boolean {
  // An explicit stack, since `maxDepth` may be set to anything.
  const open = [...subSitemaps];
  for (let sitemap = open.pop(); sitemap !== undefined; sitemap = open.pop()) {
    if (!isKnown(sitemap) || sitemap.filteredUrls.length > 0) return false;
    for (const child of sitemap.subSitemaps) open.push(child);
  }
  return true;
}

/**
 * Whether everything that a sitemap declares is known. A sitemap of pages declares nothing, even if its end is missing.
 */
function isKnown(sitemap: Sitemap): boolean {
  if (sitemap.kind === 'invalid') return isNone(sitemap);
  return isRead(sitemap) || (isPagesKind(sitemap.kind) && sitemap.freshness !== 'stale');
}

function isRead({ truncated, freshness }: Sitemap): boolean {
  return !truncated && freshness !== 'stale';
}

export function checkTop(top: IndexWebsiteSitemap, report: Reporter): void {
  const coverage = coverageOf(top);
  if (!checkHasSitemap(top, coverage, report)) return;
  checkRobotsTxt(top, report);
  if (!coverage.declarations) return;
  const declared = new Set<string>();
  for (const { sitemap, depth } of walkTree(top)) if (depth > 1) declared.add(documentKey(sitemap.url));
  for (const { kind, url } of top.subSitemaps) {
    if (kind === 'robots-txt' || kind === 'invalid' || declared.has(documentKey(url))) continue;
    report('sitemap-not-declared', url, `Neither robots.txt nor an index declares the sitemap ${url}`);
  }
}

/**
 * Reports that the site has no sitemap. A sitemap that is declared and cannot be read has a rule of its own.
 *
 * @returns false if nothing of the site could be read
 */
function checkHasSitemap(top: IndexWebsiteSitemap, coverage: Coverage, report: Reporter): boolean {
  const { url, subSitemaps, triedPaths, problems, stopped } = top;
  const isFound = subSitemaps.some(
    ({ kind, subSitemaps: children, filteredUrls }) =>
      kind !== 'robots-txt' || children.length + filteredUrls.length > 0,
  );
  const isLeftOut = triedPaths.some(({ code }) => code !== undefined && isNeverRequested(code));
  if (isFound || isLeftOut || stopped !== undefined || triedPaths.length === 0) return true;
  const [first] = triedPaths;
  if (triedPaths.every(({ code, status }) => code !== undefined && saysNothing(code, status))) {
    const tried =
      triedPaths.length === 1 ? first?.url : `${triedPaths.length} addresses, the first is ${first?.url}`;
    const statuses = [...new Set(triedPaths.flatMap(({ status }) => status ?? []))];
    if (statuses.length > 0) {
      report('site-refused', url, `The site refuses every request (status ${statuses.join(', ')}): ${tried}`);
    } else {
      const reason = failureOfRobotsTxt(problems) ?? `${tried} (${first?.code}).`;
      report('site-unreachable', url, `No request to the site has a response. ${reason}`);
    }
    return false;
  }
  if (coverage.robotsTxt && coverage.undeclared) {
    const paths = triedPaths.filter(({ url: path }) => !isRobotsTxt(path));
    const unreadCount = paths.filter((path) => path.code !== undefined && !isNone(path)).length;
    const none = paths.length - unreadCount;
    const message =
      unreadCount === 0
        ? `The site has no sitemap: robots.txt declares none, and there is none at ${none} known paths.`
        : `No sitemap was found: robots.txt declares none, there is none at ${none} known paths, and ` +
          `${unreadCount} could not be read.`;
    report('no-sitemap', url, message);
  }
  return true;
}

function checkRobotsTxt({ triedPaths, problems }: IndexWebsiteSitemap, report: Reporter): void {
  const tried = triedPaths.find(({ url }) => isRobotsTxt(url));
  if (tried?.code === undefined || isNeverRequested(tried.code)) return;
  const { url, code, status = 0, isHtml } = tried;
  if (code === 'not-a-sitemap') {
    const what = isHtml ? 'an HTML page' : 'XML';
    report('no-robots-txt', url, `There is no robots.txt at ${url} (the address has ${what}).`);
  } else if (isMissing({ code, status })) {
    report('no-robots-txt', url, `There is no robots.txt at ${url} (status ${status}).`);
  } else if (status >= 400 && status < 500 && status !== 429) {
    report('robots-txt-refused', url, `The server refuses ${url} (status ${status}).`);
  } else {
    const reason = failureOfRobotsTxt(problems) ?? `${url} could not be read (${code}).`;
    report('robots-txt-failed', url, `${reason} Google treats the whole site as disallowed then.`);
  }
}

function failureOfRobotsTxt(problems: readonly Problem[]): string | undefined {
  return problems.find(({ code }) => code === 'robots-txt-failed')?.message;
}
