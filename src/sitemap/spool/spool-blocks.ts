/**
 * The blocks of a spool: in memory up to a budget, past it in the spool's file.
 *
 * A block that goes to the file stays readable from memory until it is safe there, so documents can be read at any
 * moment, and a disk that fails costs memory but no data.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Closes, type SharedSource, treeClosed, Users } from '../closeable.ts';
import { BLOCK_BYTES, SpoolFile } from './spool-file.ts';

interface Block {
  /** There until the block is safe in the file; for good where it never goes there. */
  bytes: Uint8Array<ArrayBuffer> | undefined;
  /** In the file; -1 for a block of memory. */
  position: number;
  /** Whether a reader may still look at the bytes. */
  isLent: boolean;
}

export interface Extent {
  readonly block: Block;
  readonly start: number;
  readonly length: number;
}

/** A block that the ends of documents are packed into: for the file, or for good in memory. */
class Pack {
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

  get left(): number {
    return this.#bytes.length - this.#used;
  }

  add(bytes: Uint8Array): Extent {
    const start = this.#used;
    const length = Math.min(bytes.length, this.left);
    this.#bytes.set(bytes.subarray(0, length), start);
    this.#used += length;
    return { block: this.block, start, length };
  }
}

/** The memory that spools may use before they use their files: of one tree, or of all trees of a process together. */
export interface SpoolMemory {
  /** Bytes, when nothing is used. */
  readonly total: number;
  /** Bytes that are left; negative where a spool has no file and must use more. */
  left: number;
}

export interface SpoolOptions {
  /** Bytes of documents that stay in memory before the file is used; or the memory that several spools share. */
  readonly memoryBytes: number | SpoolMemory;
  /** Where the file is made. @default the system's directory for temporary files */
  readonly directory?: string | undefined;
  /** Called once if the file cannot be made or written, and everything stays in memory. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Short ends that stay in memory are packed too, since a buffer for each takes more than the bytes of a small sitemap.
 * Each pack is twice as large as the one before, from the longest end that is packed to the largest pack.
 */
const SHORT_BYTES = 8 * 1024;
const MOST_PACK_BYTES = 64 * 1024;

/** With more blocks than this waiting to be written, writers are asked to wait too. */
const MAX_WAITING = 4;

/** The part of the budget that one document may have. */
const SHARE_OF_ONE = 1 / 32;

/** How many empty blocks are kept to be filled again. */
const MAX_SPARE = 8;

// Nothing that a file refers to may refer to its blocks, or they would never be collected.
const abandoned = new FinalizationRegistry<SpoolFile>((file) => file.close());

/** All blocks of one tree; open as long as any tree uses documents in them. */
export class SpoolBlocks implements SharedSource {
  readonly #directory: string | undefined;
  readonly #onWarning: (message: string) => void;
  /** The blocks that have bytes, to release them on {@link close} even while nodes are still referenced. */
  readonly #inMemory = new Set<Block>();
  readonly #memory: SpoolMemory;
  readonly #users = new Users(() => this.#close());
  /** The use of the tree that they were made for. */
  readonly #owner: Closes = this.#users.add();
  /** The bytes of the documents that ended. */
  heldBytes = 0;
  #taken = 0;
  readonly #shareOfOne: number;
  #file: SpoolFile | undefined;
  #isBroken = false;
  #isClosed = false;
  /** Whether all of them go to the file, since their own tree is closed. */
  #hasLeftMemory = false;
  #pack: Pack | undefined;
  #memoryPack: Pack | undefined;
  /**
   * Bytes of blocks that are safe in the file, to be filled again: new ones for each are 400 MiB for 52 full sitemaps.
   */
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];

  constructor(options: SpoolOptions) {
    const { memoryBytes } = options;
    this.#memory = typeof memoryBytes === 'number' ? { total: memoryBytes, left: memoryBytes } : memoryBytes;
    this.#shareOfOne = this.#memory.total * SHARE_OF_ONE;
    this.#directory = options.directory;
    this.#onWarning = options.onWarning ?? (() => {});
  }

  addHeld(bytes: number): void {
    this.heldBytes += bytes;
  }

  use(): Closes {
    this.checkOpen();
    return this.#users.add();
  }

