/** `reportHtml`, the public function. The code that draws a report is loaded when it is needed. */

import { CHECK_TREE_OPTIONS } from '../check/check-tree.ts';
import { badOption, textForOneLoop } from '../problems/errors.ts';
import { checkNames } from '../problems/option-names.ts';
import { AbstractSitemap, checkIsSitemap, type Sitemap } from '../sitemap/sitemap.ts';
import type { ReportOptions } from './report-page.ts';

const OPTIONS: readonly (keyof ReportOptions)[] = [
  'before',
  'title',
  'logo',
  'findings',
  ...CHECK_TREE_OPTIONS,
];

/**
 * A report of a tree with the findings of its check: one HTML file without other files, in pieces. It has at most a
 * megabyte for a site of any size. The tree must stay open meanwhile. Several trees, as of several files, are reported
 * as one site; `before` needs a single tree.
 *
 * @example
 * ```ts
 * for await (const piece of reportHtml(tree)) process.stdout.write(piece);
 * ```
 *
 * @throws SitemapException with code `bad-input` if it is not a tree, or `bad-option`
 */
export function reportHtml(
  tree: Sitemap | readonly Sitemap[],
  options: ReportOptions = {},
): AsyncIterable<string> {
  const trees: readonly Sitemap[] = [tree].flat();
  for (const each of trees.length === 0 ? [undefined] : trees) checkIsSitemap(each, 'reportHtml');
  checkNames(options, OPTIONS);
  const { before } = options;
  if (before !== undefined && !(before instanceof AbstractSitemap)) {
    throw badOption('The option "before" must be a sitemap, as loadTree gives it.', 'before');
  }
  if (before !== undefined && trees.length > 1)
    throw badOption('The option "before" needs a single tree, and there are several.', 'before');
  const { title, logo } = options;
  if (title !== undefined && typeof title !== 'string')
    throw badOption('The option "title" must be a text.', 'title');
  if (logo !== undefined && !(logo instanceof Uint8Array))
    throw badOption('The option "logo" must be the bytes of an image, as readFile gives them.', 'logo');
  return textForOneLoop(pieces(trees, options, logo && dataUrlOf(logo)), 'reportHtml');
}

async function* pieces(
  trees: readonly Sitemap[],
  options: ReportOptions,
  logo: string | undefined,
): AsyncGenerator<string, void, undefined> {
  const { writtenReport } = await import('./report-page.ts');
  yield* writtenReport(trees, options, logo);
}

const MOST_OF_LOGO = 256 * 1024;

/** The first bytes of the image formats that browsers show. An SVG in an image element runs no script. */
const IMAGES: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/svg+xml', /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!DOCTYPE\s+svg|svg)/],
];

/**
 * The image as a data URL. It is part of the report, so it must be small and of a known format.
 *
 * @throws SitemapException with code `bad-option` if it is not an image, or too large
 */
export function dataUrlOf(logo: Uint8Array): string {
  const start = Buffer.from(logo.subarray(0, 64)).toString('latin1');
  const [type] = IMAGES.find(([, pattern]) => pattern.test(start)) ?? [];
  if (type === undefined || logo.length > MOST_OF_LOGO) {
    const message = 'The option "logo" must be a PNG, JPEG, GIF, WebP or SVG image of at most 256 KiB.';
    throw badOption(message, 'logo');
  }
  return `data:${type};base64,${Buffer.from(logo).toString('base64')}`;
}
