/**
 * Sitemaps that nothing declares: what the homepage links to, and what is at known paths. They are looked for after
 * everything that is declared under robots.txt is known, in the order of a list. What one of them declares is not
 * "found at a known path": it has its place below that one.
 */

import type { SitemapEntry } from '../parse/model/item.ts';
import { isMissing } from '../problems/catalogue.ts';
import { factsOfFailure, type Problem, ProblemList } from '../problems/problem-list.ts';
import type { InvalidOutcome, Outcome } from '../read/outcome.ts';
import { ignorable } from '../runtime/time.ts';
import type { TriedPath } from '../sitemap/node-fields.ts';
import { count } from '../text/wording.ts';
import { documentKey } from '../url.ts';
import { triedPath, undeclared } from './discover.ts';
import { DeclaredBelow, Lineage } from './lineage.ts';
import type { Listing } from './listed-sitemaps.ts';
import type { Crawl } from './node-crawl.ts';

/** @internal */
export interface TriedUrls {
  readonly tried: readonly TriedPath[];
  readonly problems: readonly Problem[];
}

/**
 * @internal
 * Starts to fetch what will be tried later. It is not followed before everything that is declared is known; a wrong
 * known path costs a request, a right one saves the wait. Nothing happens where callbacks filter, since one of the URLs
 * may be declared and not wanted.
 */
export function fetchAhead<Node>(crawl: Crawl<Node>, urls: readonly string[]): void {
  if (crawl.filter.isActive) return;
  for (const url of urls) void crawl.documents.outcome(undeclared(url, 'known-path'));
}

interface UndeclaredSitemap<Node> {
  readonly node: Node;
  /** The keys of the URL that was tried, and of the one that responded. */
  readonly keys: readonly string[];
  readonly below: DeclaredBelow;
}

/** How many of the sitemaps that a document lists as pages are requested while the first one is followed. */
const REQUESTED_AHEAD = 64;

/** @internal To be made once everything that is declared under robots.txt is known. */
export class UndeclaredSitemaps<Node> {
  readonly #crawl: Crawl<Node>;
  readonly #sitemaps: UndeclaredSitemap<Node>[] = [];
  /** Whether each waits for those before it: a stream must not read what they declare and a callback leaves out. */
  readonly #isHeld: boolean;

