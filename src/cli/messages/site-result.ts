/** What came of one site, one sitemap or one file, and its exit code. */

import {
  type IncompleteSitemap,
  type InvalidSitemap,
  type PageStream,
  type Problem,
  type Sitemap,
  type Stopped,
  walkTree,
} from '../../index.ts';
import { isNothingKnown, missingParts } from '../../problems/catalogue.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

export interface SiteResult {
  /** Sitemaps that were read, each once; the site itself and its robots.txt do not count. */
  readonly readable: number;
  readonly invalid: readonly InvalidSitemap[];
  readonly incomplete: readonly IncompleteSitemap[];
  readonly problems: readonly Problem[];
  /** Whether everything that was declared was fetched and read to its end. */
  readonly complete: boolean;
  readonly stopped: Stopped | undefined;
}

export function resultOfTree(tree: Sitemap): SiteResult {
  const invalid: InvalidSitemap[] = [];
  const incomplete = new Map<string, IncompleteSitemap>();
  const readable = new Set<string>();
  for (const { sitemap: node } of walkTree(tree)) {
    if (node.kind === 'invalid') {
      // A child that was not requested is not a failure.
      if (node.code !== 'not-fetched') invalid.push(node);
      continue;
    }
    if (node.kind === 'website') continue;
    if (node.kind !== 'robots-txt') readable.add(node.url);
    const problems = missingIn(node);
    // A document at several places of the tree is one document.
    if (problems.length > 0) incomplete.set(node.url, { url: node.url, problems });
  }
  return {
    readable: readable.size,
    invalid,
    incomplete: [...incomplete.values()],
    problems: tree.kind === 'website' ? tree.problems : [],
    // A part of a tree that was saved alone does not know.
    complete: tree.complete ?? invalid.length === 0,
    stopped: tree.stopped,
  };
}

/** What is missing in a sitemap. A page document is read for its problems only where its end is missing. */
export function missingIn(node: Sitemap): readonly Problem[] {
  return node.truncated || !node.kind.startsWith('pages-') ? missingParts(node.problems) : [];
}

/**
 * The result of a stream that has ended.
 *
 * @param read - sitemaps that were read to their end
 * @param hadEnough - whether we ended it, with all the pages that were asked for
 */
export function resultOfStream(
  stream: PageStream,
  {
    read,
    pages,
    hadEnough,
  }: {
    readonly read: number;
    readonly pages: number;
    readonly hadEnough: boolean;
  },
): SiteResult {
  const { invalidSitemaps, incompleteSitemaps, problems, complete, stopped } = stream;
  return {
    readable: Math.max(read, pages > 0 ? 1 : 0),
    invalid: invalidSitemaps,
    incomplete: incompleteSitemaps,
    problems,
    complete: hadEnough ? invalidSitemaps.length === 0 : complete,
    stopped,
  };
}

/**
 * The exit code of one site.
 *
 * @param knownPaths - how many known paths were requested
 */
export function exitCodeOf(
  result: SiteResult,
  { strict = false }: { readonly strict?: boolean | undefined },
  knownPaths = 0,
): ExitCode {
  // Stopped with nothing found does not mean that there is nothing to find.
  if (result.stopped !== undefined) return EXIT.stopped;
  const { readable, invalid, problems } = result;
  if (readable === 0)
    return isNothingKnown(invalid, problems, knownPaths) ? EXIT.unreachable : EXIT.noneFound;
  return strict && !result.complete ? EXIT.incomplete : EXIT.ok;
}
