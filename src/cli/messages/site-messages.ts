/**
 * The outcome of one site, one sitemap or one file, its exit code, and the messages about it: which limit stopped it,
 * what could not be read, what is missing, what was filtered. Every missing sitemap is named by its URL: a listing that
 * lacks pages must not look complete.
 */
import {
  type IncompleteSitemap,
  type InvalidSitemap,
  type PageStream,
  type Problem,
  type Sitemap,
  type Stopped,
  walkTree,
} from '../../index.ts';
import { isPagesKind } from '../../parse/model/kinds.ts';
import { isNothingKnown, missingParts } from '../../problems/catalogue.ts';
import { count, list, number } from '../../text/wording.ts';
import { inFlags } from '../args/option-flags.ts';
import { EXIT, type ExitCode } from '../endings.ts';
import type { Reporter } from '../io.ts';
import type { PageFilter, SitemapFilter } from '../page-filter.ts';
import type { CrawlFlags } from '../program/flags.ts';

export interface SiteResult {
  /** Sitemaps that were read, each once; the site itself and its robots.txt do not count. */
  readonly readable: number;
  readonly invalid: readonly InvalidSitemap[];
  readonly incomplete: readonly IncompleteSitemap[];
  readonly problems: readonly Problem[];
  /** Whether everything that was declared was fetched and read to its end. */
  readonly complete: boolean;
  readonly stopped: Stopped | undefined;
}

export function resultOfTree(tree: Sitemap): SiteResult {
  const invalid: InvalidSitemap[] = [];
  const incomplete = new Map<string, IncompleteSitemap>();
  const readable = new Set<string>();
  for (const { sitemap: node } of walkTree(tree)) {
    if (node.kind === 'invalid') {
      // A child that was not requested is not a failure.
      if (node.code !== 'not-fetched') invalid.push(node);
      continue;
    }
    if (node.kind === 'website') continue;
    if (node.kind !== 'robots-txt') readable.add(node.url);
    const problems = missingIn(node);
    // A document at several places of the tree is one document.
    if (problems.length > 0) incomplete.set(node.url, { url: node.url, problems });
  }
  return {
    readable: readable.size,
    invalid,
    incomplete: [...incomplete.values()],
    problems: tree.kind === 'website' ? tree.problems : [],
    // A file and a part of a tree that was saved alone do not know.
    complete: tree.complete ?? (invalid.length === 0 && incomplete.size === 0),
    stopped: tree.stopped,
  };
}

/** What is missing in a sitemap. A page document is read for its problems only where its end is missing. */
export function missingIn(node: Sitemap): readonly Problem[] {
  return node.truncated || !isPagesKind(node.kind) ? missingParts(node.problems) : [];
}

/** The result of a stream that has ended. @param readCount - sitemaps that were read to their end */
export function resultOfStream(stream: PageStream, readCount: number, pages: PageFilter): SiteResult {
  const { invalidSitemaps, incompleteSitemaps, problems, complete, stopped } = stream;
  return {
    readable: Math.max(readCount, pages.read > 0 ? 1 : 0),
    invalid: invalidSitemaps,
    incomplete: incompleteSitemaps,
    problems,
    // Where `--max-pages` ended the stream, nothing is known of the rest.
    complete: pages.isFull ? invalidSitemaps.length === 0 : complete,
    stopped,
  };
}

/**
 * The exit code of one site.
 *
 * @param knownPaths - how many known paths were requested
 */
export function exitCodeOf(
  result: SiteResult,
  { strict = false }: { readonly strict?: boolean | undefined },
  knownPaths = 0,
): ExitCode {
  // Stopped with nothing found does not mean that there is nothing to find.
  if (result.stopped !== undefined) return EXIT.stopped;
  const { readable, invalid, problems } = result;
  if (readable === 0)
    return isNothingKnown(invalid, problems, knownPaths) ? EXIT.unreachable : EXIT.noneFound;
  return strict && !result.complete ? EXIT.incomplete : EXIT.ok;
}

interface ReportedSite {
  readonly name: string;
  readonly result: SiteResult;
  readonly pages: PageFilter;
  readonly sitemaps?: SitemapFilter | undefined;
  /** The message if there is no readable sitemap; empty if that was said already. */
  readonly noneFound: string;
  /** Seconds, as the user gave them. */
  readonly timeout?: number | undefined;
}

