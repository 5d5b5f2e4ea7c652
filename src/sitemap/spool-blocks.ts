/**
 * The blocks of a spool: in memory up to a budget, past it in the spool's file.
 *
 * A block that goes to the file stays readable from memory until it is safe there, so documents can be read at any
 * moment, and a disk that fails costs memory but no data.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SitemapException } from '../errors.ts';
import { BLOCK_BYTES, SpoolFile } from './spool-file.ts';

/** What a spool may use. */
export interface SpoolOptions {
  /** Bytes of documents that stay in memory before the file is used. */
  readonly memoryBytes: number;
  /** Where the file is made. @default the system's directory for temporary files */
  readonly directory?: string | undefined;
  /** Told once if the file cannot be made or written, and everything stays in memory. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A piece of memory, or the place in the file that it went to. */
interface Block {
  /** There until the block is safe in the file; for good where it never goes there. */
  bytes: Uint8Array | undefined;
  /** In the file; -1 for a block of memory. */
  position: number;
}

/** A run of a document's bytes inside one block. */
export interface Extent {
  readonly block: Block;
  readonly start: number;
  readonly length: number;
}

/** The block that the ends of documents are packed into. */
interface Pack {
  readonly block: Block;
  readonly bytes: Uint8Array;
  used: number;
}

/** Past so many blocks that wait to be written, writers are asked to wait too. */
const MAX_WAITING = 4;

// Nothing that a file refers to may refer to its blocks, or they would never be collected.
const abandoned = new FinalizationRegistry<SpoolFile>((file) => file.close());

/** All blocks of one tree. */
export class SpoolBlocks {
  readonly #directory: string | undefined;
  readonly #onWarning: (message: string) => void;
  /** The blocks that have bytes, to let go of them on {@link close} however many nodes are still held. */
  readonly #inMemory = new Set<Block>();
  #memoryLeft: number;
  #file: SpoolFile | undefined;
  #isBroken = false;
  #isClosed = false;
  #pack: Pack | undefined;

  constructor(options: SpoolOptions) {
    this.#memoryLeft = options.memoryBytes;
    this.#directory = options.directory;
    this.#onWarning = options.onWarning ?? (() => {});
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    abandoned.unregister(this);
    this.#file?.close();
    this.#pack = undefined;
    for (const block of this.#inMemory) block.bytes = undefined;
    this.#inMemory.clear();
  }

  checkOpen(): void {
    if (!this.#isClosed) return;
    throw new SitemapException(
      'The tree is closed, and its pages cannot be read any more. Read them before close(), or before the block of its `using` ends.',
      { code: 'tree-closed' },
    );
  }

  /** Takes over a full block: the bytes are the caller's no more. */
  keepBlock(bytes: Uint8Array): Extent {
    const isInMemory = this.#fits(bytes.length);
    const block = this.#newBlock(bytes);
    if (!isInMemory) this.#save(block);
    return { block, start: 0, length: bytes.length };
  }

  /** Keeps a copy of a document's last bytes, less than a block. */
  keepEnd(bytes: Uint8Array): Extent[] {
    if (this.#fits(bytes.length)) {
      return [{ block: this.#newBlock(bytes.slice()), start: 0, length: bytes.length }];
    }
    const extents: Extent[] = [];
    for (let at = 0; at < bytes.length; ) {
      const pack = this.#openPack();
      const length = Math.min(bytes.length - at, BLOCK_BYTES - pack.used);
      pack.bytes.set(bytes.subarray(at, at + length), pack.used);
      extents.push({ block: pack.block, start: pack.used, length });
      pack.used += length;
      at += length;
      if (pack.used === BLOCK_BYTES) {
        this.#pack = undefined;
        this.#save(pack.block);
      }
    }
    return extents;
  }

  /** Gives back the full blocks of a document that never ended. */
  release(extents: readonly Extent[]): void {
    for (const { block, length } of extents) {
      if (block.position >= 0) this.#file?.release(block.position);
      else this.#memoryLeft += length;
      this.#inMemory.delete(block);
    }
  }

  /** Something to wait for where the file is slower than what is written. */
  backpressure(): Promise<void> | undefined {
    return this.#file !== undefined && this.#file.waitingWrites > MAX_WAITING ? this.#file.idle : undefined;
  }

  readSync({ block, start, length }: Extent): Uint8Array {
    this.checkOpen();
    const bytes = block.bytes?.subarray(start, start + length);
    return bytes ?? this.#fileOf(block).readSync(length, block.position + start);
  }

  async read({ block, start, length }: Extent): Promise<Uint8Array> {
    this.checkOpen();
    const bytes = block.bytes?.subarray(start, start + length);
    // Memory has nothing to wait for, but a walk over all of it must not keep a server from its sockets.
    if (bytes !== undefined) await nextTurn();
    const chunk = bytes ?? (await this.#fileOf(block).read(length, block.position + start));
    this.checkOpen();
    return chunk;
  }

  #newBlock(bytes: Uint8Array): Block {
    const block: Block = { bytes, position: -1 };
    this.#inMemory.add(block);
    return block;
  }

  // Once the file failed, memory is all there is, and the budget means nothing any more.
  #fits(length: number): boolean {
    if (this.#memoryLeft < length && this.#openFile() !== undefined) return false;
    this.#memoryLeft -= length;
    return true;
  }

  #openPack(): Pack {
    if (this.#pack === undefined) {
      const bytes = new Uint8Array(BLOCK_BYTES);
      this.#pack = { block: this.#newBlock(bytes), bytes, used: 0 };
    }
    return this.#pack;
  }

  #openFile(): SpoolFile | undefined {
    if (this.#file === undefined && !this.#isBroken) {
      try {
        this.#file = SpoolFile.open(this.#directory);
        abandoned.register(this, this.#file, this);
      } catch (cause) {
        this.#failed('made', cause);
      }
    }
    return this.#isBroken ? undefined : this.#file;
  }

  #save(block: Block): void {
    const file = this.#openFile();
    if (file === undefined || block.bytes === undefined) return;
    block.position = file.reserve();
    file.write(block.bytes, block.position).then(
      () => {
        block.bytes = undefined;
        this.#inMemory.delete(block);
      },
      (cause: unknown) => this.#failed('written', cause),
    );
  }

  #fileOf(block: Block): SpoolFile {
    if (this.#file !== undefined && block.position >= 0) return this.#file;
    throw new TypeError('A block is in memory or in the file.');
  }

  #failed(what: 'made' | 'written', cause: unknown): void {
    if (this.#isBroken || this.#isClosed) return;
    this.#isBroken = true;
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#onWarning(
      `The spool file could not be ${what}, so all documents stay in memory (${why}). The option spoolDirectory names another place for it.`,
    );
  }
}
