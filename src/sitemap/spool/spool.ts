/**
 * Keeps documents, not pages: parsing a document again is cheaper than any serialisation of what is in it.
 *
 * Small documents stay in memory up to a budget. Past it, and for large documents, bytes go to one temporary file, in
 * blocks of 256 KiB: a large document is a list of blocks, and the ends of all documents are packed together, so a
 * thousand small sitemaps do not take a thousand blocks. Besides the budget there is one block in memory for each
 * writer that is open, the one that ends are packed into, and the few that wait to be written.
 *
 * A reference to a document keeps its spool alive. Once there is none left, the file is closed.
 */

import type { DocumentOptions } from '../../parse/opening/opening.ts';
import type {
  Closes,
  HeldDocuments,
  KeptDocument,
  KeptFacts,
  SharedSource,
  TruncatedBy,
} from '../kept-document.ts';
import { BLOCK_BYTES, type Extent, SpoolBlocks, type SpoolOptions } from './spool-blocks.ts';

// A tree that is dropped without being closed has no use for them any more; its documents may have others.
const abandoned = new FinalizationRegistry<WeakRef<SpoolBlocks>>((blocks) => blocks.deref()?.disown());

/**
 * The documents of one tree: its own, and those of archives and spools of other trees that it shows. A tree that was made
 * with the help of an earlier one keeps these open, and may outlive it.
 *
 * @example
 * ```ts
 * const spool = new Spool({ memoryBytes: 32 * 1024 * 1024 });
 * const writer = spool.writer();
 * for await (const chunk of body) await writer.write(chunk);
 * const document = writer.end();
 * ```
 */
export class Spool implements HeldDocuments {
  readonly #blocks: SpoolBlocks;
  readonly #responses = new Map<string | undefined, KeptDocument>();
  readonly #uses = new Map<SharedSource, Closes>();
  #isClosed = false;

