/** Findings by rule, in bounded memory: all are counted, the first of each rule are kept. */
import type { Finding } from '../check/finding.ts';
import type { Severity } from '../check/rule.ts';
import { cut } from './summary/page-sample.ts';

/** Kept findings of a rule. */
const MOST_EXAMPLES = 10;

/** What a rule found. */
export interface FoundRule {
  readonly rule: string;
  /** The worst of its findings. */
  readonly severity: Severity;
  readonly findings: number;
  /** The same with the counts of aggregated ones. */
  readonly occurrences: number;
  /** Documents that have such findings. */
  readonly documents: number;
  /** The first ones. */
  readonly examples: readonly Finding[];
}

const WEIGHT: Readonly<Record<Severity, number>> = { error: 2, warning: 1, info: 0 };

type Counted = { -readonly [Key in keyof FoundRule]: FoundRule[Key] } & {
  lastDocument: string;
  examples: Finding[];
};

/** Collects findings by rule. */
export class FoundRules {
  readonly #rules = new Map<string, Counted>();
  readonly #severities: Record<Severity, number> = { error: 0, warning: 0, info: 0 };

  add(finding: Finding): void {
    this.#severities[finding.severity]++;
    let found = this.#rules.get(finding.rule);
    if (found === undefined) {
      const { rule, severity } = finding;
      found = { rule, severity, findings: 0, occurrences: 0, documents: 0, examples: [], lastDocument: '' };
      this.#rules.set(rule, found);
    }
    found.findings++;
    found.occurrences += finding.count ?? 1;
    // Findings come document by document.
    if (found.lastDocument !== finding.document) {
      found.documents++;
      found.lastDocument = finding.document;
    }
    if (WEIGHT[finding.severity] > WEIGHT[found.severity]) found.severity = finding.severity;
    if (found.examples.length < MOST_EXAMPLES) found.examples.push(shortened(finding));
  }

  /** How many findings there are of a severity. */
  count(severity: Severity): number {
    return this.#severities[severity];
  }

  /** What was found, the worst first. */
  get all(): readonly FoundRule[] {
    return [...this.#rules.values()].sort(
      (a, b) => WEIGHT[b.severity] - WEIGHT[a.severity] || b.occurrences - a.occurrences,
    );
  }
}

// A message may have a value of any length in it.
function shortened(finding: Finding): Finding {
  const { message, document, page } = finding;
  return {
    ...finding,
    message: cut(message),
    document: cut(document),
    ...(page !== undefined && { page: cut(page) }),
  };
}
