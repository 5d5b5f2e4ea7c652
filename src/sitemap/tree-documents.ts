/**
 * What holds the documents of one tree: its own spool, and the archives and spools of other trees of which it shows
 * documents. A tree that was made with the help of an earlier one keeps these open, and may outlive it.
 */
import type { Closes } from './closeable.ts';
import type { SharedSource } from './shared-source.ts';
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
