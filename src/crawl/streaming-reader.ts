/** Reads documents for a stream: pages are handed on as they are found, while the rest is still arriving. */
import type { OpenDocument } from '../fetch/document.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import type { SitemapPage } from '../parse/page.ts';
import { Entries, type EntryAllowance } from './entry-allowance.ts';
import { notASitemap } from './not-a-sitemap.ts';
import type { DocumentPlace, DocumentReader, Outcome, PagesKind } from './outcome.ts';

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

/** Hands pages on, and waits where the consumer is slow. */
export class StreamingReader implements DocumentReader {
  readonly #hand: (batch: readonly StreamedPage[]) => Promise<void>;
  readonly #allowance: EntryAllowance;

  constructor(hand: (batch: readonly StreamedPage[]) => Promise<void>, allowance: EntryAllowance) {
    this.#hand = hand;
    this.#allowance = allowance;
  }

  async read(document: OpenDocument, place: DocumentPlace): Promise<Outcome> {
    const parser = new DocumentParser({ url: document.url, charset: document.charset });
    const entries = new Entries(this.#allowance);
    let sitemap: StreamedSitemap | undefined;
    const handOn = async (): Promise<void> => {
      entries.add(parser.takeSitemaps());
      const pages = parser.takePages();
      if (pages.length === 0) return;
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
      await this.#hand(pages.map((page) => ({ page, sitemap: from })));
    };

    for await (const chunk of document.bytes()) {
      parser.write(chunk);
      await handOn();
      if (parser.kind === 'invalid') break;
    }
    if (parser.kind !== 'invalid') parser.end(document.end?.truncated);
    await handOn();

    const { kind, description } = parser;
    if (description !== undefined) return notASitemap(document.url, description);
    if (kind === undefined || kind === 'invalid')
      throw new TypeError('A complete document is always of some kind.');
    const end = document.end ?? { problems: [], truncated: false };
    const readable = {
      url: document.url,
      redirected: false,
      // A stream has no node to show them on, and must not gather them.
      problems: [],
      problemCount: 0,
      truncated: end.truncated || parser.truncated,
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
