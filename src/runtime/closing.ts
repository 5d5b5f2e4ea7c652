/**
 * What is closed by `close()` and by `using`. `Symbol.dispose` is in every Node that we run on, but not in every
 * consumer's `lib`: a declaration that names it does not compile without `esnext.disposable`. So the declarations ask
 * whether it is there, and say nothing if it is not.
 */

type DisposeSymbol = SymbolConstructor extends { readonly dispose: infer Dispose extends symbol }
  ? Dispose
  : never;

type AsyncDisposeSymbol = SymbolConstructor extends { readonly asyncDispose: infer Dispose extends symbol }
  ? Dispose
  : never;

export type Disposes = { [Key in DisposeSymbol]: () => void };

export type DisposesAsync = { [Key in AsyncDisposeSymbol]: () => Promise<void> };

class ClosedByUsing {
  close(): void {}

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The base of what is closed at once. */
export const Closeable: new () => { close(): void } & Disposes = ClosedByUsing;
