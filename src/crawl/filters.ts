/** The user's two callbacks, in the order in which they are documented to run. */
import { SitemapException } from '../errors.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import type { SubSitemap } from '../parse/model/item.ts';
import type { IndexOutcome } from '../read/outcome.ts';
import type { Lineage } from './lineage.ts';

/** Whether callbacks choose which children are fetched. */
export function isFiltered({ recurseCallback, recurseListCallback }: ResolvedOptions): boolean {
  return recurseCallback !== undefined || recurseListCallback !== undefined;
}

/**
 * The children of an index that are to be fetched: `recurseListCallback` first, once for the index, then
 * `recurseCallback` for each that is left. What a callback throws is the caller's: it ends the call.
 *
 * @param lineage - the index's own
 * @param childLineage - its children's: their ancestors include the index
 * @param lifetime - of the call: once it is over, no callback is called any more
 */
export async function chosenChildren(
  index: IndexOutcome,
  lineage: Lineage,
  childLineage: Lineage,
  { recurseListCallback, recurseCallback }: ResolvedOptions,
  lifetime: AbortSignal,
): Promise<readonly SubSitemap[]> {
  lifetime.throwIfAborted();
  const parent = { url: index.url, kind: index.kind };
  const { level } = lineage;
  const { urls } = childLineage;
  let entries = index.entries;
  if (recurseListCallback !== undefined) {
    const declared = entries.map((entry) => entry.url);
    const context = { entries: entries.map(copyOf), parent };
    entries = entriesOf(await recurseListCallback(declared, level, urls, context), entries);
  }
  if (recurseCallback === undefined) return entries;
  const chosen: SubSitemap[] = [];
  for (const entry of entries) {
    lifetime.throwIfAborted();
    const isWanted: unknown = await recurseCallback(entry.url, level, urls, { entry: copyOf(entry), parent });
    // A forgotten `return` must not look like a site without sitemaps.
    if (isWanted === undefined) {
      throw new SitemapException(
        'recurseCallback must return true or false, or a promise of one; it returned nothing.',
        {
          code: 'bad-callback',
        },
      );
    }
    if (isWanted) chosen.push(entry);
  }
  return chosen;
}

// A Date can be changed by whoever has it: the tree's stays the tree's.
function copyOf({ url, lastModified }: SubSitemap): SubSitemap {
  return { url, lastModified: lastModified === undefined ? undefined : new Date(lastModified) };
}

// The list is the caller's: its order is kept, and what it adds is followed like the rest.
function entriesOf(urls: Iterable<string>, entries: readonly SubSitemap[]): readonly SubSitemap[] {
  if (typeof urls === 'string' || typeof urls?.[Symbol.iterator] !== 'function') {
    throw new SitemapException('recurseListCallback must return a list of URLs, or a promise of one.', {
      code: 'bad-callback',
    });
  }
  const declared = new Map(entries.map((entry) => [entry.url, entry]));
  // `String`: a URL object is as good as its text.
  const chosen = new Set(Array.from(urls, String));
  return Array.from(chosen, (url) => declared.get(url) ?? { url, lastModified: undefined });
}
