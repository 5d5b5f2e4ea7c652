/** Reads documents for a tree: spooling-sink.ts says what is kept of each. */

import type { ResponseFacts } from '../fetch/client/web-client.ts';
import type { OpenDocument } from '../fetch/document.ts';
import type { ResponseHead } from '../fetch/fetch-failure.ts';
import type { DocumentOptions } from '../parse/detection/document-start.ts';
import type { StopSignal } from '../runtime/abort.ts';
import type { KeptDocument } from '../sitemap/kept-document.ts';
import { DocumentPages } from '../sitemap/page-source.ts';
import type { EarlierDocument } from '../sitemap/previous.ts';
import { internalsOf } from '../sitemap/sitemap.ts';
import { notASitemap, type Outcome, unlessCut } from './outcome.ts';
import type { DocumentPlace, DocumentReader, EarlierUse } from './reader.ts';
import { earlierOutcome, isRedirectedRobots } from './reader.ts';
import { headBytes } from './response-head.ts';
import {
  type DocumentEnding,
  listedAsPages,
  NotASitemap,
  type SinkContext,
  SpoolingSink,
} from './spooling-sink.ts';

export class SpoolingReader implements DocumentReader {
  readonly keepsDocuments = true;
  readonly #context: SinkContext;
  readonly #copies = new Map<KeptDocument, Promise<KeptDocument>>();
  readonly #sources = new Map<KeptDocument, DocumentPages>();

  constructor(context: SinkContext) {
    this.#context = context;
  }

  async read(document: OpenDocument, place: DocumentPlace, deadline: StopSignal): Promise<Outcome> {
    return orNotASitemap(document.url, async () => {
      const { sink, end, response } = await document.collect(
        (received) => new SpoolingSink(this.#optionsOf(received, place), this.#context, received),
      );
      const { url, status } = response;
      const { problems, truncated } = end;
      const readOutcome = () => sink.outcome({ problems, truncated, url, status }, deadline);
      return unlessCut(url, await orNotASitemap(url, readOutcome), end);
    });
  }

  #optionsOf({ url: responding, charset }: ResponseFacts, place: DocumentPlace): DocumentOptions {
    const { problemPositions = false } = this.#context;
    // One string instead of an equal copy, since the node keeps it.
    const url = responding === place.url ? place.url : responding;
    const options = problemPositions ? { url, charset, problemPositions } : { url, charset };
    return isRedirectedRobots(url, place) ? { ...options, isForRobots: true } : options;
  }

  async readEarlier(
    earlier: EarlierDocument,
    _place: DocumentPlace,
    earlierUse: EarlierUse,
  ): Promise<Outcome> {
    const document = await this.#keep(earlier.document);
    const outcome = await earlierOutcome(earlier, earlierUse, this.#context.allowance);
    const { checkedAt, validators, unread } = earlierUse;
    const facts = { document, checkedAt, validators, unread };
    if (outcome.type === 'index') return { ...outcome, facts };
    // Uses the source again where it stays open: a comparison then sees at once that the pages are equal.
    const { problemPositions = false } = this.#context;
    const isReadAlike = (document.options.problemPositions ?? false) === problemPositions;
    const isSame = document === earlier.document && isReadAlike;
    const pages = isSame
      ? internalsOf(earlier.node).source
      : this.#pagesOf(document, { ...document.options, problemPositions });
    return { ...outcome, pages, facts, ...(await listedAsPages(this.#context, outcome, pages)) };
  }

  async keepEarlier({ facts }: EarlierDocument): Promise<readonly KeptDocument[]> {
    return Promise.all((facts.hops ?? []).map((hop) => this.#keep(hop)));
  }

  /** A document of another tree: its archive is kept open, or it is copied. */
  async #keep(document: KeptDocument): Promise<KeptDocument> {
    if (document.shared.isArchive) {
      this.#context.spool.keepOpen(document.shared);
      return document;
    }
    const copy = this.#copies.get(document) ?? this.#copied(document);
    this.#copies.set(document, copy);
    return copy;
  }

  async #copied(document: KeptDocument): Promise<KeptDocument> {
    const { options, requestedAt, truncatedBy } = document;
    const writer = this.#context.spool.writer(Buffer.from(await document.head(), 'latin1'));
    try {
      for await (const chunk of document.chunksAsync()) writer.write(chunk);
      return writer.end({ options, requestedAt, truncatedBy });
    } finally {
      writer.discard();
    }
  }

  #pagesOf(document: KeptDocument, options: DocumentOptions): DocumentPages {
    const pages = this.#sources.get(document) ?? new DocumentPages(document, options);
    this.#sources.set(document, pages);
    return pages;
  }

  keepHead(head: ResponseHead): KeptDocument {
    const { spool } = this.#context;
    const document = spool.writer(headBytes(head)).end({
      options: { url: head.url, charset: undefined },
      requestedAt: head.requestedAt,
      truncatedBy: hasBody(head) ? 'unspecified' : undefined,
    });
    spool.addResponse(document);
    return document;
  }

  /**
   * Reads chunks that were not fetched.
   *
   * @param ending - called once all chunks were read
   */
  async readChunks(
    chunks: AsyncIterable<Uint8Array>,
    options: DocumentOptions,
    ending: () => Omit<DocumentEnding, 'url'>,
  ): Promise<Outcome> {
    const url = options.url ?? 'The document';
    const sink = new SpoolingSink(options, this.#context);
    const outcome = await orNotASitemap(url, async () => {
      try {
        for await (const chunk of chunks) sink.write(chunk);
        return await sink.outcome({ ...ending(), url });
      } catch (error) {
        sink.discard();
        throw error;
      }
    });
    // The other problems are about a server, and there was none.
    const tooLarge = ending().problems.filter(({ code }) => code === 'too-large');
    return unlessCut(options.url, outcome, { problems: tooLarge, truncated: true });
  }
}

function hasBody(head: ResponseHead): boolean {
  for (const [name, value] of head.headers()) {
    if (name.toLowerCase() === 'content-length') return value.trim() !== '0';
  }
  return true;
}

async function orNotASitemap(url: string, readOutcome: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await readOutcome();
  } catch (error) {
    if (error instanceof NotASitemap) return notASitemap(url, error.description);
    throw error;
  }
}
