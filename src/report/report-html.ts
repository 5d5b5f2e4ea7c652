/** `reportHtml`: the public side. What draws the report is loaded when one is made. */
import type { Finding } from '../check/finding.ts';
import { SitemapException } from '../errors.ts';
import { badOption, checkNames } from '../options/names.ts';
import { AbstractSitemap, type Sitemap } from '../sitemap/sitemap.ts';

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

const OPTIONS: readonly string[] = ['before', 'findings', 'now', 'signal'] satisfies (keyof ReportOptions)[];

/**
 * A report of a tree: one HTML file that needs nothing else, in pieces. It has at most a megabyte, whatever the size of
 * the site. The tree must stay open meanwhile.
 *
 * @example
 * ```ts
 * const tree = await sitemapTreeForHomepage('https://example.org/');
 * await writeFile('report.html', reportHtml(tree));
 * ```
 *
 * @throws SitemapException with code `bad-input` where it is not a tree, or `bad-option`
 */
export function reportHtml(tree: Sitemap, options: ReportOptions = {}): AsyncIterable<string> {
  if (!(tree instanceof AbstractSitemap)) {
    throw new SitemapException(
      'reportHtml needs a sitemap, as sitemapTreeForHomepage or loadTree gives it.',
      {
        code: 'bad-input',
      },
    );
  }
  checkNames(options, OPTIONS);
  const { before } = options;
  if (before !== undefined && !(before instanceof AbstractSitemap)) {
    throw badOption('The option "before" must be a sitemap, as loadTree gives it.', 'before');
  }
  return pieces(tree, options);
}

async function* pieces(tree: Sitemap, options: ReportOptions): AsyncGenerator<string, void, undefined> {
  const { writtenReport } = await import('./written-report.ts');
  yield* writtenReport(tree, options);
}
