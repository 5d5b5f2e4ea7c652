/** `reportHtml`: the public side. What draws the report is loaded when one is made. */

import { SitemapException } from '../errors.ts';
import { badOption, checkNames } from '../options/names.ts';
import { AbstractSitemap, type Sitemap } from '../sitemap/sitemap.ts';
import { dataUrlOf } from './logo.ts';
import type { ReportOptions } from './written-report.ts';

const OPTIONS: readonly string[] = [
  ...(['before', 'title', 'logo', 'findings', 'now', 'agent', 'rules', 'adjust'] as const),
  ...(['names', 'pages', 'network', 'site', 'signal'] as const),
] satisfies (keyof ReportOptions)[];

/**
 * A report of a tree, with what checks find in it: one HTML file that needs nothing else, in pieces. It has at most a
 * megabyte, whatever the size of the site. The tree must stay open meanwhile.
 *
 * @example
 * ```ts
 * for await (const piece of reportHtml(tree)) process.stdout.write(piece);
 * ```
 *
 * @throws SitemapException with code `bad-input` where it is not a tree, or `bad-option`
 */
export function reportHtml(tree: Sitemap, options: ReportOptions = {}): AsyncIterable<string> {
  if (!(tree instanceof AbstractSitemap)) {
    const message = 'reportHtml needs a sitemap, as sitemapTreeForHomepage or loadTree gives it.';
    throw new SitemapException(message, { code: 'bad-input' });
  }
  checkNames(options, OPTIONS);
  const { before } = options;
  if (before !== undefined && !(before instanceof AbstractSitemap)) {
    throw badOption('The option "before" must be a sitemap, as loadTree gives it.', 'before');
  }
  const { title, logo } = options;
  if (title !== undefined && typeof title !== 'string')
    throw badOption('The option "title" must be a text.', 'title');
  if (logo !== undefined && !(logo instanceof Uint8Array))
    throw badOption('The option "logo" must be the bytes of an image, as readFile gives them.', 'logo');
  if (logo !== undefined) dataUrlOf(logo);
  return pieces(tree, options);
}

async function* pieces(tree: Sitemap, options: ReportOptions): AsyncGenerator<string, void, undefined> {
  const { writtenReport } = await import('./written-report.ts');
  yield* writtenReport(tree, options);
}
