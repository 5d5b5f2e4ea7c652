/** The file of a part while it is written: made anew, flushed to the disk at the end, removed if it is given up. */
import { type FileHandle, open, rm } from 'node:fs/promises';

export class PartSink {
  readonly path: string;
  readonly #file: FileHandle;
  #bytes = 0;
  #isOpen = true;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /** Creates the file, which must not be there yet. */
  static async create(path: string): Promise<PartSink> {
    return new PartSink(path, await open(path, 'wx'));
  }

  /** Bytes that are in the file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Writes all of a chunk; one write at a time. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; ) {
      const { bytesWritten } = await this.#file.write(chunk, at, chunk.byteLength - at);
      at += bytesWritten;
      this.#bytes += bytesWritten;
    }
  }

  /** Flushes the file to the disk, so that a rename after it cannot publish less than was written, and closes it. */
  async finish(): Promise<void> {
    await this.#file.sync();
    this.#isOpen = false;
    await this.#file.close();
  }

  /** Closes and removes the file. Does nothing after {@link finish}. */
  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close().catch(() => {});
    await rm(this.path, { force: true }).catch(() => {});
  }
}
