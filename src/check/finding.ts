/** The results of a check. */
import type { RelatedPlace, RuleName, Severity } from './rule.ts';

/** One fault or fact that a check reports. */
export interface Finding {
  /** The name of the rule; `docs/check-rules.md` explains each. */
  readonly rule: RuleName;
  readonly severity: Severity;
  /** A sentence: what is wrong, with the value. */
  readonly message: string;
  /** The URL of the document, or the name of its file if it has no URL. */
  readonly document: string;
  /** From 1; lines end with LF, CRLF or CR. */
  readonly line?: number;
  /** In UTF-16 code units, from 1. */
  readonly column?: number;
  /** In bytes of the decoded text as UTF-8. 0 is the first byte after a byte order mark. */
  readonly offset?: number;
  /** The page it is about; in an index or robots.txt, the sitemap. */
  readonly page?: string;
  /**
   * For an aggregated rule, how many entries the finding stands for. For the finding that has the rest of a rule in a
   * document, how many findings. The position is that of the first.
   */
  readonly count?: number;
  /** Other places: the next few of an aggregated rule, or the other side of a contradiction. */
  readonly related?: readonly RelatedPlace[];
}

/** A number for each severity. */
export type SeverityCounts = Readonly<Record<Severity, number>>;

/** The findings of one document in numbers. */
export interface DocumentSummary {
  readonly document: string;
  /** How many findings it has. */
  readonly counts: SeverityCounts;
  /** How many entries these findings stand for. */
  readonly entries: SeverityCounts;
}

/** The findings of a check in numbers, and whether it was complete. */
export interface CheckSummary {
  /** How many findings there are of each severity. */
  readonly counts: SeverityCounts;
  /**
   * How many entries these findings stand for: one each, but the finding of an aggregated rule has its `count`. An
   * entry with two findings counts twice.
   */
  readonly entries: SeverityCounts;
  /** How many findings each rule has; rules without findings are absent. */
  readonly rules: Readonly<Partial<Record<RuleName, number>>>;
  /** How many documents were checked. */
  readonly documents: number;
  /** How many pages the documents list. */
  readonly pages: number;
  /** How many alternates were not checked, since there were too many: over 200 of a page, or eight million in all. */
  readonly alternatesNotChecked?: number;
  /** The results of the pages that were requested; absent if none were to be requested. */
  readonly requestedPages?: RequestedPages;
  /** Whether everything that was declared was fetched and read to its end. */
  readonly complete: boolean;
  /** The limit that ended the crawl or the check early; its `limit` is `abort` if the caller ended the check. */
  readonly stopped?: { readonly limit: string; readonly message: string };
  /** The ten documents with the most entries that have errors, then warnings, then infos; the worst first. */
  readonly worst: readonly DocumentSummary[];
}

/** The results of the pages that were requested. */
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
   * The first rule that a page breaks (`page-blocked` if robots.txt disallows it); `indexable` if it breaks none;
   * `not-requested` if a limit or the network guard prevented the request.
   */
  readonly result: RuleName | 'indexable' | 'not-requested';
  /** The HTTP status, if there was a response and no redirect. */
  readonly status?: number;
  readonly count: number;
  /** The first URLs. */
  readonly examples: readonly string[];
}
