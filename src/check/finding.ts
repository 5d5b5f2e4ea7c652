/** What a check says. */
import type { RelatedPlace, Severity } from './rule.ts';
import type { RuleName } from './rule-table.ts';

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
  /** The page it is about. */
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
export interface DocumentSummary extends SeverityCounts {
  readonly document: string;
}

/** What a check says in the end. */
export interface CheckSummary extends SeverityCounts {
  /** How many findings each rule has, of those that have any. */
  readonly rules: Readonly<Partial<Record<RuleName, number>>>;
  /** How many documents were checked. */
  readonly documents: number;
  /** How many pages they list. */
  readonly pages: number;
  /** Whether everything that was declared was fetched and read to its end. */
  readonly complete: boolean;
  /** The limit that ended the crawl early, or `abort` where the caller ended the check. */
  readonly stopped?: string;
  /** The ten documents with the most errors, then warnings, then infos; the worst first. */
  readonly worst: readonly DocumentSummary[];
}
