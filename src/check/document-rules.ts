/** The rules that look at one document by itself. */
import type { DocumentRule } from './rule.ts';
import type { RuleName } from './rule-table.ts';
import { limits } from './rules/limits.ts';

/** In the order in which they hear of a document. */
export const DOCUMENT_RULES: readonly DocumentRule<RuleName>[] = [limits];
