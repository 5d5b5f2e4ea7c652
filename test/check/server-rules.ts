/** The rules that need responses: `site-check.test.ts` and `pages-check.test.ts` show them. */

import type { RuleName } from '../../src/check/rule.ts';
import { PAGE_RULES } from '../../src/check/rules/pages.ts';
import { FETCH_PROBLEMS, type FetchProblemCode } from '../../src/problems/catalogue.ts';

export const NEEDS_A_SERVER: readonly RuleName[] = [
  'sitemap-unreadable',
  'sitemap-is-html',
  'sitemap-redirected',
  'sitemap-not-declared',
  'no-sitemap',
  'site-refused',
  'site-unreachable',
  'no-robots-txt',
  'robots-txt-refused',
  'robots-txt-failed',
  'content-type',
  ...(Object.keys(FETCH_PROBLEMS) as FetchProblemCode[]),
  ...(Object.keys(PAGE_RULES) as RuleName[]),
];
