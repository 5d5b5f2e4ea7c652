/**
 * How many children of indexes one call keeps. A tree has room for `maxSitemaps` nodes, but an index may list
 * millions of children in a hundred kilobytes of gzip, and a thousand such indexes may arrive before the tree is
 * full. So the memory of children is limited, in bytes, since a URL may be long; the children beyond are counted and
 * forgotten.
 */
import type { SubSitemap } from '../parse/model/item.ts';

/** The limit allows for at least this many children. */
const LEAST = 250_000;
/** Where callbacks choose, far more may be listed than are wanted. */
const TO_CHOOSE_FROM = 8;
/** What a child takes besides its URL, and what its URL takes on an average site. */
const ENTRY_BYTES = 200;
const AVERAGE_URL_BYTES = 200;

export class EntryAllowance {
  #leftBytes: number;

  /** Of one call. @param isFiltered - whether callbacks choose among the children */
  constructor(maxSitemaps: number, { isFiltered }: { readonly isFiltered: boolean }) {
    const entries = Math.max(maxSitemaps, LEAST) * (isFiltered ? TO_CHOOSE_FROM : 1);
    this.#leftBytes = entries * (ENTRY_BYTES + AVERAGE_URL_BYTES);
  }

  take(entry: SubSitemap): boolean {
    const bytes = bytesOf(entry);
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  giveBack(entry: SubSitemap): void {
    this.#leftBytes += bytesOf(entry);
  }
}

function bytesOf({ url }: SubSitemap): number {
  return ENTRY_BYTES + url.length;
}

export class Entries {
  readonly #allowance: EntryAllowance;
  readonly kept: SubSitemap[] = [];
  /** How many more there were. */
  leftOut = 0;

  constructor(allowance: EntryAllowance) {
    this.#allowance = allowance;
  }

  add(found: readonly SubSitemap[]): void {
    for (const entry of found) {
      // Never one behind a gap: the children that are kept are the first ones.
      if (this.leftOut === 0 && this.#allowance.take(entry)) this.kept.push(entry);
      else this.leftOut++;
    }
  }

  /** Another attempt at the document was better: these are not wanted. */
  discard(): void {
    for (const entry of this.kept) this.#allowance.giveBack(entry);
    this.kept.length = 0;
  }
}
