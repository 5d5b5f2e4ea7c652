/**
 * What holds the documents of one tree: its own spool, and the archives of which it shows documents. A tree that was
 * made with the help of an earlier one keeps the archive of that one open, and may outlive it.
 */
import type { Closes } from './closeable.ts';
import type { SharedSource } from './kept-document.ts';
import type { Spool } from './spool/spool.ts';

/** The documents of one tree; closed with it. */
export class TreeDocuments implements Closes {
  readonly spool: Spool;
  readonly #uses = new Map<SharedSource, Closes>();
  #isClosed = false;

  constructor(spool: Spool) {
    this.spool = spool;
  }

  /** Keeps a source open as long as the tree. */
  use(source: SharedSource): void {
    if (!this.#isClosed && !this.#uses.has(source)) this.#uses.set(source, source.use());
  }

  close(): void {
    this.#isClosed = true;
    this.spool.close();
    for (const use of this.#uses.values()) use.close();
    this.#uses.clear();
  }
}
