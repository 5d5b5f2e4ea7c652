/**
 * Many sites at once: `ultimate-sitemap-parser/batch`.
 *
 * @packageDocumentation
 */
export { type CrawlSitesOptions, crawlSites, type SiteToCrawl } from './crawl-sites.ts';
export { CrawledSite } from './crawled-site.ts';
export type { PageRow } from './output/page-columns.ts';
