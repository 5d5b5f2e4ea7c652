/**
 * Paths, relative to the homepage, at which sitemaps are often found although nothing declares them. The order is that
 * of the tree: the most frequent first.
 */
export const KNOWN_PATHS: readonly string[] = [
  'sitemap.xml',
  'sitemap.xml.gz',
  'sitemap_index.xml',
  'sitemap-index.xml',
  'sitemap_index.xml.gz',
  'sitemap-index.xml.gz',
  '.sitemap.xml',
  'sitemap',
  'admin/config/search/xmlsitemap',
  'sitemap/sitemap-index.xml',
  'sitemap_news.xml',
  'sitemap-news.xml',
  'sitemap_news.xml.gz',
  'sitemap-news.xml.gz',
  'wp-sitemap.xml',
  'sitemap.txt',
  'sitemaps.xml',
  'sitemap1.xml',
  'sitemap-0.xml',
  'sitemap.php',
  'sitemap/sitemap.xml',
];
