/**
 * What is closed: by `close()`, by `using` where the language has it, or with the last tree that reads from it.
 *
 * `Symbol.dispose` is in every Node that we run on, but not in every consumer's `lib`: a declaration that names it does
 * not compile without `esnext.disposable`. So the declaration asks whether it is there, and says nothing if it is not.
 */
import { SitemapException } from '../errors.ts';

type DisposeSymbol = SymbolConstructor extends { readonly dispose: infer Dispose extends symbol }
  ? Dispose
  : never;

type Disposes = { [Key in DisposeSymbol]: () => void };

export interface Closes {
  close(): void;
}

class ClosedByUsing implements Closes {
  close(): void {}

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The base of what is closed by `close()` and at the end of `using`'s block. */
export const Closeable: new () => Closes & Disposes = ClosedByUsing;

export function treeClosed(): SitemapException {
  return new SitemapException(
    'The tree is closed, and its pages cannot be read any more. Read them before close(), or before the ' +
      'block of its `using` ends.',
    { code: 'tree-closed' },
  );
}

/** What several trees read their documents from, open as long as it has users: an archive, or the spool of one. */
export interface SharedSource {
  /**
   * The bytes of all documents in it, where it exists for trees alone: it is not kept open for a small part of them.
   * Absent for an archive, which is there anyway.
   */
  readonly heldBytes?: number | undefined;
  /** Counts another user, until the result is closed. @throws SitemapException with code `tree-closed` */
  use(): Closes;
}

/** Counts users, and says when the last of them has closed its use. One that is gone without that counts no more. */
export class Users {
  readonly #onLast: () => void;
  count = 0;

  constructor(onLast: () => void) {
    this.#onLast = onLast;
  }

  add(): Closes {
    this.count++;
    let isOpen = true;
    const use = {
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        abandoned.unregister(use);
        if (--this.count === 0) this.#onLast();
      },
    };
    abandoned.register(use, new WeakRef(this), use);
    return use;
  }

  /** @internal What nothing refers to any more is closed by its own finalizer, not here. */
  forget(): void {
    this.count--;
  }
}

const abandoned = new FinalizationRegistry<WeakRef<Users>>((users) => users.deref()?.forget());
