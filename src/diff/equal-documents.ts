/**
 * Documents that are the same in both trees: byte for byte, and read in the same way. Their pages are equal without
 * being parsed.
 */
import { haveEqualBytes } from '../sitemap/kept-document.ts';
import type { PageSource } from '../sitemap/page-source.ts';
import type { ComparedTree, PageDocument } from './settled.ts';

/** What the page documents of two trees have to do with each other; documents are given by their place in the order. */
export interface DocumentPairs {
  /** For each document of `after`, the document of `before` with the same key; -1 where there is none. */
  readonly earlier: readonly number[];
  /** The documents of `after` that are equal to their earlier ones. */
  readonly equal: ReadonlySet<number>;
}

/** Whether documents are settled in the other tree, by their place in the order. */
export interface SettledPageDocuments {
  readonly before: readonly boolean[];
  readonly after: readonly boolean[];
}

/**
 * Finds the pairs. Where the order of documents changed there is no equal one: each may have another first
 * declaration.
 */
export async function pairDocuments(
  before: ComparedTree,
  after: ComparedTree,
  settled: SettledPageDocuments,
  signal: AbortSignal | undefined,
): Promise<DocumentPairs> {
  const places = new Map<string, number>();
  for (const [place, document] of before.pageDocuments.entries()) {
    for (const key of keysOf(before, document)) if (!places.has(key)) places.set(key, place);
  }
  const taken = new Set<number>();
  const earlier = after.pageDocuments.map((document) => {
    for (const key of keysOf(after, document)) {
      const place = places.get(key);
      if (place === undefined || taken.has(place)) continue;
      taken.add(place);
      return place;
    }
    return -1;
  });
  const equal = new Set<number>();
  if (!isAscending(earlier.filter((place) => place !== -1))) return { earlier, equal };
  for (const [place, document] of after.pageDocuments.entries()) {
    const other = before.pageDocuments[earlier[place]!];
    // A page of a document that is not settled is unknown, and not the same.
    if (other === undefined || !settled.after[place] || !settled.before[earlier[place]!]) continue;
    signal?.throwIfAborted();
    if (hasOtherLength(document, other)) continue;
    if (await areEqual(document.source, other.source)) equal.add(place);
  }
  return { earlier, equal };
}

function keysOf({ documents }: ComparedTree, { document }: PageDocument): Iterable<string> {
  return documents[document]?.keys ?? [];
}

function isAscending(places: readonly number[]): boolean {
  return places.every((place, index) => index === 0 || place > places[index - 1]!);
}

function hasOtherLength({ sitemap: a }: PageDocument, { sitemap: b }: PageDocument): boolean {
  return a.bytes !== undefined && b.bytes !== undefined && a.bytes !== b.bytes;
}

/** Whether two sources have the same pages, as far as that shows without parsing them. */
async function areEqual(a: PageSource, b: PageSource): Promise<boolean> {
  if (a === b) return true;
  const [first, second] = [a.origin, b.origin];
  if (first === undefined || second === undefined || first.reading !== second.reading) return false;
  if (first.digest !== undefined && second.digest !== undefined) return first.digest === second.digest;
  return haveEqualBytes(first.document, second.document);
}
