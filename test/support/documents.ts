/** Documents of sites: sitemaps, indexes and robots.txt files that list what a test names. */

/** A URL, or a URL and its lastmod. */
export type Listed = string | readonly [url: string, lastmod: string];

/** A `<urlset>` of these pages. */
export function urlset(...pages: readonly Listed[]): string {
  return listing('urlset', 'url', pages);
}

/** A `<sitemapindex>` of these sitemaps. */
export function index(...sitemaps: readonly Listed[]): string {
  return listing('sitemapindex', 'sitemap', sitemaps);
}

/** A robots.txt with these sitemaps. */
export function robots(...urls: readonly string[]): string {
  return ['User-agent: *', 'Disallow: /admin', ...urls.map((url) => `Sitemap: ${url}`)].join('\n');
}

function listing(root: string, name: string, entries: readonly Listed[]): string {
  const texts = entries.map((entry) => {
    const [loc, lastmod] = typeof entry === 'string' ? [entry] : entry;
    const date = lastmod === undefined ? '' : `<lastmod>${lastmod}</lastmod>`;
    return `<${name}><loc>${loc}</loc>${date}</${name}>`;
  });
  return `<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${texts.join('')}</${root}>`;
}
