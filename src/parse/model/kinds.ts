/** The kinds of documents and of nodes of a tree: what they list, and what they are called. */

/** A node that lists sitemaps: its JSON has `subSitemaps`. */
export type IndexSitemapKind = 'website' | 'robots-txt' | 'index-xml';

/** A node that lists pages: its JSON has `pages`. */
export type PagesSitemapKind = 'pages-xml' | 'pages-text' | 'pages-rss' | 'pages-atom';

/** The kind of a node; `switch (node.kind)` narrows a `Sitemap` to its class. */
export type SitemapKind = IndexSitemapKind | PagesSitemapKind | 'invalid';

/** What each kind is to people. */
export const KIND_NAMES: Readonly<Record<SitemapKind, string>> = {
  website: 'site',
  'robots-txt': 'robots.txt',
  'index-xml': 'index',
  'pages-xml': 'sitemap',
  'pages-text': 'text',
  'pages-rss': 'RSS',
  'pages-atom': 'Atom',
  invalid: 'unreadable',
};

export function isIndexKind(kind: string | undefined): kind is IndexSitemapKind {
  return kind === 'website' || kind === 'robots-txt' || kind === 'index-xml';
}

export function isPagesKind(kind: string | undefined): kind is PagesSitemapKind {
  return kind === 'pages-xml' || kind === 'pages-text' || kind === 'pages-rss' || kind === 'pages-atom';
}
