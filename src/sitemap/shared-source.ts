/** What several trees read their documents from: an archive, or the spool of one of them. */
import type { Closes } from './closeable.ts';

/** Something that is open as long as it has users. */
export interface SharedSource {
  /**
   * The bytes of all documents in it, where it exists for trees alone: it is not kept open for a small part of them.
   * Absent for an archive, which is there anyway.
   */
  readonly heldBytes?: number | undefined;
  /** Counts another user, until the result is closed. @throws SitemapException with code `tree-closed` */
  use(): Closes;
}

/** A document that takes a part of a source. */
interface Stored {
  readonly shared: SharedSource;
  /** Bytes of the source. */
  readonly storedBytes: number;
}

/** The sources of the documents of one tree, and how much of each the tree still shows. */
export class UsedSources {
  readonly #bytes = new Map<SharedSource, number>();
  #allBytes = 0;

  add({ shared, storedBytes }: Stored): void {
    this.#bytes.set(shared, (this.#bytes.get(shared) ?? 0) + storedBytes);
    this.#allBytes += storedBytes;
  }

  /**
   * Whether the next tree may keep a source open instead of copying documents from it. A site that is read again and
   * again would otherwise keep every document that it ever had, or a file open for each: half of the source must be in
   * use, and an eighth of the tree be in it.
   */
  isWorthKeeping(source: SharedSource): boolean {
    const { heldBytes } = source;
    if (heldBytes === undefined) return true;
    const usedBytes = this.#bytes.get(source) ?? 0;
    return 2 * usedBytes >= heldBytes && 8 * usedBytes >= this.#allBytes;
  }

  /** Keeps all of them open until the result is closed. @throws SitemapException with code `tree-closed` */
  use(): Closes {
    const uses: Closes[] = [];
    const close = (): void => {
      for (const use of uses.splice(0)) use.close();
    };
    try {
      for (const source of this.#bytes.keys()) uses.push(source.use());
    } catch (error) {
      close();
      throw error;
    }
    return { close };
  }
}

/** Counts users, and says when the last of them has closed its use. One that is gone without that counts no more. */
export class Users {
  readonly #onLast: () => void;
  #count = 0;

  constructor(onLast: () => void) {
    this.#onLast = onLast;
  }

  get count(): number {
    return this.#count;
  }

  add(): Closes {
    this.#count++;
    let isOpen = true;
    const use = {
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        abandoned.unregister(use);
        if (--this.#count === 0) this.#onLast();
      },
    };
    abandoned.register(use, new WeakRef(this), use);
    return use;
  }

  /** @internal What nothing refers to any more is closed by its own finalizer, not here. */
  forget(): void {
    this.#count--;
  }
}

const abandoned = new FinalizationRegistry<WeakRef<Users>>((users) => users.deref()?.forget());
