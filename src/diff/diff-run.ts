/**
 * One comparison of two trees, step by step.
 *
 * Neither tree is held in memory: documents are parsed while they are compared, and only fingerprints are kept. A page
 * that is reported is read once more, from its document.
 */
import { FairShare } from '../event-loop.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import type { Sitemap } from '../sitemap/sitemap.ts';
import { Comparison } from './comparison.ts';
import { type ComparedTree, describeTree, type PageDocument } from './describe-tree.ts';
import { type DocumentPairs, pairDocuments, type SettledPageDocuments } from './equal-documents.ts';
import type { DiffCounts, PageChange } from './page-change.ts';
import { settledDocuments } from './settled.ts';

/** Options, checked. */
export interface DiffParts {
  /** The fields that are compared, as bits. */
  readonly compared: number;
  readonly countSame: boolean;
  readonly signal: AbortSignal | undefined;
  /** Absent where all pages are compared. */
  readonly isLeftOut: ((page: SitemapPage) => boolean) | undefined;
}

export const NO_PAGES_COUNTED: DiffCounts = Object.freeze({
  added: 0,
  removed: 0,
  changed: 0,
  same: 0,
  unknown: 0,
});

/** One comparison. */
export class DiffRun {
  readonly counts: { -readonly [Count in keyof DiffCounts]: number } = { ...NO_PAGES_COUNTED };
  readonly #before: ComparedTree;
  readonly #after: ComparedTree;
  readonly #parts: DiffParts;
  readonly #comparison: Comparison;
  readonly #share = new FairShare();

  constructor(before: Sitemap, after: Sitemap, parts: DiffParts) {
    this.#before = describeTree(before, 'before');
    this.#after = describeTree(after, 'after');
    this.#parts = parts;
    this.#comparison = new Comparison(parts.compared);
  }

  async *changes(): AsyncGenerator<PageChange, void, undefined> {
    // 1. Which documents are settled in the other tree, and which are equal in both.
    const settled = this.#settled();
    const pairs = await pairDocuments(this.#before, this.#after, settled, this.#parts.signal);

    // 2. The pages of all other documents.
    await this.#noteDifferent(pairs, settled);

    // 3. The pages of equal documents, where they may decide about the others.
    await this.#noteEqual(pairs);

    // 4. What came of each page, and which documents have something to report.
    const reporting = await this.#countVerdicts();

    // 5. Those documents once more, in order.
    yield* this.#reportAfter(reporting.after);
    yield* this.#reportRemoved(reporting.before);
  }

  #settled(): SettledPageDocuments {
    const inAfter = settledDocuments(this.#before, this.#after);
    const inBefore = settledDocuments(this.#after, this.#before);
    return {
      before: this.#before.pageDocuments.map(({ document }) => inAfter[document]!),
      after: this.#after.pageDocuments.map(({ document }) => inBefore[document]!),
    };
  }

  async #noteDifferent({ earlier, equal }: DocumentPairs, settled: SettledPageDocuments): Promise<void> {
    const equalBefore = new Set(Array.from(equal, (place) => earlier[place]!));
    for (const [place, document] of this.#before.pageDocuments.entries()) {
      if (equalBefore.has(place)) continue;
      const listing = { place, isSettled: settled.before[place]! };
      for await (const pages of this.#batches(document)) {
        for (const page of pages) this.#comparison.noteBefore(page, listing);
      }
    }
    for (const [place, document] of this.#after.pageDocuments.entries()) {
      if (equal.has(place)) continue;
      const listing = { place, isSettled: settled.after[place]! };
      for await (const pages of this.#batches(document)) {
        for (const page of pages) this.#comparison.noteAfter(page, listing);
      }
    }
  }

  async #noteEqual({ earlier, equal }: DocumentPairs): Promise<void> {
    if (equal.size === 0) return;
    const { countSame } = this.#parts;
    const needed = countSame
      ? Number.POSITIVE_INFINITY
      : await this.#comparison.equalNeeded(earlier, this.#share);
    const seen = new SeenUrls();
    for (const place of equal) {
      if (place >= needed) break;
      const places = { before: earlier[place]!, after: place };
      for await (const pages of this.#batches(this.#after.pageDocuments[place]!)) {
        for (const page of pages) {
          if (this.#comparison.noteEqual(page, places) || !countSame) continue;
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

  async *#reportAfter(reporting: Int32Array): AsyncGenerator<PageChange, void, undefined> {
    for (const [place, document] of this.#after.pageDocuments.entries()) {
      let left = reporting[place]!;
      if (left === 0) continue;
      const { sitemap } = document;
      for await (const pages of this.#batches(document)) {
        for (const page of pages) {
          const reported = this.#comparison.report(page, 'after', place);
          if (reported === undefined) continue;
          left--;
          if (reported.verdict !== 'recheck') this.counts[reported.verdict]++;
          if (reported.verdict === 'added') yield { type: 'added', page, sitemap };
          if (reported.verdict !== 'changed') continue;
          const { before, fields } = reported;
          yield { type: 'changed', page, before, fields, sitemap };
        }
        if (left === 0) break;
      }
    }
  }

  async *#reportRemoved(reporting: Int32Array): AsyncGenerator<PageChange, void, undefined> {
    for (const [place, document] of this.#before.pageDocuments.entries()) {
      let left = reporting[place]!;
      if (left === 0) continue;
      const { sitemap } = document;
      for await (const pages of this.#batches(document)) {
        for (const page of pages) {
          if (this.#comparison.report(page, 'before', place)?.verdict !== 'removed') continue;
          left--;
          this.counts.removed++;
          yield { type: 'removed', page, sitemap };
        }
        if (left === 0) break;
      }
    }
  }

  async *#batches({ source }: PageDocument): AsyncGenerator<readonly SitemapPage[], void, undefined> {
    const { isLeftOut, signal } = this.#parts;
    for await (const batch of source.batchesAsync()) {
      signal?.throwIfAborted();
      yield isLeftOut === undefined ? batch : batch.filter((page) => !isLeftOut(page));
    }
  }
}
