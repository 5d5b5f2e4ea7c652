/**
 * One comparison of two trees, step by step.
 *
 * Neither tree is held in memory: documents are parsed while they are compared, and only fingerprints are kept. A page
 * that is reported is read once more, from its document.
 */

import { MOST_STAGED } from '../parse/fingerprint-table.ts';
import type { PlainEntry } from '../parse/listener.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import { FairShare } from '../runtime/time.ts';
import type { WantedPages } from '../sitemap/page-source.ts';
import type { Sitemap } from '../sitemap/sitemap.ts';
import { Comparison } from './comparison.ts';
import { type DocumentPairs, pairDocuments, type SettledPageDocuments } from './equal-documents.ts';
import type { DiffCounts, PageChange } from './page-change.ts';
import {
  type ComparedTree,
  describeTree,
  type PageDocument,
  type Side,
  settledDocuments,
} from './settled.ts';
import { SoughtPages } from './sought-pages.ts';

/** Options, checked. */
export interface DiffParts {
  /** The fields that are compared, as bits. */
  readonly compared: number;
  readonly countSame: boolean;
  /**
   * Whether everything counts as settled: an update keeps what it could not read in the later tree.
   */
  readonly isPlain: boolean;
  /** Whether nothing is claimed about the pages of damaged documents; otherwise they end the comparison. */
  readonly isDamageSkipped: boolean;
  readonly signal: AbortSignal | undefined;
  /** For each tree, which pages are not compared; absent where all are. */
  readonly isLeftOut: Readonly<Record<Side, ((page: SitemapPage) => boolean) | undefined>>;
}

export const NO_PAGES_COUNTED: DiffCounts = Object.freeze({
  added: 0,
  removed: 0,
  changed: 0,
  same: 0,
  unknown: 0,
});

/** A document that reports changes. */
interface ReportingDocument {
  readonly side: Side;
  readonly place: number;
  readonly document: PageDocument;
}

/** One comparison. */
export class DiffRun {
  readonly counts: { -readonly [Count in keyof DiffCounts]: number } = { ...NO_PAGES_COUNTED };
  readonly #before: ComparedTree;
  readonly #after: ComparedTree;
  readonly #parts: DiffParts;
  readonly #comparison: Comparison;
  readonly #share = new FairShare();
  /** How many pages the documents of `before` list, as far as they were read. */
  readonly #pagesBefore: Int32Array;
  /** How many pages the current document has still to report. */
  #left = 0;

