/** What a check says. */
import type { RelatedPlace, RuleName, Severity } from './rule.ts';

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
   * How many entries it stands for, for aggregated rules; how many findings, for the one that has the rest of a rule in
   * a document. The position is that of the first.
   */
  readonly count?: number;
  /** Other places: the next few of an aggregated rule, or the other side of a contradiction. */
  readonly related?: readonly RelatedPlace[];
}

/** A number for each severity. */
export type SeverityCounts = Readonly<Record<Severity, number>>;

/** What a check says of one document. */
export interface DocumentSummary {
  readonly document: string;
  /** How many findings it has. */
  readonly counts: SeverityCounts;
  /** How many entries these stand for. */
  readonly entries: SeverityCounts;
}

/** What a check says in the end. */
export interface CheckSummary {
  /** How many findings there are of each severity. */
  readonly counts: SeverityCounts;
  /**
   * How many entries these findings stand for: one each, but the finding of an aggregated rule has its `count`. An entry
   * with two findings counts twice.
   */
  readonly entries: SeverityCounts;
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
  /** The ten documents with the most entries that have errors, then warnings, then infos; the worst first. */
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
