/** What a check says. */
import { type RelatedPlace, type RuleName, type RuleSubject, SEVERITIES, type Severity } from './rule.ts';
import { isRuleName, RULES, timesOf } from './rule-table.ts';

/** One thing that a check found. */
export interface Finding {
  /** The name of the rule; `docs/check-rules.md` explains each. */
  readonly rule: RuleName;
  readonly severity: Severity;
  /** A sentence: what is wrong, with the value. */
  readonly message: string;
  /** The URL of the document, or the name of the file where it has no URL. */
  readonly document: string;
  /** From 1; lines end with LF, CRLF or CR. */
  readonly line?: number;
  /** In UTF-16 code units, from 1. */
  readonly column?: number;
  /** In bytes of the decoded text as UTF-8, from 0 behind a byte order mark. */
  readonly offset?: number;
  /** The page it is about; in an index or robots.txt, the sitemap. */
  readonly page?: string;
  /**
   * How often it occurs, for aggregated rules, and for the finding that counts the rest of a rule in a document: the
   * position is that of the first.
   */
  readonly count?: number;
  /** Other places: the next few of an aggregated rule, or the other side of a contradiction. */
  readonly related?: readonly RelatedPlace[];
}

/** How many findings there are of each severity. */
export type SeverityCounts = Readonly<Record<Severity, number>>;

/** What a check says of one document. */
export interface DocumentSummary {
  readonly document: string;
  readonly counts: SeverityCounts;
}

/** What a check says in the end. */
export interface CheckSummary {
  /** How many findings there are of each severity. */
  readonly counts: SeverityCounts;
  /** How many findings each rule has, of those that have any. */
  readonly rules: Readonly<Partial<Record<RuleName, number>>>;
  /** How many documents were checked. */
  readonly documents: number;
  /** How many pages they list. */
  readonly pages: number;
  /** How many alternates were not followed, where there were too many: over 200 of a page, or eight million in all. */
  readonly alternatesNotChecked?: number;
  /** What came of the pages that were requested, where that was wanted. */
  readonly requestedPages?: RequestedPages;
  /** Whether everything that was declared was fetched and read to its end. */
  readonly complete: boolean;
  /** The limit that ended the crawl or the check early; its `limit` is `abort` where the caller ended the check. */
  readonly stopped?: { readonly limit: string; readonly message: string };
  /** The ten documents with the most errors, then warnings, then infos; the worst first. */
  readonly worst: readonly DocumentSummary[];
}

/** What came of the pages that were requested. */
export interface RequestedPages {
  /** How many distinct pages the sitemaps list. */
  readonly listed: number;
  /** How many of them were requested. */
  readonly requested: number;
  /** The pages by their result: those that can be indexed first, then the most frequent. */
  readonly results: readonly PageResult[];
}

/** Pages with the same result. */
export interface PageResult {
  /**
   * The rule that a page breaks, the first where there are several (`page-blocked` where robots.txt disallows it);
   * `indexable` where it breaks none; `not-requested` where a limit or the network guard kept it from being requested.
   */
  readonly result: RuleName | 'indexable' | 'not-requested';
  /** The HTTP status, where there was a response and no redirect. */
  readonly status?: number;
  readonly count: number;
  /** The first URLs. */
  readonly examples: readonly string[];
}

/** @internal */
export interface BrokenRule {
  readonly rule: string;
  /** The worst of its findings. */
  readonly severity: Severity;
  /** How often it is broken: findings, with the counts of aggregated ones. */
  readonly occurrences: number;
}

/** What hides everything else is fixed first: a sitemap that cannot be read has no other faults. */
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

/** Of equal ones, the first of the table is first. */
const ORDER: readonly string[] = Object.keys(RULES);

/** Nothing at all can be said about the sitemaps of such a site. */
const FIRST: ReadonlySet<string> = new Set(['no-sitemap', 'site-refused', 'site-unreachable']);

/** @internal Which of two rules to fix first, in every output: by severity, subject, and how often it is broken. */
export function byUrgency(a: BrokenRule, b: BrokenRule): number {
  return rank(a) - rank(b) || b.occurrences - a.occurrences || ORDER.indexOf(a.rule) - ORDER.indexOf(b.rule);
}

function rank({ rule, severity }: BrokenRule): number {
  if (FIRST.has(rule)) return -1;
  // A page that must not be fetched is one page; the other rules about the site cost whole sitemaps.
  const about = rule === 'page-blocked' || !isRuleName(rule) ? 'pages' : RULES[rule].about;
  return SEVERITIES.indexOf(severity) * 100 + SUBJECTS.indexOf(about);
}

/** How often a rule is broken with each severity, and the first findings with the worst one. */
interface RankedRule extends BrokenRule {
  readonly rule: RuleName;
  severity: Severity;
  occurrences: number;
  readonly counts: Record<Severity, number>;
  worst: Finding[];
}

/** @internal Findings by rule: all are counted, and a few of each rule are kept. */
export class RankedRules {
  readonly #rules = new Map<RuleName, RankedRule>();

  add(finding: Finding, mostKept: number): void {
    const { rule, severity, count = 1 } = finding;
    const counts = { error: 0, warning: 0, info: 0 };
    const known = this.#rules.get(rule) ?? { rule, severity, occurrences: 0, counts, worst: [] };
    this.#rules.set(rule, known);
    if (SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(known.severity))
      Object.assign(known, { severity, worst: [] });
    known.occurrences += count;
    known.counts[severity] += timesOf(finding);
    if (severity === known.severity && known.worst.length < mostKept) known.worst.push(finding);
  }

  get byUrgency(): readonly RankedRule[] {
    return [...this.#rules.values()].sort(byUrgency);
  }
}
