/** The sitemaps of two trees whose documents are damaged in their archives. */
import { SitemapException } from '../errors.ts';
import { isPagesKind } from '../sitemap/kind.ts';
import { partsOf, type Sitemap } from '../sitemap/sitemap.ts';
import { walkTree } from '../sitemap/walk-tree.ts';

/** Finds them. What both trees show was read when the later one was made. */
export async function damagedSitemaps(before: Sitemap, after: Sitemap): Promise<ReadonlySet<Sitemap>> {
  const damaged = new Set<Sitemap>();
  const shared = new Set(Array.from(walkTree(after), ({ sitemap }) => partsOf(sitemap).source));
  for (const tree of [before, after]) {
    for (const { sitemap } of walkTree(tree)) {
      const { source, facts } = partsOf(sitemap);
      const document = facts?.document;
      if (!isPagesKind(sitemap.kind) || (tree === before && shared.has(source))) continue;
      // Only what is in an archive can be damaged.
      if (document?.check === undefined) continue;
      try {
        await document.check();
      } catch (error) {
        if (!(error instanceof SitemapException) || error.code !== 'archive-damaged') throw error;
        damaged.add(sitemap);
      }
    }
  }
  return damaged;
}
