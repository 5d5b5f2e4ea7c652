/**
 * `text`: the findings below the name of their document, and at the end a verdict: how many there are, where most are,
 * and what to fix first.
 */

import type { CheckSummary, DocumentSummary, Finding } from '../../check/finding.ts';
import { describeEntries, FindingsByRule } from '../../check/findings-by-rule.ts';
import type { RuleName, Severity } from '../../check/rule.ts';
import { findingsOf, RULES } from '../../check/rule-table.ts';
import { number } from '../../text/wording.ts';
import {
  type CheckOutcome,
  counts,
  describeCounts,
  describeHidden,
  describeRequested,
  describeScope,
  describeTally,
  type FindingFormat,
  type FindingWriter,
  type FormatOptions,
  messageWithPage,
  type Painted,
  shownLine,
} from './finding-format.ts';

/** How many findings of one rule in one document are shown. */
const FIRST = 10;
/** How many findings of a document are kept to be sorted; with `--all` there can be any number. */
const MOST_KEPT = 2000;
const MOST_WORST = 5;
const MOST_FIRST = 5;

const COLOURS: Readonly<Record<Severity, Painted>> = { error: 'red', warning: 'yellow', info: 'blue' };

export const textFormat: FindingFormat = (options) => new TextWriter(options);

class TextWriter implements FindingWriter {
  readonly #all: boolean;
  readonly #paint: (colour: Painted, text: string) => string;
  #document: string | undefined;
  #isHeaded = false;
  #findings: Finding[] = [];
  /** The findings of the document by rule: all, and those that are shown. */
  readonly #perRule = new Map<RuleName, { all: number; shown: number }>();
  /** To say what matters. */
  readonly #rules = new FindingsByRule(1);

  constructor({ all = false, paint = (_, plain) => plain }: FormatOptions) {
    this.#all = all;
    this.#paint = paint;
  }

  item(finding: Finding): string {
    const { rule, document } = finding;
    this.#rules.add(finding);
    const before = document === this.#document ? '' : this.#flush();
    this.#document = document;
    const counts = this.#perRule.get(rule) ?? { all: 0, shown: 0 };
    this.#perRule.set(rule, counts);
    const findings = findingsOf(finding);
    counts.all += findings;
    if (!this.#all && counts.shown >= FIRST) return before;
    counts.shown += findings;
    this.#findings.push(finding);
    return this.#findings.length < MOST_KEPT ? before : before + this.#lines();
  }

  #flush(): string {
    if (this.#document === undefined) return '';
    const lines = this.#lines();
    const more = [...this.#perRule].filter(([, { all, shown }]) => all > shown);
    const rest = more.map(([rule, { all, shown }]) =>
      this.#paint('dim', `  … ${number(all - shown)} more ${rule} here (--all shows the first 100)\n`),
    );
    this.#perRule.clear();
    this.#isHeaded = false;
    return `${lines}${rest.join('')}\n`;
  }

  #lines(): string {
    const findings = this.#findings.sort(
      (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
    );
    this.#findings = [];
    const header = this.#isHeaded
      ? ''
      : `${this.#paint('bold', shownLine(this.#document ?? '') || 'stdin')}\n`;
    this.#isHeaded = true;
    const places = findings.map(({ line, column }) => (line === undefined ? '-' : `${line}:${column}`));
    const width = Math.max(0, ...places.map(({ length }) => length));
    const lines = findings.map((finding, index) => {
      const place = this.#paint('dim', places[index]!.padStart(width));
      const severity = this.#paint(COLOURS[finding.severity], finding.severity.padEnd(7));
      return `  ${place}  ${severity}  ${shownLine(messageWithPage(finding))}  ${this.#paint('dim', finding.rule)}\n`;
    });
    return header + lines.join('');
  }

  end(outcome: CheckOutcome): string {
    const { summary } = outcome;
    const { error, warning } = summary.counts;
    const colour: Painted = error > 0 ? 'red' : warning > 0 ? 'yellow' : 'green';
    const counts = this.#paint(colour, describeCounts(outcome));
    const verdict = `${counts}${describeScope(summary)}${describeHidden(outcome)}\n`;
    const requested = describeRequested(summary);
    const text = `${this.#flush()}${verdict}${requested === '' ? '' : `${requested}\n`}`;
    return `${text}${this.#worst(summary)}${this.#fixFirst(summary.documents)}`;
  }

  /** Where most findings are, if there are several documents. */
  #worst({ worst, documents }: CheckSummary): string {
    const bad = worst.filter(({ counts: { error, warning } }) => error + warning > 0).slice(0, MOST_WORST);
    if (documents < 2 || bad.length < 2) return '';
    const lines = bad.map((each) => `  ${shownLine(each.document)}  ${describeTally(withoutInfo(each))}\n`);
    return `\nMost are in:\n${lines.join('')}`;
  }

  #fixFirst(documents: number): string {
    const ranked = this.#rules.byUrgency.filter(({ severity }) => severity !== 'info');
    if (ranked.length === 0) return '';
    const lines = ranked.slice(0, MOST_FIRST).map((broken, index) => {
      const { rule, severity, findings, entries, examples } = broken;
      const name = this.#paint(COLOURS[severity], rule);
      const fix = shownLine(RULES[rule].explanation.fix).replaceAll('`', '');
      const at = `${findings > 1 ? 'first ' : ''}at ${placeOf(examples[0]!)}`;
      const first = documents < 2 ? '' : this.#paint('dim', `     ${at}\n`);
      const numbers = [counts(broken.counts), describeEntries(findings, entries)];
      return `  ${index + 1}. ${name} (${numbers.filter((part) => part !== '').join(', ')}): ${fix}\n${first}`;
    });
    const rest = ranked.slice(MOST_FIRST).map(({ rule }) => rule);
    if (rest.length > 0) lines.push(`  Then: ${rest.join(', ')}.\n`);
    return `\nFix first:\n${lines.join('')}${this.#paint('dim', 'usp rules NAME explains a rule.')}\n`;
  }
}

function withoutInfo({ counts, entries }: DocumentSummary): Pick<DocumentSummary, 'counts' | 'entries'> {
  return { counts: { ...counts, info: 0 }, entries: { ...entries, info: 0 } };
}

/** Where a finding is, so that a terminal or an editor can lead there. */
function placeOf({ document, line, column }: Finding): string {
  return `${shownLine(document) || 'stdin'}${line === undefined ? '' : `:${line}:${column}`}`;
}
