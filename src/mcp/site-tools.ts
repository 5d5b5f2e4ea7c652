/** All tools but `changes_since`: they read sites, and report what is wrong with them. */
import { randomUUID } from 'node:crypto';
import { ruleNamed } from '../check/configuration.ts';
import type { RuleFindings } from '../check/findings-by-rule.ts';
import { firstSentence } from '../check/rule-table.ts';
import { type AddAlternates, Alternates, sampledFrom } from '../filter/alternates.ts';
import { LeftOutCounts, pageFilter, sitemapFilter } from '../filter/filter-pages.ts';
import { PageChoice } from '../filter/page-choice.ts';
import { hostsOfTree, type SiteHosts } from '../filter/site-hosts.ts';
import {
  type RobotsVerdict,
  RULES,
  type RuleName,
  robotsVerdicts,
  type Sitemap,
  SitemapException,
  type SitemapPage,
  type SitePageOptions,
  sitemapFromString,
  walkTree,
} from '../index.ts';
import { isPagesKind } from '../parse/model/kinds.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import type { SitePool } from '../site-pool.ts';
import { clip, LONGEST_SENTENCE } from '../text/wording.ts';
import { parsedUrl, shownUrl, urlKey, withScheme } from '../url.ts';
import { checkAgent, filterRun, type PageArguments } from './page-arguments.ts';
import { isUnread, type ListArguments, type ListPosition, type Reading, type Readings } from './readings.ts';
import { Refusal, ResultList, sizeOf, type ToolCall, timeOf } from './tool-call.ts';
import { ITEMS_AT_ONCE, RULES_AT_ONCE, SITEMAPS_AT_ONCE, type ToolName } from './tool-schemas.ts';

export interface SiteWorld {
  readonly pool: SitePool;
  readonly readings: Readings;
  /** The most bytes of a result in JSON. */
  readonly resultBytes: number;
}

/** Reads the site of the arguments, and calls `work` with a position: that of the cursor, or the start. */
function usingSite<Query, Result>(
  world: SiteWorld,
  tool: ToolName,
  args: ListArguments,
  call: ToolCall,
  query: () => Query,
  work: (position: ListPosition<Query>) => Promise<Result>,
): Promise<Result> {
  const { readings, pool } = world;
  if (args.cursor !== undefined) return readings.continueAt(args, tool, call, work);
  const site = siteOf(world, args.url);
  const siteQuery = query();
  return readings.use(
    `site ${site.href}`,
    (options, follower) => pool.tree(site, options, follower),
    call,
    (reading) => work(reading.position(tool, args, siteQuery)),
  );
}

/** @param others - the arguments that the message asks for */
function addressOf(url: string | undefined, others = 'a url'): URL {
  if (url === undefined)
    throw new Refusal(`Give ${others}, or the nextCursor of an earlier result as cursor.`);
  const parsed = parsedUrl(withScheme(url));
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new Refusal(
    `The url must be an http or https URL such as https://example.org/, not "${clip(shownUrl(url), 200)}".`,
  );
}

/** The homepage that is crawled, with its userinfo. It identifies the site. */
export function siteOf({ pool }: SiteWorld, url: string | undefined): URL {
  return pool.homepage(addressOf(url));
}

/** The state of a site: how much was read, and its outcome at the end. @throws Refusal if it could not be read */
function stateOf(reading: Reading, url: string | undefined): object {
  const { tree, totals, isOver } = reading;
  const counts = { sitemaps: totals?.done ?? 0, failed: totals?.failed ?? 0, bytes: totals?.bytes ?? 0 };
  const time = timeOf(reading.readAt);
  if (!isOver) return { site: url ?? '', state: 'reading', ...time, read: counts };
  if (tree?.kind !== 'website') throw reading.failure;
  const { outcome, code, reason } = tree;
  if (isUnread(tree)) throw unreadable(tree.url, code, reason);
  return {
    site: tree.url,
    state: 'done',
    ...time,
    outcome,
    code,
    reason: clip(reason, LONGEST_SENTENCE),
    read: counts,
  };
}

