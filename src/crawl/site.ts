/**
 * From the address that a call is about to its sitemaps, step by step, for a tree and for a stream alike. What the
 * steps call is in discover.ts; how a sitemap becomes a node, with everything below it, is in node-crawl.ts.
 */

import { hostMapOf } from '../options/host-map.ts';
import { notKeptOptions, type ResolvedOptions, shapingOptions } from '../options/resolve.ts';
import { isMissing } from '../problems/catalogue.ts';
import { SitemapException } from '../problems/errors.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { KeptOrigin, TriedPath } from '../sitemap/node-fields.ts';
import {
  documentKey,
  looksLikeSitemap,
  parsedUrl,
  shownUrl,
  urlArgumentText,
  withoutUserinfo,
} from '../url.ts';
import { homepageLinks, knownUrls, readRobotsTxt } from './discover.ts';
import { Lineage } from './lineage.ts';
import type { Crawl } from './node-crawl.ts';
import { fetchAhead, UndeclaredSitemaps } from './undeclared-sitemaps.ts';

export interface SiteSitemaps<Node> {
  readonly nodes: readonly Node[];
  readonly problems: readonly Problem[];
  /** robots.txt, the links of the homepage and the known paths that were tried. */
  readonly triedPaths: readonly TriedPath[];
  /** Whether everything that is declared was read to its end, and no failure may have hidden a sitemap. */
  readonly complete: boolean;
}

export async function sitemapsOfSite<Node>(crawl: Crawl<Node>): Promise<SiteSitemaps<Node>> {
  const { url: homepage } = crawl;
  const { useRobots, useHomepageLinks, followListedSitemaps, hosts = 'any' } = crawl.options;
  const paths = knownUrls(homepage, crawl.options);
  const readHomepage = () => homepageLinks(crawl, homepage);

  // Where pages are filtered by host, a stream must know the hosts of the site before the first page comes.
  const early = useHomepageLinks && hosts !== 'any' ? await readHomepage() : undefined;

  // 1. robots.txt is an index-type sitemap: it lists others in its Sitemap lines, which are requested from here on.
  const robotsTxt = useRobots ? await readRobotsTxt(crawl, homepage) : undefined;
  // Known paths are requested meanwhile, behind the declared sitemaps; all of them unless robots.txt declares some, or
  // could not be read. Step 3 uses the responses: a tree spools them, and what is too large for a stream to hold until
  // then is requested a second time.
  const knownPaths = robotsTxt?.declaresNone === false ? paths.always : paths.ifNoneDeclared;
  fetchAhead(crawl, knownPaths);

  // 2. Each sitemap that is declared in robots.txt is fetched and parsed, and recursed into if it is an index.
  const declared = await Promise.all(robotsTxt?.nodes ?? []);
  // Everything that is declared is known, so what was requested ahead may be read.
  const undeclared = new UndeclaredSitemaps(crawl);

  // 3. Links of the homepage (if the options ask for them) and known paths are tried, without those that robots.txt or
  // a sitemap below it has declared by now.
  const links = early ?? (useHomepageLinks ? await readHomepage() : undefined);
  // If the homepage could not be read, the links that it had earlier are tried.
  const isHomepageUnread = links !== undefined && links.problems.length > 0;
  const linkedSitemaps = await undeclared.try(isHomepageUnread ? crawl.formerUrls : (links?.urls ?? []));
  const atKnownPaths = await undeclared.try(knownPaths);
  if (linkedSitemaps.tried.some(isUnread)) crawl.carryOver?.noteUnreadLink();

  // Sitemaps that were listed as pages, if the options ask for them.
  const listingProblems = followListedSitemaps ? await undeclared.followListed() : [];

  // Everything was read. A sitemap of the earlier tree that nothing declares any more is kept if a document that could
  // not be read may still declare it.
  const tryable = new Set([...paths.always, ...paths.ifNoneDeclared].map(documentKey));
  const mayTry = (url: string): boolean =>
    useHomepageLinks || followListedSitemaps || tryable.has(documentKey(url));
  const carriedOver = await crawl.carriedOver(Lineage.top, mayTry);

  // 4. All nodes together: the caller makes the top-level sitemap that is their parent.
  const undeclaredNodes = undeclared.nodes;
  const problems = [robotsTxt, links, linkedSitemaps, atKnownPaths, { problems: listingProblems }].flatMap(
    (step) => step?.problems ?? [],
  );
  const triedPaths = [robotsTxt, linkedSitemaps, atKnownPaths].flatMap((step) => step?.tried ?? []);
  // With nothing found, a failure may be the reason: then the result is not complete.
  const isFound = robotsTxt?.listsSitemaps === true || undeclaredNodes.length > 0;
  const isSure =
    robotsTxt?.isSure !== false && (isFound || problems.every(({ code }) => code === 'sitemaps-elsewhere'));
  return {
    nodes: [...declared, ...undeclaredNodes, ...carriedOver.nodes],
    problems: [...problems, ...carriedOver.problems],
    triedPaths,
    complete: crawl.isComplete && isSure,
  };
}

