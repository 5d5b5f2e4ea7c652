/** The walk over a tree, for users of the library. */
import type { Sitemap } from './sitemap.ts';
import { type Place, placesOf } from './walk.ts';

/** A sitemap and its position in a tree: `sitemap`, `depth`, `parent`, `index` and `isLast`. */
export interface SitemapPlace extends Place<Sitemap> {}

/**
 * A sitemap and all below it, depth-first in the order of declaration, each with its depth and its parent.
 *
 * @example
 * ```ts
 * for (const { sitemap, depth } of walkTree(tree)) console.log('  '.repeat(depth) + sitemap.url);
 * ```
 */
export function walkTree(tree: Sitemap): Iterable<SitemapPlace> {
  return { [Symbol.iterator]: () => placesOf(tree) };
}
