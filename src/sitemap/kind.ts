/** What a node of the tree can be. */

/** A node that lists sitemaps: its JSON has `subSitemaps`. */
export type IndexSitemapKind = 'website' | 'robots-txt' | 'index-xml';

/** A node that lists pages: its JSON has `pages`. */
export type PagesSitemapKind = 'pages-xml' | 'pages-text' | 'pages-rss' | 'pages-atom';

/** The kind of a node; `switch (node.kind)` narrows a `Sitemap` to its class. */
export type SitemapKind = IndexSitemapKind | PagesSitemapKind | 'invalid';

export function isIndexKind(kind: string): kind is IndexSitemapKind {
  return kind === 'website' || kind === 'robots-txt' || kind === 'index-xml';
}

export function isPagesKind(kind: string): kind is PagesSitemapKind {
  return kind === 'pages-xml' || kind === 'pages-text' || kind === 'pages-rss' || kind === 'pages-atom';
}
