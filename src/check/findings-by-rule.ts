/** Findings by rule, in bounded memory: which rules are broken, how often and where, and which to fix first. */
import { clip, count as countOf, LONGEST_TEXT } from '../text/wording.ts';
import type { Finding, SeverityCounts } from './finding.ts';
import { type RuleName, type RuleSubject, SEVERITIES, type Severity } from './rule.ts';
import { findingsOf, isRuleName, RULES } from './rule-table.ts';

/** Affected addresses of a rule that are kept. */
const MOST_AFFECTED = 2_000;

/** A rule that is broken. */
export class RuleFindings {
  readonly rule: RuleName;
  /** The worst of its findings. */
  severity: Severity = 'info';
  /** Findings by severity. */
  readonly counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  /** Entries that these findings stand for, by severity. */
  readonly entryCounts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  documents = 0;
  #lastDocument: string | undefined;
  /** The first findings with the worst severity. */
  examples: Finding[] = [];
  /** The first affected addresses: the page of a finding if it has one, else its document. */
  readonly affected: Set<string> = new Set();
  /** How many further addresses are affected: those beyond the limit, and those that findings count without a name. */
  moreAffected = 0;

  constructor(rule: RuleName) {
    this.rule = rule;
  }

  add(finding: Finding, mostExamples: number): void {
    const { severity, document, page, count = 1 } = finding;
    this.counts[severity] += findingsOf(finding);
    this.entryCounts[severity] += count;
    // Findings come document by document.
    if (document !== this.#lastDocument) this.documents++;
    this.#lastDocument = document;
    if (SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(this.severity)) {
      this.severity = severity;
      this.examples = [];
    }
    if (severity === this.severity && this.examples.length < mostExamples)
      this.examples.push(withCutTexts(finding));
    const address = clip(page ?? document, LONGEST_TEXT);
    if (this.affected.size < MOST_AFFECTED) this.affected.add(address);
    this.moreAffected += count - (this.affected.has(address) ? 1 : 0);
  }

  get findings(): number {
    return sumOf(this.counts);
  }

  get entries(): number {
    return sumOf(this.entryCounts);
  }
}

export class FindingsByRule {
  readonly #mostExamples: number;
  readonly #rules = new Map<RuleName, RuleFindings>();

  /** @param mostExamples - findings of a rule that are kept */
  constructor(mostExamples: number) {
    this.#mostExamples = mostExamples;
  }

  add(finding: Finding): void {
    const ofRule = this.#rules.get(finding.rule) ?? new RuleFindings(finding.rule);
    this.#rules.set(finding.rule, ofRule);
    ofRule.add(finding, this.#mostExamples);
  }

  /** How many findings have a severity, and how many entries these stand for. */
  count(severity: Severity): { readonly findings: number; readonly entries: number } {
    let [findings, entries] = [0, 0];
    for (const { counts, entryCounts } of this.#rules.values()) {
      findings += counts[severity];
      entries += entryCounts[severity];
    }
    return { findings, entries };
  }

  /** The broken rules, in the order in which to fix them. */
  get byUrgency(): readonly RuleFindings[] {
    return [...this.#rules.values()].sort(byUrgency);
  }
}

export function sumOf({ error, warning, info }: SeverityCounts): number {
  return error + warning + info;
}

function withCutTexts(finding: Finding): Finding {
  const { message, document, page } = finding;
  return {
    ...finding,
    message: clip(message, LONGEST_TEXT),
    document: clip(document, LONGEST_TEXT),
    ...(page !== undefined && { page: clip(page, LONGEST_TEXT) }),
  };
}

/** `1,010 entries`, where findings stand for more entries than there are findings. */
export function describeEntries(findings: number, entries: number): string {
  return entries > findings ? countOf(entries, 'entry', 'entries') : '';
}

/** In the order in which to fix them: a fault that hides others is first. */
const SUBJECTS: readonly RuleSubject[] = [
  'site',
  'xml',
  'limits',
  'pages',
  'urls',
  'hreflang',
  'news',
  'images',
  'video',
  'extensions',
  'lastmod',
];

/** Equal rules are in the order of the table. */
const ORDER: readonly string[] = Object.keys(RULES);

/** With one of these findings, nothing is known about the sitemaps of a site. */
const FIRST: ReadonlySet<string> = new Set(['no-sitemap', 'site-refused', 'site-unreachable']);

type BrokenRule = Pick<RuleFindings, 'rule' | 'severity' | 'entries'>;

/** Which of two rules to fix first, in every output: by severity, subject, and how many entries break it. */
export function byUrgency(a: BrokenRule, b: BrokenRule): number {
  return rank(a) - rank(b) || b.entries - a.entries || ORDER.indexOf(a.rule) - ORDER.indexOf(b.rule);
}

function rank({ rule, severity }: BrokenRule): number {
  if (FIRST.has(rule)) return -1;
  // This rule is about one page; other rules about the site affect whole sitemaps.
  const about = rule === 'page-blocked' || !isRuleName(rule) ? 'pages' : RULES[rule].about;
  return SEVERITIES.indexOf(severity) * 100 + SUBJECTS.indexOf(about);
}
