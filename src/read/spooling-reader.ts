/** Reads documents for a tree: spooling-sink.ts says what is kept of each. */
import type { OpenDocument } from '../fetch/document.ts';
import type { DocumentOptions } from '../parse/opening/opening.ts';
import type { DocumentPlace, DocumentReader } from './document-reader.ts';
import { notASitemap } from './not-a-sitemap.ts';
import type { Outcome } from './outcome.ts';
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
        ({ url, charset }) => new SpoolingSink({ url, charset }, this.#parts),
      );
      return await sink.outcome({ ...end, url, status }, deadline);
    });
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

async function orNotASitemap(url: string, read: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotASitemap) return notASitemap(url, error.description);
    throw error;
  }
}
