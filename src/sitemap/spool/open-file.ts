/**
 * A file that is open, read and written anywhere. It is closed once nothing is in flight: a descriptor that is closed
 * too early may already be another file's.
 */
import { closeSync, fstatSync, openSync, read, readSync, type Stats, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Closes, treeClosed } from '../kept-document.ts';

const readAt = promisify(read);

const abandoned = new FinalizationRegistry<Closes>((file) => file.close());

/** Closes a file also when its owner is collected. Nothing that the file refers to may refer to the owner. */
export function ownedFile<File extends Closes>(owner: object, file: File): File {
  abandoned.register(owner, file);
  return file;
}

/** Opens an archive, which is read anywhere. @throws what the system says, or an `Error` for what is not a file */
export function openArchive(name: string): { readonly fd: number; readonly stats: Stats } {
  // Before it is opened: opening a pipe would wait for its other end.
  const entry = statSync(name);
  if (entry.isDirectory()) throw new Error('it is a folder');
  if (!entry.isFile()) throw new Error('it is not a file');
  const fd = openSync(name, 'r');
  return { fd, stats: fstatSync(fd) };
}

export class OpenFile {
  readonly #fd: number;
  readonly #onClosed: () => void;
  #inFlight = 0;
  #isClosed = false;

  constructor(fd: number, onClosed: () => void = () => {}) {
    this.#fd = fd;
    this.#onClosed = onClosed;
  }

  /** Fills the bytes; whether the file had that many. */
  async read(bytes: Uint8Array, position: number): Promise<boolean> {
    return (await this.readSome(bytes, position, bytes.length)) === bytes.length;
  }

  readSync(bytes: Uint8Array, position: number): boolean {
    this.checkOpen();
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(this.#fd, bytes, at, bytes.length - at, position + at);
      if (count === 0) return false;
      at += count;
    }
    return true;
  }

  /** Reads at least so many bytes, unless the file ends before; how many there were. */
  async readSome(bytes: Uint8Array, position: number, atLeast = 1): Promise<number> {
    this.checkOpen();
    this.#inFlight++;
    try {
      let at = 0;
      while (at < atLeast) {
        const { bytesRead: count } = await readAt(this.#fd, bytes, at, bytes.length - at, position + at);
        if (count === 0) break;
        at += count;
      }
      return at;
    } finally {
      this.#inFlight--;
      if (this.#isClosed && this.#inFlight === 0) this.#closeNow();
    }
  }

  writeSync(bytes: Uint8Array, position: number): void {
    this.checkOpen();
    for (let at = 0; at < bytes.length; )
      at += writeSync(this.#fd, bytes, at, bytes.length - at, position + at);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#inFlight === 0) this.#closeNow();
  }

  /** @throws SitemapException with code `tree-closed` */
  checkOpen(): void {
    if (this.#isClosed) throw treeClosed();
  }

  #closeNow(): void {
    closeSync(this.#fd);
    this.#onClosed();
  }
}
