/**
 * Where a sitemap's pages come from: a document that is parsed each time somebody walks over it.
 *
 * There is one source for a document, shared by all nodes that show it: what was found out once (how many pages, which
 * problems) is known everywhere.
 */
import { pieces } from '../parse/chunks.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import type { DocumentOptions } from '../parse/opening/opening.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { PageBatches } from './page-list.ts';
import type { SpooledDocument } from './spool/spool.ts';

/** What is known of a document once it was read to its end. */
export interface SourceOutcome {
  readonly pageCount: number;
  /** The document's own: at most a hundred. */
  readonly problems: readonly Problem[];
  /** How many problems there were in all. */
  readonly problemCount: number;
  /** Whether the document ended too early. */
  readonly truncated: boolean;
}

/** Pages that can be walked over any number of times. What is not known yet of the outcome is found on first need. */
export interface PageSource extends SourceOutcome, PageBatches {}

const NO_OUTCOME: SourceOutcome = Object.freeze({
  pageCount: 0,
  problems: Object.freeze([]),
  problemCount: 0,
  truncated: false,
});

/** The source of what has no pages. */
export const NO_PAGES: PageSource = Object.freeze({
  ...NO_OUTCOME,
  *batches(): Generator<readonly SitemapPage[], void, undefined> {},
  async *batchesAsync(): AsyncGenerator<readonly SitemapPage[], void, undefined> {},
});

/** The pages of one spooled document. */
export class DocumentPages implements PageSource {
  readonly #document: SpooledDocument;
  readonly #options: DocumentOptions;
  readonly #isCut: boolean;
  #outcome: SourceOutcome | undefined;

  /** @param isCut - whether the rest of the document never arrived */
  constructor(document: SpooledDocument, options: DocumentOptions, isCut = false) {
    this.#document = document;
    this.#options = options;
    this.#isCut = isCut;
  }

  get pageCount(): number {
    return this.#known().pageCount;
  }

  get problems(): readonly Problem[] {
    return this.#known().problems;
  }

  get problemCount(): number {
    return this.#known().problemCount;
  }

  get truncated(): boolean {
    return this.#known().truncated;
  }

  *batches(): Generator<readonly SitemapPage[], void, undefined> {
    const reading = new Reading(this.#options);
    for (const chunk of this.#document.chunks()) {
      for (const piece of pieces(chunk)) {
        const pages = reading.write(piece);
        if (pages.length > 0) yield pages;
      }
    }
    const last = reading.end(this.#isCut);
    this.#outcome ??= reading.outcome();
    if (last.length > 0) yield last;
  }

  async *batchesAsync(): AsyncGenerator<readonly SitemapPage[], void, undefined> {
    const reading = new Reading(this.#options);
    for await (const chunk of this.#document.chunksAsync()) {
      for (const piece of pieces(chunk)) {
        const pages = reading.write(piece);
        if (pages.length > 0) yield pages;
      }
    }
    const last = reading.end(this.#isCut);
    this.#outcome ??= reading.outcome();
    if (last.length > 0) yield last;
  }

  #known(): SourceOutcome {
    if (this.#outcome === undefined) for (const _ of this.batches());
    return this.#outcome ?? NO_OUTCOME;
  }
}

/** One way through a document. */
class Reading {
  readonly #parser: DocumentParser;
  #pageCount = 0;

  constructor(options: DocumentOptions) {
    this.#parser = new DocumentParser(options);
  }

  write(chunk: Uint8Array): SitemapPage[] {
    this.#parser.write(chunk);
    return this.#takePages();
  }

  end(isCut: boolean): SitemapPage[] {
    this.#parser.end(isCut);
    return this.#takePages();
  }

  outcome(): SourceOutcome {
    const { problems, problemCount, truncated } = this.#parser;
    return { pageCount: this.#pageCount, problems: Object.freeze([...problems]), problemCount, truncated };
  }

  #takePages(): SitemapPage[] {
    const pages = this.#parser.takePages();
    this.#pageCount += pages.length;
    return pages;
  }
}
