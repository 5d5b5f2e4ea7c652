/** What `usp fix` and `usp write` print while they write a set of sitemaps. */
import { OutputClosed } from '../endings.ts';
import type { ItemFormat } from '../render/item-format.ts';
import type { ListingOutput } from './output.ts';

/** Characters that are printed together. */
const AT_ONCE = 16 * 1024;

/** Prints items as they are found, and a summary at the end. */
export class SetListing<Item, Summary> {
  readonly #format: ItemFormat<Item, void, Summary>;
  readonly #output: ListingOutput;
  /** Printed with the first item, or at the end: where nothing could be opened, nothing is printed. */
  #begin: string;
  #text = '';
  #isClosed = false;

  constructor(format: ItemFormat<Item, void, Summary>, output: ListingOutput) {
    this.#format = format;
    this.#output = output;
    this.#begin = format.begin?.() ?? '';
  }

  /** Whether so much waits that it should be printed. */
  get isWaiting(): boolean {
    return this.#text.length >= AT_ONCE;
  }

  add(item: Item): void {
    this.#text += this.#format.item(item);
  }

  /** Prints what was added. If the reader of the output has gone, the set is still written. */
  async print(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (this.#isClosed || text === '') return;
    try {
      await this.#output.write(this.#begin + text);
      this.#begin = '';
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
      this.#isClosed = true;
    }
  }

  async finish(summary: Summary): Promise<void> {
    this.#text += this.#format.end?.(summary) ?? '';
    await this.print();
    await this.#output.finish();
  }
}

/** Chooses the items that text shows: the first ones of each kind (a code, a rule), or all with `--all`. */
export class ShownItems {
  /** How many items of a kind are not shown. */
  readonly hidden: Map<string, number> = new Map();
  readonly #counts = new Map<string, number>();
  readonly #isAll: boolean;

  constructor({ all = false }: { readonly all?: boolean | undefined }) {
    this.#isAll = all;
  }

  /** Whether the next item of a kind is shown; counts it. */
  isShown(kind: string, most: number): boolean {
    const shown = this.#counts.get(kind) ?? 0;
    const isShown = this.#isAll || shown < most;
    if (isShown) this.#counts.set(kind, shown + 1);
    else this.hidden.set(kind, (this.hidden.get(kind) ?? 0) + 1);
    return isShown;
  }
}