function isUnread(path: TriedPath): boolean {
  return path.code !== undefined && path.code !== 'recursion' && !isMissing(path);
}

/** One sitemap and everything below it, without the rest of its site; for a tree and for a stream alike. */
export async function oneSitemap<Node>(crawl: Crawl<Node>): Promise<Node> {
  const addCarriedOver = (lineage: Lineage) => crawl.carriedOver(lineage, () => true);
  const declared = { url: crawl.url, lastModified: undefined };
  const node = await crawl.subtree(declared, Lineage.top, addCarriedOver);
  if (node === undefined)
    throw new TypeError('There is always room for the first node: maxSitemaps is at least 1.');
  return node;
}

function requireHttpUrl(url: string | URL, what: string): URL {
  const urlText = urlArgumentText(url);
  const parsed = parsedUrl(urlText);
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.hostname !== '') return parsed;
  const text = shownUrl(urlText);
  throw new SitemapException(`The ${what} must be an http or https URL, not "${text}".${hintFor(text)}`, {
    code: 'bad-url',
    url: text,
  });
}

// `example.org:8080` is a URL of the scheme `example.org:`, so this looks at the text.
function hintFor(text: string): string {
  const bare = /^(?:\/\/)?((?:[\w-]+(?:\.[\w-]+)+|localhost|\[::1\])(?::\d+)?(?:[/?#].*)?)$/i.exec(text)?.[1];
  if (bare === undefined) return '';
  return ` Did you mean ${/^(?:localhost\b|127\.|\[::1\])/i.test(bare) ? 'http' : 'https'}://${bare}?`;
}

/** The address of one sitemap, in public. @throws SitemapException where it is not http(s) */
export function sitemapUrl(url: string | URL, options: Pick<ResolvedOptions, 'mapHosts'>): URL {
  return inPublic(requireHttpUrl(url, 'sitemap’s address'), options);
}

function inPublic(url: URL, options: Pick<ResolvedOptions, 'mapHosts'>): URL {
  return hostMapOf(options)?.public(url) ?? url;
}

/** The homepage under which everything is looked for: the site's root, or the given path with a `/` at its end. */
export function homepageOf(url: string | URL, options: ResolvedOptions): URL {
  const { normalizeHomepageUrl, logger } = options;
  const homepage = inPublic(requireHttpUrl(url, 'homepage'), options);
  const path = homepage.pathname;
  homepage.search = '';
  homepage.hash = '';
  if (normalizeHomepageUrl) homepage.pathname = '/';
  else if (!path.endsWith('/')) homepage.pathname = `${path}/`;
  if (normalizeHomepageUrl && path !== '/') {
    const alone = looksLikeSitemap(path)
      ? ' The URL looks like a sitemap: streamSitemap and sitemapFromUrl read that one alone.'
      : '';
    logger.warn(
      `The homepage was shortened to ${withoutUserinfo(homepage).href}; ` +
        `normalizeHomepageUrl: false keeps its path.${alone}`,
    );
  }
  return homepage;
}

/** The facts of a call that are saved with its tree, so that the call can be repeated. */
export function treeOriginOf(call: KeptOrigin['call'], site: URL, options: ResolvedOptions): KeptOrigin {
  const url = withoutUserinfo(site);
  const notKept = notKeptOptions(options);
  const paths = options.extraKnownPaths.map(shownUrl);
  const shaping = shapingOptions(options);
  return {
    call,
    url: url.href,
    options: paths.length === 0 ? shaping : { ...shaping, extraKnownPaths: paths },
    notKept: url === site ? notKept : [...notKept, 'userinfo'],
  };
}
