/** `tabtree`: sitemaps and pages, one URL a line, each a tab deeper than what lists it. */
import type { TreeFormat } from './format.ts';
import { nameOf, placesOf } from './walk.ts';

export const tabtree: TreeFormat = async function* (top, style) {
  const { shorten, defuse, filter, withPages } = style;
  for (const { node, depth } of placesOf(top)) {
    yield defuse(`${'\t'.repeat(depth)}${nameOf(node, style)}\n`);
    if (!withPages || filter.isFull) continue;
    const indent = '\t'.repeat(depth + 1);
    for await (const batch of node.pages.batchesAsync()) {
      const kept = filter.keep(batch, (page) => page);
      if (kept.length > 0) yield defuse(kept.map((page) => `${indent}${shorten(page.url)}\n`).join(''));
      if (filter.isFull) break;
    }
  }
};
