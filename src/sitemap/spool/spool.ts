/**
 * Keeps documents, not pages: parsing a document again is cheaper than any serialisation of what is in it.
 *
 * A document is a list of blocks of 256 KiB, of which the last is as long as it has to be. Small documents stay in
 * memory up to a budget. Past it, and for large documents, blocks go to one temporary file; where that fails, they stay
 * in memory, with a warning. Besides the budget there is one block in memory for each writer that is open.
 *
 * A reference to a document keeps its spool alive. Once there is none left, the file is closed.
 */

import { randomUUID } from 'node:crypto';
import { openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentOptions } from '../../parse/detection/document-start.ts';
import { SitemapException } from '../../problems/errors.ts';
import {
  type Closes,
  type DocumentStore,
  type KeptDocument,
  type KeptFacts,
  type SharedSource,
  type TruncatedBy,
  treeClosed,
  Users,
} from '../kept-document.ts';
import { OpenFile, ownedFile } from './open-file.ts';

/** Bytes are written in blocks of this size, so that a block that is released fits the next document. */
const BLOCK_BYTES = 256 * 1024;

interface Block {
  /** Absent where it is in the file. */
  bytes: Uint8Array | undefined;
  position: number;
  readonly length: number;
}

/** The memory that spools may use before they use their files: of one tree, or of all trees of a process together. */
export interface SpoolMemory {
  /** Bytes, when nothing is used. */
  readonly total: number;
  /** Bytes that are left; negative where a spool has no file and must use more. */
  remaining: number;
}

interface SpoolOptions {
  /** Bytes of documents that stay in memory before the file is used; or the memory that several spools share. */
  readonly memoryBytes: number | SpoolMemory;
  /** Where the file is made. @default the system's directory for temporary files */
  readonly directory?: string | undefined;
  /** Called once if the file cannot be made or written, and everything stays in memory. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The part of the budget that one document may have: memory is for small ones, of which a site may have thousands. */
const SHARE_OF_ONE = 1 / 32;

/**
 * The documents of one tree: its own, and those of archives that it shows.
 *
 * @example
 * ```ts
 * const spool = new Spool({ memoryBytes: 32 * 1024 * 1024 });
 * const writer = spool.writer();
 * for await (const chunk of body) writer.write(chunk);
 * const document = writer.end();
 * ```
 */
export class Spool implements DocumentStore, SharedSource {
  readonly isArchive = false;
  readonly #memory: SpoolMemory;
  readonly #directory: string | undefined;
  readonly #onWarning: (message: string) => void;
  readonly #users: Users = new Users(() => this.#release());
  /** The use of the tree that it was made for. */
  readonly #owner: Closes = this.#users.add();
  readonly #archives = new Map<SharedSource, Closes>();
  readonly #responses = new Map<string | undefined, KeptDocument>();
  /** The blocks that have bytes, to release them on {@link close} even while nodes are still referenced. */
  readonly #inMemory = new Set<Block>();
  /** The bytes that they take of the memory. */
  #takenBytes = 0;
  #file: SpoolFile | undefined;
  #isBroken = false;
  #isOver = false;
  #isReleased = false;

  constructor({ memoryBytes, directory, onWarning = () => {} }: SpoolOptions) {
    this.#memory =
      typeof memoryBytes === 'number' ? { total: memoryBytes, remaining: memoryBytes } : memoryBytes;
    this.#directory = directory;
    this.#onWarning = onWarning;
  }

  /**
   * Starts a document; several may be written at the same time.
   *
   * @param head - of its response, which is kept in front of it
   */
  writer(head?: Uint8Array): SpoolWriter {
    return new SpoolWriter(this, head);
  }

  get responses(): Iterable<KeptDocument> {
    return this.#responses.values();
  }

  /**
   * Takes a response that no sitemap shows, so that an archive has it: a redirect, a failure, what is not a sitemap.
   * The last one of a URL counts.
   */
  addResponse(response: KeptDocument): void {
    this.#responses.set(response.options.url, response);
  }

