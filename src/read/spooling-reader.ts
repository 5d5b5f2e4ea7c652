/** Reads documents for a tree: spooling-sink.ts says what is kept of each. */
import type { OpenDocument, ResponseFacts } from '../fetch/document.ts';
import type { ResponseHead } from '../fetch/rules/exchange.ts';
import type { DocumentOptions } from '../parse/opening/opening.ts';
import { type KeptDocument, SpooledResponse } from '../sitemap/kept-document.ts';
import type { DocumentPlace, DocumentReader } from './document-reader.ts';
import { notASitemap } from './not-a-sitemap.ts';
import type { Outcome } from './outcome.ts';
import { keptHead } from './response-head.ts';
import { type DocumentEnding, NotASitemap, type SinkParts, SpoolingSink } from './spooling-sink.ts';

/** Reads documents into a spool. */
export class SpoolingReader implements DocumentReader {
  readonly keepsDocuments = true;
  readonly #parts: SinkParts;

  constructor(parts: SinkParts) {
    this.#parts = parts;
  }

  async read(document: OpenDocument, _place: DocumentPlace, deadline: AbortSignal): Promise<Outcome> {
    return orNotASitemap(document.url, async () => {
      const { sink, end, url, status } = await document.collect(
        (response) => new SpoolingSink(this.#optionsOf(response), this.#parts, response),
      );
      return await sink.outcome({ ...end, url, status }, deadline);
    });
  }

  #optionsOf({ url, charset }: ResponseFacts): DocumentOptions {
    const { problemPositions = false } = this.#parts;
    return { url, charset, ...(problemPositions && { problemPositions }) };
  }

  /** Keeps a redirect. Its body is not kept: nothing reads it. */
  keepHop(hop: ResponseHead): KeptDocument {
    const head = keptHead(hop);
    const writer = this.#parts.spool.writer();
    void writer.write(head);
    return new SpooledResponse(
      writer.end(),
      { head: head.length, body: 0 },
      {
        options: { url: hop.url, charset: undefined },
        requestedAt: hop.requestedAt,
        truncatedBy: hasBody(hop) ? 'unspecified' : undefined,
      },
    );
  }

  /**
   * The same for chunks that are not fetched.
   *
   * @param ending - called once all chunks were read
   */
  async readChunks(
    chunks: AsyncIterable<Uint8Array>,
    options: DocumentOptions,
    ending: () => Omit<DocumentEnding, 'url'>,
  ): Promise<Outcome> {
    const url = options.url ?? 'The document';
    const sink = new SpoolingSink(options, this.#parts);
    return orNotASitemap(url, async () => {
      try {
        for await (const chunk of chunks) await sink.write(chunk);
        return await sink.outcome({ ...ending(), url });
      } catch (error) {
        sink.discard();
        throw error;
      }
    });
  }
}

function hasBody(hop: ResponseHead): boolean {
  for (const [name, value] of hop.headers()) {
    if (name.toLowerCase() === 'content-length') return value.trim() !== '0';
  }
  return true;
}

async function orNotASitemap(url: string, read: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotASitemap) return notASitemap(url, error.description);
    throw error;
  }
}
