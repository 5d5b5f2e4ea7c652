/** The site that the examples of docs/ are about: small, and with one of everything that they show. */
import type { Site } from '../server/scripted-server.ts';

const URLSET = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const NEWS = 'http://www.google.com/schemas/sitemap-news/0.9';
const XHTML = 'http://www.w3.org/1999/xhtml';

/** `https://example.org` of the examples, at the address where it really is. */
export function exampleSite(origin: string): Site {
  return {
    '/robots.txt': `User-agent: *\nDisallow: /cart/\n\nSitemap: ${origin}/sitemap_index.xml\nSitemap: ${origin}/news.xml\n\nUser-agent: GPTBot\nDisallow: /en/news/\n`,
    '/sitemap_index.xml': `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="${URLSET}">
  <sitemap><loc>${origin}/en/sitemap.xml</loc><lastmod>2024-05-06</lastmod></sitemap>
  <sitemap><loc>${origin}/de/sitemap.xml.gz</loc><lastmod>2023-11-20</lastmod></sitemap>
  <sitemap><loc>${origin}/gone.xml</loc></sitemap>
</sitemapindex>`,
    '/en/sitemap.xml': `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="${URLSET}" xmlns:xhtml="${XHTML}">
  <url><loc>${origin}/en/</loc><lastmod>2024-05-06</lastmod></url>
  <url>
    <loc>${origin}/en/coffee?a=1&b=2</loc>
    <lastmod>2024-05-06T08:53:11+02:00</lastmod><changefreq>weekly</changefreq><priority>0.8</priority>
    <xhtml:link rel="alternate" hreflang="de" href="${origin}/de/kaffee"/>
  </url>
</urlset>`,
    '/de/sitemap.xml.gz': {
      gzip: true,
      body: `<urlset xmlns="${URLSET}"><url><loc>${origin}/de/</loc></url><url><loc>${origin}/de/kaffee</loc></url></urlset>`,
    },
    '/news.xml': `<urlset xmlns="${URLSET}" xmlns:news="${NEWS}"><url><loc>${origin}/en/news/1</loc><news:news>
      <news:publication><news:name>Example News</news:name><news:language>en</news:language></news:publication>
      <news:publication_date>2024-05-06T07:00:00Z</news:publication_date><news:title>Beans are up</news:title>
    </news:news></url></urlset>`,
    '/sitemap.txt': `${origin}/about\n${origin}/en/\n`,
    '/': '<!doctype html><html><head><title>Example</title></head><body>Hello.</body></html>',
  };
}
