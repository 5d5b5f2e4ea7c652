/**
 * Where a sitemap's pages come from: a document that is parsed each time it is iterated over.
 *
 * There is one source for a document, shared by all nodes that show it: what was found out once (how many pages, which
 * problems) is known everywhere.
 */

import type { DocumentOptions } from '../parse/detection/document-start.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import { pieces } from '../parse/given-input.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import type { SoughtUrls } from '../parse/seen-urls.ts';
import type { Problem } from '../problems/problem-list.ts';
import { FairShare } from '../runtime/time.ts';
import type { KeptDocument } from './kept-document.ts';
import type { PageBatches } from './page-list.ts';

interface PagesSummary {
  readonly pageCount: number;
  /** The document's own: at most a hundred. */
  readonly problems: readonly Problem[];
  /** How many problems there were in all. */
  readonly problemCount: number;
  /** Whether the document ended too early. */
  readonly truncated: boolean;
}

/** Pages that can be iterated over any number of times. */
export interface PageSource extends PageBatches {
  /** Computed on first use, which may read the document. */
  readonly summary: PagesSummary;
  /** Absent where there are no pages. */
  readonly document?: KeptDocument | undefined;
  /** How the document is read, as text: where this and the bytes are equal, so are the pages. */
  readonly reading?: string | undefined;
  /**
   * @param signal - ends it with the signal's reason, also where there are no pages for a long time
   * @param sought - the URLs of the pages that are wanted, where that is not all of them
   */
  batchesAsync(signal?: StopSignal, sought?: SoughtUrls): AsyncIterable<readonly SitemapPage[]>;
}

const EMPTY: PagesSummary = Object.freeze({
  pageCount: 0,
  problems: Object.freeze([]),
  problemCount: 0,
  truncated: false,
});

export const NO_PAGES: PageSource = Object.freeze({
  summary: EMPTY,
  *batches(): Generator<readonly SitemapPage[], void, undefined> {},
  async *batchesAsync(): AsyncGenerator<readonly SitemapPage[], void, undefined> {},
});

/** The part of an `AbortSignal` that is needed here, so that declarations need no DOM. */
interface StopSignal {
  throwIfAborted(): void;
}

export class DocumentPages implements PageSource {
  readonly document: KeptDocument;
  readonly #options: DocumentOptions;
  #summary: PagesSummary | undefined;

  constructor(document: KeptDocument, options: DocumentOptions = document.options) {
    this.document = document;
    this.#options = options;
  }

  get reading(): string {
    return JSON.stringify([this.#options, this.#isTruncated]);
  }

  /** Whether the rest of the document never arrived. */
  get #isTruncated(): boolean {
    return this.document.truncatedBy !== undefined;
  }

  get summary(): PagesSummary {
    if (this.#summary === undefined) for (const _ of this.batches());
    return this.#summary ?? EMPTY;
  }

  *batches(): Generator<readonly SitemapPage[], void, undefined> {
    const parser = new DocumentParser(this.#options);
    let pageCount = 0;
    for (const chunk of this.document.chunks()) {
      for (const piece of pieces(chunk)) {
        parser.write(piece);
        const pages = parser.takePages();
        pageCount += pages.length;
        if (pages.length > 0) yield pages;
      }
    }
    yield* this.#end(parser, pageCount);
  }

  async *batchesAsync(
    signal?: StopSignal,
    sought?: SoughtUrls,
  ): AsyncGenerator<readonly SitemapPage[], void, undefined> {
    const parser = new DocumentParser(sought === undefined ? this.#options : { ...this.#options, sought });
    const share = new FairShare();
    let pageCount = 0;
    for await (const chunk of this.document.chunksAsync()) {
      for (const piece of pieces(chunk)) {
        parser.write(piece);
        const pages = parser.takePages();
        pageCount += pages.length;
        if (pages.length > 0) yield pages;
        if (share.isUsedUp) await share.turn();
        signal?.throwIfAborted();
      }
    }
    yield* this.#end(parser, sought === undefined ? pageCount : undefined);
  }

  /** @param before - how many pages there were so far; undefined where these are not all */
  *#end(
    parser: DocumentParser,
    before: number | undefined,
  ): Generator<readonly SitemapPage[], void, undefined> {
    parser.end(this.#isTruncated);
    const last = parser.takePages();
    if (before !== undefined) {
      const { problems, problemCount, truncated } = parser;
      const pageCount = before + last.length;
      this.#summary ??= { pageCount, problems: Object.freeze([...problems]), problemCount, truncated };
    }
    if (last.length > 0) yield last;
  }
}
