/** The options of a report. */
import type { CheckTreeOptions } from '../check/check-tree.ts';
import type { Finding } from '../check/finding.ts';
import type { Sitemap } from '../sitemap/sitemap.ts';

/** What a report shows besides the tree: the options of `checkTree`, and these. */
export interface ReportOptions extends Omit<CheckTreeOptions, 'names'> {
  /** An earlier tree of the site: the report then has what was added, changed and removed since. @default none */
  readonly before?: Sitemap | undefined;
  /** The findings to show, where they are known already. @default what `checkTree` finds, with these options */
  readonly findings?: AsyncIterable<Finding> | Iterable<Finding> | undefined;
}