  constructor(options: SpoolOptions) {
    this.#blocks = new SpoolBlocks(options);
    abandoned.register(this, new WeakRef(this.#blocks), this);
  }

  /**
   * Starts a document; several may be written at the same time.
   *
   * @param head - of its response, which is kept in front of it
   */
  writer(head?: Uint8Array): SpoolWriter {
    return new SpoolWriter(this.#blocks, head);
  }

  get responses(): Iterable<KeptDocument> {
    return this.#responses.values();
  }

  /**
   * Takes a response that no sitemap shows, so that an archive has it: a redirect, a failure, what is not a sitemap. The
   * last one of a URL counts.
   */
  addResponse(response: KeptDocument): void {
    this.#responses.set(response.options.url, response);
  }

  /** Keeps an archive or another tree's spool open as long as this one. */
  use(source: SharedSource): void {
    if (!this.#isClosed && !this.#uses.has(source)) this.#uses.set(source, source.use());
  }

  /**
   * Releases the file and the memory; reading a document afterwards throws, with code `tree-closed`. While another tree
   * uses documents of it, only the memory: they are read from the file.
   */
  close(): void {
    this.#isClosed = true;
    abandoned.unregister(this);
    this.#blocks.closeOwner();
    for (const use of this.#uses.values()) use.close();
    this.#uses.clear();
  }
}

/** What is known of a document that came from nowhere. */
const NO_FACTS: KeptFacts = {
  options: { url: undefined, charset: undefined },
  requestedAt: undefined,
  truncatedBy: undefined,
};

const NO_BYTES = new Uint8Array(0);

export class SpoolWriter {
  readonly #blocks: SpoolBlocks;
  readonly #headBytes: number;
  #extents: Extent[] = [];
  #tail = NO_BYTES;
  #used = 0;
  #isOver = false;

  constructor(blocks: SpoolBlocks, head: Uint8Array = NO_BYTES) {
    this.#blocks = blocks;
    this.#headBytes = head.length;
    // What has to be waited for is waited for with the first chunk.
    void this.write(head);
  }

  get length(): number {
    return this.#extents.length * BLOCK_BYTES + this.#used;
  }

  /** Copies the chunk. Wait for what it returns, or memory may grow faster than the disk can take it. */
  write(chunk: Uint8Array): undefined | Promise<void> {
    this.#checkWritable();
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + BLOCK_BYTES - this.#used);
      this.#makeRoom(this.#used + piece.length);
      this.#tail.set(piece, this.#used);
      this.#used += piece.length;
      at += piece.length;
      if (this.#used === BLOCK_BYTES) this.#keepTail();
    }
    return this.#blocks.backpressure();
  }

  /** Drops what was written, for good; after {@link end} it does nothing. */
  discard(): void {
    if (!this.#isOver) this.#blocks.release(this.#extents);
    this.#over();
  }

  /** Ends the document; it can be read from now on, even while parts of it still wait to be written. */
  end(facts: KeptFacts = NO_FACTS): KeptDocument {
    this.#checkWritable();
    const sizes = { head: this.#headBytes, all: this.length };
    const extents = this.#blocks.keep(this.#extents, this.#tail.subarray(0, this.#used));
    this.#over();
    return new SpooledDocument(this.#blocks, extents, sizes, facts);
  }

  #over(): void {
    this.#isOver = true;
    this.#extents = [];
    this.#blocks.giveBack(this.#tail);
    this.#tail = NO_BYTES;
    this.#used = 0;
  }

  #checkWritable(): void {
    this.#blocks.checkOpen();
    if (this.#isOver) throw new TypeError('The document has ended; ask the spool for another writer.');
  }

  #keepTail(): void {
    this.#blocks.hold(this.#extents, this.#tail);
    this.#tail = NO_BYTES;
    this.#used = 0;
  }

  // Most documents are small: a whole block for each that is open would be too much to begin with.
  #makeRoom(length: number): void {
    if (length <= this.#tail.length) return;
    const needsBlock = this.#extents.length > 0 || length * 2 >= BLOCK_BYTES;
    const grown = needsBlock ? this.#blocks.room() : new Uint8Array(Math.max(4096, length * 2));
    grown.set(this.#tail.subarray(0, this.#used));
    this.#tail = grown;
  }
}

/** A document in blocks: the head of its response, then its body. */
class SpooledDocument implements KeptDocument {
  readonly options: DocumentOptions;
  readonly requestedAt: number | undefined;
  readonly truncatedBy: TruncatedBy | undefined;
  readonly storedBytes: number;
  readonly #blocks: SpoolBlocks;
  readonly #extents: readonly Extent[];
  readonly #headBytes: number;

  constructor(
    blocks: SpoolBlocks,
    extents: readonly Extent[],
    sizes: { readonly head: number; readonly all: number },
    facts: KeptFacts,
  ) {
    this.options = facts.options;
    this.requestedAt = facts.requestedAt;
    this.truncatedBy = facts.truncatedBy;
    this.storedBytes = sizes.all;
    this.#blocks = blocks;
    this.#extents = extents;
    this.#headBytes = sizes.head;
  }

  get bytes(): number {
    return this.storedBytes - this.#headBytes;
  }

  /** Other trees may show it too: they use this, and the spool is open as long. */
  get shared(): SharedSource {
    return this.#blocks;
  }

  async head(): Promise<string> {
    this.#blocks.checkOpen();
    const bytes = Buffer.alloc(this.#headBytes);
    let at = 0;
    for (const extent of this.#extents) {
      const part = { ...extent, length: Math.min(extent.length, bytes.length - at) };
      if (part.length === 0) break;
      const room = bytes.subarray(at, at + part.length);
      const read = await this.#blocks.read(part, () => room);
      if (read !== room) room.set(read);
      at += part.length;
    }
    return bytes.toString('latin1');
  }

  *chunks(): Generator<Uint8Array, void, undefined> {
    this.#blocks.checkOpen();
    const into = roomForOne();
    for (const extent of this.#body()) yield this.#blocks.readSync(extent, into);
  }

  async *chunksAsync(): AsyncGenerator<Uint8Array, void, undefined> {
    this.#blocks.checkOpen();
    const into = roomForOne();
    for (const extent of this.#body()) yield await this.#blocks.read(extent, into);
  }

  *#body(): Generator<Extent, void, undefined> {
    let head = this.#headBytes;
    for (const { block, start, length } of this.#extents) {
      if (head < length) yield { block, start: start + head, length: length - head };
      head = Math.max(0, head - length);
    }
  }
}

/** The same bytes each time, made when they are first needed. */
function roomForOne(): () => Uint8Array {
  let bytes: Uint8Array | undefined;
  return () => {
    bytes ??= new Uint8Array(BLOCK_BYTES);
    return bytes;
  };
}
