/**
 * What is new, changed or gone between two trees: the public side. diff-run.ts has the steps.
 */
import { SitemapException } from '../errors.ts';
import { type PageFilterOptions, pageFilter } from '../filter/filter-pages.ts';
import { badOption, checkNames } from '../options/names.ts';
import { AsyncBatchItems } from '../sitemap/batch-items.ts';
import { isPagesKind } from '../sitemap/node-fields.ts';
import type { PageSource } from '../sitemap/page-source.ts';
import { AbstractSitemap, makeTop, partsOf, type Sitemap, walkTree } from '../sitemap/sitemap.ts';
import { type DiffParts, DiffRun, NO_PAGES_COUNTED } from './diff-run.ts';
import { COMPARED_FIELDS, type ComparedField, type DiffCounts, type PageChange } from './page-change.ts';
import { fieldBits } from './page-values.ts';
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
   * Compare plainly: listed now and not before is added, the reverse removed, and nothing is unknown. For two runs of
   * which the later one was made with the earlier as `previous` and `staleIfError`: what it could not read is in it.
   * @default false
   */
  readonly plain?: boolean | undefined;
  /**
   * What a damaged document of an archive does: `throw` ends the comparison with `archive-damaged`; with `unknown`
   * nothing is claimed about its pages, or, with `plain`, it counts as listing none. @default 'throw'
   */
  readonly damaged?: 'throw' | 'unknown' | undefined;
  /** Ends the comparison, which then rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

const OPTIONS: readonly string[] = [
  'compare',
  'countSame',
  'plain',
  'damaged',
  'signal',
  'include',
  'exclude',
] satisfies (keyof DiffOptions)[];

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
  for (const tree of [before, after]) {
    if (!(tree instanceof AbstractSitemap)) {
      throw new SitemapException(
        'diffPages needs two sitemaps, as sitemapTreeForHomepage or loadTree gives them.',
        { code: 'bad-input' },
      );
    }
  }
  checkNames(options, OPTIONS);
  const { plain = false, damaged = 'throw' } = options;
  if (typeof plain !== 'boolean') throw badOption('The option "plain" must be true or false.', 'plain');
  if (damaged !== 'throw' && damaged !== 'unknown') {
    throw badOption('The option "damaged" must be "throw" or "unknown".', 'damaged');
  }
  const filter = leftOutBy(options);
  return new PageDiff(before, after, {
    ...checkedOptions(options),
    isPlain: plain,
    isDamageSkipped: damaged === 'unknown',
    isLeftOut: { before: filter, after: filter },
  });
}

export type PageFilters = Pick<PageFilterOptions, 'include' | 'exclude'>;

/** @internal What {@link updatedPages} compares. */
export interface UpdateDiffOptions extends Pick<DiffOptions, 'compare' | 'countSame' | 'signal'> {
  /** What each tree is seen through. */
  readonly filters: Readonly<Record<Side, PageFilters>>;
  /** Called with each damaged document of the earlier tree: its pages count as not listed. */
  readonly onDamaged: (url: string) => void;
}

/**
 * @internal What an update prints: listed now and not before is added, the reverse removed. What could not be read is in
 * the later tree as stale, so nothing is unknown. Without an earlier tree every page is added.
 */
export function updatedPages(
  before: Sitemap | undefined,
  after: Sitemap,
  options: UpdateDiffOptions,
): PageDiff {
  const filters = { before: options.filters.before, after: options.filters.after };
  const isSame = JSON.stringify(filters.before) === JSON.stringify(filters.after);
  const isLeftOut = { before: leftOutBy(filters.before), after: leftOutBy(filters.after) };
  return new PageDiff(
    before,
    after,
    {
      ...checkedOptions(options),
      isPlain: true,
      isDamageSkipped: true,
      isLeftOut: isSame ? { before: isLeftOut.after, after: isLeftOut.after } : isLeftOut,
    },
    options.onDamaged,
  );
}