export function unreadable(url: string, code = '', reason = ''): Refusal {
  const why = code === 'private-network' ? 'it is in a private network, which is refused.' : reason;
  return new Refusal(
    `${url === '' ? 'The text' : url} could not be read: ${why} ${ADVICE.get(code) ?? 'Try again later.'}`,
  );
}

const ADVICE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'private-network': 'If that is intended, start the server with --allow-private (allowPrivateNetworks).',
    unresolved: 'Check the spelling of the host.',
    'http-status': 'Check the address. If the site refuses requests, try again later, or ask its owner.',
    'not-a-sitemap': 'find_sitemaps finds the sitemaps of a site.',
    maxTimeMs: 'It takes too long: read one of its sitemaps with read_sitemap.',
  }),
);

/** `find_sitemaps`: a short form of the tree. */
export async function findSitemaps(world: SiteWorld, args: ListArguments, call: ToolCall): Promise<object> {
  const query = () => ({ limit: args.limit ?? SITEMAPS_AT_ONCE, url: shownUrl(args.url ?? '') });
  return usingSite(world, 'find_sitemaps', args, call, query, async ({ reading, query, at, cursor }) => {
    await call.wait(reading.over);
    const { tree } = reading;
    const state = stateOf(reading, query.url);
    const list = new ResultList<object>(args.limit ?? query.limit, world.resultBytes - sizeOf(state));
    if (tree === undefined) {
      // Until the tree is known, sitemaps are listed as they arrive, and later again in order.
      list.addFrom(
        reading.arrived.map((sitemap) => rowOf(sitemap, 1, undefined)),
        0,
      );
      return { ...state, sitemaps: list.items, nextCursor: cursor(0) };
    }
    let number = 0;
    for (const { sitemap, depth } of walkTree(tree)) {
      if (sitemap.kind === 'website' || number++ < at[0]) continue;
      const pageCount = call.isLate ? undefined : await pageCountOf(sitemap, call);
      if (!list.add(rowOf(sitemap, depth, pageCount)))
        return { ...state, sitemaps: list.items, nextCursor: cursor(number - 1) };
    }
    return { ...state, sitemaps: list.items };
  });
}

function rowOf(sitemap: Sitemap, depth: number, pageCount: number | undefined): object {
  const { url, kind, truncated } = sitemap;
  const lastModified = sitemap.lastModified?.toISOString();
  const row = { url, kind, depth, pageCount, lastModified, ...(truncated && { truncated }) };
  if (sitemap.kind !== 'invalid') return row;
  return { ...row, code: sitemap.code, reason: clip(sitemap.reason, LONGEST_SENTENCE) };
}

/** Reads the document, since its number of pages is known only then. */
async function pageCountOf(sitemap: Sitemap, call: ToolCall): Promise<number | undefined> {
  if (!isPagesKind(sitemap.kind)) return undefined;
  for await (const _ of sitemap.pages.batchesAsync()) call.signal.throwIfAborted();
  return sitemap.pageCount;
}

interface PageQuery {
  readonly url: string;
  readonly limit: number;
  /** The sitemaps whose pages are listed. */
  readonly wantedSitemapsOf: (sitemaps: readonly Sitemap[]) => ReadonlySet<Sitemap>;
  /** The pages that pass the filters; the others are counted. */
  readonly wantedOf: (
    pages: readonly SitemapPage[],
    site: SiteHosts | undefined,
    leftOut: LeftOutCounts,
  ) => ReadonlySet<SitemapPage>;
  /** Whether `hosts` leaves out pages. */
  readonly isByHost: boolean;
  readonly isUnique: boolean;
  readonly hasAlternates: boolean;
  /** The size of the sample, if there is one. */
  readonly sample: number | undefined;
  /** The crawler whose verdicts are listed with the pages. */
  readonly agent: string | undefined;
  readonly onlyAllowed: boolean;
  readonly hasDetails: boolean;
}

