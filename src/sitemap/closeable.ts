/**
 * `close()` and, where the language has it, `using`.
 *
 * `Symbol.dispose` is in every Node that we run on, but not in every consumer's `lib`: a declaration that names it does
 * not compile without `esnext.disposable`. So the declaration asks whether it is there, and says nothing if it is not.
 */
import { SitemapException } from '../errors.ts';

type DisposeSymbol = SymbolConstructor extends { readonly dispose: infer Dispose extends symbol }
  ? Dispose
  : never;

/** Something that `using` closes. */
export type Disposes = { [Key in DisposeSymbol]: () => void };

/** Something to be closed when it is no longer needed. */
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

/** What reading a closed tree gives. */
export function treeClosed(): SitemapException {
  return new SitemapException(
    'The tree is closed, and its pages cannot be read any more. Read them before close(), or before the ' +
      'block of its `using` ends.',
    { code: 'tree-closed' },
  );
}
