/** Reads documents for a stream: pages are handed on as they are found, while the rest is still arriving. */

import type { DocumentEnd, OpenDocument } from '../fetch/document.ts';
import type { DocumentOptions } from '../parse/detection/document-start.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import { pieces } from '../parse/given-input.ts';
import { isIndexKind, isPagesKind, type PagesSitemapKind } from '../parse/model/kinds.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { missingParts } from '../problems/catalogue.ts';
import type { Problem } from '../problems/problem-list.ts';
import { RobotsText } from '../robots/robots-rules.ts';
import type { StopSignal } from '../runtime/abort.ts';
import type { KeptDocument } from '../sitemap/kept-document.ts';
import type { Freshness } from '../sitemap/node-fields.ts';
import type { EarlierDocument } from '../sitemap/previous.ts';
import { documentKey } from '../url.ts';
import { type ListedSitemaps, notASitemap, type Outcome, unlessCut } from './outcome.ts';
import type { Lane, PageChannel } from './page-channel.ts';
import type { DocumentPlace, DocumentReader, EarlierUse, EntryAllowance } from './reader.ts';
import { Entries, earlierOutcome, isRedirectedRobots, isSiteRobots, ListedAsPages } from './reader.ts';

/** The sitemap that a streamed page comes from. It is not a node: its document is still arriving. */
export interface StreamedSitemap {
  readonly kind: PagesSitemapKind;
  readonly url: string;
  /** As its index declared it. */
  readonly lastModified: Date | undefined;
  /** The URLs of its ancestors. */
  readonly parentUrls: ReadonlySet<string>;
  /**
   * With `previous`: whether that tree has its document, and shows it here. A document that was sent again counts as
   * changed, since its pages are handed on before its end is known.
   */
  readonly freshness: Freshness | undefined;
}

/** A page and the sitemap it comes from. */
export interface StreamedPage {
  readonly page: SitemapPage;
  readonly sitemap: StreamedSitemap;
}

/** @internal */
export interface StreamContext {
  readonly channel: PageChannel<StreamedPage>;
  readonly allowance: EntryAllowance;
  /** Whether problems get a line and a column. */
  readonly problemPositions: boolean;
  /** Whether the outcome of a document has the sitemaps among its pages. */
  readonly followsListed: boolean;
  /** Whether the outcome of the site's robots.txt has its text. */
  readonly keepsRobots: boolean;
  /** Called with the place and the URL of each document that is about to be read. */
  readonly onOpen: (place: DocumentPlace, url: string) => void;
  readonly onPages: (count: number) => void;
  /** Called with the problems of a document at its end, and with how many there were in all. */
  readonly onProblems: (url: string, problems: readonly Problem[], count: number) => void;
}

/** @internal */
export class StreamingReader implements DocumentReader {
  readonly keepsDocuments = false;
  readonly #context: StreamContext;
  readonly #shownDocuments = new Set<KeptDocument>();

  constructor(context: StreamContext) {
    this.#context = context;
  }

  async read(
    document: OpenDocument,
    place: DocumentPlace,
    deadline: StopSignal,
    freshness?: Freshness,
  ): Promise<Outcome> {
    const { url, charset } = document.response;
    this.#context.onOpen(place, url);
    const options = { url, charset, isForRobots: isRedirectedRobots(url, place) };
    const reading = new StreamedDocument(options, place, freshness, this.#context);
    const robots = this.#keepsText(place) ? new RobotsText() : undefined;
    for await (const chunk of document.bytes()) {
      robots?.add(chunk);
      for (const piece of pieces(chunk)) await reading.take(piece);
      if (reading.isInvalid) break;
    }
    const end = document.end ?? { problems: [], truncated: false };
    const outcome = unlessCut(url, await reading.end(end), end);
    // Too little arrived to tell what it is.
    if (outcome.type === 'invalid' && end.truncated) deadline.throwIfAborted();
    return robots === undefined || outcome.type !== 'index' ? outcome : { ...outcome, text: robots.bytes };
  }

  /** Whether it is the robots.txt of the site, and its rules are wanted. */
  #keepsText(place: DocumentPlace): boolean {
    return this.#context.keepsRobots && isSiteRobots(place);
  }

