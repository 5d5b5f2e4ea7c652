/** Blocks of a spool, the parts of them that documents are in, and those that the ends of documents are packed into. */

/** A piece of memory, or the place in the file that it went to. */
export interface Block {
  /** There until the block is safe in the file; for good where it never goes there. */
  bytes: Uint8Array<ArrayBuffer> | undefined;
  /** In the file; -1 for a block of memory. */
  position: number;
  /** Whether a reader may still look at the bytes. */
  isLent: boolean;
}

/** A run of a document's bytes inside one block. */
export interface Extent {
  readonly block: Block;
  readonly start: number;
  readonly length: number;
}

/** A block that the ends of documents are packed into: for the file, or for good in memory. */
export class Pack {
  readonly block: Block;
  readonly #bytes: Uint8Array;
  #used = 0;

  /** @param bytes - those of the block, which is empty */
  constructor(block: Block, bytes: Uint8Array) {
    this.block = block;
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  /** How many bytes there is room for. */
  get left(): number {
    return this.#bytes.length - this.#used;
  }

  /** Copies as many of the bytes as there is room for. */
  add(bytes: Uint8Array): Extent {
    const start = this.#used;
    const length = Math.min(bytes.length, this.left);
    this.#bytes.set(bytes.subarray(0, length), start);
    this.#used += length;
    return { block: this.block, start, length };
  }
}
