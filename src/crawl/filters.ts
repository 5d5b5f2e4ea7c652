/** Which children of indexes are fetched: the user's two callbacks, in the order in which they run, and filters. */

import { sitemapFilter } from '../filter/filter-pages.ts';
import type { ParentSitemap } from '../options/options.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import type { SitemapEntry } from '../parse/model/item.ts';
import { SitemapException } from '../problems/errors.ts';
import { type StopSignal, unlessAborted } from '../runtime/abort.ts';
import { FairShare } from '../runtime/time.ts';
import { Gate } from '../runtime/waiting-line.ts';
import { type Limits, TIME_IS_UP, TOO_MANY_QUESTIONS } from './limits.ts';
import type { Lineage } from './lineage.ts';

export function isFiltered(options: ResolvedOptions): boolean {
  const { recurseCallback, recurseListCallback } = options;
  if (recurseCallback !== undefined || recurseListCallback !== undefined) return true;
  return sitemapFilter(options) !== undefined;
}

/** The callbacks see copies of the children: of these many indexes at a time, or they would fill the memory. */
const INDEXES_AT_ONCE = 16;

/** An index, or a document that lists sitemaps as pages. */
export interface DeclaringDocument extends ParentSitemap {
  readonly entries: readonly SitemapEntry[];
}

export interface Choice {
  readonly chosen: readonly SitemapEntry[];
  /** How many children a limit came before the callbacks had decided about. */
  readonly undecided: number;
}

/** Asks filters and callbacks about the children of indexes. What a callback throws ends the call. */
export class ChildFilter {
  readonly #options: ResolvedOptions;
  readonly #limits: Limits;
  readonly #lifetime: StopSignal;
  readonly #share = new FairShare();
  readonly #gate = new Gate(INDEXES_AT_ONCE);
  readonly #whyNot: ReturnType<typeof sitemapFilter>;
  readonly isActive: boolean;

  /** @param lifetime - of the call: once it is over, no callback is called any more */
  constructor(options: ResolvedOptions, limits: Limits, lifetime: StopSignal) {
    this.#options = options;
    this.#limits = limits;
    this.#lifetime = lifetime;
    this.#whyNot = sitemapFilter(options);
    this.isActive = isFiltered(options);
  }

  /**
   * The children of an index that are to be fetched: `recurseListCallback` first, once for the index; then the filters
   * and `recurseCallback` for each that is left.
   *
   * @param lineage - the index's own
   * @param childLineage - its children's: their ancestors include the index
   */
  async choose(index: DeclaringDocument, lineage: Lineage, childLineage: Lineage): Promise<Choice> {
    if (!this.isActive) return { chosen: index.entries, undecided: 0 };
    return this.#gate.run(() => this.#ask(index, lineage, childLineage));
  }

  async #ask(index: DeclaringDocument, lineage: Lineage, childLineage: Lineage): Promise<Choice> {
    this.#lifetime.throwIfAborted();
    let entries = index.entries;
    const chosen: SitemapEntry[] = [];
    let decided = 0;
    try {
      entries = await this.#askAboutList(index, lineage, childLineage);
      if (this.#whyNot !== undefined)
        entries = entries.filter((entry) => this.#whyNot?.(entry) === undefined);
      const { recurseCallback } = this.#options;
      if (recurseCallback === undefined) return { chosen: entries, undecided: 0 };
      const { urls } = childLineage;
      const parent = { url: index.url, kind: index.kind };
      for (const entry of entries) {
        this.#limits.askAbout(1);
        // Callbacks that return at once would never give the event loop a turn, and no timer could fire.
        if (this.#share.isUsedUp) await this.#share.turn();
        this.#checkLimits();
        const context = { entry: copyOf(entry), parent };
        const result = recurseCallback(entry.url, lineage.level, urls, context);
        const isWanted = isPromise(result) ? await this.#inTime(result) : result;
        decided++;
        if (isWantedOrThrow(isWanted)) chosen.push(entry);
      }
      return { chosen, undecided: 0 };
    } catch (error) {
      if (error !== TIME_IS_UP && error !== TOO_MANY_QUESTIONS) throw error;
      return { chosen, undecided: entries.length - decided };
    }
  }

  async #askAboutList(
    index: DeclaringDocument,
    { level }: Lineage,
    { urls }: Lineage,
  ): Promise<readonly SitemapEntry[]> {
    const { recurseListCallback } = this.#options;
    const { entries } = index;
    if (recurseListCallback === undefined) return entries;
    this.#limits.askAbout(entries.length);
    if (this.#share.isUsedUp) await this.#share.turn();
    this.#checkLimits();
    const declared = entries.map((entry) => entry.url);
    const context = { entries: entries.map(copyOf), parent: { url: index.url, kind: index.kind } };
    const result = recurseListCallback(declared, level, urls, context);
    return entriesOf(isPromise(result) ? await this.#inTime(result) : result, entries);
  }

  #checkLimits(): void {
    this.#lifetime.throwIfAborted();
    this.#limits.deadline.throwIfAborted();
  }

  /** What a callback returned, unless the time is over first. */
  async #inTime<T>(promise: Promise<T>): Promise<T> {
    return unlessAborted(Promise.resolve(promise), this.#limits.deadline);
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function isWantedOrThrow(isWanted: unknown): boolean {
  // A forgotten `return` must not look like a site without sitemaps.
  if (isWanted === undefined) {
    throw new SitemapException(
      'recurseCallback must return true or false, or a promise of one; it returned nothing.',
      { code: 'bad-callback' },
    );
  }
  return Boolean(isWanted);
}

// A caller may change the Date that it gets: the tree's must not change with it.
function copyOf({ url, lastModified, lastModifiedText }: SitemapEntry): SitemapEntry {
  return { url, lastModified: lastModified && new Date(lastModified), lastModifiedText };
}

// The list is the caller's: its order is kept, and what it adds is followed like the rest.
function entriesOf(urls: Iterable<string>, entries: readonly SitemapEntry[]): readonly SitemapEntry[] {
  if (typeof urls === 'string' || typeof urls?.[Symbol.iterator] !== 'function') {
    throw new SitemapException('recurseListCallback must return a list of URLs, or a promise of one.', {
      code: 'bad-callback',
    });
  }
  const declared = new Map(entries.map((entry) => [entry.url, entry]));
  // `String`: a URL object is as good as its text.
  const chosenUrls = new Set(Array.from(urls, String));
  return Array.from(chosenUrls, (url) => declared.get(url) ?? { url, lastModified: undefined });
}
