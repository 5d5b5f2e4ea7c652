/**
 * A document as a tree keeps it: its bytes, and the head of the response that it came with. The head is kept in front
 * of the bytes, in the spool or in an archive, so that fifty thousand documents need hardly any memory.
 */
import type { DocumentOptions } from '../parse/opening/opening.ts';
import type { SharedSource } from './shared-source.ts';
import type { SpooledDocument, StoredDocument } from './spool/spool.ts';

/** Why something is missing at the end of a document, in the words of WARC. */
export type TruncatedBy = 'length' | 'disconnect' | 'unspecified';

/** What is known of a document besides its bytes. */
export interface KeptFacts {
  /** The URL that responded, its charset, and what else parsing needs to know. */
  readonly options: DocumentOptions;
  /** When it was requested, in milliseconds since the epoch; absent where it was not fetched. */
  readonly requestedAt: number | undefined;
  /** Absent where all of it arrived. */
  readonly truncatedBy: TruncatedBy | undefined;
}

/** A document that can be read any number of times, with what it came with. Its chunks are those of its body. */
export interface KeptDocument extends SpooledDocument, KeptFacts {
  /** The bytes of its body, after all decoding. */
  readonly bytes: number;
  /** Status line and headers, each with CRLF behind it, as Latin-1 text; empty where it was not fetched. */
  head(): Promise<string>;
  /**
   * Reads all of it, unless that was done before, and rejects with `archive-damaged` where it is not what was saved.
   * Its head alone is read without that. Absent where nothing can be damaged.
   */
  check?(): Promise<void>;
  /**
   * Where its bytes come from: a tree that shows it uses that, and closes what `use` returns when it is closed itself.
   */
  readonly shared: SharedSource;
  /** The bytes that it takes of that. */
  readonly storedBytes: number;
}

/** What to send to ask whether a document is still the same. */
export interface KeptValidators {
  /** As the `ETag` header has it. */
  readonly etag?: string | undefined;
  /** As the `Last-Modified` header has it. */
  readonly lastModified?: string | undefined;
}

/** What is known of the fetch behind a node; one object for a URL, shared by all nodes that show it. */
export interface DocumentFacts {
  /** Absent where it could not be read. */
  readonly document?: KeptDocument | undefined;
  /** The redirects that led to it, in order. */
  readonly hops?: readonly KeptDocument[] | undefined;
  /**
   * When the document was last found to be the same, in milliseconds since the epoch; absent where that was not asked
   * after it was read. A document that could not be checked keeps the time of its last good read.
   */
  readonly checkedAt?: number | undefined;
  /** The validators of the response that said so, where they are not those of the document's own. */
  readonly validators?: KeptValidators | undefined;
  /** From the first request to the end of the document, pauses between attempts included. */
  readonly durationMs?: number | undefined;
}

/** A document in the spool of a tree. */
export class SpooledResponse implements KeptDocument {
  readonly options: DocumentOptions;
  readonly requestedAt: number | undefined;
  readonly truncatedBy: TruncatedBy | undefined;
  readonly bytes: number;
  readonly #block: StoredDocument;
  readonly #headBytes: number;

  /**
   * @param block - the head, then the body
   * @param sizes - of both, in bytes
   */
  constructor(
    block: StoredDocument,
    sizes: { readonly head: number; readonly body: number },
    facts: KeptFacts,
  ) {
    this.options = facts.options;
    this.requestedAt = facts.requestedAt;
    this.truncatedBy = facts.truncatedBy;
    this.bytes = sizes.body;
    this.#block = block;
    this.#headBytes = sizes.head;
  }

  get shared(): SharedSource {
    return this.#block.shared;
  }

  get storedBytes(): number {
    return this.#headBytes + this.bytes;
  }

  async head(): Promise<string> {
    const bytes = await this.#block.beginning(this.#headBytes);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  }

  *chunks(): Generator<Uint8Array, void, undefined> {
    let left = this.#headBytes;
    for (const chunk of this.#block.chunks()) {
      if (left < chunk.length) yield left === 0 ? chunk : chunk.subarray(left);
      left = Math.max(0, left - chunk.length);
    }
  }

  async *chunksAsync(): AsyncGenerator<Uint8Array, void, undefined> {
    let left = this.#headBytes;
    for await (const chunk of this.#block.chunksAsync()) {
      if (left < chunk.length) yield left === 0 ? chunk : chunk.subarray(left);
      left = Math.max(0, left - chunk.length);
    }
  }
}
