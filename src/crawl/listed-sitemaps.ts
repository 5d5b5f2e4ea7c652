/** Documents that list sitemaps as pages, and have not been followed yet (`followListedSitemaps`). */
import type { SitemapEntry } from '../parse/model/item.ts';
import type { ListedSitemaps, PagesOutcome } from '../read/outcome.ts';
import { documentKey } from '../url.ts';
import type { Lineage } from './lineage.ts';

/** @internal */
export interface Listing {
  readonly url: string;
  /** The lineage of the document. */
  readonly lineage: Lineage;
  /** The lineage of the sitemaps that it lists, as if they were children of an index. */
  readonly below: Lineage;
  readonly sitemaps: ListedSitemaps;
}

/** @internal */
export class Listings {
  readonly #waiting = new Map<string, Listing>();
  readonly #notedKeys = new Set<string>();

  /** Notes what a document lists. Of several places of it, the one next to the root counts, whichever is read first. */
  note({ url: declaredUrl }: SitemapEntry, lineage: Lineage, { url, listed }: PagesOutcome): void {
    if (listed === undefined) return;
    const key = documentKey(url);
    const other = this.#waiting.get(key);
    if (this.#notedKeys.has(key) || (other !== undefined && !isBefore(lineage, other.lineage))) return;
    this.#waiting.set(key, { url, lineage, below: lineage.below(url, declaredUrl), sitemaps: listed });
  }

  /** The listings since the last call, each document once. Sorted by URL: the order must not depend on the network. */
  take(): readonly Listing[] {
    const keys = [...this.#waiting.keys()].sort();
    const listings = keys.flatMap((key) => this.#waiting.get(key) ?? []);
    for (const key of keys) this.#notedKeys.add(key);
    this.#waiting.clear();
    return listings;
  }
}

function isBefore(one: Lineage, other: Lineage): boolean {
  if (one.level !== other.level) return one.level < other.level;
  return [...one.urls].join('\n') < [...other.urls].join('\n');
}
