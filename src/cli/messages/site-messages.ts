/**
 * What is said about a site when it is done: what stopped it, what could not be read, what is missing, what was
 * filtered. Whatever is missing is named by its URL, all of it: a listing that lacks pages must not look whole.
 */
import type { InvalidSitemap, Problem, Stopped } from '../../index.ts';
import { count, list, number } from '../../problems/wording.ts';
import { type CrawlFlags, inFlags } from '../args/option-flags.ts';
import type { PageFilter, SitemapFilter } from '../filter/page-filter.ts';
import type { Reporter } from './reporter.ts';
import type { SiteResult } from './site-result.ts';

interface ReportedSite {
  readonly name: string;
  readonly result: SiteResult;
  readonly pages: PageFilter;
  readonly sitemaps?: SitemapFilter | undefined;
  /** What to say when there is no readable sitemap; empty where that is said already. */
  readonly noneFound: string;
  /** Seconds, as the user gave them. */
  readonly timeout?: number | undefined;
  readonly maxSitemaps?: number | undefined;
}

export function report(reporter: Reporter, site: ReportedSite): void {
  const { name, result, sitemaps } = site;
  const { stopped, readable } = result;
  if (isUnresolved(result)) {
    reporter.say(
      `${name}: the host name does not resolve. Check its spelling, and whether there is a network.`,
    );
    return;
  }
  if (stopped !== undefined) reporter.say(`${name}: ${stoppedInWords(stopped, site)}`);
  for (const { message, option } of problemsBeside(stopped, result.problems)) {
    reporter.say(inFlags(message, option));
  }
  reportIncomplete(reporter, name, result);
  const [only] = result.invalid;
  if (readable === 0 && result.invalid.length === 1 && only?.url === name) {
    // It was requested by name, and its reason names it.
    reporter.say(inFlags(only.reason, only.option));
    return;
  }
  reportUnreadable(reporter, name, result.invalid);
  if (readable === 0 && stopped === undefined) {
    if (sitemaps !== undefined && sitemaps.count > 0) reportNothingFetched(reporter, name, sitemaps);
    else if (site.noneFound !== '') reporter.say(`${name}: ${site.noneFound}`);
  } else {
    reportFiltered(reporter, site);
  }
}

/** Whether all that is to be said is that there is no such host: every request failed for that one reason. */
function isUnresolved({ readable, invalid, problems, stopped }: SiteResult): boolean {
  const failures = problems.map(({ failure }) => failure);
  if (readable > 0 || invalid.length > 0 || stopped !== undefined) return false;
  return (
    failures.includes('unresolved') && failures.every((code) => code === 'unresolved' || code === 'host-down')
  );
}

/** The problems of a site besides what stopped it: a full tree is reported once. */
export function problemsBeside(
  stopped: Stopped | undefined,
  problems: readonly Problem[],
): readonly Problem[] {
  if (stopped?.limit !== 'maxSitemaps') return problems;
  return problems.filter(({ code }) => code !== 'too-many-sitemaps');
}

function stoppedInWords({ limit, message }: Stopped, { timeout, maxSitemaps }: ReportedSite): string {
  if (limit === 'maxTimeMs' && timeout !== undefined) {
    return `stopped after ${count(timeout, 'second')} (--timeout); what was found by then is listed.`;
  }
  if (limit === 'maxSitemaps') {
    const many = maxSitemaps === undefined ? 'the limit' : number(maxSitemaps);
    return `stopped at ${many} sitemaps (--max-sitemaps); the rest was left out.`;
  }
  return inFlags(message, limit);
}

function reportIncomplete(reporter: Reporter, name: string, { incomplete }: SiteResult): void {
  if (incomplete.length === 0) return;
  reporter.say(`${name}: ${count(incomplete.length, 'sitemap is', 'sitemaps are')} incomplete:`);
  for (const { url, problems } of incomplete) {
    for (const { message, option } of problems) reporter.say(`  ${url}: ${inFlags(message, option)}`);
  }
}

function reportUnreadable(reporter: Reporter, name: string, nodes: readonly InvalidSitemap[]): void {
  // A sitemap that is declared several times is in the tree as often.
  const invalid = [...new Map(nodes.map((node) => [node.reason, node])).values()];
  // What a limit kept from being fetched may be readable.
  const unfetched = invalid.filter(({ code }) => code === 'limit');
  const unreadable = invalid.filter(({ code }) => code !== 'limit');
  if (unfetched.length > 0) {
    reporter.say(`${name}: ${count(unfetched.length, 'sitemap was', 'sitemaps were')} not fetched:`);
    reportReasons(reporter, unfetched);
  }
  if (unreadable.length === 0) return;
  reporter.say(`${name}: ${count(unreadable.length, 'sitemap')} could not be read:`);
  reportReasons(reporter, unreadable);
}

function reportReasons(reporter: Reporter, invalid: readonly InvalidSitemap[]): void {
  for (const { reason, option } of invalid) reporter.say(`  ${inFlags(reason, option)}`);
}

function reportNothingFetched(reporter: Reporter, name: string, sitemaps: SitemapFilter): void {
  reporter.say(`${name}: no sitemap is left: ${sitemaps.leftOutInWords}.`);
  if (sitemaps.hasUnmatched) {
    reporter.hint('an index must match too, or its children are not seen: repeat --sitemap-include for it.');
  }
}

function reportFiltered(reporter: Reporter, { name, pages, sitemaps }: ReportedSite): void {
  const isNothingLeft = pages.read > 0 && pages.kept === 0 && pages.leftOutInWords !== '';
  if (isNothingLeft) {
    reporter.say(`${name}: no page is left: ${pages.leftOutInWords}.`);
  } else if (pages.undated > 0) {
    const were = pages.undated === 1 ? 'was' : 'were';
    reporter.say(
      `${name}: ${count(pages.undated, 'page')} without a date ${were} left out (--since); --undated keep lists them.`,
    );
  }
  if (!isNothingLeft && pages.leftOutInWords !== '') {
    reporter.detail(`${name}: left out: ${pages.leftOutInWords}.`);
  }
  if (sitemaps === undefined || sitemaps.count === 0) return;
  const words = `${name}: not fetched: ${sitemaps.leftOutInWords}.`;
  if (pages.kept === 0) reporter.say(words);
  else reporter.detail(words);
}

/** Where no sitemap was found: what was requested, and what was not. @param knownPaths - how many there are */
export function noneFoundInWords(
  flags: CrawlFlags & { readonly sitemap?: boolean | undefined },
  { problems }: SiteResult,
  knownPaths: number,
): string {
  if (flags.sitemap === true) return 'no readable sitemap.';
  // Where requests failed, what was not found says nothing.
  if (problems.length > 0) return 'no sitemap found.';
  const { robots, known, knownPath = [] } = flags;
  const asked: string[] = [];
  const notAsked: string[] = [];
  if (robots === false) notAsked.push('robots.txt (--no-robots)');
  else asked.push('robots.txt declares none');
  if (known === false) notAsked.push('the known paths (--no-known)');
  const places = (known === false ? 0 : knownPaths) + knownPath.length;
  if (places > 0) asked.push(`none is at ${count(places, 'known path')}`);
  const parts = [list(asked), notAsked.length > 0 ? `${list(notAsked)} not requested` : ''];
  return `no sitemap found: ${parts.filter((part) => part !== '').join('; ')}.`;
}
