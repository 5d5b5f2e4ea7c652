/** The inventory of a tree: its sitemaps one by one, for `--no-pages` with `csv` and `ndjson`. */
import { type Sitemap, type SitemapPlace, walkTree } from '../../reading.ts';
import { missingIn } from '../messages/site-result.ts';
import type { SitemapRow } from './format.ts';

/** Every sitemap below the site, or the sitemap that was asked for and all below it. */
export function* sitemapRows(tree: Sitemap): Generator<SitemapRow, void, undefined> {
  for (const place of walkTree(tree)) if (place.sitemap.kind !== 'website') yield rowOf(place);
}

function rowOf({ sitemap, parent }: SitemapPlace): SitemapRow {
  const { url, kind, lastModified, bytes, status } = sitemap;
  const [missing] = missingIn(sitemap);
  const failure = sitemap.kind === 'invalid' ? sitemap : undefined;
  return {
    url,
    kind,
    parent: parent?.url,
    lastModified: lastModified?.toISOString(),
    pages: kind.startsWith('pages-') ? sitemap.pageCount : undefined,
    bytes,
    status,
    code: failure?.code ?? missing?.code,
    reason: failure?.reason ?? missing?.message,
  };
}
