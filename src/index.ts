/**
 * The public surface of `ultimate-sitemap-parser`.
 *
 * @packageDocumentation
 */

export { type CheckSiteOptions, checkSite, SiteFindings } from './check/check-site.ts';
export { type CheckTreeOptions, checkTree, TreeCheck } from './check/check-tree.ts';
export * from './check/index.ts';
export { type DiffOptions, diffPages, PageDiff } from './diff/diff-pages.ts';
export {
  type AddedPage,
  type ChangedPage,
  COMPARED_FIELDS,
  type ComparedField,
  type DiffCounts,
  type EarlierPage,
  type PageChange,
  type RemovedPage,
} from './diff/page-change.ts';
export * from './reading.ts';
export { reportHtml } from './report/report-html.ts';
export type { ReportOptions } from './report/written-report.ts';
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
