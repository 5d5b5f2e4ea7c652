/**
 * Compares the pages of two trees: the public functions and their options. diff-run.ts has the steps.
 */

import type { PageFilterOptions, SitePageOptions } from '../filter/filter-options.ts';
import { LeftOutCounts, pageFilter } from '../filter/filter-pages.ts';
import { hostsOfTree, type SiteHosts } from '../filter/site-hosts.ts';
import { isPagesKind } from '../parse/model/kinds.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { checkSignal } from '../problems/arguments.ts';
import { badOption } from '../problems/errors.ts';
import { checkNames } from '../problems/option-names.ts';
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

/** Options of {@link diffPages}. */
export interface DiffOptions extends Pick<PageFilterOptions, 'include' | 'exclude'> {
  /** The fields that are compared. @default all of them */
  readonly compare?: readonly ComparedField[] | undefined;
  /**
   * Whether `same` includes the pages of documents that are equal in both trees. With `false` such documents are read
   * only if another document makes it necessary, so that an unchanged site takes little time.
   * @default true
   */
  readonly countSame?: boolean | undefined;
  /**
   * No page is unknown: a page that only the later tree lists is added, and a page that only the earlier tree lists is
   * removed. For a later tree that was made with the earlier one as `previous` and with `staleIfError`: it has the
   * documents that could not be read, too.
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
 * Compares the pages of two trees, by their URLs. If a tree lists a page several times, its first declaration counts.
 * Pages that a failure may hide are not reported as removed or added: see `docs/differences.md`. Changes come in the
 * order of the later tree, then removed pages in the order of the earlier tree. Both trees must stay open meanwhile.
 *
 * @example
 * ```ts
 * const diff = diffPages(await loadTree('yesterday.warc.gz'), tree);
 * for await (const { type, page } of diff) console.log(type, page.url);
 * console.log(diff.counts); // { added: 3, removed: 1, changed: 2, same: 94, unknown: 0 }
 * ```
 *
 * @throws SitemapException with code `bad-input` if one of them is not a tree, or `bad-option`
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

/** @internal Options of {@link updatedPages}. */
export interface UpdateDiffOptions
  extends Pick<DiffOptions, 'compare' | 'countSame' | 'signal'>,
    Pick<ResolvedDiff, 'runFilter'> {
  /** The filters of each tree. */
  readonly filters: Readonly<Record<Side, KeptPageFilters>>;
  /** Called with each damaged document of the earlier tree: its pages count as not listed. */
  readonly onDamaged: (url: string) => void;
  /**
   * Counts pages of the later tree that are left out: all of them if there is no earlier tree, else those that are
   * compared.
   */
  readonly leftOut?: LeftOutCounts | undefined;
}

/**
 * @internal The changes that `usp update` prints. A page that is only listed now is added, one that was only listed
 * before is removed. The later tree has documents that could not be read as stale, so no page is unknown. Without an
 * earlier tree every page is added.
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

/**
 * @internal Whether a run has something to save: a document that was read, is unchanged, is missing, or is no longer
 * declared.
 */
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

/** @internal The call that made a tree, from its archive. */
export function keptOriginOf(tree: Sitemap): KeptOrigin | undefined {
  return internalsOf(tree).top?.origin;
}

/** @internal Remembers the page filters of a tree for its archive. */
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
    // Without its robots.txt it is not known which pages were listed before.
    onDamaged(new URL('/robots.txt', tree.url).href);
    return { text: 'damaged', isLeftOut: () => true };
  }
}

/** The differences between two trees. Each loop over them compares again. */
export interface PageDiff extends AsyncIterable<PageChange> {
  /** How many pages there are of each kind, in the last iteration; complete once that has ended. */
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

/** @param onDamaged - called with each damaged document; without it, such a document ends the comparison */
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

/** The page sitemaps whose documents are damaged in their archives. A document of both trees is checked once. */
async function damagedSitemaps(before: Sitemap | undefined, after: Sitemap): Promise<ReadonlySet<Sitemap>> {
  const damaged = new Set<Sitemap>();
  const checked = new Set<PageSource>();
  for (const tree of [after, before]) {
    for (const { sitemap } of tree === undefined ? [] : walkTree(tree)) {
      const { source, facts } = internalsOf(sitemap);
      if (!isPagesKind(sitemap.kind) || checked.has(source)) continue;
      checked.add(source);
      try {
        // Only a document in an archive can be damaged.
        await facts?.document?.check?.();
      } catch (error) {
        if (!isDamage(error)) throw error;
        damaged.add(sitemap);
      }
    }
  }
  return damaged;
}