/** @internal Remembers the patterns through which the changes of a tree are printed; its archive keeps them. */
export function rememberPageFilters(tree: Sitemap, { include = [], exclude = [] }: PageFilters): void {
  const { top } = partsOf(tree);
  if (top?.origin === undefined) return;
  const hasAny = [include, exclude].flat().length > 0;
  const pages = hasAny
    ? { include: [include].flat().map(String), exclude: [exclude].flat().map(String) }
    : undefined;
  makeTop(tree, { ...top, origin: { ...top.origin, pages } });
}

/** The differences between two trees: iterated over once or several times, each time from the beginning. */
export class PageDiff implements AsyncIterable<PageChange> {
  readonly #before: Sitemap | undefined;
  readonly #after: Sitemap;
  readonly #parts: DiffParts;
  readonly #onDamaged: ((url: string) => void) | undefined;
  #counts: DiffCounts = NO_PAGES_COUNTED;

  /** Use {@link diffPages}. */
  constructor(
    before: Sitemap | undefined,
    after: Sitemap,
    parts: DiffParts,
    onDamaged?: (url: string) => void,
  ) {
    this.#before = before;
    this.#after = after;
    this.#parts = parts;
    this.#onDamaged = onDamaged;
  }

  /** How many pages there are of each kind: of the last iteration, and complete once that has ended. */
  get counts(): DiffCounts {
    return this.#counts;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<PageChange, undefined, undefined> {
    return new AsyncBatchItems(this.#batches());
  }

  async *#batches(): AsyncGenerator<readonly PageChange[], void, undefined> {
    const damaged = this.#parts.isDamageSkipped
      ? await damagedSitemaps(this.#before, this.#after)
      : new Set<Sitemap>();
    for (const { url } of damaged) this.#onDamaged?.(url);
    const run = new DiffRun(this.#before, this.#after, this.#parts, damaged);
    this.#counts = run.counts;
    yield* run.changes();
    this.#counts = Object.freeze({ ...run.counts });
  }
}

function checkedOptions(options: DiffOptions): Pick<DiffParts, 'compared' | 'countSame' | 'signal'> {
  const { compare = COMPARED_FIELDS, countSame = true, signal } = options;
  const isKnown = (field: unknown) => COMPARED_FIELDS.some((known) => known === field);
  if (!Array.isArray(compare) || compare.length === 0 || !compare.every(isKnown)) {
    throw badOption(`The option "compare" must be an array of ${COMPARED_FIELDS.join(', ')}.`, 'compare');
  }
  if (typeof countSame !== 'boolean') {
    throw badOption('The option "countSame" must be true or false.', 'countSame');
  }
  return { compared: fieldBits(compare), countSame, signal };
}

function leftOutBy({ include = [], exclude = [] }: PageFilters): DiffParts['isLeftOut']['before'] {
  if ([include, exclude].flat().length === 0) return undefined;
  const whyNot = pageFilter({ include, exclude });
  return (page) => whyNot(page) !== undefined;
}

/** The page sitemaps that are damaged in their archives. What both trees show was read when the later one was made. */
async function damagedSitemaps(before: Sitemap | undefined, after: Sitemap): Promise<ReadonlySet<Sitemap>> {
  const damaged = new Set<Sitemap>();
  const checked = new Set<PageSource>();
  for (const tree of [after, before]) {
    for (const { sitemap } of tree === undefined ? [] : walkTree(tree)) {
      const { source, facts } = partsOf(sitemap);
      if (!isPagesKind(sitemap.kind) || checked.has(source)) continue;
      checked.add(source);
      try {
        // Only what is in an archive can be damaged.
        await facts?.document?.check?.();
      } catch (error) {
        if (!(error instanceof SitemapException) || error.code !== 'archive-damaged') throw error;
        damaged.add(sitemap);
      }
    }
  }
  return damaged;
}
