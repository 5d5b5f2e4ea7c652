/**
 * Turns the reports of rules about one document into findings: adds positions, and counts the reports of aggregated
 * rules and those of any rule after its first {@link MOST_OF_RULE}. A document can break a rule at each of its bytes,
 * and a million findings are of no use.
 */
import type { Places } from '../problems/position.ts';
import { number } from '../text/wording.ts';
import { shownUrl, withShownUrls } from '../url.ts';
import type { Finding } from './finding.ts';
import type { RelatedPlace, Report, RuleName } from './rule.ts';
import { RULES } from './rule-table.ts';

/** How many findings of one rule and severity a document can have, before one more that counts the rest. */
const MOST_OF_RULE = 100;

/** How many places an aggregated finding has after the first. */
const MOST_RELATED = 4;

/** How many causes of a rule in one document get a finding of their own; all other causes share one finding. */
const MOST_CAUSES = 1000;
const OTHER_CAUSES = '\n';

type Draft = { -readonly [Field in keyof Finding]: Finding[Field] };

interface Aggregate {
  readonly draft: Draft;
  readonly total: Report['total'];
  readonly related: Draft[];
  count: number;
}

/** @internal */
export class DocumentFindings {
  readonly #document: string;
  readonly #places: Places;
  readonly #emit: (finding: Finding) => void;
  /** In the order of their first cases. */
  readonly #aggregates: Aggregate[] = [];
  readonly #byCause = new Map<RuleName, Map<string, Aggregate>>();
  /** How many findings of each rule there were, by severity and name. */
  readonly #times = new Map<string, number>();

  /** @param emit - called with each finding once it is complete */
  constructor(document: string, places: Places, emit: (finding: Finding) => void) {
    this.#document = document;
    this.#places = places;
    this.#emit = emit;
  }

  report(report: Report): void {
    const { rule, severity = RULES[rule].severity } = report;
    if (RULES[rule].aggregated === true) {
      this.#aggregate(report);
      return;
    }
    const key = `${severity} ${rule}`;
    const times = this.#times.get(key) ?? 0;
    if (times >= MOST_OF_RULE) {
      this.#aggregate({ ...report, cause: severity, total: describeRest });
      return;
    }
    this.#times.set(key, times + 1);
    this.#emit(this.#draft(report));
  }

  /** Emits the aggregated findings. */
  end(): void {
    for (const { draft, total, related, count } of this.#aggregates) {
      draft.count = count;
      if (total !== undefined) draft.message = withShownUrls(total(count));
      if (related.length > 0) draft.related = [...(draft.related ?? []), ...related.map(relatedPlace)];
      this.#emit(draft);
    }
  }

  /** True if only the number of further cases is wanted; counts this one. */
  isOnlyCounted(rule: RuleName, cause = ''): boolean {
    const { aggregated, severity } = RULES[rule];
    const aggregate = this.#byCause.get(rule)?.get(aggregated === true ? cause : severity);
    if (aggregate === undefined || aggregate.related.length < MOST_RELATED) return false;
    aggregate.count++;
    return true;
  }

  #aggregate(report: Report): void {
    const { rule, cause = '', total, count = 1 } = report;
    const byCause = this.#byCause.get(rule) ?? new Map<string, Aggregate>();
    this.#byCause.set(rule, byCause);
    const key = byCause.size < MOST_CAUSES || byCause.has(cause) ? cause : OTHER_CAUSES;
    const aggregate = byCause.get(key);
    if (aggregate === undefined) {
      const newAggregate = { draft: this.#draft(report), total, related: [], count };
      byCause.set(key, newAggregate);
      this.#aggregates.push(newAggregate);
      return;
    }
    aggregate.count += count;
    if (aggregate.related.length < MOST_RELATED) aggregate.related.push(this.#draft(report));
  }

  #draft({
    rule,
    message,
    offset,
    position = offset === undefined ? undefined : this.#places.at(offset),
    page,
    related,
    severity,
    count = 1,
  }: Report): Draft {
    const draft: Draft = {
      rule,
      severity: severity ?? RULES[rule].severity,
      message: withShownUrls(message),
      document: this.#document,
    };
    if (count > 1) draft.count = count;
    if (page !== undefined) draft.page = shownUrl(page);
    if (related !== undefined) draft.related = related;
    if (offset === undefined) return draft;
    draft.offset = offset;
    if (position !== undefined) {
      draft.line = position.line;
      draft.column = position.column;
    }
    return draft;
  }
}

function describeRest(rest: number): string {
  return rest === 1
    ? '1 more finding of this rule in this document.'
    : `${number(rest)} more findings of this rule in this document; this is the first of them.`;
}

function relatedPlace({ document, line, column, offset, page }: Draft): RelatedPlace {
  return {
    document,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(offset !== undefined && { offset }),
    ...(page !== undefined && { message: page }),
  };
}
