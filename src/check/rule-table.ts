/** All rules, in one table: what each is called, how bad it is, and how it is explained. */
import type { RuleRows } from './rule.ts';
import { LIMITS_RULES, type LimitsRule } from './rules/limits.ts';

/** The name of a rule. */
export type RuleName = LimitsRule;

/** Every rule by its name. */
export const RULES: RuleRows<RuleName> = {
  ...LIMITS_RULES,
};

/** Old names of rules that were renamed, with the new ones. */
export const RULE_ALIASES: Readonly<Record<string, RuleName>> = {};

/** Whether a word is the name of a rule. */
export function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(RULES, name);
}
