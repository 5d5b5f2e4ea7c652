/**
 * Writes valid sitemaps, even of invalid pages. Browsers have everything except `writeSitemaps` (browser.ts).
 *
 * @packageDocumentation
 */
export { SitemapException, type SitemapExceptionOptions } from '../problems/errors.ts';
export type { WrittenFile } from './sitemap-set.ts';
export {
  indexXml,
  type SitemapXmlOptions,
  sitemapXml,
  type WritablePages,
  type WritableSitemap,
} from './sitemap-xml.ts';
export type { SitemapNamespace } from './url-entry.ts';
export type { WriteProblemCode } from './value-text.ts';
export type {
  WritableEntry,
  WritableImage,
  WritableLanguages,
  WritableNewsStory,
  WritablePage,
  WritableVideo,
  WriteProblem,
} from './writable-page.ts';
export {
  type WriteSitemapsOptions,
  type WrittenSitemap,
  type WrittenSitemaps,
  writeSitemaps,
} from './write-sitemaps.ts';
