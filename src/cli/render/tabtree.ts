/** `tabtree`: sitemaps and pages, one URL per line, each a tab deeper than the sitemap that lists it. */
import { walkTree } from '../../reading.ts';
import type { TreeFormat } from './format.ts';
import { sitemapName } from './sitemap-name.ts';

export const tabtree: TreeFormat = async function* (top, style) {
  const { shorten, defuse, filter, withPages } = style;
  for (const { sitemap, depth } of walkTree(top)) {
    yield defuse(`${'\t'.repeat(depth)}${sitemapName(sitemap, style)}\n`);
    if (!withPages || filter.isFull) continue;
    const indent = '\t'.repeat(depth + 1);
    for await (const batch of sitemap.pages.batchesAsync()) {
      const kept = filter.keep(batch, (page) => page);
      if (kept.length > 0) yield defuse(kept.map((page) => `${indent}${shorten(page.url)}\n`).join(''));
      if (filter.isFull) break;
    }
  }
};
