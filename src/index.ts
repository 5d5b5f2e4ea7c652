/**
 * The public surface of `ultimate-sitemap-parser`.
 *
 * @packageDocumentation
 */

export {
  type CheckSiteOptions,
  type CheckTreeOptions,
  checkSite,
  checkTree,
  type SiteFindings,
  type TreeCheck,
} from './check/check-tree.ts';
export * from './check/index.ts';
export { type CollectedPages, collectPages } from './collect-pages.ts';
export { KNOWN_PATHS } from './crawl/discover.ts';
export { type DiffOptions, diffPages, type PageDiff } from './diff/diff-pages.ts';
export type {
  AddedPage,
  ChangedPage,
  ComparedField,
  DiffCounts,
  EarlierPage,
  PageChange,
  RemovedPage,
} from './diff/page-change.ts';
export type {
  PageFilterOptions,
  SitemapFilterOptions,
  SitePageOptions,
  UrlPattern,
} from './filter/filter-options.ts';
export { filterPages, type LeftOutPages, type PageItem } from './filter/filter-pages.ts';
export {
  type LocalOptions,
  sitemapFromBytes,
  sitemapFromFile,
  sitemapFromStream,
  sitemapFromString,
} from './local.ts';
export type {
  FetchHeaders,
  HeadersOption,
  Logger,
  OneSitemapOptions,
  OneSitemapStreamOptions,
  ParentSitemap,
  Pem,
  PreviousTree,
  ProgressTotals,
  RecurseCallback,
  RecurseListCallback,
  RequestHeaders,
  SitemapOptions,
  SitemapProgress,
  StreamOptions,
} from './options/options.ts';
export type { WebClient, WebRequest, WebResponse } from './options/web-seam.ts';
export * from './parse/index.ts';
export type { IndexSitemapKind, PagesSitemapKind, SitemapKind } from './parse/model/kinds.ts';
export {
  CRAWL_PROBLEMS,
  type CrawlProblemCode,
  FAILURES,
  type FailureCode,
  FETCH_PROBLEMS,
  type FetchProblemCode,
  type ProblemCode,
} from './problems/catalogue.ts';
export {
  SitemapException,
  type SitemapExceptionOptions,
  SitemapXMLParsingException,
} from './problems/errors.ts';
export type { StreamedPage, StreamedSitemap } from './read/streaming-reader.ts';
export { reportHtml } from './report/report-html.ts';
export type { ReportOptions } from './report/report-page.ts';
export type { RobotsDirective, RobotsVerdict } from './robots/robots-rules.ts';
export { type LoadTreeOptions, loadTree } from './sitemap/archive/load-tree.ts';
export { type SaveTreeOptions, saveTree } from './sitemap/archive/save-tree.ts';
export type { MissingPart } from './sitemap/missing-parts.ts';
export type {
  Freshness,
  SiteOutcome,
  Staleness,
  Stopped,
  TreeOrigin,
  TriedPath,
} from './sitemap/node-fields.ts';
export type { PageList } from './sitemap/page-list.ts';
export {
  AbstractSitemap,
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  jsonChunks,
  PagesAtomSitemap,
  PagesRSSSitemap,
  PagesTextSitemap,
  PagesXMLSitemap,
  type Sitemap,
  type SitemapPlace,
  walkTree,
} from './sitemap/sitemap.ts';
export type {
  IndexSitemapJSON,
  InvalidSitemapJSON,
  NodeJSON,
  PagesSitemapJSON,
  SitemapJSON,
  ToObjectOptions,
} from './sitemap/tree-json.ts';
export { robotsVerdicts } from './sitemap/tree-verdicts.ts';
export { type IncompleteSitemap, type PageStream, streamPages, streamSitemap } from './stream.ts';
export { type SummarizeOptions, summarize } from './summary/summarize.ts';
export type {
  DateSummary,
  FailureCount,
  FolderSummary,
  LanguageCount,
  LanguageSummary,
  LimitHistogram,
  LimitSummary,
  MonthCount,
  ProblemCount,
  SampledPage,
  SitemapSample,
  SitemapTotals,
  SummarizedSitemap,
  TreeSummary,
  YearCount,
} from './summary/tree-summary.ts';
export { SitemapFetcher, sitemapFromUrl, sitemapTreeForHomepage } from './tree.ts';
export { warcClient } from './warc/warc-client.ts';