  async readEarlier(
    earlier: EarlierDocument,
    place: DocumentPlace,
    earlierUse: EarlierUse,
  ): Promise<Outcome> {
    const { document } = earlier;
    this.#context.onOpen(place, earlier.url);
    const outcome = await earlierOutcome(earlier, earlierUse, this.#context.allowance);
    // Once for a document, however many URLs lead to it.
    if (outcome.type === 'index' && this.#keepsText(place))
      return { ...outcome, text: await RobotsText.of(document.chunksAsync()) };
    if (outcome.type === 'index' || this.#shownDocuments.has(document)) return outcome;
    this.#shownDocuments.add(document);
    const reading = new StreamedDocument(document.options, place, earlierUse.freshness, this.#context);
    for await (const chunk of document.chunksAsync()) {
      for (const piece of pieces(chunk)) await reading.take(piece);
    }
    await reading.end({ problems: [], truncated: document.truncatedBy !== undefined });
    return { ...outcome, isHandedOn: true, listed: reading.listed };
  }
}

const NONE: readonly StreamedPage[] = [];

class StreamedDocument {
  readonly #url: string;
  readonly #place: DocumentPlace;
  readonly #freshness: Freshness | undefined;
  readonly #context: StreamContext;
  readonly #parser: DocumentParser;
  readonly #entries: Entries;
  readonly #lane: Lane<StreamedPage>;
  readonly #listed: ListedAsPages | undefined;
  #sitemap: StreamedSitemap | undefined;
  #bytes = 0;

  constructor(
    options: DocumentOptions,
    place: DocumentPlace,
    freshness: Freshness | undefined,
    context: StreamContext,
  ) {
    this.#url = options.url ?? place.url;
    this.#place = place;
    this.#freshness = freshness;
    this.#context = context;
    this.#parser = new DocumentParser({ ...options, problemPositions: context.problemPositions });
    this.#entries = new Entries(context.allowance);
    this.#lane = context.channel.lane();
    this.#listed = context.followsListed ? new ListedAsPages(this.#url, context.allowance) : undefined;
  }

  get listed(): ListedSitemaps | undefined {
    return this.#parser.kind === 'pages-xml' ? this.#listed?.sitemaps : undefined;
  }

  get isInvalid(): boolean {
    return this.#parser.kind === 'invalid';
  }

  /** Parses a piece and hands on its pages, when it is this document's turn. */
  take(piece: Uint8Array): Promise<void> {
    this.#bytes += piece.length;
    return this.#handOn(() => this.#parser.write(piece));
  }

  async end(end: DocumentEnd): Promise<Outcome> {
    const url = this.#url;
    if (!this.isInvalid) await this.#handOn(() => this.#parser.end(end.truncated));
    const { kind, description } = this.#parser;
    if (description !== undefined) return notASitemap(url, description);
    if (kind === undefined || kind === 'invalid') {
      throw new TypeError('A complete document is always of some kind.');
    }
    const problems = [...end.problems, ...this.#parser.problems];
    const problemCount = end.problems.length + this.#parser.problemCount;
    if (problemCount > 0) this.#context.onProblems(url, problems, problemCount);
    const truncated = end.truncated || this.#parser.truncated;
    // What is returned is kept as long as the call: only what says that pages are missing.
    const truncation = truncated ? missingParts(problems) : [];
    const isHandedOn = this.#sitemap !== undefined;
    const facts = { url, problems: truncation, problemCount: truncation.length, truncated, isHandedOn };
    if (isIndexKind(kind)) {
      const { kept: entries, leftOut } = this.#entries;
      return { type: 'index', kind, entries, leftOut, bytes: this.#bytes, ...facts };
    }
    return { type: 'pages', kind, pages: undefined, listed: this.listed, ...facts };
  }

  async #handOn(parse: () => void): Promise<void> {
    if (this.#sitemap !== undefined) return this.#lane.put(() => this.#pagesOf(parse));
    // An index does not wait for a turn. That this is not an index shows when it has pages.
    const first = this.#pagesOf(parse);
    if (first.length > 0) await this.#lane.put(() => first);
  }

  #pagesOf(parse: () => void): readonly StreamedPage[] {
    parse();
    this.#entries.add(this.#parser.takeSitemaps());
    const pages = this.#parser.takePages();
    if (pages.length === 0) return NONE;
    this.#context.onPages(pages.length);
    this.#listed?.add(pages);
    this.#sitemap ??= this.#streamedSitemap();
    const sitemap = this.#sitemap;
    return pages.map((page) => ({ page, sitemap }));
  }

  #streamedSitemap(): StreamedSitemap {
    const { kind } = this.#parser;
    const { url: declared, lastModified, parentUrls } = this.#place;
    // Like the URL of a node: as it is declared, unless that redirects.
    const url = documentKey(this.#url) === documentKey(declared) ? declared : this.#url;
    if (!isPagesKind(kind)) throw new TypeError('What has pages is of a kind that lists pages.');
    return { kind, url, lastModified, parentUrls, freshness: this.#freshness };
  }
}
