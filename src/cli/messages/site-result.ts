/** What came of one site, one sitemap or one file, and the exit code that says so. */
import type { InvalidSitemap, PageStream, Problem, Sitemap, Stopped } from '../../index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

/** What came of a site. */
export interface SiteResult {
  /** Sitemaps that were read; the site itself and its robots.txt do not count. */
  readonly readable: number;
  /** The same with robots.txt, as the tree has them: what people are told. */
  readonly sitemaps: number;
  readonly invalid: readonly InvalidSitemap[];
  /** Of the site as a whole. */
  readonly problems: readonly Problem[];
  /** Whether nothing that was declared was unreadable, not fetched or cut. */
  readonly complete: boolean;
  readonly stopped: Stopped | undefined;
}

/** What a tree says. */
export function resultOfTree(tree: Sitemap): SiteResult {
  const invalid: InvalidSitemap[] = [];
  let readable = 0;
  let sitemaps = 0;
  for (const node of [tree, ...tree.allSitemaps()]) {
    if (node.kind === 'invalid') {
      // A child that was not asked for is no failure.
      if (node.code !== 'not-fetched') invalid.push(node);
      continue;
    }
    if (node.kind !== 'website') sitemaps++;
    if (node.kind !== 'website' && node.kind !== 'robots-txt') readable++;
  }
  return {
    readable,
    sitemaps,
    invalid,
    problems: tree.kind === 'website' ? tree.problems : [],
    // A part of a tree that somebody saved alone does not know.
    complete: tree.complete ?? invalid.length === 0,
    stopped: tree.stopped,
  };
}

/**
 * What a stream says once it ended.
 *
 * @param read - sitemaps that were read to their end
 * @param sitemaps - the same with robots.txt
 * @param hadEnough - whether we ended it, with all the pages that were asked for
 */
export function resultOfStream(
  stream: PageStream,
  {
    read,
    sitemaps,
    pages,
    hadEnough,
  }: {
    readonly read: number;
    readonly sitemaps: number;
    readonly pages: number;
    readonly hadEnough: boolean;
  },
): SiteResult {
  const { invalidSitemaps, problems, complete, stopped } = stream;
  return {
    readable: Math.max(read, pages > 0 ? 1 : 0),
    sitemaps,
    invalid: invalidSitemaps,
    problems,
    complete: hadEnough ? invalidSitemaps.length === 0 : complete,
    stopped,
  };
}

/** The exit code of one site. */
export function exitCodeOf(
  { readable, complete, stopped }: SiteResult,
  { strict = false }: { readonly strict?: boolean | undefined },
): ExitCode {
  // Stopped with nothing found is not the same as nothing to be found.
  if (stopped !== undefined) return EXIT.stopped;
  if (readable === 0) return EXIT.noneFound;
  return strict && !complete ? EXIT.incomplete : EXIT.ok;
}
