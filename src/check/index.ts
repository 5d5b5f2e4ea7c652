/**
 * Checks of sitemaps: what is wrong, where exactly, and whether it matters. No network, no files, nothing of Node: it
 * runs in browsers and workers as it is.
 *
 * @packageDocumentation
 */

export type { FetchProblemCode } from '../problems/catalogue.ts';
export { SitemapException, type SitemapExceptionOptions } from '../problems/errors.ts';
export {
  type AsyncSitemapCheck,
  type CheckedContent,
  type CheckSitemapOptions,
  checkSitemap,
  checkSitemaps,
  type DocumentToCheck,
  type SitemapCheck,
} from './check-sitemap.ts';
export type {
  CheckSummary,
  DocumentSummary,
  Finding,
  PageResult,
  RequestedPages,
  SeverityCounts,
} from './finding.ts';
export type {
  RelatedPlace,
  RuleExplanation,
  RuleName,
  Severity,
} from './rule.ts';
export { RULES } from './rule-table.ts';
export type { CheckOptions, RuleSetting } from './site-check.ts';