export function reportSite(reporter: Reporter, site: ReportedSite): void {
  const { name, result, sitemaps } = site;
  const { stopped, readable } = result;
  const unconnected = describeConnectionFailure(result);
  if (unconnected !== undefined) {
    reporter.say(`${name}: ${unconnected}`);
    return;
  }
  if (stopped !== undefined) reporter.say(`${name}: ${describeStop(stopped, site)}`);
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

/** Failures to connect to a host. After the first, other documents of the host are `host-down`. */
const UNCONNECTED: ReadonlyMap<string, string> = new Map([
  ['unresolved', 'the host name does not resolve. Check its spelling, and whether there is a network.'],
  ['refused', 'the host refused the connection. Check the address and the port.'],
  ['unreachable', 'there is no route to the host. Check the address, and whether there is a network.'],
]);

/** All that is to be said where every request failed for one reason: the host could not be connected to. */
function describeConnectionFailure({ readable, invalid, problems, stopped }: SiteResult): string | undefined {
  if (readable > 0 || invalid.length > 0 || stopped !== undefined) return undefined;
  const failures = new Set(problems.map(({ failure = '' }) => failure));
  failures.delete('host-down');
  const [failure = ''] = failures;
  return failures.size === 1 ? UNCONNECTED.get(failure) : undefined;
}

/** The problems of a site without those that `stopped` reports: a full tree is reported once. */
export function problemsBeside(
  stopped: Stopped | undefined,
  problems: readonly Problem[],
): readonly Problem[] {
  if (stopped?.limit !== 'maxSitemaps') return problems;
  return problems.filter(({ code }) => code !== 'too-many-sitemaps');
}

function describeStop({ limit, message }: Stopped, { timeout }: ReportedSite): string {
  if (limit !== 'maxTimeMs' || timeout === undefined) return inFlags(message, limit);
  return `stopped after ${count(timeout, 'second')} (--timeout); what was found by then is listed.`;
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
  const report = (sitemaps: readonly InvalidSitemap[], words: string): void => {
    if (sitemaps.length === 0) return;
    reporter.say(`${name}: ${words}:`);
    for (const { reason, option } of sitemaps) reporter.say(`  ${inFlags(reason, option)}`);
  };
  // What a limit kept from being fetched may be readable.
  const unfetched = invalid.filter(({ code }) => code === 'limit');
  const unreadable = invalid.filter(({ code }) => code !== 'limit');
  report(unfetched, `${count(unfetched.length, 'sitemap was', 'sitemaps were')} not fetched`);
  report(unreadable, `${count(unreadable.length, 'sitemap')} could not be read`);
}

function reportNothingFetched(reporter: Reporter, name: string, sitemaps: SitemapFilter): void {
  reporter.say(`${name}: no sitemap is left: ${sitemaps.leftOutReasons}.`);
  if (sitemaps.hasUnmatched) {
    reporter.hint('an index must match too, or its children are not seen: repeat --sitemap-include for it.');
  }
}

function reportFiltered(reporter: Reporter, { name, pages, sitemaps }: ReportedSite): void {
  const isNothingLeft = pages.read > 0 && pages.kept === 0 && pages.leftOutReasons !== '';
  if (isNothingLeft) {
    reporter.say(`${name}: no page is left: ${pages.leftOutReasons}.`);
  } else {
    for (const sentence of pages.leftOutSentences) reporter.say(`${name}: ${sentence}`);
  }
  if (!isNothingLeft && pages.leftOutReasons !== '') {
    reporter.detail(`${name}: left out: ${pages.leftOutReasons}.`);
  }
  if (sitemaps === undefined || sitemaps.count === 0) return;
  const words = `${name}: not fetched: ${sitemaps.leftOutReasons}.`;
  if (pages.kept === 0) reporter.say(words);
  else reporter.detail(words);
}

/** The last line for a site without any information, by the failure of its requests. */
const ENDINGS: ReadonlyMap<string, string> = new Map([
  ['bad-response', 'its responses are not valid HTTP.'],
  ['host-down', 'the host could not be reached.'],
  ['http-status', 'the site refused every request.'],
  ['private-network', 'it leads to private addresses only.'],
  ['proxy', 'the proxy gave no connection.'],
  ['rate-limited', 'the site asks to come back later.'],
  ['redirects', 'its redirects lead nowhere.'],
  ['refused', 'the host refused the connection.'],
  ['tls', 'no secure connection could be made.'],
  ['unreachable', 'the host could not be reached.'],
  ['unresolved', 'the host name does not resolve.'],
  ['web-client', 'the web client failed.'],
]);

/** Why nothing is known of a site. @param name - its URL */
function describeUnreachable(
  name: string,
  { problems, invalid }: SiteResult,
  hasAskedRobots: boolean,
): string {
  if (invalid.length > 0) return 'no sitemap that it declares could be read.';
  const failed = problems.filter(({ failure }) => failure !== undefined);
  if (hasAskedRobots && !failed.some(({ code }) => code === 'robots-txt-failed'))
    return 'robots.txt declares no sitemap, and no known path could be read.';
  const [{ failure = '', message = '' } = {}] = failed;
  const ending = ENDINGS.get(failure) ?? 'the host did not respond.';
  // A port that responds without TLS.
  return /may not be one for https/.test(message)
    ? `${ending} Try ${name.replace(/^https:/, 'http:')}`
    : ending;
}

/** Where no sitemap was found: what was requested, and what was not. @param knownPaths - how many there are */
export function describeNoSitemap(
  name: string,
  flags: CrawlFlags & { readonly sitemap?: boolean | undefined },
  result: SiteResult,
  code: ExitCode,
  knownPaths: number,
): string {
  const { problems, invalid } = result;
  if (flags.sitemap === true) return 'no readable sitemap.';
  // Where requests failed, it is not known whether there is a sitemap.
  if (code === EXIT.unreachable) return describeUnreachable(name, result, flags.robots !== false);
  if (invalid.length > 0) return 'no readable sitemap.';
  if (problems.length > 0) return 'no sitemap found.';
  const { robots, known, knownPath = [] } = flags;
  const requested: string[] = [];
  const notAsked: string[] = [];
  if (robots === false) notAsked.push('robots.txt (--no-robots)');
  else requested.push('robots.txt declares none');
  if (known === false) notAsked.push('the known paths (--no-known)');
  const places = (known === false ? 0 : knownPaths) + knownPath.length;
  // The site may have what the WARC files do not have.
  const none = flags.fromWarc === undefined ? 'none is at' : 'the WARC files have none at';
  if (places > 0) requested.push(`${none} ${count(places, 'known path')}`);
  const parts = [list(requested), notAsked.length > 0 ? `${list(notAsked)} not requested` : ''];
  return `no sitemap found: ${parts.filter((part) => part !== '').join('; ')}.`;
}

/** How many problems of one document are listed without `-v`. */
const MOST_PROBLEMS = 10;

/** Lists the problems of one document, each with its place and its code; all that are known with `-v`. */
export function listProblems(
  name: string,
  { problems, problemCount }: Pick<Sitemap, 'problems' | 'problemCount'>,
  reporter: Reporter,
  how: 'say' | 'detail',
): void {
  if (problemCount === 0) return;
  const say = (line: string): void => reporter[how](line);
  say(`${name}: read, with ${count(problemCount, 'problem')}:`);
  const shownProblems = reporter.isVerbose ? problems : problems.slice(0, MOST_PROBLEMS);
  for (const problem of shownProblems) {
    say(`  ${placeOf(problem)}${inFlags(problem.message, problem.option)} (${problem.code})`);
  }
  if (problemCount > shownProblems.length)
    say(`  … and ${number(problemCount - shownProblems.length)} more.`);
}

function placeOf({ offset, line, column }: Problem): string {
  if (line !== undefined) return `line ${number(line)}, column ${number(column ?? 1)}: `;
  return offset === undefined ? '' : `byte ${number(offset)}: `;
}

/**
 * Lists the problems of the documents of a tree with `-v` only, since they may have to be read again for it. Without
 * `-v`, where the output counts problems, says how to see them. Those of the site itself are reported elsewhere.
 */
export function detailProblems(
  tree: Sitemap,
  reporter: Reporter,
  { format, pages: withPages = true }: { readonly format: string; readonly pages?: boolean | undefined },
): void {
  // A document at several places of the tree is one document.
  const documents = new Map<string, Sitemap>();
  for (const { sitemap } of walkTree(tree))
    if (sitemap.kind !== 'website' && sitemap.kind !== 'invalid') documents.set(sitemap.url, sitemap);
  if (reporter.isVerbose) {
    for (const [name, sitemap] of documents) listProblems(name, sitemap, reporter, 'detail');
  } else if (format === 'tree' && !reporter.isQuiet) {
    const hasProblems = [...documents.values()].some((sitemap) => problemsShown(sitemap, withPages) > 0);
    if (hasProblems) reporter.hint('-v says what the problems are.');
  }
}

/** How many problems the format `tree` shows for a node: those of a page document only where its pages are counted. */
export function problemsShown(node: Sitemap, withPages: boolean): number {
  if (node.kind === 'website' || node.kind === 'invalid') return 0;
  // To know them, a page document must be read.
  return !withPages && isPagesKind(node.kind) ? 0 : node.problemCount;
}
