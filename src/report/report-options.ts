/** The options of a report. */
import type { Finding } from '../check/finding.ts';
import type { Sitemap } from '../sitemap/sitemap.ts';

/** What a report shows besides the tree. */
export interface ReportOptions {
  /** An earlier tree of the site: the report then has what was added, changed and removed since. @default none */
  readonly before?: Sitemap | undefined;
  /** What checks found. @default none */
  readonly findings?: AsyncIterable<Finding> | undefined;
  /** The time that dates are compared with, where a document was not fetched. @default the clock */
  readonly now?: Date | undefined;
  /** Ends it; the iteration then throws the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}
