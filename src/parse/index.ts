/**
 * The pure core: one document in, its pages and sub-sitemaps out. No network, no files, nothing of Node: it runs in
 * browsers and workers as it is.
 *
 * @packageDocumentation
 */

export { PARSE_PROBLEMS, type ParseProblemCode } from '../problems/catalogue.ts';
export { SitemapException, type SitemapExceptionOptions } from '../problems/errors.ts';
export type { Position } from '../problems/position.ts';
export type { Problem } from '../problems/problem-list.ts';
export type { SitemapImage } from './extensions/image.ts';
export {
  SitemapNewsStory,
  type SitemapNewsStoryFields,
  type SitemapNewsStoryJSON,
} from './extensions/news.ts';
export {
  SitemapVideo,
  type SitemapVideoFields,
  type SitemapVideoJSON,
  type SitemapVideoPlatform,
  type SitemapVideoPrice,
  type SitemapVideoRestriction,
  type SitemapVideoUploader,
} from './extensions/video.ts';
export type { ReadableStreamLike } from './given-input.ts';
export type { DocumentKind, SitemapEntry, SitemapItem } from './model/item.ts';
export {
  type SitemapAlternate,
  SitemapPage,
  type SitemapPageFields,
  type SitemapPageJSON,
} from './model/page.ts';
export {
  type AsyncInput,
  type AsyncSitemapParse,
  type ParseOptions,
  type ParseOutcome,
  parseSitemap,
  type SitemapParse,
  type SyncInput,
} from './parse-sitemap.ts';
export type { ChangeFrequency } from './values/change-frequency.ts';
