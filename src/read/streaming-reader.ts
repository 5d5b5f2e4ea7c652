/** Reads documents for a stream: pages are handed on as they are found, while the rest is still arriving. */
import type { OpenDocument } from '../fetch/document.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { missingParts } from '../problems/catalogue.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { DocumentPlace, DocumentReader } from './document-reader.ts';
import { Entries, type EntryAllowance } from './entry-allowance.ts';
import { notASitemap } from './not-a-sitemap.ts';
import type { Outcome, PagesKind } from './outcome.ts';
import type { PageChannel } from './page-channel.ts';

/** The sitemap that a streamed page comes from: no node, just what is known of it. */
export interface StreamedSitemap {
  readonly kind: PagesKind;
  readonly url: string;
  /** As its index declared it. */
  readonly lastModified: Date | undefined;
  /** The URLs of its ancestors. */
  readonly parentUrls: ReadonlySet<string>;
}

/** A page and the sitemap it comes from. */
export interface StreamedPage {
  readonly page: SitemapPage;
  readonly sitemap: StreamedSitemap;
}

/** So many bytes are parsed at a time: some two hundred pages, which is what there is of pages at any time. */
const PIECE_BYTES = 32 * 1024;

const NONE: readonly StreamedPage[] = [];

/** Hands pages on, and waits where the consumer is slow. */
export class StreamingReader implements DocumentReader {
  readonly keepsDocuments = false;
  readonly #channel: PageChannel<StreamedPage>;
  readonly #onPages: (count: number) => void;
  readonly #allowance: EntryAllowance;
  readonly #onProblems: (url: string, problems: readonly Problem[], count: number) => void;

  /** @param onProblems - called once for each document that has problems: a stream has no node to show them on */
  constructor(
    channel: PageChannel<StreamedPage>,
    onPages: (count: number) => void,
    allowance: EntryAllowance,
    onProblems: (url: string, problems: readonly Problem[], count: number) => void = () => {},
  ) {
    this.#onProblems = onProblems;
    this.#channel = channel;
    this.#onPages = onPages;
    this.#allowance = allowance;
  }

  async read(document: OpenDocument, place: DocumentPlace): Promise<Outcome> {
    const parser = new DocumentParser({ url: document.url, charset: document.charset });
    const entries = new Entries(this.#allowance);
    const lane = this.#channel.lane();
    let sitemap: StreamedSitemap | undefined;
    const parse = (piece: Uint8Array | undefined): readonly StreamedPage[] => {
      if (piece === undefined) parser.end(document.end?.truncated);
      else parser.write(piece);
      entries.add(parser.takeSitemaps());
      const pages = parser.takePages();
      if (pages.length === 0) return NONE;
      this.#onPages(pages.length);
      sitemap ??= {
        kind: pagesKind(parser.kind),
        url: document.url,
        // Handed out with every page: a Date of your own each time, as with nodes.
        get lastModified() {
          return place.lastModified === undefined ? undefined : new Date(place.lastModified);
        },
        parentUrls: place.parentUrls,
      };
      const from = sitemap;
      return pages.map((page) => ({ page, sitemap: from }));
    };
    const handOn = async (piece: Uint8Array | undefined): Promise<void> => {
      if (sitemap !== undefined) return lane.put(() => parse(piece));
      // An index waits for nobody, and that this is none shows when it has pages.
      const first = parse(piece);
      if (first.length > 0) await lane.put(() => first);
    };

    for await (const chunk of document.bytes()) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        await handOn(chunk.subarray(at, at + PIECE_BYTES));
      }
      if (parser.kind === 'invalid') break;
    }
    if (parser.kind !== 'invalid') await handOn(undefined);

    const { kind, description } = parser;
    if (description !== undefined) return notASitemap(document.url, description);
    if (kind === undefined || kind === 'invalid')
      throw new TypeError('A complete document is always of some kind.');
    const end = document.end ?? { problems: [], truncated: false };
    const problems = [...end.problems, ...parser.problems];
    if (problems.length > 0) {
      this.#onProblems(document.url, problems, end.problems.length + parser.problemCount);
    }
    const truncated = end.truncated || parser.truncated;
    // What is returned is kept as long as the call: only what says that pages are missing.
    const kept = truncated ? missingParts(problems) : [];
    const readable = {
      url: document.url,
      redirected: false,
      problems: kept,
      problemCount: kept.length,
      truncated,
    };
    if (kind === 'robots-txt' || kind === 'index-xml') {
      return { type: 'index', kind, entries: entries.kept, leftOut: entries.leftOut, ...readable };
    }
    return { type: 'pages', kind, pages: undefined, ...readable };
  }
}

function pagesKind(kind: string | undefined): PagesKind {
  return kind === 'pages-text' || kind === 'pages-rss' || kind === 'pages-atom' ? kind : 'pages-xml';
}
