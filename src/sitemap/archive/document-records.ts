/** The records of the documents of a tree, each written once, however many nodes show it. */
import type { DocumentOptions } from '../../parse/opening/opening.ts';
import type { KeptDocument } from '../kept-document.ts';
import type { SpooledDocument } from '../spool/spool.ts';
import { ArchivedDocument } from './archived-document.ts';
import type { ArchivedDocumentFields } from './node-record.ts';
import type { RecordFile } from './record-file.ts';
import { Digest, RECORD_END, recordHead } from './warc-record.ts';

/** A document whose response is not known: it was not fetched. */
export interface LocalDocument {
  readonly document: SpooledDocument;
  readonly options: DocumentOptions;
  readonly isTruncated: boolean;
}

/** Writes documents, and remembers where. */
export class DocumentRecords {
  readonly #file: RecordFile;
  readonly #isGzip: boolean;
  readonly #numbers = new Map<SpooledDocument, number>();
  readonly #hops = new Map<string, number>();
  readonly #written: ArchivedDocumentFields[] = [];

  constructor(file: RecordFile, isGzip: boolean) {
    this.#file = file;
    this.#isGzip = isGzip;
  }

  /** All that were written, in order. */
  get written(): readonly ArchivedDocumentFields[] {
    return this.#written;
  }

  /** The number of a redirect. Chains that share their last hops share their records. */
  async numberOfHop(hop: KeptDocument): Promise<number> {
    const url = hop.options.url ?? '';
    const number = this.#hops.get(url) ?? (await this.numberOf(hop));
    this.#hops.set(url, number);
    return number;
  }

  /** The number of a document that was kept; it is written unless it was before. */
  async numberOf(document: KeptDocument): Promise<number> {
    return this.#once(document, async () => {
      if (document instanceof ArchivedDocument && document.isGzip === this.#isGzip) {
        return this.#copied(document);
      }
      const { options, requestedAt, truncatedBy, bytes } = document;
      if (requestedAt === undefined) {
        return this.#resource({ document, options, isTruncated: truncatedBy !== undefined });
      }
      const head = Buffer.from(`${await document.head()}Content-Length: ${bytes}\r\n\r\n`, 'latin1');
      return this.#record(document, head, {
        ...{ type: 'response', date: requestedAt, targetUri: targetUri(options) },
        ...{ truncated: truncatedBy, contentType: 'application/http;msgtype=response' },
        ...{ options, requestedAt: new Date(requestedAt).toISOString() },
      });
    });
  }

  /** The same for one that was not fetched. */
  async numberOfLocal(local: LocalDocument): Promise<number> {
    return this.#once(local.document, () => this.#resource(local));
  }

  async #once(document: SpooledDocument, write: () => Promise<ArchivedDocumentFields>): Promise<number> {
    const known = this.#numbers.get(document);
    if (known !== undefined) return known;
    this.#written.push(await write());
    const number = this.#written.length - 1;
    this.#numbers.set(document, number);
    return number;
  }

  #resource({ document, options, isTruncated }: LocalDocument): Promise<ArchivedDocumentFields> {
    return this.#record(document, new Uint8Array(0), {
      ...{ type: 'resource', date: Date.now(), targetUri: targetUri(options), options },
      ...{ truncated: isTruncated ? 'unspecified' : undefined, contentType: 'application/octet-stream' },
    });
  }

  async #record(
    document: SpooledDocument,
    httpHead: Uint8Array,
    fields: RecordFacts,
  ): Promise<ArchivedDocumentFields> {
    const block = new Digest().update(httpHead);
    const payload = new Digest();
    let bytes = 0;
    for await (const chunk of document.chunksAsync()) {
      block.update(chunk);
      payload.update(chunk);
      bytes += chunk.length;
    }
    const digest = payload.end();
    const head = recordHead(fields, httpHead.length + bytes, { block: block.end(), payload: digest });
    const place = await this.#file.write(
      Buffer.concat([Buffer.from(head), httpHead]),
      document.chunksAsync(),
      Buffer.from(RECORD_END),
    );
    const { options, requestedAt, truncated } = fields;
    return { ...options, requestedAt, truncated, bytes, digest, ...place };
  }

  /** A record of another archive is copied as it is. */
  async #copied(document: ArchivedDocument): Promise<ArchivedDocumentFields> {
    const { offset } = this.#file;
    for await (const chunk of document.storedChunks()) await this.#file.copy(chunk);
    return { ...document.fields, offset };
  }
}

interface RecordFacts {
  readonly type: 'response' | 'resource';
  readonly date: number;
  readonly targetUri: string;
  readonly contentType: string;
  readonly truncated: ArchivedDocumentFields['truncated'];
  readonly options: DocumentOptions;
  readonly requestedAt?: string;
}

function targetUri({ url }: DocumentOptions): string {
  return url === undefined || url === '' ? 'urn:ultimate-sitemap-parser:document' : url;
}
