/**
 * Where the sitemaps of a site are: robots.txt, the known paths, the links of the homepage. A site that is down must
 * not look like a site without sitemaps, so whatever fails other than by not being there leaves a problem.
 */
import { documentKey } from '../parse/values/url.ts';
import { type Problem, ProblemList } from '../problem.ts';
import type { Crawl } from './crawl.ts';
import { KNOWN_PATHS } from './known-paths.ts';
import { Lineage } from './lineage.ts';
import type { DocumentPlace, InvalidOutcome, Outcome } from './outcome.ts';

/** What was found at the top of a site. */
export interface Found<Node> {
  readonly nodes: readonly Node[];
  readonly problems: readonly Problem[];
  /** Whether a failure leaves it open what else there may be. */
  readonly isSure: boolean;
}

/** Where a site's robots.txt is. */
export function robotsTxtOf(homepage: string): DocumentPlace {
  return guess(new URL('robots.txt', homepage).href);
}

function guess(url: string): DocumentPlace {
  return { url, lastModified: undefined, parentUrls: new Set(), isGuess: true };
}

/** What robots.txt turned out to be, and everything declared under it. */
export async function readRobotsTxt<Node>(crawl: Crawl<Node>, place: DocumentPlace): Promise<Found<Node>> {
  crawl.declared.add(documentKey(place.url));
  const outcome = await crawl.outcome(place);
  if (outcome.type === 'invalid') {
    if (isMissing(outcome)) return NOTHING;
    const message = `robots.txt could not be read, so there may be sitemaps that nobody knows of. ${outcome.reason}`;
    crawl.options.logger.warn(message);
    // A page of HTML for everything that is not there is usual; what it hides is rarely a robots.txt.
    return { nodes: [], problems: [{ code: 'robots-txt-failed', message }], isSure: outcome.isHtml === true };
  }
  if (!crawl.limits.takeNode()) return NOTHING;
  return { nodes: [await crawl.node(place, Lineage.top, outcome)], problems: [], isSure: true };
}

/** The URLs to try although nobody declared them. */
export function knownUrls(
  homepage: string,
  extra: readonly string[],
  usual: readonly string[] = KNOWN_PATHS,
): readonly string[] {
  return [...new Set([...usual, ...extra].map((path) => new URL(path, homepage).href))];
}

/**
 * Starts to fetch what will be tried later. It is not followed before everything that is declared is known; a wrong
 * guess costs a request, a right one saves the wait.
 */
export function fetchAhead<Node>(crawl: Crawl<Node>, urls: readonly string[]): void {
  for (const url of urls) {
    if (!crawl.declared.has(documentKey(url))) void crawl.outcome(guess(url));
  }
}

/**
 * Tries URLs that nobody declared. What is not there or no sitemap gives no node; what leads to something that was
 * declared, or that an earlier one of them led to, gives none either.
 *
 * @param declared - what was found in other ways before
 */
export async function tryUrls<Node>(
  crawl: Crawl<Node>,
  urls: readonly string[],
  declared: ReadonlySet<string>,
): Promise<Found<Node>> {
  const problems = new FailureSummary();
  const seen = new Set(declared);
  const found: Promise<Node | undefined>[] = [];
  const wanted = urls.filter((url) => !seen.has(documentKey(url)));
  const outcomes = await Promise.all(wanted.map((url) => crawl.outcome(guess(url))));
  for (const [index, url] of wanted.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) continue;
    if (outcome.type === 'invalid') {
      if (outcome.code === 'limit') problems.isSure = false;
      else if (!isMissing(outcome) && (outcome.code !== 'not-a-sitemap' || outcome.isHtml))
        problems.add(url, outcome);
      crawl.options.logger.debug(outcome.reason);
      continue;
    }
    if (isNew(url, outcome, seen) && crawl.limits.takeNode()) {
      found.push(crawl.node({ url, lastModified: undefined }, Lineage.top, outcome));
    }
  }
  const nodes = (await Promise.all(found)).filter((node) => node !== undefined);
  return { nodes, problems: problems.list, isSure: problems.isSure };
}

const NOTHING = { nodes: [], problems: [], isSure: true } as const;

function isNew(url: string, outcome: Exclude<Outcome, InvalidOutcome>, seen: Set<string>): boolean {
  const key = documentKey(outcome.url);
  if (seen.has(key)) return false;
  seen.add(key);
  seen.add(documentKey(url));
  return true;
}

function isMissing({ code, status }: InvalidOutcome): boolean {
  return code === 'http-status' && (status === 404 || status === 410);
}

/** One problem a cause: a host that is down fails at every path in the same way. */
class FailureSummary {
  isSure = true;
  readonly #causes = new Map<string, { readonly first: InvalidOutcome; count: number }>();

  add(_url: string, outcome: InvalidOutcome): void {
    // A host that went down is known by its first failure.
    const cause = outcome.isHtml ? 'html' : `${outcome.code} ${outcome.status ?? ''}`;
    const known = this.#causes.get(cause);
    if (known === undefined) this.#causes.set(cause, { first: outcome, count: 1 });
    else known.count++;
    if (!outcome.isHtml) this.isSure = false;
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
      );
    }
    return problems.kept;
  }
}
