/**
 * Compares two trees, step by step.
 *
 * Neither tree is held in memory: documents are parsed while they are compared, and only fingerprints are kept. A page
 * that is reported is read once more, from its document.
 */

import type { SitemapPage } from '../parse/model/page.ts';
import { SeenUrls, type SoughtUrls } from '../parse/seen-urls.ts';
import { FairShare } from '../runtime/time.ts';
import { haveEqualBytes } from '../sitemap/kept-document.ts';
import type { PageSource } from '../sitemap/page-source.ts';
import type { Sitemap } from '../sitemap/sitemap.ts';
import { Comparison } from './comparison.ts';
import type { DiffCounts, PageChange } from './page-change.ts';
import { ComparedTree, type PageDocument, type Side, settledDocuments } from './settled.ts';

export interface ResolvedDiff {
  readonly compared: number;
  readonly countSame: boolean;
  /** Whether all documents count as settled: the later tree of an update has those that could not be read, too. */
  readonly isPlain: boolean;
  readonly signal: AbortSignal | undefined;
  /** For each tree, which pages are not compared; absent if all are. */
  readonly isLeftOut: Readonly<Record<Side, ((page: SitemapPage) => boolean) | undefined>>;
  /** Runs the filter over some pages; a caller may limit its time. */
  readonly runFilter?: ((filter: () => readonly SitemapPage[]) => readonly SitemapPage[]) | undefined;
}

export const NO_PAGES_COUNTED: DiffCounts = Object.freeze({
  added: 0,
  removed: 0,
  changed: 0,
  same: 0,
  unknown: 0,
});

export class DiffRun {
  readonly counts: { -readonly [Count in keyof DiffCounts]: number } = { ...NO_PAGES_COUNTED };
  readonly #before: ComparedTree;
  readonly #after: ComparedTree;
  readonly #options: ResolvedDiff;
  readonly #comparison: Comparison;
  readonly #share = new FairShare();
  /** How many pages the current document must still report. */
  #remaining = 0;

  /** @param damaged - the sitemaps whose documents cannot be read */
  constructor(
    before: Sitemap | undefined,
    after: Sitemap,
    options: ResolvedDiff,
    damaged: ReadonlySet<Sitemap>,
  ) {
    this.#before = new ComparedTree(before, 'before', damaged);
    this.#after = new ComparedTree(after, 'after', damaged);
    this.#options = options;
    this.#comparison = new Comparison(options.compared, {
      before: this.#before.pageDocuments.length,
      after: this.#after.pageDocuments.length,
    });
  }

  /** The changes, those of a few hundred pages at a time. */
  async *changes(): AsyncGenerator<readonly PageChange[], void, undefined> {
    // 1. Which documents are settled in the other tree, and which are equal in both.
    const settled = this.#settledDocuments();
    const { isLeftOut, signal } = this.#options;
    // With different filters, equal documents have different pages.
    const pairs =
      isLeftOut.before === isLeftOut.after
        ? await pairDocuments(this.#before, this.#after, settled, signal)
        : { earlier: this.#after.pageDocuments.map(() => -1), equal: new Set<PageDocument>() };

    // 2. The pages of all other documents. Final verdicts are reported at once.
    await this.#noteBefore(pairs, settled);
    yield* this.#noteAfter(pairs, settled);

    // 3. The pages of equal documents, if they are counted or may change verdicts.
    await this.#noteEqual(pairs);

    // 4. The verdict of each page, and which documents have something to report.
    const reporting = await this.#countVerdicts();

    // 5. Those documents are read once more, in order.
    yield* this.#report(this.#after, reporting.after);
    yield* this.#report(this.#before, reporting.before);
  }

  #settledDocuments(): ReadonlySet<PageDocument> {
    const before = this.#before;
    const after = this.#after;
    if (this.#options.isPlain) return new Set([...before.pageDocuments, ...after.pageDocuments]);
    const inAfter = settledDocuments(before, after);
    const inBefore = settledDocuments(after, before);
    return new Set([
      ...before.pageDocuments.filter(({ document }) => inAfter[document]),
      ...after.pageDocuments.filter(({ document }) => inBefore[document]),
    ]);
  }

  async #noteBefore({ earlier, equal }: DocumentPairs, settled: ReadonlySet<PageDocument>): Promise<void> {
    const equalBefore = new Set(Array.from(equal, ({ place }) => earlier[place]));
    for (const document of this.#before.pageDocuments) {
      const { place } = document;
      if (equalBefore.has(place)) continue;
      const listing = { place, isSettled: settled.has(document) };
      for await (const pages of this.#batches(document))
        for (const page of pages) this.#comparison.noteBefore(page, listing);
    }
  }

  async *#noteAfter(
    { equal }: DocumentPairs,
    settled: ReadonlySet<PageDocument>,
  ): AsyncGenerator<readonly PageChange[], void, undefined> {
    const { pageDocuments } = this.#after;
    const isFinal = equal.size === 0 && pageDocuments.every((document) => settled.has(document));
    for (const document of pageDocuments) {
      if (equal.has(document)) continue;
      const listing = { place: document.place, isSettled: settled.has(document) };
      for await (const pages of this.#batches(document)) {
        const changes: PageChange[] = [];
        for (const page of pages) {
          const entry = this.#comparison.noteAfter(page, listing);
          const change = isFinal ? this.#change(entry, page, document) : undefined;
          if (change !== undefined) changes.push(change);
        }
        if (changes.length > 0) yield changes;
      }
    }
  }

  async #noteEqual({ earlier, equal }: DocumentPairs): Promise<void> {
    const { countSame } = this.#options;
    const seen = new SeenUrls();
    const sought = countSame ? undefined : this.#comparison.noted;
    const end = countSame ? Infinity : await this.#comparison.decidedFrom(earlier, this.#share);
    for (const document of equal) {
      const { place } = document;
      if (place >= end) break;
      const places = { before: earlier[place]!, after: place };
      for await (const pages of this.#batches(document, sought)) {
        for (const page of pages) {
          if (!this.#comparison.noteEqual(page, places) && seen.add(page.url)) this.counts.same++;
        }
      }
    }
  }

  /** Counts the pages that are not reported, and returns how many pages each document must report. */
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
    { pageDocuments }: ComparedTree,
    reporting: Int32Array,
  ): AsyncGenerator<readonly PageChange[], void, undefined> {
    for (const document of pageDocuments) {
      this.#remaining = reporting[document.place]!;
      if (this.#remaining === 0) continue;
      for await (const pages of this.#batches(document)) {
        const changes = pages
          .map((page) => this.#change(this.#comparison.find(page), page, document))
          .filter((change) => change !== undefined);
        if (changes.length > 0) yield changes;
        if (this.#remaining === 0) break;
      }
    }
  }

  /** The change that a document must report for a page, if any. Counts it. */
  #change(entry: number, page: SitemapPage, { side, place, sitemap }: PageDocument): PageChange | undefined {
    const verdict = this.#comparison.report(entry, page, side, place);
    if (verdict === undefined || verdict === 'recheck') return undefined;
    this.#remaining--;
    this.counts[verdict]++;
    if (verdict === 'added' || verdict === 'removed') return { type: verdict, page, sitemap };
    if (verdict !== 'changed') return undefined;
    const { before, fields } = this.#comparison.earlier(entry);
    return { type: verdict, page, before, fields, sitemap };
  }

  async *#batches(
    { source, side }: PageDocument,
    sought?: SoughtUrls,
  ): AsyncGenerator<readonly SitemapPage[], void, undefined> {
    const { signal, runFilter = (filter) => filter() } = this.#options;
    const isLeftOut = this.#options.isLeftOut[side];
    for await (const batch of source.batchesAsync(signal, sought)) {
      signal?.throwIfAborted();
      yield isLeftOut === undefined ? batch : runFilter(() => batch.filter((page) => !isLeftOut(page)));
    }
  }
}