  /** @param damaged - the sitemaps whose documents cannot be read */
  constructor(before: Sitemap | undefined, after: Sitemap, parts: DiffParts, damaged: ReadonlySet<Sitemap>) {
    this.#before = describeTree(before, 'before', damaged);
    this.#after = describeTree(after, 'after', damaged);
    this.#parts = parts;
    this.#pagesBefore = new Int32Array(this.#before.pageDocuments.length);
    this.#comparison = new Comparison(parts.compared, {
      before: this.#before.pageDocuments.length,
      after: this.#after.pageDocuments.length,
    });
  }

  /** The changes, those of a few hundred pages at a time. */
  async *changes(): AsyncGenerator<readonly PageChange[], void, undefined> {
    // 1. Which documents are settled in the other tree, and which are equal in both.
    const settled = this.#settled();
    const { isLeftOut, signal } = this.#parts;
    // Through another filter, the same bytes are other pages.
    const pairs =
      isLeftOut.before === isLeftOut.after
        ? await pairDocuments(this.#before, this.#after, settled, signal)
        : { earlier: this.#after.pageDocuments.map(() => -1), equal: new Set<number>() };

    // 2. The pages of all other documents. What nothing later can change is reported at once.
    const sought = this.#soughtPages(pairs);
    await this.#noteBefore(pairs, settled);
    yield* this.#noteAfter(pairs, settled, sought);

    // 3. The pages of equal documents, where they may decide about the others.
    if (sought !== undefined) await this.#noteEqual(pairs, sought);
    else await this.#countEqual(pairs);

    // 4. What came of each page, and which documents have something to report.
    const reporting = await this.#countVerdicts();

    // 5. Those documents once more, in order.
    yield* this.#report(this.#after, reporting.after);
    yield* this.#report(this.#before, reporting.before);
  }

  #settled(): SettledPageDocuments {
    if (this.#parts.isPlain) {
      const all = ({ pageDocuments }: ComparedTree): boolean[] => pageDocuments.map(() => true);
      return { before: all(this.#before), after: all(this.#after) };
    }
    const inAfter = settledDocuments(this.#before, this.#after);
    const inBefore = settledDocuments(this.#after, this.#before);
    return {
      before: this.#before.pageDocuments.map(({ document }) => inAfter[document]!),
      after: this.#after.pageDocuments.map(({ document }) => inBefore[document]!),
    };
  }

  /** What is looked for in equal documents; absent where their pages are all read, to be counted. */
  #soughtPages({ earlier, equal }: DocumentPairs): SoughtPages | undefined {
    if (this.#parts.countSame || equal.size === 0) return undefined;
    return new SoughtPages(this.#comparison, earlier);
  }

  async #noteBefore({ earlier, equal }: DocumentPairs, settled: SettledPageDocuments): Promise<void> {
    const equalBefore = new Set(Array.from(equal, (place) => earlier[place]!));
    for (const [place, document] of this.#before.pageDocuments.entries()) {
      if (equalBefore.has(place)) continue;
      const listing = { place, isSettled: settled.before[place]! };
      const takePlain = (entry: PlainEntry): void => {
        this.#pagesBefore[place]!++;
        this.#comparison.stagePlainBefore(entry, listing);
      };
      // A filter is asked about pages.
      const wanted = this.#parts.isLeftOut.before === undefined ? { takePlain } : undefined;
      for await (const pages of this.#batches('before', document, wanted)) {
        this.#pagesBefore[place]! += pages.length;
        for (const page of pages) this.#comparison.noteBefore(page, listing);
      }
      this.#comparison.noteStaged(listing);
      // As if all documents were like those so far, and had pages of their own.
      const documents = this.#before.pageDocuments.length + this.#after.pageDocuments.length;
      this.#comparison.expect((this.#comparison.size * documents) / (place + 1));
    }
  }

  async *#noteAfter(
    { equal }: DocumentPairs,
    settled: SettledPageDocuments,
    sought: SoughtPages | undefined,
  ): AsyncGenerator<readonly PageChange[], void, undefined> {
    const isFinal = equal.size === 0 && settled.after.every((isSettled) => isSettled);
    for (const [place, document] of this.#after.pageDocuments.entries()) {
      if (equal.has(place)) continue;
      const listing = { place, isSettled: settled.after[place]! };
      const reporter = { side: 'after', place, document } as const;
      for await (const pages of this.#batches('after', document)) {
        for (let from = 0; from < pages.length; from += MOST_STAGED) {
          const some = pages.slice(from, from + MOST_STAGED);
          const entries = this.#comparison.noteAfter(some, listing);
          sought?.take(some, entries);
          const changes = isFinal ? this.#changesOf(some, entries, reporter) : [];
          if (changes.length > 0) yield changes;
        }
      }
    }
  }

  async #noteEqual({ earlier, equal }: DocumentPairs, pages: SoughtPages): Promise<void> {
    const undecided = await this.#comparison.undecided(earlier, this.#share);
    if (![...equal].some((place) => place < undecided.readTo)) return;
    const { pageDocuments } = this.#before;
    const sought = await pages.all(undecided, (place) => this.#batches('before', pageDocuments[place]!));
    for (const place of equal) {
      if (place >= undecided.readTo) break;
      const places = { before: earlier[place]!, after: place };
      for await (const found of this.#batches('after', this.#after.pageDocuments[place]!, { sought })) {
        for (const page of found) this.#comparison.noteEqual(page, places);
      }
    }
  }

  /** The same where the pages of equal documents are counted, too. */
  async #countEqual({ earlier, equal }: DocumentPairs): Promise<void> {
    const seen = new SeenUrls();
    for (const place of equal) {
      const places = { before: earlier[place]!, after: place };
      for await (const pages of this.#batches('after', this.#after.pageDocuments[place]!)) {
        for (const page of pages) {
          if (this.#comparison.noteEqual(page, places)) continue;
          if (seen.add(page.url)) this.counts.same++;
        }
      }
    }
  }

  /** Counts what is not reported, and says how many pages each document has to report. */
  async #countVerdicts(): Promise<{ before: Int32Array; after: Int32Array }> {
    const reporting = {
      before: new Int32Array(this.#before.pageDocuments.length),
      after: new Int32Array(this.#after.pageDocuments.length),
    };
    await this.#comparison.forEach(this.#share, (verdict, place) => {
      if (verdict === 'same' || verdict === 'unknown') this.counts[verdict]++;
      else reporting[verdict === 'removed' ? 'before' : 'after'][place]!++;
    });
    return reporting;
  }

  async *#report(
    { side, pageDocuments }: ComparedTree,
    reporting: Int32Array,
  ): AsyncGenerator<readonly PageChange[], void, undefined> {
    for (const [place, document] of pageDocuments.entries()) {
      this.#left = reporting[place]!;
      if (this.#left === 0) continue;
      if (side === 'before' && this.#left === this.#pagesBefore[place]) {
        yield* this.#reportAllRemoved(document);
        continue;
      }
      const reporter = { side, place, document };
      for await (const pages of this.#batches(side, document)) {
        const entries = pages.map((page) => this.#comparison.find(page));
        const changes = this.#changesOf(pages, entries, reporter);
        if (changes.length > 0) yield changes;
        if (this.#left === 0) break;
      }
    }
  }

  /** Reports all pages of a document: none has to be looked up. */
  async *#reportAllRemoved(document: PageDocument): AsyncGenerator<readonly PageChange[], void, undefined> {
    const { sitemap } = document;
    for await (const pages of this.#batches('before', document)) {
      this.counts.removed += pages.length;
      yield pages.map((page) => ({ type: 'removed', page, sitemap }));
    }
  }

  /** The changes that a document is to report for some of its pages, which have these numbers. */
  #changesOf(
    pages: readonly SitemapPage[],
    entries: ArrayLike<number>,
    reporter: ReportingDocument,
  ): PageChange[] {
    const changes: PageChange[] = [];
    for (let index = 0; index < pages.length; index++) {
      const change = this.#change(entries[index]!, pages[index]!, reporter);
      if (change !== undefined) changes.push(change);
    }
    return changes;
  }

  /** The change that a document is to report for a page, if it is to report any; it is counted. */
  #change(
    entry: number,
    page: SitemapPage,
    { side, place, document }: ReportingDocument,
  ): PageChange | undefined {
    const reported = this.#comparison.report(entry, page, side, place);
    if (reported === undefined || reported.verdict === 'recheck') return undefined;
    const { sitemap } = document;
    this.#left--;
    this.counts[reported.verdict]++;
    switch (reported.verdict) {
      case 'added':
      case 'removed':
        return { type: reported.verdict, page, sitemap };
      case 'changed':
        return { type: 'changed', page, before: reported.before, fields: reported.fields, sitemap };
      default:
        return undefined;
    }
  }

  async *#batches(
    side: Side,
    { source }: PageDocument,
    wanted?: WantedPages,
  ): AsyncGenerator<readonly SitemapPage[], void, undefined> {
    const { signal } = this.#parts;
    const isLeftOut = this.#parts.isLeftOut[side];
    for await (const batch of source.batchesAsync(signal, wanted)) {
      signal?.throwIfAborted();
      yield isLeftOut === undefined ? batch : batch.filter((page) => !isLeftOut(page));
    }
  }
}
