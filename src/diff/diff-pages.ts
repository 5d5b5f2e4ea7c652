/**
 * What is new, changed or gone between two trees: the public side. diff-run.ts has the steps.
 */

import { LeftOutCounts, pageFilter } from '../filter/filter-pages.ts';
import { hostsOfTree, type SiteHosts } from '../filter/site-hosts.ts';
import type { PageFilterOptions, SitePageOptions } from '../options/filter-options.ts';
import { badOption, checkNames, checkSignal } from '../options/names.ts';
import { isPagesKind } from '../parse/model/kinds.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { isDamage } from '../sitemap/kept-document.ts';
import type { KeptOrigin, KeptPageFilters } from '../sitemap/node-fields.ts';
import { AsyncBatchItems } from '../sitemap/page-list.ts';
import type { PageSource } from '../sitemap/page-source.ts';
import { checkIsSitemap, internalsOf, makeTop, type Sitemap, walkTree } from '../sitemap/sitemap.ts';
import { verdictsOfTree } from '../sitemap/tree-verdicts.ts';
import { fieldBits } from './comparison.ts';
import { DiffRun, NO_PAGES_COUNTED, type ResolvedDiff } from './diff-run.ts';
import { COMPARED_FIELDS, type ComparedField, type DiffCounts, type PageChange } from './page-change.ts';
import type { Side } from './settled.ts';

