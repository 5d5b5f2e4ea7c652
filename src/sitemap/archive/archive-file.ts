/**
 * An archive that is open for reading: one descriptor, counted by its users. A tree that was made with the help of
 * another one may outlive it, and still read its documents.
 */
import { close, closeSync, fstatSync, openSync, read, readSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type Closes, treeClosed } from '../closeable.ts';
import { type SharedSource, Users } from '../shared-source.ts';

// Nothing that a descriptor refers to may refer to its file, or it would never be collected.
const abandoned = new FinalizationRegistry<Descriptor>((descriptor) => descriptor.close());

/** The most bytes that are read at once for a checksum. */
const CHECKED_BYTES = 2 * 1024 * 1024;

/** A file that is read anywhere. */
export class ArchiveFile implements SharedSource {
  readonly name: string;
  readonly size: number;
  readonly #descriptor: Descriptor;
  readonly #users: Users = new Users(() => this.#close());
  /** The checksum that was asked for last. */
  #lastChecksum: Promise<unknown> = Promise.resolve();
  #room: Uint8Array | undefined;

  private constructor(name: string, size: number, descriptor: Descriptor) {
    this.name = name;
    this.size = size;
    this.#descriptor = descriptor;
    abandoned.register(this, descriptor, this);
  }

  /** Opens a file; throws what the file system says. */
  static async open(name: string): Promise<ArchiveFile> {
    const found = await stat(name);
    if (found.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
    // Opening a pipe would wait for its other end.
    if (!found.isFile()) throw new Error('it is not a file');
    const fd = openSync(name, 'r');
    return new ArchiveFile(name, fstatSync(fd).size, new Descriptor(fd));
  }

  use(): Closes {
    this.#descriptor.checkOpen();
    return this.#users.add();
  }

  #close(): void {
    abandoned.unregister(this);
    this.#descriptor.close();
  }

  /** Fills the bytes; whether the file had that many. */
  async read(bytes: Uint8Array, position: number): Promise<boolean> {
    for (let at = 0; at < bytes.length; ) {
      const count = await this.#descriptor.read(bytes.subarray(at), position + at);
      if (count === 0) return false;
      at += count;
    }
    return true;
  }

  readSync(bytes: Uint8Array, position: number): boolean {
    for (let at = 0; at < bytes.length; ) {
      const count = this.#descriptor.readSync(bytes.subarray(at), position + at);
      if (count === 0) return false;
      at += count;
    }
    return true;
  }

  /**
   * The CRC-32 of a part of the file; undefined where the file ends before it. One after the other, with the same
   * memory for all: the first of fifty is known early, and not at the end together with all others.
   */
  checksum(position: number, length: number): Promise<number | undefined> {
    const sum = this.#lastChecksum.then(() => this.#sum(position, length));
    this.#lastChecksum = sum.catch(() => {});
    return sum;
  }

  async #sum(position: number, length: number): Promise<number | undefined> {
    this.#room ??= new Uint8Array(Math.min(CHECKED_BYTES, this.size));
    let sum = 0;
    for (let at = 0; at < length; at += this.#room.length) {
      const bytes = this.#room.subarray(0, length - at);
      if (!(await this.read(bytes, position + at))) return undefined;
      sum = crc32(bytes, sum);
    }
    return sum;
  }
}

/** Closed once nothing is in flight: a descriptor that is closed too early may already be another file's. */
class Descriptor {
  readonly #fd: number;
  #inFlight = 0;
  #isClosed = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  readSync(bytes: Uint8Array, position: number): number {
    this.checkOpen();
    return readSync(this.#fd, bytes, 0, bytes.length, position);
  }

  async read(bytes: Uint8Array, position: number): Promise<number> {
    this.checkOpen();
    this.#inFlight++;
    try {
      return await new Promise((resolve, reject) => {
        read(this.#fd, bytes, 0, bytes.length, position, (error, count) =>
          error === null ? resolve(count) : reject(error),
        );
      });
    } finally {
      this.#inFlight--;
      if (this.#isClosed && this.#inFlight === 0) close(this.#fd);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#inFlight === 0) closeSync(this.#fd);
  }

  checkOpen(): void {
    if (this.#isClosed) throw treeClosed();
  }
}