interface PagesArguments extends ListArguments, PageArguments, Pick<SitePageOptions, 'undated'> {
  readonly sitemapInclude?: readonly string[];
  readonly sitemapExclude?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly unique?: boolean;
  readonly listAlternates?: boolean;
  readonly sample?: number;
  readonly details?: boolean;
}

/** `list_pages`: counts, then pages. */
export async function listPages(world: SiteWorld, args: PagesArguments, call: ToolCall): Promise<object> {
  return usingSite(
    world,
    'list_pages',
    args,
    call,
    () => queryOf(args),
    async (position) => {
      const { reading, query, at } = position;
      const isFirst = args.cursor === undefined;
      // The next pages may have arrived although the site is still being read.
      if (isFirst || at[0] >= reading.arrived.length) await call.wait(reading.over);
      const state = stateOf(reading, query.url);
      const { isOver, tree } = reading;
      // Verdicts and hosts need the robots.txt, alternates and samples need all pages. These are known with the tree.
      const needsTree =
        query.agent !== undefined || query.isByHost || query.hasAlternates || query.sample !== undefined;
      if (needsTree && tree === undefined) return { ...state, pages: [], nextCursor: position.cursor(...at) };
      const verdictOf = query.agent === undefined ? undefined : await robotsVerdicts(tree!, query.agent);
      const site = query.isByHost ? hostsOfTree(tree!) : undefined;
      const alternates = query.hasAlternates ? await alternatesOf(tree!, call) : undefined;
      const sitemaps = [...reading.arrived];
      const sampleKeys =
        query.sample === undefined
          ? undefined
          : await sampleKeysOf(sitemaps, query, query.sample, call, {
              site,
              verdictOf,
              withAlternates: alternates?.pass(),
            });
      const result = await pagesFrom(sitemaps, position, call, {
        most: args.limit ?? query.limit,
        bytes: world.resultBytes - sizeOf(state),
        isCounting: isFirst,
        verdictOf,
        site,
        withAlternates: alternates?.pass(),
        sampleKeys,
      });
      const isEnd = isOver && result.isEnd;
      const { read, matching, leftOut, isCounted } = result;
      const isAnyLeftOut = Object.keys(leftOut).length > 0;
      const counts = {
        pages: read,
        matching,
        ...(isAnyLeftOut && { leftOut }),
        isWhole: isOver && isCounted,
      };
      return {
        ...state,
        ...(isFirst && { counts }),
        pages: result.pages,
        ...(!isEnd && { nextCursor: position.cursor(...result.next) }),
      };
    },
  );
}

function queryOf(args: PagesArguments): PageQuery {
  const { include = [], exclude = [], sitemapInclude = [], sitemapExclude = [] } = args;
  const { since, until, undated, hosts = 'any', agent, onlyAllowed = false } = args;
  checkAgent(args);
  const run = filterRun([...include, ...exclude, ...sitemapInclude, ...sitemapExclude]);
  const whyNotSitemap = sitemapFilter({ sitemapInclude, sitemapExclude });
  const pass = pageFilter({ include, exclude, hosts, since, until, undated });
  return {
    url: shownUrl(args.url ?? ''),
    limit: args.limit ?? ITEMS_AT_ONCE,
    wantedSitemapsOf: (sitemaps) =>
      run(() => new Set(sitemaps.filter((sitemap) => whyNotSitemap?.(sitemap) === undefined))),
    wantedOf(pages, site, leftOut) {
      const whyNot = pass?.(site);
      return whyNot === undefined
        ? new Set(pages)
        : run(() => new Set(pages.filter((page) => leftOut.keeps(whyNot, page))));
    },
    isByHost: hosts !== 'any',
    isUnique: args.unique === true,
    hasAlternates: args.listAlternates === true,
    sample: args.sample,
    agent,
    onlyAllowed,
    hasDetails: args.details === true,
  };
}

