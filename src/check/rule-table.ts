/** All rules, in one table: their names, severities and explanations. */
import type { ParseProblemCode } from '../problems/catalogue.ts';
import type { DocumentRule, RuleName, RuleRow, RuleRows } from './rule.ts';

import { DECLARATION_RULES } from './rules/declarations.ts';
import { DELIVERY_RULES } from './rules/delivery.ts';
import { ENTRY_RULES, entries } from './rules/entries.ts';
import { HREFLANG_RULES, hreflang } from './rules/hreflang.ts';
import { LASTMOD_RULES, lastmod } from './rules/lastmod.ts';
import { LIMITS_RULES, limits } from './rules/limit-rules.ts';
import { LISTING_RULES } from './rules/listings.ts';
import { IMAGES_RULES, images, VIDEO_RULES, video } from './rules/media-rules.ts';
import { NEWS_RULES, news } from './rules/news-rules.ts';
import { PAGE_RULES } from './rules/pages.ts';
import { RETURN_RULES } from './rules/return-links.ts';
import { URL_RULES, urls } from './rules/urls.ts';
import { EXTENSIONS_RULES, extensions, XML_RULES, xml } from './rules/xml.ts';

/** Every rule by its name. */
export const RULES: RuleRows<RuleName> = {
  ...XML_RULES,
  ...ENTRY_RULES,
  ...LIMITS_RULES,
  ...URL_RULES,
  ...LISTING_RULES,
  ...LASTMOD_RULES,
  ...HREFLANG_RULES,
  ...RETURN_RULES,
  ...EXTENSIONS_RULES,
  ...NEWS_RULES,
  ...IMAGES_RULES,
  ...VIDEO_RULES,
  ...DECLARATION_RULES,
  ...DELIVERY_RULES,
  ...PAGE_RULES,
};

/**
 * The problems of the parser that are reported under the name of another rule; every other problem is a rule itself.
 */
const PROBLEM_RULES: Readonly<Record<Exclude<ParseProblemCode, RuleName>, RuleName>> = {
  'invalid-bytes': 'not-utf-8',
  'oversized-url': 'url-too-long',
};

/** @internal The rule of a problem of the parser. The type of the table above ensures that each problem has one. */
export function ruleOfProblem(code: string): RuleName {
  if (isRuleName(code)) return code;
  return Object.hasOwn(PROBLEM_RULES, code)
    ? PROBLEM_RULES[code as keyof typeof PROBLEM_RULES]
    : 'check-failed';
}

/** @internal How many findings a finding stands for: one, unless it counts the rest of a rule. */
export function findingsOf({
  rule,
  count = 1,
}: {
  readonly rule: RuleName;
  readonly count?: number;
}): number {
  return isAggregated(rule) ? 1 : count;
}

/** @internal Whether a rule has one finding per document and cause, with a count. */
export function isAggregated(rule: string): boolean {
  return isRuleName(rule) && RULES[rule].aggregated === true;
}

/** @internal The first sentence of what a rule finds. */
export function firstSentence({ explanation }: RuleRow): string {
  return explanation.what.split(/(?<=\.)\s/)[0]!;
}

/** @internal Whether a word is the name of a rule. */
export function isRuleName(name: string): name is RuleName {
  return typeof name === 'string' && Object.hasOwn(RULES, name);
}

/** @internal The rules that look at one document by itself, in the order in which they are called. */
export const DOCUMENT_RULES: readonly DocumentRule[] = [
  xml,
  entries,
  limits,
  urls,
  lastmod,
  hreflang,
  extensions,
  news,
  images,
  video,
];
