/**
 * Findings that are known and not to be shown again: an old site can be checked for what is new. A finding is known by
 * its rule, document and page, never by its line, and as often as it was there. Of what is counted, the number is
 * known, whichever pages it is about: the cases of an aggregated rule, and the findings of a rule behind those that are
 * listed.
 */
import { SitemapException } from '../problems/errors.ts';
import { count } from '../text/wording.ts';
import type { Finding } from './finding.ts';
import { findingsOf, isAggregated } from './rule-table.ts';

/** The most findings of a baseline. */
const MOST_KNOWN = 100_000;

/** The page of the findings of a rule that a document has besides those that are listed. */
const REST = '…';

interface KnownFinding {
  readonly rule: string;
  readonly document: string;
  readonly page?: string;
  readonly count?: number;
}

/** The page that a finding is known by; not the first of many, which is another one as soon as that is fixed. */
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
    if (!this.#findings.has(key) && this.#findings.size >= MOST_KNOWN) {
      throw new SitemapException(
        `The baseline would have more than ${MOST_KNOWN.toLocaleString('en')} findings; turn the most ` +
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

/** What is left of the known findings of one rule in one document. */
interface KnownRule {
  readonly rule: string;
  readonly total: number;
  unused: number;
  /** How many findings are left by page; `''` where a finding has no page. */
  readonly pages: Map<string, number>;
}

export class Baseline {
  readonly #rules = new Map<string, KnownRule>();
  hidden = 0;

  /** @throws SitemapException with code `bad-option` for what is not a baseline */
  constructor(text: string) {
    for (const finding of parsed(text)) {
      const { count = 1, page = '' } = finding;
      const { total = 0, pages = new Map() } = this.#rules.get(keyOf(finding)) ?? {};
      pages.set(page, (pages.get(page) ?? 0) + count);
      const { rule } = finding;
      this.#rules.set(keyOf(finding), { rule, total: total + count, unused: total + count, pages });
    }
  }

  /** How many of its findings were not there any more. */
  get gone(): number {
    let goneCount = 0;
    for (const { rule, total, unused } of this.#rules.values()) {
      // What an aggregated rule says of a document is there as long as one of its cases is.
      if (!isAggregated(rule)) goneCount += unused;
      else if (unused === total) goneCount++;
    }
    return goneCount;
  }

  /** What of a finding is new: all of it, the cases that are more than there were, or nothing. */
  newOf(finding: Finding): Finding | undefined {
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

/** Uses up what is known of a finding; returns how many of its cases that is. */
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
    throw notOne(cause);
  }
  const findings = isRecord(json) && json['version'] === 1 ? json['findings'] : undefined;
  if (!Array.isArray(findings) || !findings.every(isKnownFinding)) throw notOne();
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

function notOne(cause?: unknown): SitemapException {
  return new SitemapException('It is not a baseline; --write-baseline FILE writes one.', {
    code: 'bad-option',
    ...(cause !== undefined && { cause }),
  });
}
