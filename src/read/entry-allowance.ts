/**
 * How many children of indexes one call keeps. A tree has room for `maxSitemaps` nodes, but an index may list millions of
 * children in a hundred kilobytes of gzip, and a thousand such indexes may arrive before the tree is full: what no node can
 * be made of is counted and forgotten.
 */
import type { SubSitemap } from '../parse/model/item.ts';

/** So many are kept in any case: some 200 bytes each. */
const LEAST = 250_000;
/** Where callbacks choose, far more may be listed than are wanted. */
const TO_CHOOSE_FROM = 8;

/** What is left for the documents of one call. */
export class EntryAllowance {
  #left: number;

  constructor(left: number) {
    this.#left = left;
  }

  /** Of one call. @param isFiltered - whether callbacks choose among the children */
  static for(maxSitemaps: number, { isFiltered }: { readonly isFiltered: boolean }): EntryAllowance {
    return new EntryAllowance(Math.max(maxSitemaps, LEAST) * (isFiltered ? TO_CHOOSE_FROM : 1));
  }

  /** Takes so many, or as many as are left; answers how many. */
  take(count: number): number {
    const taken = Math.min(count, this.#left);
    this.#left -= taken;
    return taken;
  }

  giveBack(count: number): void {
    this.#left += count;
  }
}

/** The children of one index, as they are found. */
export class Entries {
  readonly #allowance: EntryAllowance;
  readonly #kept: SubSitemap[] = [];
  #leftOut = 0;

  constructor(allowance: EntryAllowance) {
    this.#allowance = allowance;
  }

  add(found: readonly SubSitemap[]): void {
    const taken = this.#allowance.take(found.length);
    for (let at = 0; at < taken; at++) this.#kept.push(found[at]!);
    this.#leftOut += found.length - taken;
  }

  /** Another try of the document is better: these are not wanted. */
  discard(): void {
    this.#allowance.giveBack(this.#kept.length);
    this.#kept.length = 0;
  }

  get kept(): readonly SubSitemap[] {
    return this.#kept;
  }

  /** How many more there were. */
  get leftOut(): number {
    return this.#leftOut;
  }
}
