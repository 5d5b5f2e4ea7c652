/** Every node of a tree in order, with where it stands. By a stack of our own: trees may be as deep as they like. */
import type { Sitemap } from '../../index.ts';
import type { Style } from './format.ts';

/** A node and where it stands. */
export interface Place {
  readonly node: Sitemap;
  /** 0 for the top. */
  readonly depth: number;
  /** For the top and each node on the way: whether it is the last child of its parent. */
  readonly lastOnTheWay: readonly boolean[];
}

/** The top and all below it, depth-first in the order of declaration. */
export function* placesOf(top: Sitemap): Generator<Place, void, undefined> {
  const waiting: Place[] = [{ node: top, depth: 0, lastOnTheWay: [] }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    yield place;
    const { depth, lastOnTheWay } = place;
    const { subSitemaps } = place.node;
    for (let index = subSitemaps.length - 1; index >= 0; index--) {
      const node = subSitemaps[index];
      if (node === undefined) continue;
      const isLast = index === subSitemaps.length - 1;
      waiting.push({ node, depth: depth + 1, lastOnTheWay: [...lastOnTheWay, isLast] });
    }
  }
}

/** What a node is called where people read it: its URL, which only a document from stdin may be without. */
export function nameOf({ url }: Sitemap, { shorten }: Style): string {
  return url === '' ? 'stdin' : shorten(url);
}
