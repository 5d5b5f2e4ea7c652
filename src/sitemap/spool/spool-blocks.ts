/**
 * The blocks of a spool: in memory up to a budget, past it in the spool's file.
 *
 * A block that goes to the file stays readable from memory until it is safe there, so documents can be read at any
 * moment, and a disk that fails costs memory but no data.
 */
import { randomUUID } from 'node:crypto';
import { openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SitemapException } from '../../errors.ts';
import { inTurn } from '../../runtime/time.ts';
import { type Closes, type SharedSource, treeClosed, Users } from '../kept-document.ts';
import { OpenFile, ownedFile } from './open-file.ts';

/** Bytes are written in blocks of this size, so that a block that is released fits the next document. */
export const BLOCK_BYTES: number = 256 * 1024;

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

/** A block that the ends of documents are packed into. */
interface Pack {
  readonly block: Block;
  readonly bytes: Uint8Array;
  used: number;
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
 * The sizes of packs that stay in memory, where a buffer for each end takes more than the bytes of a small sitemap. Each
 * is twice as large as the one before.
 */
const MEMORY_PACK_BYTES = { first: 8 * 1024, most: 64 * 1024 } as const;

/** With more blocks than this waiting to be written, writers are asked to wait too. */
const MAX_WAITING = 4;

/** The part of the budget that one document may have. */
const SHARE_OF_ONE = 1 / 32;

/** How many empty blocks are kept to be filled again. */
const MAX_SPARE = 8;

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
  /** The bytes that they take of the memory. */
  #taken = 0;
  #file: SpoolFile | undefined;
  #isBroken = false;
  #isClosed = false;
  /** Whether all of them go to the file, since their own tree is closed. */
  #hasLeftMemory = false;
  readonly #packs: { memory: Pack | undefined; file: Pack | undefined } = {
    memory: undefined,
    file: undefined,
  };
  /**
   * Bytes of blocks that are safe in the file, to be filled again: new ones for each are 400 MiB for 52 full sitemaps.
   */
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];

  constructor({ memoryBytes, directory, onWarning = () => {} }: SpoolOptions) {
    this.#memory = typeof memoryBytes === 'number' ? { total: memoryBytes, left: memoryBytes } : memoryBytes;
    this.#directory = directory;
    this.#onWarning = onWarning;
  }

  use(): Closes {
    this.checkOpen();
    return this.#users.add();
  }

  /** The tree that they were made for needs them no more: they are released, or leave memory where others use them. */
  closeOwner(): void {
    this.#owner.close();
    // Memory is for trees that are open: the number of those before them would otherwise not limit it.
    if (this.#isClosed || this.#hasLeftMemory || this.#openFile() === undefined) return;
    this.#hasLeftMemory = true;
    this.#giveMemoryBack();
    for (const block of this.#inMemory) this.#save(block);
  }

  /** The same where that tree was never closed, and is gone. What nothing uses goes with the last document of it. */
  disown(): void {
    if (this.#users.count > 1) this.closeOwner();
  }

  #close(): void {
    this.#isClosed = true;
    this.#file?.close();
    this.#giveMemoryBack();
    for (const block of this.#inMemory) block.bytes = undefined;
    this.#inMemory.clear();
  }

  #giveMemoryBack(): void {
    this.#memory.left += this.#taken;
    this.#taken = 0;
    this.#packs.memory = undefined;
    this.#packs.file = undefined;
    this.#spare.length = 0;
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
    const isNeeded = !this.#isClosed && !this.#hasLeftMemory && this.#spare.length < MAX_SPARE;
    if (isNeeded && bytes.length === BLOCK_BYTES) this.#spare.push(bytes);
  }

  /**
   * Whether a document of this length goes to the file: memory is for small ones, of which a site may have thousands.
   */
  #isLarge(length: number): boolean {
    return length > this.#memory.total * SHARE_OF_ONE;
  }

  /**
   * Takes over another full block of a document that has not ended: the bytes are the caller's no more. Once there is too
   * much of the document, or of all documents, its blocks go to the file.
   */
  hold(full: Extent[], bytes: Uint8Array<ArrayBuffer>): void {
    full.push({ block: this.#newBlock(bytes), start: 0, length: bytes.length });
    this.#charge(bytes.length);
    if (this.#isLarge(full.length * BLOCK_BYTES) || this.#memory.left < 0) this.#moveToFile(full);
  }

  #moveToFile(full: readonly Extent[]): void {
    if (this.#openFile() === undefined) return;
    for (const { block, length } of full) {
      if (block.position >= 0) continue;
      this.#charge(-length);
      this.#save(block);
    }
  }

  /**
   * Keeps a document that has ended, in memory or in the file.
   *
   * @param full - its full blocks
   * @param end - its last bytes, less than a block, which are copied
   */
  keep(full: readonly Extent[], end: Uint8Array): Extent[] {
    const length = full.length * BLOCK_BYTES + end.length;
    this.heldBytes += length;
    const isToFile = this.#isLarge(length) || this.#memory.left < end.length;
    // Once the file failed, memory is all there is, and the budget means nothing any more.
    if (isToFile && this.#openFile() !== undefined) {
      this.#moveToFile(full);
      return [...full, ...this.#packed(end, 'file')];
    }
    this.#charge(end.length);
    return [...full, ...this.#packed(end, 'memory')];
  }

  /** Takes memory of the budget, or gives some back, where it was not all given back already. */
  #charge(bytes: number): void {
    const own = Math.max(bytes, -this.#taken);
    this.#taken += own;
    this.#memory.left -= own;
  }

  #packed(end: Uint8Array, place: 'memory' | 'file'): Extent[] {
    const extents: Extent[] = [];
    for (let at = 0; at < end.length; ) {
      let pack = this.#packs[place];
      if (pack === undefined || pack.used === pack.bytes.length) {
        const bytes = place === 'file' ? this.room() : new Uint8Array(this.#memoryPackSize(end.length - at));
        pack = { block: this.#newBlock(bytes), bytes, used: 0 };
        this.#packs[place] = pack;
      }
      const part = end.subarray(at, at + pack.bytes.length - pack.used);
      pack.bytes.set(part, pack.used);
      extents.push({ block: pack.block, start: pack.used, length: part.length });
      pack.used += part.length;
      at += part.length;
      if (place === 'file' && pack.used === pack.bytes.length) this.#save(pack.block);
    }
    return extents;
  }

  #memoryPackSize(needed: number): number {
    const { first, most } = MEMORY_PACK_BYTES;
    const before = this.#packs.memory?.bytes.length;
    return Math.max(needed, before === undefined ? first : Math.min(2 * before, most));
  }

  /** Gives back the full blocks of a document that never ended. */
  release(extents: readonly Extent[]): void {
    for (const { block, length } of extents) {
      if (block.position >= 0) this.#file?.release(block.position);
      else this.#charge(-length);
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
    this.#file!.readSync(bytes, block.position + start);
    return bytes;
  }

  async read({ block, start, length }: Extent, into: () => Uint8Array): Promise<Uint8Array> {
    this.checkOpen();
    let bytes = lent(block, start, length);
    if (bytes === undefined) {
      bytes = into().subarray(0, length);
      await this.#file!.read(bytes, block.position + start);
      // Memory has nothing to wait for, but a walk over all of it must not keep a server from its sockets.
    } else await nextTurn();
    this.checkOpen();
    return bytes;
  }

  #newBlock(bytes: Uint8Array<ArrayBuffer>): Block {
    const block: Block = { bytes, position: -1, isLent: false };
    this.#inMemory.add(block);
    return block;
  }

  #openFile(): SpoolFile | undefined {
    if (this.#file === undefined && !this.#isBroken) {
      try {
        this.#file = ownedFile(this, SpoolFile.open(this.#directory));
      } catch (cause) {
        this.#failed('made', cause);
      }
    }
    return this.#isBroken ? undefined : this.#file;
  }

  #save(block: Block): void {
    const file = this.#openFile();
    if (file === undefined || block.bytes === undefined || block.position >= 0) return;
    block.position = file.reserve(block.bytes.length);
    file.write(block.bytes, block.position).then(
      () => {
        if (block.bytes !== undefined && !block.isLent) this.giveBack(block.bytes);
        block.bytes = undefined;
        this.#inMemory.delete(block);
      },
      (cause: unknown) => this.#failed('written', cause),
    );
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

/**
 * The one temporary file of a spool: blocks are written to it in turn and read from it anywhere.
 *
 * The file loses its name as soon as it is open, so nothing is left behind by a crash or a `kill -9`: the system frees
 * it with the last descriptor. Where an open file cannot be unlinked (Windows), it is removed on close and at exit.
 */
class SpoolFile {
  readonly #file: OpenFile;
  readonly #free: number[] = [];
  #end = 0;
  readonly #inTurn = inTurn();
  waitingWrites = 0;

  private constructor(file: OpenFile) {
    this.#file = file;
  }

  static open(directory: string = tmpdir()): SpoolFile {
    const path = join(directory, `ultimate-sitemap-parser-${process.pid}-${randomUUID()}.spool`);
    // `wx`: never a file or link that exists. The mode: what a private site lists is private.
    const fd = openSync(path, 'wx+', 0o600);
    try {
      unlinkSync(path);
      return new SpoolFile(new OpenFile(fd));
    } catch {
      removeAtExit(path);
      return new SpoolFile(new OpenFile(fd, () => removeNow(path)));
    }
  }

  /** Resolves once everything that waits now is written; never rejects. */
  get idle(): Promise<void> {
    return this.#inTurn(async () => {});
  }

  /** A place for some bytes: for a block one that was released, where there is one. */
  reserve(length: number): number {
    const released = length === BLOCK_BYTES ? this.#free.pop() : undefined;
    if (released !== undefined) return released;
    this.#end += length;
    return this.#end - length;
  }

  /** Gives the place of a block back. Writes happen in turn, so one that still waits cannot hit the next block. */
  release(position: number): void {
    this.#free.push(position);
  }

  /** Writes after all writes before it. The bytes must not change until then. */
  write(bytes: Uint8Array, position: number): Promise<void> {
    this.waitingWrites++;
    return this.#inTurn(() => this.#file.write(bytes, position)).finally(() => {
      this.waitingWrites--;
    });
  }

  async read(bytes: Uint8Array, position: number): Promise<void> {
    if (!(await this.#file.read(bytes, position))) throw endedEarly();
  }

  readSync(bytes: Uint8Array, position: number): void {
    if (!this.#file.readSync(bytes, position)) throw endedEarly();
  }

  close(): void {
    this.#file.close();
  }
}

function endedEarly(): SitemapException {
  return new SitemapException('The spool file is shorter than what was written to it.', {
    code: 'spool-unreadable',
  });
}

const leftToRemove = new Set<string>();

function removeAtExit(path: string): void {
  if (leftToRemove.size === 0) process.once('exit', removeAll);
  leftToRemove.add(path);
}

function removeAll(): void {
  for (const path of leftToRemove) removeNow(path);
}

function removeNow(path: string): void {
  try {
    unlinkSync(path);
    leftToRemove.delete(path);
    if (leftToRemove.size === 0) process.removeListener('exit', removeAll);
  } catch {
    // Still open somewhere: the next attempt is at exit, and after that the system's own cleaning.
  }
}
