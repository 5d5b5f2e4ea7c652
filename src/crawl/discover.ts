/**
 * Where the sitemaps of a site are: robots.txt, the known paths, the links of the homepage. A site that is down must
 * not look like a site without sitemaps, so every failure other than "not found" leaves a problem.
 */

import { linksOfHeader, type PageLink, readHead } from '../parse/formats/html-head.ts';
import type { SitemapEntry } from '../parse/model/item.ts';
import { isHttpUrl } from '../parse/values/written-url.ts';
import { isMissing } from '../problems/catalogue.ts';
import { SitemapException } from '../problems/errors.ts';
import { factsOfFailure, type Problem, type ProblemFacts } from '../problems/problem-list.ts';
import type { IndexOutcome, InvalidOutcome, Outcome } from '../read/outcome.ts';
import type { TriedPath } from '../sitemap/node-fields.ts';
import { count } from '../text/wording.ts';
import { documentKey, parsedUrl } from '../url.ts';
import type { WantedDocument } from './document-request.ts';
import { TIME_IS_UP } from './limits.ts';
import { Lineage } from './lineage.ts';
import type { Crawl } from './node-crawl.ts';
import type { Origin } from './progress.ts';

/** @internal */
export interface FoundRobots<Node> {
  /** Its node with everything below it; two where the homepage is a path, and there is one as well. */
  readonly nodes: readonly Promise<Node>[];
  readonly tried: readonly TriedPath[];
  readonly problems: readonly Problem[];
  /** Whether it leads to any sitemap. */
  readonly listsSitemaps: boolean;
  /** Whether it is certain that it declares none: it was read, or does not exist. */
  readonly declaresNone: boolean;
  /** Whether that is everything that it declares; not where it could not be read. */
  readonly isSure: boolean;
}

/** @internal */
export function undeclared(url: string, origin: Origin): WantedDocument {
  return { url, lastModified: undefined, parentUrls: new Set(), origin };
}

/**
 * @internal
 * Reads robots.txt; resolves once every sitemap that is declared there was asked for. Where the homepage is a path,
 * the robots.txt of the host is the one with rules; of its sitemaps, those below the path are wanted.
 */
export async function readRobotsTxt<Node>(crawl: Crawl<Node>, homepage: string): Promise<FoundRobots<Node>> {
  const ofHost = new URL('/robots.txt', homepage).href;
  const ofPath = new URL('robots.txt', homepage).href;
  if (ofHost === ofPath) return robotsTxtAt(crawl, ofHost, (outcome) => outcome);
  const elsewhere: Problem[] = [];
  const host = await robotsTxtAt(crawl, ofHost, (outcome) => belowHomepage(outcome, homepage, elsewhere));
  for (const { message } of elsewhere) crawl.options.logger.warn(message);
  const path = await robotsTxtAt(crawl, ofPath, (outcome) => outcome);
  return {
    nodes: [...host.nodes, ...path.nodes],
    tried: [...host.tried, ...path.tried],
    problems: [...host.problems, ...path.problems, ...elsewhere],
    listsSitemaps: host.listsSitemaps || path.listsSitemaps,
    declaresNone: host.declaresNone && path.declaresNone,
    isSure: host.isSure && path.isSure,
  };
}

/** A robots.txt of a host as one for a path: only the sitemaps below the path are its children. */
function belowHomepage(outcome: IndexOutcome, homepage: string, elsewhere: Problem[]): IndexOutcome {
  const { host, pathname } = new URL(homepage);
  const isBelow = ({ url }: SitemapEntry): boolean => {
    const parsed = parsedUrl(url);
    return parsed?.host === host && parsed.pathname.startsWith(pathname);
  };
  const entries = outcome.entries.filter(isBelow);
  const others = outcome.entries.filter((entry) => !isBelow(entry)).map(({ url }) => url);
  if (others.length === 0) return outcome;
  const declared = count(outcome.entries.length, 'sitemap');
  const were = others.length === 1 ? 'was' : 'were';
  const which = `${others.length} of ${declared} in ${outcome.url}`;
  const message = `${which} ${were} not read: only those below ${homepage} are.`;
  elsewhere.push({ code: 'sitemaps-elsewhere', message });
  return { ...outcome, entries, elsewhere: others };
}

/** @param narrow - leaves out what is not wanted of it */
async function robotsTxtAt<Node>(
  crawl: Crawl<Node>,
  url: string,
  narrow: (outcome: IndexOutcome) => IndexOutcome,
): Promise<FoundRobots<Node>> {
  const place = undeclared(url, 'robots-txt');
  crawl.declared.add(documentKey(place.url));
  const whole = await crawl.documents.outcome(place);
  crawl.context.onRobots?.(place.url, whole);
  const target = whole.type === 'invalid' ? whole.target : whole.redirected ? whole.url : undefined;
  if (target !== undefined) crawl.noteSiteUrl(target);
  else if (whole.type === 'invalid' && !isMissing(whole)) crawl.noteFormerSiteUrls();
  if (whole.type === 'invalid') {
    return unreadRobotsTxt(
      crawl,
      place,
      whole.former === undefined ? whole : { ...whole, former: narrow(whole.former) },
    );
  }
  const outcome = whole.type === 'index' ? narrow(whole) : whole;
  const listsSitemaps = outcome.type === 'pages' || outcome.entries.length + outcome.leftOut > 0;
  const facts = {
    tried: [triedPath(place.url, outcome)],
    listsSitemaps,
    declaresNone: !listsSitemaps,
    isSure: true,
  };
  if (!crawl.takeNode(place.url)) {
    return { ...facts, nodes: [], problems: [crawl.limits.leaveOut(1, 1)] };
  }
  const { node } = await crawl.begin(place, Lineage.top, outcome);
  return { ...facts, nodes: [node], problems: [] };
}