  constructor(crawl: Crawl<Node>) {
    this.#crawl = crawl;
    this.#isHeld = crawl.filter.isActive && !crawl.context.reader.keepsDocuments;
    for (const key of crawl.declared) crawl.excluded.add(key);
    if (!this.#isHeld) crawl.documents.releaseKnownPaths();
  }

  /** The nodes in order, without those that a later one lists: they have a place there. */
  get nodes(): readonly Node[] {
    const listedLater = new Set<string>();
    const nodes: Node[] = [];
    for (const { node, keys, below } of this.#sitemaps.toReversed()) {
      // What is below it is also below the one that lists it, unless that would be recursion.
      if (keys.some((key) => listedLater.has(key))) continue;
      nodes.push(node);
      for (const key of below.keys()) listedLater.add(key);
    }
    return nodes.reverse();
  }

  /**
   * Tries URLs. What does not exist or is not a sitemap gives no node; neither does a URL that leads to something that
   * was declared or found before.
   */
  async try(urls: readonly string[]): Promise<TriedUrls> {
    const { documents, excluded, limits } = this.#crawl;
    const newUrls = urls.filter((url) => !excluded.has(documentKey(url)));
    const request = (url: string): Promise<Outcome> => documents.outcome(undeclared(url, 'known-path'));
    const requested = newUrls.map(request);
    // All of them are requested before what they declare.
    if (!this.#isHeld) await Promise.all(requested);
    const tried: TriedPath[] = [];
    const failures: (readonly [string, InvalidOutcome])[] = [];
    let leftOut = 0;
    for (const url of newUrls) {
      documents.releaseKnownPath(url);
      const outcome = await request(url);
      tried.push(triedPath(url, outcome));
      if (outcome.type === 'invalid' && isWorthReporting(outcome)) failures.push([url, outcome]);
      if (!(await this.#follow({ url, lastModified: undefined }, outcome))) leftOut++;
    }
    const full = leftOut === 0 ? [] : [limits.leaveOut(leftOut, leftOut + this.#sitemaps.length)];
    // A URL that a later sitemap declares has failed below that one.
    const failed = failures.filter(([url]) => !excluded.has(documentKey(url))).map(([, outcome]) => outcome);
    return { tried, problems: [...failedPaths(failed), ...full] };
  }

  /**
   * Follows sitemaps that documents list as pages, and what these list. They are treated as known paths are, but the
   * callbacks choose among them, and one that cannot be read has a node.
   */
  async followListed(): Promise<readonly Problem[]> {
    const { listings } = this.#crawl;
    const problems: Problem[] = [];
    for (let some = listings.take(); some.length > 0; some = listings.take()) {
      for (const listing of some) problems.push(...(await this.#followListing(listing)));
    }
    return problems;
  }

  async #followListing({ url, lineage, below, sitemaps }: Listing): Promise<readonly Problem[]> {
    const { documents, declared, excluded, filter, limits } = this.#crawl;
    const isNew = (entry: SitemapEntry): boolean => !excluded.has(documentKey(entry.url));
    const entries = sitemaps.entries.filter(isNew);
    if (entries.length + sitemaps.leftOut === 0) return [];
    const { chosen, undecided } = await filter.choose({ url, kind: 'pages-xml', entries }, lineage, below);
    for (const entry of entries) declared.add(documentKey(entry.url));
    const request = async (entry: SitemapEntry): Promise<Outcome> =>
      this.#crawl.refusalOf(entry.url, below) ??
      documents.outcome({ ...undeclared(entry.url, 'known-path'), lastModified: entry.lastModified });
    let leftOut = sitemaps.leftOut;
    let requested = 0;
    for (const [at, entry] of chosen.entries()) {
      const until = at + Math.min(limits.room, REQUESTED_AHEAD);
      for (; requested < until; requested++) {
        const ahead = chosen[requested];
        if (ahead !== undefined && isNew(ahead)) ignorable(request(ahead));
      }
      if (!isNew(entry)) continue;
      documents.releaseKnownPath(entry.url);
      if (limits.isFull || !(await this.#follow(entry, await request(entry), below))) leftOut++;
    }
    return [
      ...(leftOut === 0 ? [] : [limits.leaveOut(leftOut, chosen.length + sitemaps.leftOut)]),
      ...(undecided === 0 ? [] : [limits.leaveUndecided(undecided)]),
    ];
  }

  /**
   * Makes the node of a URL, and everything below it, if it gives one. Returns false if there is no room for it.
   *
   * @param lineage - the ancestors, of what is listed as a page
   */
  async #follow(entry: SitemapEntry, outcome: Outcome, lineage: Lineage = Lineage.top): Promise<boolean> {
    const crawl = this.#crawl;
    const { url } = entry;
    const isInvalid = outcome.type === 'invalid';
    const isListed = lineage !== Lineage.top;
    const keys = [documentKey(url), ...(isInvalid ? [] : [documentKey(outcome.url)])];
    if (keys.some((key) => crawl.excluded.has(key))) return true;
    if (isInvalid && isListed) {
      crawl.excluded.add(documentKey(url));
      // The document that it leads to has a place already, or must not have one.
      if (outcome.code === 'recursion') return true;
      if (!crawl.takeNode(url)) return false;
    } else if (isInvalid) {
      crawl.carryOver?.note(url, outcome, Lineage.top);
      crawl.options.logger.debug(outcome.reason);
      // An index that is too old to be kept has a node if any of its children is still there.
      if (outcome.former === undefined || !crawl.takeNode(url)) return true;
    } else {
      for (const key of keys) {
        crawl.excluded.add(key);
        crawl.declared.add(key);
      }
      if (!crawl.takeNode(url)) return false;
    }
    const below = new DeclaredBelow();
    await crawl.noting(below, async () => {
      const { node, isReadable } = await crawl.begin(entry, lineage, outcome);
      const sitemap = { node: await node, keys, below };
      if (isInvalid && !isListed && !(await isReadable)) return;
      this.#sitemaps.push(sitemap);
      for (const key of below.keys()) crawl.excluded.add(key);
    });
    return true;
  }
}
/** Whether a failure at a known path is reported: not if nothing is there, nor if it is a file other than HTML. */
function isWorthReporting(outcome: InvalidOutcome): boolean {
  if (outcome.code === 'not-in-archive') return false;
  if (outcome.code === 'not-a-sitemap') return outcome.isHtml === true;
  return !isMissing(outcome) && outcome.code !== 'recursion' && outcome.code !== 'limit';
}

/** One problem for each cause: a host that is down fails at every path in the same way. */
function failedPaths(failures: readonly InvalidOutcome[]): readonly Problem[] {
  const causes = new Map<string, InvalidOutcome[]>();
  for (const outcome of failures) {
    const cause = outcome.isHtml ? 'html' : `${outcome.code} ${outcome.status ?? ''}`;
    const sameCause = causes.get(cause);
    if (sameCause === undefined) causes.set(cause, [outcome]);
    else sameCause.push(outcome);
  }
  const problems = new ProblemList();
  for (const [first, ...others] of causes.values()) {
    if (first === undefined) continue;
    const rest =
      others.length === 0 ? '' : ` The same happened at ${count(others.length, 'other known path')}.`;
    const message = `A known path could not be read. ${first.reason}${rest}`;
    const facts = { ...factsOfFailure(first), documents: others.length + 1 };
    problems.add('known-path-failed', message, undefined, facts);
  }
  return problems.kept;
}
