/**
 * The one temporary file of a spool: blocks are written to it in turn and read from it anywhere.
 *
 * The file loses its name as soon as it is open, so nothing is left behind by a crash or a `kill -9`: the system frees
 * it with the last descriptor. Where an open file cannot be unlinked (Windows), it is removed on close and at exit.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, read, readSync, unlinkSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { SitemapException } from '../../errors.ts';

/** Bytes are written in blocks of this size, so that a block that is released fits the next document. */
export const BLOCK_BYTES: number = 256 * 1024;

/** A nameless file of blocks. */
export class SpoolFile {
  readonly #fd: number;
  /** Where the file could not be unlinked while it is open. */
  readonly #path: string | undefined;
  readonly #free: number[] = [];
  #end = 0;
  #lastWrite: Promise<void> = Promise.resolve();
  #waitingWrites = 0;
  #inFlight = 0;
  #isClosed = false;

  private constructor(fd: number, path: string | undefined) {
    this.#fd = fd;
    this.#path = path;
  }

  /** Makes the file; throws what the file system says. */
  static open(directory: string = tmpdir()): SpoolFile {
    const path = join(directory, `ultimate-sitemap-parser-${process.pid}-${randomUUID()}.spool`);
    // `wx`: never a file or link that exists. The mode: what a private site lists is private.
    const fd = openSync(path, 'wx+', 0o600);
    try {
      unlinkSync(path);
      return new SpoolFile(fd, undefined);
    } catch {
      removeAtExit(path);
      return new SpoolFile(fd, path);
    }
  }

  /** How many blocks wait to be written. */
  get waitingWrites(): number {
    return this.#waitingWrites;
  }

  /** Resolves once everything that waits now is written; never rejects. */
  get idle(): Promise<void> {
    return this.#lastWrite;
  }

  /** A place for one block. */
  reserve(): number {
    const position = this.#free.pop() ?? this.#end;
    if (position === this.#end) this.#end += BLOCK_BYTES;
    return position;
  }

  /** Gives a place back. Writes happen in turn, so one that still waits cannot hit the next owner's block. */
  release(position: number): void {
    this.#free.push(position);
  }

  /** Writes after all writes before it. The bytes must not change until then. */
  write(bytes: Uint8Array, position: number): Promise<void> {
    this.#waitingWrites++;
    const written = this.#lastWrite
      .then(() => this.#using((fd) => writeAll(fd, bytes, position)))
      .finally(() => {
        this.#waitingWrites--;
      });
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  /** Fills the given bytes. */
  read(bytes: Uint8Array, position: number): Promise<void> {
    return this.#using((fd) => readAll(fd, bytes, position));
  }

  readSync(bytes: Uint8Array, position: number): void {
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(this.#fd, bytes, at, bytes.length - at, position + at);
      if (count === 0) throw endedEarly();
      at += count;
    }
  }

  /** Closes the file once nothing is in flight: a descriptor that is closed too early may already be another file's. */
  close(): void {
    this.#isClosed = true;
    if (this.#inFlight > 0) return;
    this.#inFlight = Number.POSITIVE_INFINITY;
    closeSync(this.#fd);
    if (this.#path !== undefined) removeNow(this.#path);
  }

  async #using<Result>(operation: (fd: number) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new SitemapException('The spool file is closed.', { code: 'tree-closed' });
    this.#inFlight++;
    try {
      return await operation(this.#fd);
    } finally {
      this.#inFlight--;
      if (this.#isClosed) this.close();
    }
  }
}

async function writeAll(fd: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += await new Promise<number>((resolve, reject) => {
      write(fd, bytes, at, bytes.length - at, position + at, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
  }
}

async function readAll(fd: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const count = await new Promise<number>((resolve, reject) => {
      read(fd, bytes, at, bytes.length - at, position + at, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
    if (count === 0) throw endedEarly();
    at += count;
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
