/**
 * The one temporary file of a spool: blocks are written at its end and read from it anywhere.
 *
 * The file loses its name as soon as it is open, so nothing is left behind by a crash or a `kill -9`: the system frees
 * it with the last descriptor. Where an open file cannot be unlinked (Windows), it is removed on close and at exit.
 */
import { randomUUID } from 'node:crypto';
import { openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { SitemapException } from '../../errors.ts';
import { OpenFile } from './open-file.ts';

/** Bytes are written in blocks of this size, so that a block that is released fits the next document. */
export const BLOCK_BYTES: number = 256 * 1024;

export class SpoolFile {
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
