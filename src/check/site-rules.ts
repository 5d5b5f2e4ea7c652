/** The rules about a tree as a whole, and about the responses behind its documents. */
import { FETCH_PROBLEMS, isTruncated } from '../problems/catalogue.ts';
import type { Problem } from '../problems/problem-list.ts';
import { type AbstractSitemap, type IndexWebsiteSitemap, partsOf } from '../sitemap/sitemap.ts';
import { failureRule } from './declared-sitemaps.ts';
import { isRuleName } from './rule-table.ts';
import type { SiteCheck } from './site-check.ts';

/** Failures that say nothing about a robots.txt. */
const NOT_ITS_FAULT: ReadonlySet<string> = new Set([
  'limit',
  'private-network',
  'not-fetched',
  'web-client',
  'proxy',
]);
const USUAL_TYPES =
  /^(?:text\/(?:plain|xml)|application\/(?:xml|gzip|x-gzip|x-gunzip|gzip-compressed)|[\w.+-]+\/[\w.+-]+\+xml)$/;
/** What is wrong at the top of a site. */
export function checkTop(check: SiteCheck, top: IndexWebsiteSitemap): void {
  checkRobotsTxt(check, top);
  for (const { kind, url } of top.subSitemaps) {
    if (kind === 'robots-txt' || kind === 'invalid') continue;
    check.report('sitemap-not-declared', url, `Neither robots.txt nor an index declares the sitemap ${url}`);
  }
}

function checkRobotsTxt(check: SiteCheck, { triedPaths, problems }: IndexWebsiteSitemap): void {
  const tried = triedPaths.find(({ url }) => /\/robots\.txt$/.test(url));
  if (tried?.code === undefined || NOT_ITS_FAULT.has(tried.code)) return;
  const { url, code, status } = tried;
  const isHtml = code === 'not-a-sitemap';
  const isAbsent = status !== undefined && status >= 400 && status < 500 && status !== 429;
  if (isHtml || isAbsent) {
    const why = isHtml ? 'it is not a text file' : `status ${status}`;
    check.report('no-robots-txt', url, `There is no robots.txt at ${url} (${why}).`);
    return;
  }
  const problem = problems.find(({ code }) => code === 'robots-txt-failed');
  const reason =
    problem?.message.replace(/^.*?may be incomplete\. /, '') ?? `${url} could not be read (${code}).`;
  check.report('robots-txt-failed', url, `${reason} Google treats the whole site as disallowed then.`);
}

/** What is wrong with the response behind a document. @returns whether that explains why the document is cut */
export function checkResponse(
  check: SiteCheck,
  sitemap: AbstractSitemap,
  name: string,
  head: string,
): boolean {
  const problems = fetchProblems(sitemap);
  for (const { code, message } of problems) {
    if (isRuleName(code)) check.report(code, name, message);
  }
  checkContentType(check, sitemap, name, head);
  return isTruncated(problems);
}

function checkContentType(check: SiteCheck, sitemap: AbstractSitemap, name: string, head: string): void {
  const type = /^content-type:[ \t]*([^;\r\n]*)/im.exec(head)?.[1]?.trim().toLowerCase();
  if (type === undefined || type === '' || USUAL_TYPES.test(type)) return;
  // What servers send for files that they do not know: right for what is compressed.
  if (type === 'application/octet-stream' && /\.gz$/i.test(new URL(sitemap.url).pathname)) return;
  check.report(
    'content-type',
    name,
    `The Content-Type is ${type}, which is neither XML, plain text nor gzip.`,
  );
}

function fetchProblems(sitemap: AbstractSitemap): readonly Problem[] {
  return partsOf(sitemap).problems.filter(({ code }) => Object.hasOwn(FETCH_PROBLEMS, code));
}

/** A check of one sitemap that could not be read. */
export function checkFailed(check: SiteCheck, name: string, failure: { code: string; reason: string }): void {
  const rule = failureRule(failure);
  if (rule !== undefined) check.report(rule, name, failure.reason);
}
