/** The summary of a check, counted as it runs: findings by rule and document, and the results of requested pages. */
import type { CheckSummary, DocumentSummary, Finding, PageResult, RequestedPages } from './finding.ts';
import { SEVERITIES, type Severity } from './rule.ts';
import { findingsOf } from './rule-table.ts';

const MOST_WORST = 10;
const MOST_EXAMPLES = 5;

/** {@link CheckSummary.stopped} of a check that the caller ended. */
export const ABORTED: NonNullable<CheckSummary['stopped']> = {
  limit: 'abort',
  message: 'The check was ended before it was complete.',
};

type Counts = Record<Severity, number>;

/** How many findings there are, and how many entries these stand for. */
interface Tally {
  readonly counts: Counts;
  readonly entries: Counts;
}

export class SummaryCounter {
  documents = 0;
  pages = 0;
  alternatesNotChecked = 0;
  complete = false;
  stopped: CheckSummary['stopped'];
  requestedPages: PageResults | undefined;
  readonly #all = noTally();
  readonly #rules = new Map<string, number>();
  readonly #documents = new Map<string, Tally>();

  add(finding: Finding): void {
    const { rule, severity, document, count = 1 } = finding;
    const findings = findingsOf(finding);
    this.#addRule(rule, findings);
    for (const { counts, entries } of [this.#all, this.#tallyOf(document)]) {
      counts[severity] += findings;
      entries[severity] += count;
    }
  }

  /** Adds the numbers of another check, but not its `complete`. */
  join(summary: CheckSummary): void {
    const { documents, pages, alternatesNotChecked = 0, stopped, requestedPages, rules, worst } = summary;
    this.documents += documents;
    this.pages += pages;
    this.alternatesNotChecked += alternatesNotChecked;
    this.stopped ??= stopped;
    for (const [rule, findings] of Object.entries(rules)) this.#addRule(rule, findings);
    addTo(this.#all, summary);
    for (const each of worst) addTo(this.#tallyOf(each.document), each);
    if (requestedPages === undefined) return;
    this.requestedPages ??= new PageResults();
    this.requestedPages.listed += requestedPages.listed;
    for (const result of requestedPages.results) this.requestedPages.add(result);
  }

  #addRule(rule: string, findings: number): void {
    this.#rules.set(rule, (this.#rules.get(rule) ?? 0) + findings);
  }

  #tallyOf(document: string): Tally {
    const tally = this.#documents.get(document) ?? noTally();
    this.#documents.set(document, tally);
    return tally;
  }

  get summary(): CheckSummary {
    const { documents, pages, alternatesNotChecked, complete, stopped, requestedPages } = this;
    return {
      ...copyOf(this.#all),
      rules: Object.fromEntries(this.#rules),
      documents,
      pages,
      ...(alternatesNotChecked > 0 && { alternatesNotChecked }),
      complete,
      ...(stopped !== undefined && { stopped }),
      ...(requestedPages !== undefined && { requestedPages: requestedPages.summary }),
      worst: this.#worst(),
    };
  }

  #worst(): DocumentSummary[] {
    return Array.from(this.#documents, ([document, tally]) => ({ document, ...copyOf(tally) }))
      .sort(({ entries: a }, { entries: b }) => b.error - a.error || b.warning - a.warning || b.info - a.info)
      .slice(0, MOST_WORST);
  }
}

function noTally(): Tally {
  return { counts: { error: 0, warning: 0, info: 0 }, entries: { error: 0, warning: 0, info: 0 } };
}

function copyOf({ counts, entries }: Tally): Tally {
  return { counts: { ...counts }, entries: { ...entries } };
}

function addTo({ counts, entries }: Tally, more: Pick<CheckSummary, 'counts' | 'entries'>): void {
  for (const severity of SEVERITIES) {
    counts[severity] += more.counts[severity];
    entries[severity] += more.entries[severity];
  }
}

/** The summary of several checks. */
export function joinedSummary(summaries: readonly CheckSummary[]): CheckSummary {
  const all = new SummaryCounter();
  for (const summary of summaries) all.join(summary);
  all.complete = summaries.every(({ complete }) => complete);
  return all.summary;
}

type CountedResult = { -readonly [Field in keyof PageResult]: PageResult[Field] } & { examples: string[] };

export class PageResults {
  /** How many distinct pages the sitemaps list. */
  listed: number;
  readonly #results = new Map<string, CountedResult>();

  constructor(listed = 0) {
    this.listed = listed;
  }

  add({ result, status, count, examples }: PageResult): void {
    const key = `${result} ${status}`;
    const counts = this.#results.get(key) ?? {
      result,
      ...(status !== undefined && { status }),
      count: 0,
      examples: [],
    };
    this.#results.set(key, counts);
    counts.count += count;
    counts.examples.push(...examples.slice(0, MOST_EXAMPLES - counts.examples.length));
  }

  get summary(): RequestedPages {
    const results = [...this.#results.values()].sort(
      (a, b) => Number(b.result === 'indexable') - Number(a.result === 'indexable') || b.count - a.count,
    );
    const requestedResults = results.filter(({ result }) => result !== 'not-requested');
    return {
      listed: this.listed,
      requested: requestedResults.reduce((sum, { count }) => sum + count, 0),
      results,
    };
  }
}
