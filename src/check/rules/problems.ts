/** What the parser notices, as rules: one row for each of its problems that has no rule of another name. */
import type { RuleRows } from '../rule.ts';
import { BROKEN_XML_RULES, type BrokenXmlRule } from './broken-xml-rows.ts';
import { ENTRY_RULES, type EntryRule } from './entry-rows.ts';
import { STRUCTURE_RULES, type StructureRule } from './structure-rows.ts';
import { VALUE_RULES, type ValueRule } from './value-rows.ts';

/** The codes of these problems. */
export type ProblemRule = BrokenXmlRule | StructureRule | EntryRule | ValueRule;

export const PROBLEM_RULES: RuleRows<ProblemRule> = {
  ...BROKEN_XML_RULES,
  ...STRUCTURE_RULES,
  ...ENTRY_RULES,
  ...VALUE_RULES,
};
