/** What is said about a site when it is done: what stopped it, what could not be read, what was filtered. */
import type { InvalidSitemap, Problem, Stopped } from '../../index.ts';
import { inFlags } from '../args/flag-names.ts';
import type { PageFilter } from '../filter/page-filter.ts';
import type { SitemapFilter } from '../filter/sitemap-filter.ts';
import type { Reporter } from './reporter.ts';
import type { SiteResult } from './site-result.ts';
import { count, number } from './wording.ts';

/** So many sitemaps are named with a reason; the rest is counted. */
const NAMED = 10;

/** What is told about. */
export interface Told {
  /** The site, the sitemap or the file. */
  readonly name: string;
  readonly result: SiteResult;
  readonly pages: PageFilter;
  readonly sitemaps?: SitemapFilter | undefined;
  /** What to say when there is no readable sitemap; nothing, where all is said already. */
  readonly noneFound: string;
  /** Seconds, as the user gave them. */
  readonly timeout?: number | undefined;
  readonly maxSitemaps?: number | undefined;
}

/** Says all of it. */
export function report(reporter: Reporter, told: Told): void {
  const { name, result, sitemaps } = told;
  const { stopped, readable, complete } = result;
  const problems = problemsBeside(stopped, result.problems);
  if (stopped !== undefined) reporter.say(`${name}: ${stoppedInWords(stopped, told)}`);
  for (const { message, option } of problems) reporter.say(inFlags(message, option));
  if (readable === 0 && result.invalid.length === 1 && result.invalid[0]?.url === name) {
    // It was asked for by name, and its reason names it.
    const { reason, option } = result.invalid[0];
    reporter.say(inFlags(reason, option));
    return;
  }
  reportUnreadable(reporter, name, result.invalid);
  if (readable === 0 && stopped === undefined) {
    if (sitemaps !== undefined && sitemaps.count > 0) reportNothingFetched(reporter, name, sitemaps);
    else if (told.noneFound !== '') reporter.say(`${name}: ${told.noneFound}`);
  } else {
    reportFiltered(reporter, told);
  }
  const isExplained = stopped !== undefined || problems.length > 0 || result.invalid.length > 0;
  if (!complete && !isExplained && readable > 0) {
    reporter.say(`${name}: a sitemap was cut short; the pages before the cut are listed.`);
  }
}

/** The problems of a site that are still to be told when what stopped it is: a full tree is told of once. */
export function problemsBeside(
  stopped: Stopped | undefined,
  problems: readonly Problem[],
): readonly Problem[] {
  if (stopped?.limit !== 'maxSitemaps') return problems;
  return problems.filter(({ code }) => code !== 'too-many-sitemaps');
}

function stoppedInWords({ limit, message }: Stopped, { timeout, maxSitemaps }: Told): string {
  if (limit === 'maxTimeMs' && timeout !== undefined) {
    return `stopped after ${count(timeout, 'second')} (--timeout); what was found by then is listed.`;
  }
  if (limit === 'maxSitemaps') {
    const many = maxSitemaps === undefined ? 'the limit' : number(maxSitemaps);
    return `stopped at ${many} sitemaps (--max-sitemaps); the rest was left out.`;
  }
  return inFlags(message, limit);
}

function reportUnreadable(reporter: Reporter, name: string, invalid: readonly InvalidSitemap[]): void {
  // What a limit kept from being fetched is as readable as ever.
  const unfetched = invalid.filter(({ code }) => code === 'limit');
  const unreadable = invalid.filter(({ code }) => code !== 'limit');
  if (unfetched.length > 0) {
    // Those that were on their way may be why it took so long; the others only waited.
    const begun = unfetched.filter(({ error }) => error !== undefined);
    const end = begun.length === 0 ? '.' : begun.length === unfetched.length ? ':' : '; those on their way:';
    reporter.say(`${name}: ${count(unfetched.length, 'sitemap was', 'sitemaps were')} not fetched${end}`);
    reportReasons(reporter, begun);
  }
  if (unreadable.length === 0) return;
  reporter.say(`${name}: ${count(unreadable.length, 'sitemap')} could not be read:`);
  reportReasons(reporter, unreadable);
}

function reportReasons(reporter: Reporter, invalid: readonly InvalidSitemap[]): void {
  const named = reporter.isVerbose ? invalid.length : NAMED;
  for (const { reason, option } of invalid.slice(0, named)) reporter.say(`  ${inFlags(reason, option)}`);
  const rest = invalid.length - named;
  if (rest > 0) reporter.say(`  … and ${number(rest)} more (-v names them all).`);
}

function reportNothingFetched(reporter: Reporter, name: string, sitemaps: SitemapFilter): void {
  reporter.say(`${name}: no sitemap is left: ${sitemaps.leftOutInWords}.`);
  if (sitemaps.leftOut.notIncluded > 0) {
    reporter.hint(
      'an index must match too, or its children are never seen: give --sitemap-include again for it.',
    );
  }
}

function reportFiltered(reporter: Reporter, { name, pages, sitemaps }: Told): void {
  const isNothingLeft = pages.read > 0 && pages.kept === 0 && pages.leftOutInWords !== '';
  if (isNothingLeft) {
    reporter.say(`${name}: no page is left: ${pages.leftOutInWords}.`);
  } else if (pages.undated > 0) {
    reporter.say(
      `${name}: ${count(pages.undated, 'page')} without a date ${pages.undated === 1 ? 'was' : 'were'} left out (--since).`,
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
