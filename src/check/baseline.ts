/**
 * A baseline has findings that are not reported again, so that an old site can be checked for new ones. A finding is
 * compared by rule, document and page, never by its line, and is hidden as often as the baseline has it. Some findings
 * only count cases: those of an aggregated rule, and that of the rest of a rule. For these the number is compared, for
 * any pages.
 */
import { SitemapException } from '../problems/errors.ts';
import { count } from '../text/wording.ts';
import type { Finding } from './finding.ts';
import { findingsOf, isAggregated } from './rule-table.ts';

/** The most findings of a baseline. */
const MOST_FINDINGS = 100_000;

/** Stands for the pages of the findings that a document has of a rule after the listed ones. */
const REST = '…';

interface KnownFinding {
  readonly rule: string;
  readonly document: string;
  readonly page?: string;
  readonly count?: number;
}

/** The page by which a finding is compared. Not the first page of many: once it is fixed, another page is the first. */
export function knownPage({ rule, page, count = 1 }: KnownFinding): string | undefined {
  if (isAggregated(rule)) return undefined;
  return count > 1 ? REST : page;
}

export class BaselineWriter {
  readonly #findings = new Map<string, KnownFinding & { count: number }>();
  total = 0;

  add(finding: Finding): void {
    const { rule, document, count = 1 } = finding;
    const page = knownPage(finding);
    const key = keyOf(finding, page);
    if (!this.#findings.has(key) && this.#findings.size >= MOST_FINDINGS) {
      throw new SitemapException(
        `The baseline would have more than ${MOST_FINDINGS.toLocaleString('en')} findings; turn the most ` +
          'frequent rules off first (--rule NAME=off).',
        { code: 'bad-option' },
      );
    }
    const before = this.#findings.get(key)?.count ?? 0;
    this.#findings.set(key, { rule, document, ...(page !== undefined && { page }), count: before + count });
    this.total += findingsOf(finding);
  }

  /** The content of the file: sorted, one finding a line, so that it can be compared and merged. */
  toString(): string {
    const lines = [...this.#findings]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, { count, ...finding }]) => JSON.stringify(count > 1 ? { ...finding, count } : finding));
    return `{"version": 1, "findings": [\n${lines.join(',\n')}\n]}\n`;
  }
}

/** The findings of one rule in one document, and how many of them have not occurred yet. */
interface KnownRule {
  readonly rule: string;
  readonly total: number;
  unused: number;
  /** How many have not occurred yet, by page; `''` if a finding has no page. */
  readonly pages: Map<string, number>;
}

export class Baseline {
  readonly #rules = new Map<string, KnownRule>();
  hidden = 0;

  /** @throws SitemapException with code `bad-option` if the text is not a baseline */
  constructor(text: string) {
    for (const finding of parsed(text)) {
      const { count = 1, page = '' } = finding;
      const { total = 0, pages = new Map() } = this.#rules.get(keyOf(finding)) ?? {};
      pages.set(page, (pages.get(page) ?? 0) + count);
      const { rule } = finding;
      this.#rules.set(keyOf(finding), { rule, total: total + count, unused: total + count, pages });
    }
  }

  /** How many of its findings did not occur any more. */
  get gone(): number {
    let goneCount = 0;
    for (const { rule, total, unused } of this.#rules.values()) {
      // The finding of an aggregated rule occurs as long as one of its cases does.
      if (!isAggregated(rule)) goneCount += unused;
      else if (unused === total) goneCount++;
    }
    return goneCount;
  }

  /** The new part of a finding: the whole finding, the cases that the baseline does not have, or undefined. */
  newPart(finding: Finding): Finding | undefined {
    const { rule, count: cases = 1 } = finding;
    const knownRule = this.#rules.get(keyOf(finding));
    const used = knownRule === undefined ? 0 : use(knownRule, finding);
    if (used === 0) return finding;
    if (used === cases || !isAggregated(rule)) this.hidden += Math.min(used, findingsOf(finding));
    if (used === cases) return undefined;
    const message = `${finding.message} (${count(used, 'is', 'are')} in the baseline)`;
    return { ...finding, message, count: cases - used };
  }
}

/** Marks cases of a finding as occurred, and returns how many of them the baseline has. */
function use(knownRule: KnownRule, finding: Finding): number {
  const { pages } = knownRule;
  const isCounted = isAggregated(finding.rule) || findingsOf(finding) > 1;
  const page = [knownPage(finding) ?? '', REST].find((each) => (pages.get(each) ?? 0) > 0);
  if (!isCounted && page === undefined) return 0;
  const used = Math.min(finding.count ?? 1, knownRule.unused);
  knownRule.unused -= used;
  if (page !== undefined) pages.set(page, Math.max(0, pages.get(page)! - used));
  return used;
}

function keyOf({ rule, document }: KnownFinding, page?: string): string {
  return JSON.stringify(page === undefined ? [document, rule] : [document, rule, page]);
}

function parsed(text: string): readonly KnownFinding[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw notABaseline(cause);
  }
  const findings = isRecord(json) && json['version'] === 1 ? json['findings'] : undefined;
  if (!Array.isArray(findings) || !findings.every(isKnownFinding)) throw notABaseline();
  return findings;
}

function isKnownFinding(value: unknown): value is KnownFinding {
  if (!isRecord(value)) return false;
  const { rule, document, page, count } = value;
  return (
    typeof rule === 'string' &&
    typeof document === 'string' &&
    (page === undefined || typeof page === 'string') &&
    (count === undefined || (Number.isSafeInteger(count) && Number(count) > 0))
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function notABaseline(cause?: unknown): SitemapException {
  return new SitemapException('It is not a baseline. Write one with --write-baseline FILE.', {
    code: 'bad-option',
    ...(cause !== undefined && { cause }),
  });
}