  /** Keeps an archive open as long as this spool. */
  keepOpen(archive: SharedSource): void {
    if (!this.#isOver && !this.#archives.has(archive)) this.#archives.set(archive, archive.use());
  }

  use(): Closes {
    this.checkOpen();
    return this.#users.add();
  }

  /** Releases the file and the memory; reading a document afterwards throws, with code `tree-closed`. */
  close(): void {
    this.#isOver = true;
    this.#owner.close();
    for (const use of this.#archives.values()) use.close();
    this.#archives.clear();
  }

  checkOpen(): void {
    if (this.#isReleased) throw treeClosed();
  }

  #release(): void {
    this.#isReleased = true;
    this.#file?.close();
    this.#charge(-this.#takenBytes);
    for (const block of this.#inMemory) block.bytes = undefined;
    this.#inMemory.clear();
  }

  /**
   * Takes over another full block of a document that has not ended. Once there is too much of the document, or of all
   * documents, its blocks go to the file, and the bytes are the caller's again.
   */
  hold(full: Block[], bytes: Uint8Array): void {
    full.push(this.#inMemoryBlock(bytes));
    if (this.#isLarge(full.length * BLOCK_BYTES) || this.#memory.remaining < 0) this.#moveToFile(full);
  }

  /**
   * Keeps a document that has ended, in memory or in the file.
   *
   * @param full - its full blocks
   * @param end - its last bytes, less than a block, which are copied
   */
  keep(full: readonly Block[], end: Uint8Array): readonly Block[] {
    if (this.#isLarge(full.length * BLOCK_BYTES + end.length) || this.#memory.remaining < end.length) {
      this.#moveToFile(full);
      const position = this.#write(end);
      if (position !== undefined) return [...full, { bytes: undefined, position, length: end.length }];
    }
    // Node keeps small ones together in one buffer.
    return end.length === 0 ? full : [...full, this.#inMemoryBlock(Buffer.from(end))];
  }

  /** Gives back the blocks of a document that never ended. */
  discard(blocks: readonly Block[]): void {
    for (const block of blocks) {
      if (block.bytes === undefined) this.#file?.release(block.position);
      else this.#forget(block);
    }
  }

  /** The bytes of a part of a block: where they are in memory, or read into the given ones. */
  readSync({ block, start, length }: BlockRange, into: () => Uint8Array): Uint8Array {
    this.checkOpen();
    if (block.bytes !== undefined) return block.bytes.subarray(start, start + length);
    const bytes = into().subarray(0, length);
    this.#file!.readSync(bytes, block.position + start);
    return bytes;
  }

  async read({ block, start, length }: BlockRange, into: () => Uint8Array): Promise<Uint8Array> {
    this.checkOpen();
    let bytes = block.bytes?.subarray(start, start + length);
    if (bytes === undefined) {
      bytes = into().subarray(0, length);
      await this.#file!.read(bytes, block.position + start);
      // Memory has nothing to wait for, but a walk over all of it must not keep a server from its sockets.
    } else await nextTurn();
    this.checkOpen();
    return bytes;
  }

  #isLarge(length: number): boolean {
    return length > this.#memory.total * SHARE_OF_ONE;
  }

  #inMemoryBlock(bytes: Uint8Array): Block {
    const block = { bytes, position: -1, length: bytes.length };
    this.#inMemory.add(block);
    this.#charge(bytes.length);
    return block;
  }

  #moveToFile(blocks: readonly Block[]): void {
    for (const block of blocks) {
      const position = block.bytes === undefined ? undefined : this.#write(block.bytes);
      if (position === undefined) continue;
      block.position = position;
      block.bytes = undefined;
      this.#forget(block);
    }
  }

  #forget(block: Block): void {
    if (this.#inMemory.delete(block)) this.#charge(-block.length);
  }

  /** Takes memory of the budget, or gives some back. */
  #charge(bytes: number): void {
    this.#takenBytes += bytes;
    this.#memory.remaining -= bytes;
  }

  /** Writes bytes to the file; undefined where that failed: then memory is all there is, whatever the budget. */
  #write(bytes: Uint8Array): number | undefined {
    if (this.#isBroken) return undefined;
    let what = 'made';
    try {
      this.#file ??= ownedFile(this, SpoolFile.open(this.#directory));
      what = 'written';
      return this.#file.add(bytes);
    } catch (cause) {
      this.#isBroken = true;
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#onWarning(
        `The spool file could not be ${what}, so all documents stay in memory (${why}). The option ` +
          'spoolDirectory names another place for it.',
      );
      return undefined;
    }
  }
}

/** The facts of a document that was not fetched. */
const NO_FACTS: KeptFacts = {
  options: { url: undefined, charset: undefined },
  requestedAt: undefined,
  truncatedBy: undefined,
};

const NO_BYTES: Uint8Array = new Uint8Array(0);

export class SpoolWriter {
  readonly #spool: Spool;
  readonly #headBytes: number;
  #blocks: Block[] = [];
  #tail = NO_BYTES;
  #usedBytes = 0;
  #isOver = false;

  constructor(spool: Spool, head: Uint8Array = NO_BYTES) {
    this.#spool = spool;
    this.#headBytes = head.length;
    this.write(head);
  }

  get length(): number {
    return this.#blocks.length * BLOCK_BYTES + this.#usedBytes;
  }

  /** Copies the chunk. */
  write(chunk: Uint8Array): void {
    this.#checkWritable();
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + BLOCK_BYTES - this.#usedBytes);
      this.#makeRoom(this.#usedBytes + piece.length);
      this.#tail.set(piece, this.#usedBytes);
      this.#usedBytes += piece.length;
      at += piece.length;
      if (this.#usedBytes === BLOCK_BYTES) this.#keepTail();
    }
  }