/** What of two trees {@link diffPages} compares. */
export interface DiffOptions extends Pick<PageFilterOptions, 'include' | 'exclude'> {
  /** The fields that make a page a changed one. @default all of them */
  readonly compare?: readonly ComparedField[] | undefined;
  /**
   * Count the pages of documents that are equal in both trees in `same`, for which they are read. `false` leaves them
   * out, and reads them only where another document makes it necessary: an unchanged site costs next to nothing.
   * @default true
   */
  readonly countSame?: boolean | undefined;
  /**
   * Nothing is unknown: a page that only the later tree lists is added, one that only the earlier tree lists is
   * removed. For a later tree that was made with the earlier one as `previous` and with `staleIfError`, so that it also
   * has what could not be read.
   * @default false
   */
  readonly plain?: boolean | undefined;
  /**
   * What happens if a document of an archive is damaged: `throw` ends the comparison with `archive-damaged`; with
   * `unknown` its pages are unknown or, with `plain`, it counts as empty. @default 'throw'
   */
  readonly damaged?: 'throw' | 'unknown' | undefined;
  /** Ends the comparison, which then rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Compares the pages of two trees. A page is known by its URL; where a tree lists it several times, its first
 * declaration counts. What a failure hides is never reported: see `docs/differences.md`. Changes come in the order of
 * the later tree, then what was removed in the order of the earlier one. Both trees must stay open meanwhile.
 *
 * @example
 * ```ts
 * const diff = diffPages(await loadTree('yesterday.warc.gz'), tree);
 * for await (const { type, page } of diff) console.log(type, page.url);
 * console.log(diff.counts); // { added: 3, removed: 1, changed: 2, same: 94, unknown: 0 }
 * ```
 *
 * @throws SitemapException with code `bad-input` where one of them is not a tree, or `bad-option`
 */
export function diffPages(before: Sitemap, after: Sitemap, options: DiffOptions = {}): PageDiff {
  for (const tree of [before, after]) checkIsSitemap(tree, 'diffPages');
  checkNames(options, ['compare', 'countSame', 'plain', 'damaged', 'signal', 'include', 'exclude']);
  const { plain = false, damaged = 'throw' } = options;
  checkSignal(options.signal);
  if (typeof plain !== 'boolean') throw badOption('The option "plain" must be true or false.', 'plain');
  if (damaged !== 'throw' && damaged !== 'unknown') {
    throw badOption('The option "damaged" must be "throw" or "unknown".', 'damaged');
  }
  const filter = leftOutBy(options);
  const isLeftOut = { before: filter, after: filter };
  const resolved = { ...checkedOptions(options), isPlain: plain, isLeftOut };
  const onDamaged = damaged === 'throw' ? undefined : () => {};
  return pageDiff(() => runOf(before, after, resolved, onDamaged));
}

/** @internal What {@link updatedPages} compares. */
export interface UpdateDiffOptions
  extends Pick<DiffOptions, 'compare' | 'countSame' | 'signal'>,
    Pick<ResolvedDiff, 'runFilter'> {
  /** What each tree is seen through. */
  readonly filters: Readonly<Record<Side, KeptPageFilters>>;
  /** Called with each damaged document of the earlier tree: its pages count as not listed. */
  readonly onDamaged: (url: string) => void;
  /** Counts what is left out of the later tree: all of it where there is no earlier one, else of what is compared. */
  readonly leftOut?: LeftOutCounts | undefined;
}

/**
 * @internal What an update prints: listed now and not before is added, the reverse removed. What could not be read is
 * in the later tree as stale, so nothing is unknown. Without an earlier tree every page is added.
 */
export async function updatedPages(
  before: Sitemap | undefined,
  after: Sitemap,
  options: UpdateDiffOptions,
): Promise<PageDiff> {
  const views = {
    before: await viewThrough(options.filters.before, before, options.onDamaged),
    after: await viewThrough(options.filters.after, after, options.onDamaged, options.leftOut),
  };
  const isSame = views.before.text === views.after.text;
  const isLeftOut = { before: (isSame ? views.after : views.before).isLeftOut, after: views.after.isLeftOut };
  const { runFilter } = options;
  const resolved = { ...checkedOptions(options), isPlain: true, isLeftOut, runFilter };
  return pageDiff(() => runOf(before, after, resolved, options.onDamaged));
}

/** @internal Whether a run has something to save: a document that was read, found to be the same, missing, or gone. */
export function wasDecided(before: Sitemap | undefined, after: Sitemap): boolean {
  const shown = new Set<string>();
  for (const { sitemap } of walkTree(after)) {
    const { kind, freshness, url } = sitemap;
    if (kind === 'website' || kind === 'invalid') continue;
    if (freshness !== 'stale' || sitemap.staleness?.status === 404) return true;
    shown.add(url);
  }
  if (before === undefined) return false;
  return Array.from(walkTree(before), ({ sitemap }) => sitemap).some(
    ({ kind, url }) => kind !== 'website' && kind !== 'invalid' && !shown.has(url),
  );
}

/** @internal What the archive of a tree says of the call that made it. */
export function keptOriginOf(tree: Sitemap): KeptOrigin | undefined {
  return internalsOf(tree).top?.origin;
}

/** @internal Remembers what the changes of a tree are printed through; its archive keeps it. */
export function rememberPageFilters(tree: Sitemap, filters: KeptPageFilters): void {
  const { top } = internalsOf(tree);
  if (top?.origin === undefined) return;
  const { include, exclude, agent, hosts = 'any' } = filters;
  const isAny = include.length + exclude.length === 0 && agent === undefined && hosts === 'any';
  const pages = isAny ? undefined : filters;
  makeTop(tree, { ...top, origin: { ...top.origin, pages } });
}

/** Which pages of a tree are left out; two views with the same text leave out the same. */
interface View {
  readonly text: string;
  readonly isLeftOut: LeavesOut | undefined;
}

async function viewThrough(
  { include, exclude, hosts = 'any', agent, onlyAllowed }: KeptPageFilters,
  tree: Sitemap | undefined,
  onDamaged: (url: string) => void,
  leftOut = new LeftOutCounts(),
): Promise<View> {
  const site = tree === undefined || hosts === 'any' ? undefined : hostsOfTree(tree);
  const byPatterns = leftOutBy({ include, exclude, hosts }, site, leftOut);
  const patterns = JSON.stringify([include, exclude, hosts, site?.text]);
  if (tree === undefined || agent === undefined || onlyAllowed !== true)
    return { text: patterns, isLeftOut: byPatterns };
  try {
    const verdicts = await verdictsOfTree(tree, agent);
    const isDisallowed = ({ url }: SitemapPage): boolean => {
      const isLeftOut = verdicts.of(url).allowed === false;
      if (isLeftOut) leftOut.add('disallowed');
      return isLeftOut;
    };
    const isLeftOut: LeavesOut = (page) => byPatterns?.(page) === true || isDisallowed(page);
    return { text: `${patterns} ${verdicts.text}`, isLeftOut };
  } catch (error) {
    if (!isDamage(error)) throw error;
    // What was seen through a robots.txt that cannot be read any more is not known.
    onDamaged(new URL('/robots.txt', tree.url).href);
    return { text: 'damaged', isLeftOut: () => true };
  }
}

/** The differences between two trees: iterated over once or several times, each time from the beginning. */
export interface PageDiff extends AsyncIterable<PageChange> {
  /** How many pages there are of each kind: of the last iteration, and complete once that has ended. */
  readonly counts: DiffCounts;
}

function pageDiff(start: () => Promise<DiffRun>): PageDiff {
  let counts = NO_PAGES_COUNTED;
  const batches = async function* (): AsyncGenerator<readonly PageChange[], void, undefined> {
    const run = await start();
    counts = run.counts;
    yield* run.changes();
    counts = Object.freeze({ ...run.counts });
  };
  return {
    get counts() {
      return counts;
    },
    [Symbol.asyncIterator]: () => new AsyncBatchItems(batches()),
  };
}

/** @param onDamaged - without it, a damaged document ends the comparison */
async function runOf(
  before: Sitemap | undefined,
  after: Sitemap,
  resolved: ResolvedDiff,
  onDamaged: ((url: string) => void) | undefined,
): Promise<DiffRun> {
  const damaged = onDamaged === undefined ? new Set<Sitemap>() : await damagedSitemaps(before, after);
  for (const { url } of damaged) onDamaged?.(url);
  return new DiffRun(before, after, resolved, damaged);
}

function checkedOptions(options: DiffOptions): Pick<ResolvedDiff, 'compared' | 'countSame' | 'signal'> {
  const { compare = COMPARED_FIELDS, countSame = true, signal } = options;
  const isKnown = (field: unknown) => COMPARED_FIELDS.some((each) => each === field);
  if (!Array.isArray(compare) || compare.length === 0 || !compare.every(isKnown)) {
    throw badOption(`The option "compare" must be an array of ${COMPARED_FIELDS.join(', ')}.`, 'compare');
  }
  if (typeof countSame !== 'boolean') {
    throw badOption('The option "countSame" must be true or false.', 'countSame');
  }
  return { compared: fieldBits(compare), countSame, signal };
}

type LeavesOut = NonNullable<ResolvedDiff['isLeftOut']['before']>;

function leftOutBy(
  { include, exclude, hosts }: Pick<SitePageOptions, 'include' | 'exclude' | 'hosts'>,
  site?: SiteHosts,
  leftOut = new LeftOutCounts(),
): LeavesOut | undefined {
  const whyNot = pageFilter({ include, exclude, hosts })?.(site);
  return whyNot && ((page) => !leftOut.keeps(whyNot, page));
}

/** The page sitemaps that are damaged in their archives. What both trees show was read when the later one was made. */
async function damagedSitemaps(before: Sitemap | undefined, after: Sitemap): Promise<ReadonlySet<Sitemap>> {
  const damaged = new Set<Sitemap>();
  const checked = new Set<PageSource>();
  for (const tree of [after, before]) {
    for (const { sitemap } of tree === undefined ? [] : walkTree(tree)) {
      const { source, facts } = internalsOf(sitemap);
      if (!isPagesKind(sitemap.kind) || checked.has(source)) continue;
      checked.add(source);
      try {
        // Only what is in an archive can be damaged.
        await facts?.document?.check?.();
      } catch (error) {
        if (!isDamage(error)) throw error;
        damaged.add(sitemap);
      }
    }
  }
  return damaged;
}
