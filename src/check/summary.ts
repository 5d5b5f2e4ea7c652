/** Counts findings. */
import type { CheckSummary, DocumentSummary, Finding } from './finding.ts';
import type { Severity } from './rule.ts';
import type { RuleName } from './rule-table.ts';

const MOST_WORST = 10;
type Counts = Record<Severity, number>;

/** Adds up to a {@link CheckSummary}. */
export class SummaryCounter {
  /** How many documents were checked, and how many pages they list. */
  documents = 0;
  pages = 0;
  complete = false;
  stopped: string | undefined;
  readonly #all: Counts = { error: 0, warning: 0, info: 0 };
  readonly #rules: Partial<Record<RuleName, number>> = {};
  readonly #documents = new Map<string, Counts>();

  add({ rule, severity, document }: Finding): void {
    this.#all[severity]++;
    this.#rules[rule] = (this.#rules[rule] ?? 0) + 1;
    const counts = this.#documents.get(document) ?? { error: 0, warning: 0, info: 0 };
    counts[severity]++;
    this.#documents.set(document, counts);
  }

  get summary(): CheckSummary {
    const { documents, pages, complete, stopped } = this;
    return {
      ...this.#all,
      rules: { ...this.#rules },
      documents,
      pages,
      complete,
      ...(stopped !== undefined && { stopped }),
      worst: this.#worst(),
    };
  }

  #worst(): DocumentSummary[] {
    return Array.from(this.#documents, ([document, counts]) => ({ document, ...counts }))
      .sort((a, b) => b.error - a.error || b.warning - a.warning || b.info - a.info)
      .slice(0, MOST_WORST);
  }
}