  /** Drops what was written, for good; after {@link end} it does nothing. */
  discard(): void {
    if (!this.#isOver) this.#spool.discard(this.#blocks);
    this.#over();
  }

  /** Ends the document; it can be read from now on. */
  end(facts: KeptFacts = NO_FACTS): KeptDocument {
    this.#checkWritable();
    const sizes = { head: this.#headBytes, all: this.length };
    const blocks = this.#spool.keep(this.#blocks, this.#tail.subarray(0, this.#usedBytes));
    this.#over();
    return new SpooledDocument(this.#spool, blocks, sizes, facts);
  }

  #over(): void {
    this.#isOver = true;
    this.#blocks = [];
    this.#tail = NO_BYTES;
    this.#usedBytes = 0;
  }

  #checkWritable(): void {
    this.#spool.checkOpen();
    if (this.#isOver) throw new TypeError('The document has ended; ask the spool for another writer.');
  }

  #keepTail(): void {
    this.#spool.hold(this.#blocks, this.#tail);
    // Where it is in the file, the same room takes the next block.
    if (this.#blocks.at(-1)?.bytes !== undefined) this.#tail = NO_BYTES;
    this.#usedBytes = 0;
  }

  // Most documents are small: a whole block for each that is open would be too much to begin with.
  #makeRoom(length: number): void {
    if (length <= this.#tail.length) return;
    const needsBlock = this.#blocks.length > 0 || length * 2 >= BLOCK_BYTES;
    const grown = new Uint8Array(needsBlock ? BLOCK_BYTES : Math.max(4096, length * 2));
    grown.set(this.#tail.subarray(0, this.#usedBytes));
    this.#tail = grown;
  }
}

interface BlockRange {
  readonly block: Block;
  readonly start: number;
  readonly length: number;
}

/** A document in blocks: the head of its response, then its body. */
class SpooledDocument implements KeptDocument {
  readonly options: DocumentOptions;
  readonly requestedAt: number | undefined;
  readonly truncatedBy: TruncatedBy | undefined;
  readonly shared: Spool;
  readonly bytes: number;
  readonly #blocks: readonly Block[];
  readonly #headBytes: number;

  constructor(
    spool: Spool,
    blocks: readonly Block[],
    sizes: { readonly head: number; readonly all: number },
    facts: KeptFacts,
  ) {
    this.options = facts.options;
    this.requestedAt = facts.requestedAt;
    this.truncatedBy = facts.truncatedBy;
    this.shared = spool;
    this.bytes = sizes.all - sizes.head;
    this.#blocks = blocks;
    this.#headBytes = sizes.head;
  }

  async head(): Promise<string> {
    this.shared.checkOpen();
    const into = roomForOne();
    let text = '';
    for (const part of this.#ranges(0, this.#headBytes))
      text += Buffer.from(await this.shared.read(part, into)).toString('latin1');
    return text;
  }

  *chunks(): Generator<Uint8Array, void, undefined> {
    this.shared.checkOpen();
    const into = roomForOne();
    for (const part of this.#ranges(this.#headBytes)) yield this.shared.readSync(part, into);
  }

  async *chunksAsync(): AsyncGenerator<Uint8Array, void, undefined> {
    this.shared.checkOpen();
    const into = roomForOne();
    for (const part of this.#ranges(this.#headBytes)) yield await this.shared.read(part, into);
  }

  *#ranges(from: number, to: number = Number.POSITIVE_INFINITY): Generator<BlockRange, void, undefined> {
    let at = 0;
    for (const block of this.#blocks) {
      const start = Math.max(0, from - at);
      const length = Math.min(block.length, to - at) - start;
      if (length > 0) yield { block, start, length };
      at += block.length;
    }
  }
}

/** Returns equal bytes each time; they are made when they are first needed. */
function roomForOne(): () => Uint8Array {
  let bytes: Uint8Array | undefined;
  return () => {
    bytes ??= new Uint8Array(BLOCK_BYTES);
    return bytes;
  };
}

/**
 * The one temporary file of a spool: blocks are written at its end and read from it anywhere.
 *
 * The file loses its name as soon as it is open, so nothing is left behind by a crash or a `kill -9`: the system frees
 * it with the last descriptor. Where an open file cannot be unlinked (Windows), it is removed on close and at exit.
 */
class SpoolFile {
  readonly #file: OpenFile;
  readonly #free: number[] = [];
  #end = 0;

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

  /**
   * Writes bytes at the end, or where a block was released; returns where. It does not wait: the system takes a block
   * into its cache in less time than a thread would need to be asked for it.
   */
  add(bytes: Uint8Array): number {
    const position = (bytes.length === BLOCK_BYTES ? this.#free.pop() : undefined) ?? this.#end;
    this.#file.writeSync(bytes, position);
    this.#end = Math.max(this.#end, position + bytes.length);
    return position;
  }

  /** Gives the place of a block back. */
  release(position: number): void {
    this.#free.push(position);
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