interface PageLimits {
  readonly most: number;
  readonly bytes: number;
  readonly isCounting: boolean;
  readonly verdictOf?: ((url: string) => RobotsVerdict) | undefined;
  readonly site?: SiteHosts | undefined;
  readonly withAlternates?: AddAlternates | undefined;
  /** The keys of the pages in the sample; a key is removed when its page is listed. */
  readonly sampleKeys?: Set<string> | undefined;
}

/** Reads all pages, and returns the keys of those in the sample, after all filters. */
async function sampleKeysOf(
  sitemaps: readonly Sitemap[],
  query: PageQuery,
  size: number,
  call: ToolCall,
  { site, verdictOf, withAlternates }: Pick<PageLimits, 'site' | 'verdictOf' | 'withAlternates'>,
): Promise<Set<string>> {
  const choice = new PageChoice<undefined>(size);
  const leftOut = new LeftOutCounts();
  for (const sitemap of query.wantedSitemapsOf(sitemaps)) {
    for await (const pages of sitemap.pages.batchesAsync()) {
      call.signal.throwIfAborted();
      call.throwIfLate();
      for (const page of query.wantedOf(withAlternates?.(pages) ?? pages, site, leftOut)) {
        if (query.onlyAllowed && verdictOf?.(page.url).allowed === false) continue;
        choice.note(sampledFrom(page, sitemap.url), urlKey(page.url), () => undefined);
      }
    }
  }
  return choice.keys;
}

async function alternatesOf(tree: Sitemap, call: ToolCall): Promise<Alternates> {
  const alternates = new Alternates();
  for await (const batch of tree.allPages().batchesAsync()) {
    call.signal.throwIfAborted();
    call.throwIfLate();
    alternates.note(batch);
  }
  return alternates;
}

/**
 * Pages from a position on, as many as fit. If pages are counted, the rest is read, too, as long as there is time.
 * `next` is a sitemap and a page in it; `isEnd` means that all pages that have arrived are listed.
 */
async function pagesFrom(
  sitemaps: readonly Sitemap[],
  { query, at: [fromSitemap, fromPage] }: ListPosition<PageQuery>,
  call: ToolCall,
  { most, bytes, isCounting, verdictOf, site, withAlternates, sampleKeys }: PageLimits,
) {
  const list = new ResultList<object>(most, bytes);
  const seen = query.isUnique ? new SeenUrls() : undefined;
  let next: readonly [number, number] | undefined;
  let [pagesRead, matching] = [0, 0];
  const leftOut = new LeftOutCounts();
  const wantedSitemaps = query.wantedSitemapsOf(sitemaps);
  // To find repeated pages and alternates, the pages before the position are read as well.
  const isFromStart = seen !== undefined || withAlternates !== undefined || sampleKeys !== undefined;
  for (let number = isFromStart ? 0 : fromSitemap; number < sitemaps.length; number++) {
    let place = -1;
    if (!wantedSitemaps.has(sitemaps[number]!)) continue;
    for await (const pages of sitemaps[number]!.pages.batchesAsync()) {
      const batch = withAlternates?.(pages) ?? pages;
      const matches = query.wantedOf(batch, site, leftOut);
      for (const page of batch) {
        place++;
        const isBefore = number < fromSitemap || (number === fromSitemap && place < fromPage);
        pagesRead++;
        const verdict = verdictOf?.(page.url);
        if (!matches.has(page)) continue;
        const isDisallowed = query.onlyAllowed && verdict?.allowed === false;
        const isRepeated = !isDisallowed && seen?.add(page.url) === false;
        if (isDisallowed || isRepeated) leftOut.add(isDisallowed ? 'disallowed' : 'repeated');
        if (isDisallowed || isRepeated || sampleKeys?.delete(urlKey(page.url)) === false || isBefore)
          continue;
        matching++;
        const item = { ...shownPage(page, query.hasDetails, bytes), ...verdict };
        if (next === undefined && !list.add(item)) next = [number, place];
      }
      call.signal.throwIfAborted();
      if (next !== undefined && !isCounting) break;
      if (number < fromSitemap || (number === fromSitemap && place < fromPage)) call.throwIfLate();
      else if (call.isLate) {
        next ??= [number, place + 1];
        return {
          pages: list.items,
          next,
          isEnd: false,
          read: pagesRead,
          matching,
          leftOut: leftOut.counts,
          isCounted: false,
        };
      }
    }
    if (next !== undefined && !isCounting) break;
  }
  const isEnd = next === undefined;
  return {
    pages: list.items,
    next: next ?? [sitemaps.length, 0],
    isEnd,
    read: pagesRead,
    matching,
    leftOut: leftOut.counts,
    isCounted: true,
  };
}

