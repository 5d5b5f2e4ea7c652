/** All rules, in one table: what each is called, how bad it is, and how it is explained. */
import type { RuleRows } from './rule.ts';
import { LASTMOD_RULES, type LastmodRule } from './rules/lastmod.ts';
import { LIMITS_RULES, type LimitsRule } from './rules/limits.ts';
import { PROBLEM_RULES, type ProblemRule } from './rules/problems.ts';
import { URL_RULES, type UrlRule } from './rules/url-rows.ts';
import { XML_RULES, type XmlRule } from './rules/xml.ts';

/** The name of a rule. */
export type RuleName = XmlRule | ProblemRule | LimitsRule | UrlRule | LastmodRule;

/** Every rule by its name. */
export const RULES: RuleRows<RuleName> = {
  ...XML_RULES,
  ...PROBLEM_RULES,
  ...LIMITS_RULES,
  ...URL_RULES,
  ...LASTMOD_RULES,
};

/** Old names of rules that were renamed, with the new ones. */
export const RULE_ALIASES: Readonly<Record<string, RuleName>> = {};

/** Whether a word is the name of a rule. */
export function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(RULES, name);
}
