/**
 * What is new, changed or gone between two trees: the public side. diff-run.ts has the steps.
 */
import { SitemapException } from '../errors.ts';
import { type PageFilterOptions, pageFilter } from '../filter/filter-pages.ts';
import { badOption, checkNames } from '../options/names.ts';
import { AsyncBatchItems } from '../sitemap/batch-items.ts';
import { isPagesKind } from '../sitemap/node-fields.ts';
import { AbstractSitemap, partsOf, type Sitemap, walkTree } from '../sitemap/sitemap.ts';
import { type DiffParts, DiffRun, NO_PAGES_COUNTED } from './diff-run.ts';
import { COMPARED_FIELDS, type ComparedField, type DiffCounts, type PageChange } from './page-change.ts';
import { fieldBits } from './page-values.ts';

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
   * What a damaged document of an archive does: `throw` ends the comparison with `archive-damaged`; with `unknown`
   * nothing is claimed about the pages of that document. @default 'throw'
   */
  readonly damaged?: 'throw' | 'unknown' | undefined;
  /** Ends the comparison, which then rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

const OPTIONS: readonly string[] = [
  'compare',
  'countSame',
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
  return new PageDiff(before, after, options);
}

/** The differences between two trees: iterated over once or several times, each time from the beginning. */
export class PageDiff implements AsyncIterable<PageChange> {
  readonly #trees: readonly [Sitemap, Sitemap];
  readonly #parts: DiffParts;
  #counts: DiffCounts = NO_PAGES_COUNTED;

  /** Use {@link diffPages}. */
  constructor(before: Sitemap, after: Sitemap, options: DiffOptions) {
    for (const tree of [before, after]) {
      if (!(tree instanceof AbstractSitemap)) {
        throw new SitemapException(
          'diffPages needs two sitemaps, as sitemapTreeForHomepage or loadTree gives them.',
          { code: 'bad-input' },
        );
      }
    }
    this.#trees = [before, after];
    this.#parts = diffParts(options);
  }

  /** How many pages there are of each kind: of the last iteration, and complete once that has ended. */
  get counts(): DiffCounts {
    return this.#counts;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<PageChange, undefined, undefined> {
    return new AsyncBatchItems(this.#batches());
  }

  async *#batches(): AsyncGenerator<readonly PageChange[], void, undefined> {
    const [before, after] = this.#trees;
    const damaged = this.#parts.isDamageSkipped ? await damagedSitemaps(before, after) : new Set<Sitemap>();
    const run = new DiffRun(before, after, this.#parts, damaged);
    this.#counts = run.counts;
    yield* run.changes();
    this.#counts = Object.freeze({ ...run.counts });
  }
}

function diffParts(options: DiffOptions): DiffParts {
  checkNames(options, OPTIONS);
  const {
    compare = COMPARED_FIELDS,
    countSame = true,
    damaged = 'throw',
    signal,
    include = [],
    exclude = [],
  } = options;
  const isKnown = (field: unknown) => COMPARED_FIELDS.some((known) => known === field);
  if (!Array.isArray(compare) || compare.length === 0 || !compare.every(isKnown)) {
    throw badOption(`The option "compare" must be an array of ${COMPARED_FIELDS.join(', ')}.`, 'compare');
  }
  if (typeof countSame !== 'boolean') {
    throw badOption('The option "countSame" must be true or false.', 'countSame');
  }
  if (damaged !== 'throw' && damaged !== 'unknown') {
    throw badOption('The option "damaged" must be "throw" or "unknown".', 'damaged');
  }
  const whyNot = [include, exclude].flat().length === 0 ? undefined : pageFilter({ include, exclude });
  return {
    compared: fieldBits(compare),
    countSame,
    isDamageSkipped: damaged === 'unknown',
    signal,
    isLeftOut: whyNot === undefined ? undefined : (page) => whyNot(page) !== undefined,
  };
}

/** The sitemaps of two trees whose documents are damaged in their archives. */
export async function damagedSitemaps(before: Sitemap, after: Sitemap): Promise<ReadonlySet<Sitemap>> {
  const damaged = new Set<Sitemap>();
  const shared = new Set(Array.from(walkTree(after), ({ sitemap }) => partsOf(sitemap).source));
  for (const tree of [before, after]) {
    for (const { sitemap } of walkTree(tree)) {
      const { source, facts } = partsOf(sitemap);
      const document = facts?.document;
      if (!isPagesKind(sitemap.kind) || (tree === before && shared.has(source))) continue;
      // Only what is in an archive can be damaged.
      if (document?.check === undefined) continue;
      try {
        await document.check();
      } catch (error) {
        if (!(error instanceof SitemapException) || error.code !== 'archive-damaged') throw error;
        damaged.add(sitemap);
      }
    }
  }
  return damaged;
}