function shownPage(page: SitemapPage, hasDetails: boolean, bytes: number): object {
  const short = { url: page.url, lastModified: page.lastModified?.toISOString() };
  if (!hasDetails) return short;
  const whole = page.toJSON();
  return sizeOf(whole) > bytes / 4 ? { ...short, shortened: true } : whole;
}

interface DocumentArguments extends ListArguments {
  readonly text?: string;
  readonly details?: boolean;
}

const SHOWN_PROBLEMS = 20;

/** `read_sitemap`: one document. */
export async function readSitemap(
  world: SiteWorld,
  args: DocumentArguments,
  call: ToolCall,
): Promise<object> {
  const { url, text, cursor } = args;
  const { readings, pool } = world;
  const tool = 'read_sitemap';
  const work = (position: ListPosition<PageQuery>): Promise<object> =>
    documentResult(world, position, args, call);
  if (cursor !== undefined) return readings.continueAt(args, tool, call, work);
  const query = queryOf(args);
  const inPlace = (reading: Reading): Promise<object> => work(reading.position(tool, args, query));
  if (text !== undefined) {
    const base = url === undefined ? undefined : addressOf(url);
    const options = { url: base, problemPositions: true };
    return readings.use(`text ${randomUUID()}`, async () => sitemapFromString(text, options), call, inPlace);
  }
  const address = addressOf(url, 'a url or a text');
  return readings.use(
    `document ${address.href}`,
    // The sitemaps of an index are listed, not fetched.
    (options, follower) =>
      pool.sitemap(address, { ...options, problemPositions: true, recurseListCallback: () => [] }, follower),
    call,
    inPlace,
  );
}

async function documentResult(
  world: SiteWorld,
  position: ListPosition<PageQuery>,
  args: DocumentArguments,
  call: ToolCall,
): Promise<object> {
  const { reading, query, at, cursor } = position;
  const tree = await call.wait(reading.over);
  if (!reading.isOver) return { state: 'reading', nextCursor: cursor(0) };
  if (tree === undefined) throw reading.failure;
  if (tree.kind === 'invalid') throw unreadable(tree.url, tree.code, tree.reason);
  const most = args.limit ?? query.limit;
  const { url, kind, status, bytes, truncated } = tree;
  const children = [...tree.filteredUrls, ...tree.subSitemaps.map((child) => child.url)];
  const pageCount = await pageCountOf(tree, call);
  const problems = new ResultList<object>(SHOWN_PROBLEMS, world.resultBytes / 4);
  tree.problems.every(({ code, message, line, column }) =>
    problems.add({ code, message: clip(message, LONGEST_SENTENCE), line, column }),
  );
  const facts = {
    url: url === '' ? undefined : url,
    state: 'done',
    ...(url !== '' && timeOf(reading.readAt)),
    kind,
    status,
    bytes,
    ...(truncated && { truncated }),
  };
  const isFirst = args.cursor === undefined;
  const { problemCount } = tree;
  const more = { pageCount, sitemapCount: children.length, problemCount, problems: problems.items };
  const result = { ...facts, ...(isFirst && more) };
  const bytesLeft = world.resultBytes - sizeOf(result);
  if (pageCount === undefined) {
    const list = new ResultList<string>(most, bytesLeft);
    const next = list.addFrom(children, at[0]);
    return { ...result, sitemaps: list.items, ...(next !== undefined && { nextCursor: cursor(next) }) };
  }
  const limits = { most, bytes: bytesLeft, isCounting: false };
  const { pages, isEnd, next } = await pagesFrom([tree], position, call, limits);
  return { ...result, pages, ...(!isEnd && { nextCursor: cursor(...next) }) };
}

