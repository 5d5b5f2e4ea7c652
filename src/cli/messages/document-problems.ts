/** The problems of documents that were read. */

import { type Problem, type Sitemap, walkTree } from '../../index.ts';
import { count, number } from '../../problems/wording.ts';
import { inFlags } from '../args/option-flags.ts';
import type { Reporter } from './reporter.ts';

/** How many problems of one document are listed without `-v`. */
const LISTED = 10;

interface DocumentProblems {
  readonly name: string;
  readonly problems: readonly Problem[];
  readonly problemCount: number;
}

/** Lists the problems of one document, each with its place and its code; all that are known with `-v`. */
export function listProblems(
  document: DocumentProblems,
  reporter: Reporter,
  say: (line: string) => void,
): void {
  const { name, problems, problemCount } = document;
  if (problemCount === 0) return;
  say(`${name}: read, with ${count(problemCount, 'problem')}:`);
  const listed = reporter.isVerbose ? problems : problems.slice(0, LISTED);
  for (const problem of listed) {
    say(`  ${placeOf(problem)}${inFlags(problem.message, problem.option)} (${problem.code})`);
  }
  if (problemCount > listed.length) say(`  … and ${number(problemCount - listed.length)} more.`);
}

function placeOf({ offset, line, column }: Problem): string {
  if (line !== undefined) return `line ${number(line)}, column ${number(column ?? 1)}: `;
  return offset === undefined ? '' : `byte ${number(offset)}: `;
}

/** The same for every document of a tree; the problems of the site itself are reported elsewhere. */
function listProblemsOfTree(tree: Sitemap, reporter: Reporter): void {
  const isListed = new Set<string>();
  for (const { sitemap } of walkTree(tree)) {
    const { kind, url } = sitemap;
    // A document at several places of the tree is one document.
    if (kind === 'website' || kind === 'invalid' || isListed.has(url)) continue;
    isListed.add(url);
    const { problems, problemCount } = sitemap;
    listProblems({ name: url, problems, problemCount }, reporter, (line) => reporter.detail(line));
  }
}

/**
 * Lists the problems of a tree with `-v` only, since documents may have to be read again for it. Without `-v`, where
 * the output counts problems, says how to see them.
 */
export function detailProblems(
  tree: Sitemap,
  reporter: Reporter,
  { format, pages: withPages = true }: { readonly format: string; readonly pages?: boolean | undefined },
): void {
  if (reporter.isVerbose) {
    listProblemsOfTree(tree, reporter);
  } else if (format === 'tree' && !reporter.isQuiet) {
    for (const { sitemap } of walkTree(tree)) {
      if (problemsShown(sitemap, withPages) === 0) continue;
      reporter.hint('-v says what the problems are.');
      return;
    }
  }
}

/** How many problems the format `tree` shows for a node: those of a page document only where its pages are counted. */
export function problemsShown(node: Sitemap, withPages: boolean): number {
  if (node.kind === 'website' || node.kind === 'invalid') return 0;
  // To know them, a page document must be read.
  return !withPages && node.kind.startsWith('pages-') ? 0 : node.problemCount;
}