/** A robots.txt that could not be read. One that is too old is kept while a sitemap that it declared is there. */
async function unreadRobotsTxt<Node>(
  crawl: Crawl<Node>,
  place: WantedDocument,
  outcome: InvalidOutcome,
): Promise<FoundRobots<Node>> {
  const none = noRobotsTxt<Node>(crawl, place.url, outcome);
  crawl.carryOver?.note(place.url, outcome, Lineage.top);
  if (outcome.former === undefined || !crawl.takeNode(place.url)) return none;
  const { node, isReadable } = await crawl.begin(place, Lineage.top, outcome);
  return (await isReadable) ? { ...none, nodes: [node], listsSitemaps: true } : none;
}

function noRobotsTxt<Node>(crawl: Crawl<Node>, url: string, outcome: InvalidOutcome): FoundRobots<Node> {
  const none = { nodes: [], tried: [triedPath(url, outcome)], listsSitemaps: false };
  if (isMissing(outcome)) return { ...none, problems: [], declaresNone: true, isSure: true };
  const message = `robots.txt could not be read, so the list of sitemaps may be incomplete. ${outcome.reason}`;
  crawl.options.logger.warn(message);
  // Many sites send an HTML page for everything that does not exist; it rarely hides a robots.txt.
  const isSure = outcome.isHtml === true;
  const problem = { code: 'robots-txt-failed', message, ...factsOfFailure(outcome) } as const;
  return { ...none, problems: [problem], declaresNone: false, isSure };
}

/** @internal */
export function triedPath(url: string, outcome: Outcome): TriedPath {
  if (outcome.type !== 'invalid') return { url };
  const { code, status, isHtml } = outcome;
  return { url, code, status, ...(isHtml && { isHtml }) };
}

/** @internal The URLs that may be tried although nothing declares them. */
export interface KnownUrls {
  readonly always: readonly string[];
  readonly ifNoneDeclared: readonly string[];
}

/** @internal */
export function knownUrls(
  homepage: string,
  { useKnownPaths, extraKnownPaths }: Crawl<unknown>['options'],
): KnownUrls {
  const urls = (paths: readonly string[]) => [...new Set(paths.map((path) => urlOf(path, homepage)))];
  const extra = urls(extraKnownPaths);
  const all = urls([...KNOWN_PATHS, ...extraKnownPaths]);
  return {
    always: useKnownPaths === true ? all : extra,
    ifNoneDeclared: useKnownPaths === false ? extra : all,
  };
}

function urlOf(path: string, homepage: string): string {
  const url = parsedUrl(path, homepage);
  if (url !== undefined) return url.href;
  throw new SitemapException(
    `The option "extraKnownPaths" must be an array of paths; "${path}" is not a path.`,
    { code: 'bad-option', option: 'extraKnownPaths' },
  );
}

const FEED_TYPE = /^application\/(?:rss|atom|rdf)\+xml\b/i;

interface HomepageLinks {
  readonly urls: readonly string[];
  readonly problems: readonly Problem[];
}

/** @internal Fetches the homepage and reads its links, up to the end of its head. */
export async function homepageLinks<Node>(crawl: Crawl<Node>, homepage: string): Promise<HomepageLinks> {
  const { deadline } = crawl.limits;
  try {
    deadline.throwIfAborted();
    const document = await crawl.fetcher.fetch(homepage, { signal: deadline });
    if (document.url !== homepage) crawl.noteSiteUrl(document.url);
    if (document.type === 'failed') {
      crawl.noteFormerSiteUrls();
      return failed(document.reason, factsOfFailure(document));
    }
    if (document.type !== 'document') throw new TypeError('The homepage is fetched without conditions.');
    const urls = new Set<string>();
    const add = ({ rel, type, href }: PageLink, base: string): void => {
      const isFeed = rel.includes('alternate') && FEED_TYPE.test(type);
      const url = isFeed || rel.includes('sitemap') ? parsedUrl(href, base)?.href : undefined;
      if (url !== undefined && isHttpUrl(url)) urls.add(url);
    };
    for (const link of linksOfHeader(document.response.header('link') ?? '')) add(link, document.url);
    const { links, baseUrl } = await readHead(document.bytes(), document.url);
    for (const link of links) add(link, baseUrl);
    return { urls: [...urls], problems: [] };
  } catch (error) {
    if (error !== TIME_IS_UP) throw error;
    const { option, reason } = crawl.limits.ending;
    return failed(`${homepage}: ${reason}.`, { failure: 'limit', option });
  }
}

function failed(reason: string, facts: ProblemFacts): HomepageLinks {
  const message = `The homepage could not be read for its links. ${reason}`;
  return {
    urls: [],
    problems: [{ code: 'homepage-links-failed', message, ...facts }],
  };
}

/**
 * Paths, relative to the homepage, at which sitemaps are often found although nothing declares them. The order is that
 * of the tree: the most frequent first.
 */
export const KNOWN_PATHS: readonly string[] = [
  'sitemap.xml',
  'sitemap.xml.gz',
  'sitemap_index.xml',
  'sitemap-index.xml',
  'sitemap_index.xml.gz',
  'sitemap-index.xml.gz',
  '.sitemap.xml',
  'sitemap',
  'admin/config/search/xmlsitemap',
  'sitemap/sitemap-index.xml',
  'sitemap_news.xml',
  'sitemap-news.xml',
  'sitemap_news.xml.gz',
  'sitemap-news.xml.gz',
  'wp-sitemap.xml',
  'sitemap.txt',
  'sitemaps.xml',
  'sitemap1.xml',
  'sitemap-0.xml',
  'sitemap.php',
  'sitemap/sitemap.xml',
];
