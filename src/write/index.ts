/**
 * Writes sitemaps that are valid, whatever the pages are like. It runs in a browser as it is, but for files.
 *
 * @packageDocumentation
 */
export { SitemapException, type SitemapExceptionOptions } from '../errors.ts';
export {
  indexXml,
  type SitemapXmlOptions,
  sitemapXml,
  type WritablePages,
  type WritableSitemap,
} from './sitemap-xml.ts';
export type {
  SitemapNamespace,
  WritableNewsStory,
  WritablePage,
  WritableVideo,
  WriteProblem,
} from './url-entry.ts';
export type { WriteProblemCode } from './value-text.ts';