/** The pairs of page documents in two trees. A number is the place of a document in the order of its tree. */
interface DocumentPairs {
  /** For each document of `after`, the document of `before` with the same key; -1 if there is none. */
  readonly earlier: readonly number[];
  /** The documents of `after` that equal their pair byte for byte, and so have the same pages. */
  readonly equal: ReadonlySet<PageDocument>;
}

/** Finds the pairs. If the order of documents changed, none is equal: a page may have another first declaration. */
async function pairDocuments(
  before: ComparedTree,
  after: ComparedTree,
  settled: ReadonlySet<PageDocument>,
  signal: AbortSignal | undefined,
): Promise<DocumentPairs> {
  const places = new Map<string, number>();
  for (const document of before.pageDocuments) {
    for (const key of keysOf(before, document)) if (!places.has(key)) places.set(key, document.place);
  }
  const usedNumbers = new Set<number>();
  const earlier = after.pageDocuments.map((document) => {
    for (const key of keysOf(after, document)) {
      const place = places.get(key);
      if (place === undefined || usedNumbers.has(place)) continue;
      usedNumbers.add(place);
      return place;
    }
    return -1;
  });
  const equal = new Set<PageDocument>();
  if (!isAscending(earlier.filter((place) => place !== -1))) return { earlier, equal };
  for (const document of after.pageDocuments) {
    const other = before.pageDocuments[earlier[document.place]!];
    // The pages of a document that is not settled are unknown, not the same.
    if (other === undefined || !settled.has(document) || !settled.has(other)) continue;
    signal?.throwIfAborted();
    if (hasOtherLength(document, other)) continue;
    if (await areEqual(document.source, other.source)) equal.add(document);
  }
  return { earlier, equal };
}

function keysOf({ documents }: ComparedTree, { document }: PageDocument): Iterable<string> {
  return documents[document]?.keys ?? [];
}

function isAscending(places: readonly number[]): boolean {
  return places.every((place, index) => index === 0 || place > places[index - 1]!);
}

function hasOtherLength({ sitemap: a }: PageDocument, { sitemap: b }: PageDocument): boolean {
  return a.bytes !== undefined && b.bytes !== undefined && a.bytes !== b.bytes;
}

/** Whether two sources have the same pages, as far as their bytes show it. */
async function areEqual(a: PageSource, b: PageSource): Promise<boolean> {
  if (a === b) return true;
  const { document: first } = a;
  const { document: second } = b;
  if (first === undefined || second === undefined || a.reading !== b.reading) return false;
  if (first.digest !== undefined && second.digest !== undefined) return first.digest === second.digest;
  return haveEqualBytes(first.chunksAsync(), second.chunksAsync());
}
