/**
 * Where the sitemaps of a site are: robots.txt, the known paths, the links of the homepage. A site that is down must
 * not look like a site without sitemaps, so whatever fails other than by not being there leaves a problem.
 */
import { SitemapException } from '../errors.ts';
import { factsOfFailure, type Problem, ProblemList } from '../problems/problem-list.ts';
import { type DocumentPlace, type InvalidOutcome, tooManySitemaps } from '../read/outcome.ts';
import { documentKey } from '../url.ts';
import type { Crawl } from './crawl.ts';
import { isFiltered } from './filters.ts';
import { KNOWN_PATHS } from './known-paths.ts';
import { Lineage } from './lineage.ts';

/** What was found at the top of a site. */
export interface Found<Node> {
  readonly nodes: readonly Node[];
  readonly problems: readonly Problem[];
}

/** What was found in robots.txt. */
export interface FoundRobotsTxt<Node> extends Found<Node> {
  /** Whether it leads to any sitemap. */
  readonly listsSitemaps: boolean;
  /** Whether that is all that it declares; not where it could not be read. */
  readonly isSure: boolean;
}

/** Where a site's robots.txt is. */
export function robotsTxtOf(homepage: string): DocumentPlace {
  return { ...guess(new URL('robots.txt', homepage).href), isPatient: false };
}

function guess(url: string): DocumentPlace {
  return { url, lastModified: undefined, parentUrls: new Set(), isGuess: true, isPatient: true };
}

/** What robots.txt turned out to be, and everything declared under it. */
export async function readRobotsTxt<Node>(
  crawl: Crawl<Node>,
  place: DocumentPlace,
): Promise<FoundRobotsTxt<Node>> {
  const nothing = { nodes: [], problems: [], listsSitemaps: false, isSure: true };
  crawl.declared.add(documentKey(place.url));
  const outcome = await crawl.outcome(place);
  if (outcome.type === 'invalid') {
    if (isMissing(outcome)) return nothing;
    const message = `robots.txt could not be read, so there may be sitemaps that nobody knows of. ${outcome.reason}`;
    crawl.options.logger.warn(message);
    // A page of HTML for everything that is not there is usual; what it hides is rarely a robots.txt.
    const isSure = outcome.isHtml === true;
    return {
      ...nothing,
      problems: [{ code: 'robots-txt-failed', message, ...factsOfFailure(outcome) }],
      isSure,
    };
  }
  crawl.limits.takeNode();
  const node = await crawl.node(place, Lineage.top, outcome);
  const listsSitemaps = outcome.type === 'pages' || outcome.entries.length + outcome.leftOut > 0;
  return { ...nothing, nodes: [node], listsSitemaps };
}

/** The URLs to try although nobody declared them. */
export function knownUrls(
  homepage: string,
  extra: readonly string[],
  usual: readonly string[] = KNOWN_PATHS,
): readonly string[] {
  return [...new Set([...usual, ...extra].map((path) => urlOf(path, homepage)))];
}

function urlOf(path: string, homepage: string): string {
  try {
    return new URL(path, homepage).href;
  } catch (cause) {
    throw new SitemapException(`The option "extraKnownPaths" must be an array of paths; "${path}" is none.`, {
      code: 'bad-option',
      cause,
    });
  }
}

/**
 * Starts to fetch what will be tried later. It is not followed before everything that is declared is known; a wrong
 * guess costs a request, a right one saves the wait.
 *
 * What is declared is asked for before: a slow host spends its turns on that. Not where callbacks filter, since one of the URLs may be declared and not wanted; nor for a stream, which could not
 * take back what it handed on.
 */
export async function fetchAhead<Node>(
  crawl: Crawl<Node>,
  urls: readonly string[],
  declaring: Promise<unknown> | undefined,
): Promise<void> {
  if (!crawl.keepsDocuments || isFiltered(crawl.options)) return;
  // Whoever waits for what is declared sees it fail; here it only has to be asked for first.
  declaring?.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve));
  for (const url of urls) void crawl.outcome(guess(url));
}

/**
 * Tries URLs that nobody declared. What is not there or no sitemap gives no node; what leads to something that was
 * declared or found before, or that an earlier one of them led to, gives none either.
 */
export async function tryUrls<Node>(crawl: Crawl<Node>, urls: readonly string[]): Promise<Found<Node>> {
  const failures = new FailureSummary();
  // As it is now: which of them declares which others of them must not matter.
  const seen = new Set(crawl.declared);
  const found: Promise<Node>[] = [];
  let leftOut = 0;
  const wanted = urls.filter((url) => !seen.has(documentKey(url)));
  const outcomes = await Promise.all(wanted.map((url) => crawl.outcome(guess(url))));
  for (const [index, url] of wanted.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) continue;
    if (outcome.type === 'invalid') {
      crawl.options.logger.debug(outcome.reason);
      if (isWorthTelling(outcome)) failures.add(outcome);
      continue;
    }
    const keys = [documentKey(outcome.url), documentKey(url)] as const;
    if (seen.has(keys[0])) continue;
    for (const key of keys) {
      seen.add(key);
      crawl.declared.add(key);
    }
    if (!crawl.limits.takeNode()) leftOut++;
    else found.push(crawl.node({ url, lastModified: undefined }, Lineage.top, outcome));
  }
  const full = leftOut === 0 ? [] : [tooManySitemaps(leftOut, leftOut + found.length)];
  return { nodes: await Promise.all(found), problems: [...failures.list, ...full] };
}

/** Not what is missing, nor what is something else than HTML: a known path may be anything. */
function isWorthTelling(outcome: InvalidOutcome): boolean {
  if (outcome.code === 'not-a-sitemap') return outcome.isHtml === true;
  return !isMissing(outcome) && outcome.code !== 'recursion' && outcome.code !== 'limit';
}

function isMissing({ code, status }: InvalidOutcome): boolean {
  return code === 'http-status' && (status === 404 || status === 410);
}

/** One problem a cause: a host that is down fails at every path in the same way. */
class FailureSummary {
  readonly #causes = new Map<string, { readonly first: InvalidOutcome; count: number }>();

  add(outcome: InvalidOutcome): void {
    const cause = outcome.isHtml ? 'html' : `${outcome.code} ${outcome.status ?? ''}`;
    const known = this.#causes.get(cause);
    if (known === undefined) this.#causes.set(cause, { first: outcome, count: 1 });
    else known.count++;
  }

  get list(): readonly Problem[] {
    const problems = new ProblemList();
    for (const { first, count } of this.#causes.values()) {
      const rest =
        count === 1
          ? ''
          : ` The same happened at ${count - 1} other usual ${count === 2 ? 'place' : 'places'}.`;
      problems.add(
        'known-path-failed',
        `A usual place of sitemaps could not be read. ${first.reason}${rest}`,
        undefined,
        { ...factsOfFailure(first), documents: count },
      );
    }
    return problems.kept;
  }
}
