/**
 * Many sites at once: `ultimate-sitemap-parser/batch`.
 *
 * @packageDocumentation
 */
export { type CrawledSite, type CrawlSitesOptions, crawlSites, type SiteToCrawl } from './crawl-sites.ts';
export type { PageRow } from './output/parts.ts';