/** `check_site`: the summary and what to fix first, or the addresses that one rule concerns. */
export async function checkTool(
  world: SiteWorld,
  args: ListArguments & { readonly rule?: string },
  call: ToolCall,
): Promise<object> {
  const query = () => {
    const rule = args.rule === undefined ? undefined : knownRule(args.rule);
    const limit = args.limit ?? (rule === undefined ? RULES_AT_ONCE : ITEMS_AT_ONCE);
    return { url: shownUrl(args.url ?? ''), rule, limit };
  };
  return usingSite(world, 'check_site', args, call, query, async ({ reading, query, at, cursor }) => {
    const tree = await call.wait(reading.over);
    const state = stateOf(reading, query.url);
    if (tree === undefined) return { ...state, nextCursor: cursor(at[0]) };
    const checked = await call.wait(reading.checked(tree));
    if (checked === undefined) return { ...state, state: 'checking', nextCursor: cursor(at[0]) };
    const { findings } = checked;
    const { counts, documents, pages, complete } = checked.summary;
    const summary = { counts, documents, pages, complete };
    const rules = findings.byUrgency;
    const one = rules.find(({ rule }) => rule === query.rule);
    const broken = one === undefined ? [] : [urgent(one)];
    const bytes = world.resultBytes - sizeOf([state, summary, broken]);
    const list = new ResultList<unknown>(args.limit ?? query.limit, bytes);
    const items = query.rule === undefined ? rules.map(urgent) : [...(one?.affected ?? [])];
    const next = list.addFrom(items, at[0]);
    const rest = next === undefined ? {} : { nextCursor: cursor(next) };
    const lists =
      query.rule === undefined ? { fixFirst: list.items } : { fixFirst: broken, affected: list.items };
    return { ...state, summary, ...lists, ...rest };
  });
}

function urgent({ rule, severity, findings, entries, examples }: RuleFindings): object {
  const { what, fix } = RULES[knownRule(rule)].explanation;
  const clippedExamples = examples.map(({ document, line, column, page, message, count }) => {
    return { document, line, column, page, message: clip(message, LONGEST_SENTENCE), count };
  });
  return { rule, severity, findings, entries, what, fix, examples: clippedExamples };
}

function knownRule(name: string): RuleName {
  try {
    return ruleNamed(name);
  } catch (error) {
    if (!(error instanceof SitemapException)) throw error;
    throw new Refusal(`${error.message} explain_rule without a rule lists all of them.`);
  }
}

/** `explain_rule`. Without a rule it lists all rules; the cursor is the name of the next rule. */
export async function explainRule(
  { rule, cursor }: { readonly rule?: string; readonly cursor?: string },
  resultBytes: number,
): Promise<object> {
  if (rule === undefined) {
    const rules = Object.entries(RULES).map(([name, row]) => {
      return { rule: name, severity: row.severity, what: firstSentence(row) };
    });
    const from = cursor === undefined ? 0 : rules.findIndex((each) => each.rule === knownRule(cursor));
    const list = new ResultList<object>(rules.length, resultBytes);
    const next = list.addFrom(rules, from);
    return { rules: list.items, ...(next !== undefined && { nextCursor: rules[next]!.rule }) };
  }
  const name = knownRule(rule);
  const { severity, explanation, bad, good, source } = RULES[name];
  return { rule: name, severity, ...explanation, bad, good, source };
}