  /** The tree that they were made for needs them no more: they are released, or leave memory where others use them. */
  closeOwner(): void {
    this.#owner.close();
    if (!this.#isClosed && !this.#hasLeftMemory) this.#leaveMemory();
  }

  /** The same where that tree was never closed, and is gone. What nothing uses goes with the last document of it. */
  disown(): void {
    if (this.#users.count > 1) this.closeOwner();
  }

  // Memory is for trees that are open: the number of those before them would otherwise not limit it.
  #leaveMemory(): void {
    const file = this.#openFile();
    if (file === undefined) return;
    this.#hasLeftMemory = true;
    this.#pack = undefined;
    this.#memoryPack = undefined;
    this.#spare.length = 0;
    this.#giveMemoryBack(this.#taken);
    // Several small ones to a place: each is as large as the largest.
    let [place, used] = [0, BLOCK_BYTES];
    for (const block of this.#inMemory) {
      const { length } = block.bytes ?? { length: 0 };
      if (block.position >= 0 || length === 0) continue;
      if (used + length > BLOCK_BYTES) [place, used] = [file.reserve(), 0];
      this.#write(block, file, place + used);
      used += length;
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    abandoned.unregister(this);
    this.#file?.close();
    this.#giveMemoryBack(this.#taken);
    this.#pack = undefined;
    this.#memoryPack = undefined;
    this.#spare.length = 0;
    for (const block of this.#inMemory) block.bytes = undefined;
    this.#inMemory.clear();
  }

  checkOpen(): void {
    if (this.#isClosed) throw treeClosed();
  }

  /** Room for one block, with anything in it. */
  room(): Uint8Array<ArrayBuffer> {
    return this.#spare.pop() ?? new Uint8Array(BLOCK_BYTES);
  }

  /** Takes back room that is not needed. */
  giveBack(bytes: Uint8Array<ArrayBuffer>): void {
    if (
      bytes.length === BLOCK_BYTES &&
      !this.#isClosed &&
      !this.#hasLeftMemory &&
      this.#spare.length < MAX_SPARE
    )
      this.#spare.push(bytes);
  }

  /**
   * Whether a document of this length goes to the file: memory is for small ones, of which a site may have thousands.
   */
  isLarge(length: number): boolean {
    return length > this.#shareOfOne;
  }

  /** Takes over a full block: the bytes are the caller's no more. */
  keepBlock(bytes: Uint8Array<ArrayBuffer>, isOfLarge: boolean): Extent {
    const isInMemory = this.#fits(bytes.length, isOfLarge);
    const block = this.#newBlock(bytes);
    if (!isInMemory) this.#save(block);
    return { block, start: 0, length: bytes.length };
  }

  /** Moves the blocks of a document that turned out to be large. */
  moveToFile(extents: readonly Extent[]): void {
    if (this.#openFile() === undefined) return;
    for (const { block, length } of extents) {
      if (block.position >= 0) continue;
      this.#giveMemoryBack(length);
      this.#save(block);
    }
  }

  /** Keeps a copy of a document's last bytes, less than a block. */
  keepEnd(bytes: Uint8Array, isOfLarge: boolean): Extent[] {
    if (this.#fits(bytes.length, isOfLarge)) return this.#keepInMemory(bytes);
    const extents: Extent[] = [];
    for (let at = 0; at < bytes.length; ) {
      const pack = this.#openPack();
      const extent = pack.add(bytes.subarray(at));
      extents.push(extent);
      at += extent.length;
      if (pack.left === 0) {
        this.#pack = undefined;
        this.#save(pack.block);
      }
    }
    return extents;
  }

  #keepInMemory(bytes: Uint8Array): Extent[] {
    const { length } = bytes;
    if (length > SHORT_BYTES) return [{ block: this.#newBlock(bytes.slice()), start: 0, length }];
    const last = this.#memoryPack;
    const size = last === undefined ? SHORT_BYTES : Math.min(2 * last.size, MOST_PACK_BYTES);
    const hasRoom = last !== undefined && length <= last.left;
    const pack = hasRoom ? last : this.#newPack(new Uint8Array(size));
    this.#memoryPack = pack;
    return [pack.add(bytes)];
  }

  /** Gives back the full blocks of a document that never ended. */
  release(extents: readonly Extent[]): void {
    for (const { block, length } of extents) {
      if (block.position >= 0) this.#file?.release(block.position);
      else this.#giveMemoryBack(length);
      this.#inMemory.delete(block);
    }
  }

  /** Something to wait for where the file is slower than what is written. */
  backpressure(): Promise<void> | undefined {
    return this.#file !== undefined && this.#file.waitingWrites > MAX_WAITING ? this.#file.idle : undefined;
  }

  /** The bytes of an extent: where they are in memory, or read into the given ones. */
  readSync({ block, start, length }: Extent, into: () => Uint8Array): Uint8Array {
    this.checkOpen();
    const inMemory = lent(block, start, length);
    if (inMemory !== undefined) return inMemory;
    const bytes = into().subarray(0, length);
    this.#fileOf(block).readSync(bytes, block.position + start);
    return bytes;
  }

  async read({ block, start, length }: Extent, into: () => Uint8Array): Promise<Uint8Array> {
    this.checkOpen();
    const inMemory = lent(block, start, length);
    // Memory has nothing to wait for, but a walk over all of it must not keep a server from its sockets.
    if (inMemory !== undefined) {
      await nextTurn();
      this.checkOpen();
      return inMemory;
    }
    const bytes = into().subarray(0, length);
    await this.#fileOf(block).read(bytes, block.position + start);
    this.checkOpen();
    return bytes;
  }

  #newBlock(bytes: Uint8Array<ArrayBuffer>): Block {
    const block: Block = { bytes, position: -1, isLent: false };
    this.#inMemory.add(block);
    return block;
  }

  // Once the file failed, memory is all there is, and the budget means nothing any more.
  #fits(length: number, isOfLarge: boolean): boolean {
    if ((isOfLarge || this.#memory.left < length) && this.#openFile() !== undefined) return false;
    this.#taken += length;
    this.#memory.left -= length;
    return true;
  }

  // After close() all of it is given back already.
  #giveMemoryBack(bytes: number): void {
    const own = Math.min(bytes, this.#taken);
    this.#taken -= own;
    this.#memory.left += own;
  }

  #openPack(): Pack {
    this.#pack ??= this.#newPack(this.room());
    return this.#pack;
  }

  #newPack(bytes: Uint8Array<ArrayBuffer>): Pack {
    return new Pack(this.#newBlock(bytes), bytes);
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
    if (file !== undefined) this.#write(block, file, file.reserve());
  }

  #write(block: Block, file: SpoolFile, position: number): void {
    if (block.bytes === undefined) return;
    block.position = position;
    file.write(block.bytes, position).then(
      () => {
        if (block.bytes !== undefined && !block.isLent) this.giveBack(block.bytes);
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
      `The spool file could not be ${what}, so all documents stay in memory (${why}). The option ` +
        'spoolDirectory names another place for it.',
    );
  }
}

function lent(block: Block, start: number, length: number): Uint8Array | undefined {
  block.isLent ||= block.bytes !== undefined;
  return block.bytes?.subarray(start, start + length);
}
